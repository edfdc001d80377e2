// sim_kit.c -- the Driver API as the tests of the simulator call it.
#include "sim_kit.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static char report_path[64], count_path[64];

// After a crash inside the driver, which cmocka would catch, the driver's lock
// stays taken, and the next call would wait for it: the program ends instead.
static void end_at_crash(void) {
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
    signal(crashes[i], SIG_DFL);
}

void kit_open(void) {
  CUcontext context;
  snprintf(report_path, sizeof report_path, "/tmp/tilesim-report-%ld",
           (long)getpid());
  remove(report_path);
  setenv("TILE_SIM_REPORT", report_path, 1);
  assert_int_equal(cuInit(0), 0);
  assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), 0);
  assert_int_equal(cuCtxPushCurrent_v2(context), 0);
}

void kit_close(void) {
  CUcontext context;
  assert_int_equal(cuCtxPopCurrent_v2(&context), 0);
  assert_int_equal(cuDevicePrimaryCtxRelease_v2(0), 0);
  remove(report_path);
}

int kit_setup(void **state) {
  (void)state;
  kit_open();
  return 0;
}

int kit_teardown(void **state) {
  (void)state;
  kit_close();
  return 0;
}

CUmodule kit_load_text(const char *ptx) {
  CUmodule module = NULL;
  char log[1000] = "";
  int options[] = {5, 6};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  end_at_crash();
  if (cuModuleLoadDataEx(&module, ptx, 2, options, values)) fail_msg("%s", log);
  return module;
}

CUmodule kit_load(const char *file_name) {
  char path[512];
  snprintf(path, sizeof path, TILE_SOURCE_DIR "/tests/sim/ptx/%s", file_name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("cannot read %s", path);
  static char text[1 << 20];
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  return kit_load_text(text);
}

CUmodule kit_load_body(const char *body) {
  static char text[1 << 16];
  const char *chip = getenv("TILE_SIM_CHIP");
  snprintf(text, sizeof text,
           ".version 8.7\n.target %s\n.address_size 64\n"
           ".visible .entry k(.param .u64 out_p, .param .u64 in_p) {\n"
           ".reg .b32 %%r<99>; .reg .b64 %%d<99>; .reg .f32 %%f<99>;\n"
           ".reg .f64 %%g<99>; .reg .b16 %%h<99>; .reg .pred %%p<99>;\n"
           ".reg .b64 %%out, %%in; .reg .b32 %%t;\n"
           "ld.param.u64 %%out, [out_p]; ld.param.u64 %%in, [in_p];\n"
           "mov.u32 %%t, %%tid.x;\n%s\nret;\n}\n",
           chip ? chip : "sm_80", body);
  return kit_load_text(text);
}

int kit_run(CUmodule module, const char *kernel, KitShape shape,
            void **params) {
  CUfunction function;
  end_at_crash();
  assert_int_equal(cuModuleGetFunction(&function, module, kernel), 0);
  for (int i = 0; i < 3; i++) {
    if (!shape.grid[i]) shape.grid[i] = 1;
    if (!shape.block[i]) shape.block[i] = 1;
  }
  if (shape.shared > 48 * 1024)
    assert_int_equal(cuFuncSetAttribute(function, 8, (int)shape.shared), 0);
  const int error = cuLaunchKernel(
      function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
      shape.block[1], shape.block[2], shape.shared, NULL, params, NULL);
  return error ? error : cuCtxSynchronize();
}

int kit_map(CUmodule module, unsigned num_threads, const void *in,
            size_t in_size, void *out, size_t out_size) {
  CUdeviceptr to = kit_upload(NULL, out_size), from = kit_upload(in, in_size);
  void *params[] = {&to, &from};
  const int error =
      kit_run(module, "k", (KitShape){{1}, {num_threads}, 0}, params);
  if (error) return error; // the error has ended the context
  kit_download(out, to, out_size);
  assert_int_equal(cuMemFree_v2(from), 0);
  assert_int_equal(cuModuleUnload(module), 0);
  return 0;
}

void kit_reopen(void) {
  kit_close();
  kit_open();
  kit_reports();
}

CUdeviceptr kit_upload(const void *data, size_t size) {
  CUdeviceptr address = 0;
  assert_int_equal(cuMemAlloc_v2(&address, size), 0);
  if (data) assert_int_equal(cuMemcpyHtoD_v2(address, data, size), 0);
  return address;
}

void kit_download(void *to, CUdeviceptr from, size_t size) {
  assert_int_equal(cuMemcpyDtoH_v2(to, from, size), 0);
  assert_int_equal(cuMemFree_v2(from), 0);
}

uint32_t kit_random(uint32_t *state) {
  uint32_t x = *state ? *state : 1;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}

const char *kit_report_text(void) {
  static char text[1 << 16];
  FILE *file = fopen(report_path, "r");
  const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[length] = '\0';
  if (file) fclose(file);
  return text;
}

const char *kit_reports(void) {
  static char kinds[4096];
  char line[1024];
  size_t used = 0;
  kinds[0] = '\0';
  FILE *file = fopen(report_path, "r");
  while (file && fgets(line, sizeof line, file)) {
    char kind[64];
    if (sscanf(line, "{\"kind\":\"%63[^\"]", kind) == 1 &&
        used + strlen(kind) + 2 < sizeof kinds)
      used += (size_t)sprintf(kinds + used, "%s ", kind);
  }
  if (file) fclose(file);
  remove(report_path);
  return kinds;
}

bool kit_only_kinds(const char *found, const char *kinds) {
  const char *at = found;
  for (const char *end; (end = strchr(at, ' ')); at = end + 1) {
    const size_t length = (size_t)(end - at);
    const char *kind = kinds;
    while (kind && (strncmp(kind, at, length) != 0 ||
                    (kind[length] && kind[length] != ' ')))
      kind = strchr(kind, ' ') ? strchr(kind, ' ') + 1 : NULL;
    if (!kind) return false;
  }
  return at != found;
}

void kit_count(const char *form) {
  char request[80];
  snprintf(count_path, sizeof count_path, "/tmp/tilesim-stats-%ld",
           (long)getpid());
  snprintf(request, sizeof request, "%s:%s", form, count_path);
  setenv("TILE_SIM_STATS", request, 1);
}

const char *kit_counted(void) {
  static char text[1 << 16];
  unsetenv("TILE_SIM_STATS");
  FILE *file = fopen(count_path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  remove(count_path);
  return text;
}
