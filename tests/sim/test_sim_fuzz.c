// test_sim_fuzz.c -- damaged PTX is refused or runs; it never crashes.
//
// A bounded number of mutants of the committed files is loaded and run, with a
// budget; TILE_TEST_FULL=1 takes ten times as many, TILE_TEST_SEED others.
#include <stdio.h>

#include "sim_kit.h"

enum { THREADS = 128, MUTANTS = 100 };

static char original[1 << 18], mutant[(1 << 18) + 256];

static size_t read_ptx(const char *name) {
  char path[512];
  snprintf(path, sizeof path, TILE_SOURCE_DIR "/tests/sim/ptx/%s", name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(original, 1, sizeof original - 1, file);
  fclose(file);
  original[length] = '\0';
  return length;
}

static bool in_word(char c) {
  return c == '%' || c == '_' || (c >= '0' && c <= '9') ||
         ((c | 32) >= 'a' && (c | 32) <= 'z');
}

// The word at or after a place: a name, a number, a modifier.
static size_t find_word(size_t from, size_t length, size_t *size) {
  while (from < length && !in_word(original[from])) from++;
  while (from && in_word(original[from - 1])) from--;
  *size = 0;
  while (from + *size < length && in_word(original[from + *size])) ++*size;
  return from;
}

// Another word in place of one, which leaves most of the text correct.
static void replace_word(uint32_t *seed, size_t length) {
  size_t old_size, new_size;
  const size_t to = find_word(kit_random(seed) % length, length, &old_size);
  const size_t from = find_word(kit_random(seed) % length, length, &new_size);
  if (new_size > 200) return;
  memcpy(mutant + to, original + from, new_size);
  memcpy(mutant + to + new_size, original + to + old_size,
         length + 1 - to - old_size);
}

// Copies a piece over another, deletes or doubles one, or changes a byte.
static void mutate(uint32_t *seed, size_t length) {
  memcpy(mutant, original, length + 1);
  const size_t from = kit_random(seed) % length, to = kit_random(seed) % length;
  const size_t most = length - (from > to ? from : to);
  const size_t size = kit_random(seed) % (most < 40 ? most + 1 : 40);
  switch (kit_random(seed) / 16 % 8) {
  case 0: memmove(mutant + to, original + from, size); break;
  case 1:
    memmove(mutant + to, original + to + size, length + 1 - to - size);
    break;
  case 2: memmove(mutant + to + size, original + to, length + 1 - to); break;
  case 3: mutant[to] = (char)(kit_random(seed) >> 8 & 127); break;
  case 4: mutant[to] = '\0'; break;
  default: replace_word(seed, length); break;
  }
}

static void renew_context(void) {
  CUcontext context;
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxPushCurrent_v2(context);
}

typedef struct {
  _Alignas(64) uint8_t bytes[128];
} Map;

// A map of 32 by 32 words; zeros if the chip has no maps.
static Map map_of(CUdeviceptr buffer) {
  Map map = {{0}};
  const uint64_t dims[] = {32, 32}, strides[] = {128};
  const unsigned box[] = {32, 32}, steps[] = {1, 1};
  cuTensorMapEncodeTiled(&map, 2, 2, (void *)(uintptr_t)buffer, dims, strides,
                         box, steps, 0, 3, 0, 0);
  return map;
}

// The first two parameters are the map, if there is one, the others buffers.
static void run_kernel(CUmodule module, const char *kernel, CUdeviceptr buffer,
                       Map *map) {
  CUfunction function;
  CUdeviceptr buffers[512];
  for (int i = 0; i < 512; i++) buffers[i] = buffer; // for large parameters
  void *params[64];
  for (int i = 0; i < 64; i++) params[i] = map && i < 2 ? (void *)map : buffers;
  if (cuModuleGetFunction(&function, module, kernel)) return;
  cuLaunchKernel(function, 2, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL);
  cuCtxSynchronize();
}

static void try_mutant(const char *kernel, bool has_maps) {
  CUmodule module;
  if (cuModuleLoadDataEx(&module, mutant, 0, NULL, NULL)) return;
  CUdeviceptr buffer = kit_upload(NULL, 4096);
  cuMemsetD32_v2(buffer, 0, 1024);
  Map map = map_of(buffer);
  run_kernel(module, kernel, buffer, has_maps ? &map : NULL);
  renew_context();
}

static void test_mutants(void **state) {
  (void)state;
  static const struct {
    const char *file, *kernel;
  } sources[] = {{"reverse.ptx", "reverse"},   {"matmul.ptx", "matmul"},
                 {"basic.ptx", "votes"},       {"scan.ptx", "chained_scan"},
                 {"isa.ptx", "isa"},           {"printf.ptx", "formats"},
                 {"wmma.ptx", "padded"},       {"forms.ptx", "atom"},
                 {"bulk.ptx", "add_one"},      {"bulk.ptx", "add_up"},
                 {"tensor.ptx", "transpose"},  {"tensor.ptx", "copy_many"},
                 {"tensor.ptx", "box_filter"}, {"cluster.ptx", "pair"},
                 {"cluster.ptx", "ring"},      {"cluster.ptx", "tally"},
                 {"cluster.ptx", "spread"},    {"wgmma.ptx", "matmul"},
                 {"wgmma_forms.ptx", "forms"}, {"bulk_forms.ptx", "forms"},
                 {"pipeline.ptx", "product"}};
  const int count = getenv("TILE_TEST_FULL") ? 10 * MUTANTS : MUTANTS;
  const char *given = getenv("TILE_TEST_SEED");
  uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 10) : 4711;
  setenv("TILE_SIM_BUDGET", "20000", 1);
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    const size_t length = read_ptx(sources[i].file);
    for (int n = 0; n < count; n++) {
      mutate(&seed, length);
      try_mutant(sources[i].kernel, strcmp(sources[i].file, "tensor.ptx") == 0);
    }
  }
}

// Maps with some bytes changed.
static void test_maps(void **state) {
  (void)state;
  const int count = getenv("TILE_TEST_FULL") ? 50 * MUTANTS : 3 * MUTANTS;
  uint32_t seed = 4711;
  const size_t length = read_ptx("tensor.ptx");
  memcpy(mutant, original, length + 1);
  for (int n = 0; n < count; n++) {
    CUmodule module;
    assert_int_equal(cuModuleLoadDataEx(&module, mutant, 0, NULL, NULL), 0);
    CUdeviceptr buffer = kit_upload(NULL, 4096);
    Map map = map_of(buffer);
    for (uint32_t i = kit_random(&seed) / 8 % 4 + 1; i; i--) {
      uint8_t *byte = &map.bytes[kit_random(&seed) / 8 % 128];
      const uint32_t bits = kit_random(&seed) / 8;
      *byte = (uint8_t)(bits & 1 ? bits >> 1 : *byte ^ 1u << (bits >> 1) % 8);
    }
    run_kernel(module, n % 2 ? "transpose" : "box_filter", buffer, &map);
    renew_context();
  }
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 0);
  if (!getenv("SHOW") && !freopen("/dev/null", "w", stderr)) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutants),
                                     cmocka_unit_test(test_maps)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
