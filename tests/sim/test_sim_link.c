// test_sim_link.c -- PTX that is linked before it is loaded.
#include <stdio.h>
#include <unistd.h>

#include "sim_kit.h"

typedef struct CUlinkState_st *CUlinkState;

int cuLinkCreate_v2(unsigned num_options, int *options, void **values,
                    CUlinkState *link);
int cuLinkAddData_v2(CUlinkState link, int type, void *data, size_t size,
                     const char *name, unsigned num_options, int *options,
                     void **values);
int cuLinkAddFile_v2(CUlinkState link, int type, const char *path,
                     unsigned num_options, int *options, void **values);
int cuLinkComplete(CUlinkState link, void **image, size_t *size);
int cuLinkDestroy(CUlinkState link);

enum {
  INVALID_VALUE = 1,
  INVALID_IMAGE = 200,
  INVALID_PTX = 218,
  FILE_NOT_FOUND = 301,
  INVALID_HANDLE = 400,
};

enum { CUBIN = 0, PTX = 1 };

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

// A kernel that calls a function of the other text, and reads its variable;
// both texts have local names that are equal.
static char caller[] =
    HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
         ".extern .global .u32 offset;\n"
         ".global .align 4 .u32 $own = 1000;\n"
         ".visible .entry k(.param .u64 out) {\n"
         ".reg .b64 %p; .reg .b32 %a, %b; ld.param.u64 %p, [out];\n"
         "{ .param .b32 x; .param .b32 y; st.param.b32 [x], 21;\n"
         "call (y), twice, (x); ld.param.b32 %a, [y]; }\n"
         "ld.global.u32 %b, [offset]; add.u32 %a, %a, %b;\n"
         "ld.global.u32 %b, [$own]; add.u32 %a, %a, %b;\n"
         "st.global.u32 [%p], %a; ret; }\n";
static char callee[] =
    HEAD ".visible .global .u32 offset = 100;\n"
         ".global .align 4 .u32 $own[2] = {5, 10000};\n"
         ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
         ".reg .b32 %a, %b; ld.param.b32 %a, [x]; add.u32 %a, %a, %a;\n"
         "ld.global.u32 %b, [$own+4]; add.u32 %a, %a, %b;\n"
         "st.param.b32 [r], %a; ret; }\n";

static int add(CUlinkState link, char *text) {
  return cuLinkAddData_v2(link, PTX, text, strlen(text) + 1, "text", 0, NULL,
                          NULL);
}

static void assert_runs(const void *image) {
  CUmodule module;
  int result = 0;
  assert_int_equal(cuModuleLoadDataEx(&module, image, 0, NULL, NULL), 0);
  CUdeviceptr out = kit_upload(NULL, 4);
  void *params[] = {&out};
  assert_int_equal(kit_run(module, "k", (KitShape){{1}, {1}, 0}, params), 0);
  kit_download(&result, out, 4);
  assert_int_equal(result, 2 * 21 + 10000 + 100 + 1000);
  assert_int_equal(cuModuleUnload(module), 0);
}

static void test_two(void **state) {
  (void)state;
  CUlinkState link;
  void *image = NULL;
  size_t size = 0;
  for (int order = 0; order < 2; order++) {
    assert_int_equal(cuLinkCreate_v2(0, NULL, NULL, &link), 0);
    assert_int_equal(add(link, order ? callee : caller), 0);
    assert_int_equal(add(link, order ? caller : callee), 0);
    assert_int_equal(cuLinkComplete(link, &image, &size), 0);
    assert_int_equal(size, strlen(image) + 1);
    assert_runs(image);
    assert_int_equal(cuLinkDestroy(link), 0);
  }
  assert_int_equal(cuLinkDestroy(link), INVALID_HANDLE);
}

static void test_file(void **state) {
  (void)state;
  CUlinkState link;
  char path[64];
  void *image;
  snprintf(path, sizeof path, "/tmp/tilesim-link-%ld", (long)getpid());
  assert_int_equal(cuLinkCreate_v2(0, NULL, NULL, &link), 0);
  assert_int_equal(cuLinkAddFile_v2(link, PTX, path, 0, NULL, NULL),
                   FILE_NOT_FOUND);
  FILE *file = fopen(path, "w");
  fputs(callee, file);
  fclose(file);
  assert_int_equal(cuLinkAddFile_v2(link, PTX, path, 0, NULL, NULL), 0);
  remove(path);
  assert_int_equal(add(link, caller), 0);
  assert_int_equal(cuLinkComplete(link, &image, NULL), 0);
  assert_runs(image);
  assert_int_equal(cuLinkDestroy(link), 0);
}

static void test_wrong(void **state) {
  (void)state;
  char log[300] = "", wrong[] = HEAD ".entry k() { ret; ";
  int options[] = {5, 6};
  void *values[] = {log, (void *)(uintptr_t)sizeof log}, *image;
  CUlinkState link;
  assert_int_equal(cuLinkCreate_v2(2, options, values, NULL), INVALID_VALUE);
  assert_int_equal(cuLinkCreate_v2(2, options, values, &link), 0);
  assert_int_equal(cuLinkComplete(link, &image, NULL), INVALID_VALUE);
  assert_int_equal(add(link, wrong), INVALID_PTX);
  assert_non_null(strstr(log, "line 4"));
  assert_int_equal((uintptr_t)values[1], strlen(log));
  assert_int_equal(cuLinkAddData_v2(link, CUBIN, callee, 9, "", 0, NULL, NULL),
                   INVALID_IMAGE);
  assert_int_equal(cuLinkAddData_v2(link, 99, callee, 9, "", 0, NULL, NULL),
                   INVALID_VALUE);
  assert_int_equal(cuLinkAddData_v2(link, PTX, NULL, 9, "", 0, NULL, NULL),
                   INVALID_VALUE);
  // A function that no module defines.
  assert_int_equal(add(link, caller), 0);
  assert_int_equal(cuLinkComplete(link, &image, NULL), INVALID_PTX);
  assert_non_null(strstr(log, "twice"));
  assert_int_equal(cuLinkDestroy(link), 0);
}

int main(void) {
  unsetenv("TILE_SIM_CHIP"); // sm_80
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_wrong),
  };
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
