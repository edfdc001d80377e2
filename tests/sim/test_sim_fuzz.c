// test_sim_fuzz.c -- damaged PTX is refused or runs; it never crashes.
//
// A bounded number of mutants of the committed files is loaded and run, with a
// budget; TILE_TEST_FULL=1 takes ten times as many, TILE_TEST_SEED others.
#include <stdio.h>

#include "sim_kit.h"

enum { MUTANTS = 100 };

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

// One word in the place of another, which leaves most of it correct.
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

static void try_mutant(const char *kernel) {
  CUmodule module;
  CUfunction function;
  if (cuModuleLoadDataEx(&module, mutant, 0, NULL, NULL)) return;
  CUdeviceptr buffer = kit_upload(NULL, 4096), buffers[512];
  for (int i = 0; i < 512; i++) buffers[i] = buffer; // for large parameters
  cuMemsetD32_v2(buffer, 0, 1024);
  void *params[64];
  for (int i = 0; i < 64; i++) params[i] = buffers;
  if (!cuModuleGetFunction(&function, module, kernel)) {
    cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL);
    cuCtxSynchronize();
  }
  CUcontext context;
  cuCtxPopCurrent_v2(&context);
  cuDevicePrimaryCtxRelease_v2(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxPushCurrent_v2(context);
}

static void test_mutants(void **state) {
  (void)state;
  static const struct {
    const char *file, *kernel;
  } sources[] = {{"reverse.ptx", "reverse"}, {"matmul.ptx", "matmul"},
                 {"basic.ptx", "votes"},     {"scan.ptx", "chained_scan"},
                 {"isa.ptx", "isa"},         {"printf.ptx", "formats"},
                 {"wmma.ptx", "padded"},     {"forms.ptx", "atom"},
                 {"bulk.ptx", "add_one"},    {"bulk.ptx", "add_up"}};
  const int count = getenv("TILE_TEST_FULL") ? 10 * MUTANTS : MUTANTS;
  const char *given = getenv("TILE_TEST_SEED");
  uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 10) : 4711;
  setenv("TILE_SIM_BUDGET", "20000", 1);
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    const size_t length = read_ptx(sources[i].file);
    for (int n = 0; n < count; n++) {
      mutate(&seed, length);
      try_mutant(sources[i].kernel);
    }
  }
}

int main(void) {
  setenv("TILE_SIM_CHIP", "sm_90", 0);
  if (!getenv("SHOW") && !freopen("/dev/null", "w", stderr)) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutants)};
  return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
