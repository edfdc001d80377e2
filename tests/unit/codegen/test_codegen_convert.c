// test_codegen_convert.c -- conversions of element types on the host,
// exhaustive for the narrow ones, compared with ir/number.h; and the external
// symbols of an object.
//
// Backs I5 of codegen/scalar.
#include "host_kit.h"

#include <llvm-c/Object.h>

enum { TILE = 256, MAX_ITEMS = 1 << 16 };

static const Elem narrow[] = {ELEM_f8e5, ELEM_f8e4nv, ELEM_f16, ELEM_bf16};

static uint64_t bits_at(const void *data, size_t i, Elem elem) {
  const size_t bytes = (size_t)elem_info[elem].bits / 8;
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + i * bytes, bytes);
  return bits;
}

static void put_bits(void *data, size_t i, Elem elem, uint64_t bits) {
  const size_t bytes = (size_t)elem_info[elem].bits / 8;
  memcpy((char *)data + i * bytes, &bits, bytes);
}

static bool same_float(uint64_t a, uint64_t b, Elem elem) {
  const double x = float_decode(a, elem), y = float_decode(b, elem);
  return a == b || (isnan(x) && isnan(y));
}

static void check(const char *what, Elem from, Elem to, Rounding rounding,
                  size_t count, const void *in, const void *out) {
  for (size_t i = 0; i < count; i++) {
    const uint64_t bits = bits_at(in, i, from);
    const uint64_t got = bits_at(out, i, to);
    const double value = float_decode(bits, from);
    const uint64_t want = float_encode(float_round_to(value, to, rounding), to);
    if (same_float(got, want, to)) continue;
    fail_msg("%s %s to %s of %#llx: %#llx, expected %#llx", what,
             elem_info[from].name, elem_info[to].name, (unsigned long long)bits,
             (unsigned long long)got, (unsigned long long)want);
  }
}

// Values of the wide format: some near values of the narrow format, and any
// others.
static void fill_wide(void *in, Elem from, Elem to) {
  uint64_t state = 3;
  for (size_t i = 0; i < MAX_ITEMS; i++) {
    const uint64_t any = (uint64_t)(host_random(&state) * 4294967296.0) << 32 |
                         (uint64_t)(host_random(&state) * 4294967296.0);
    if (i % 4 == 0) {
      put_bits(in, i, from, any >> (64 - elem_info[from].bits));
      continue;
    }
    // Half way between two encodings, or a little off.
    const uint64_t code = any & ((UINT64_C(1) << (elem_info[to].bits - 1)) - 1);
    const double a = float_decode(code, to), b = float_decode(code + 1, to);
    double x = (a + b) / 2;
    if (i % 4 == 2) x = nextafter(x, 0);
    if (i % 4 == 3) x = a;
    put_bits(in, i, from, float_encode(any >> 63 ? -x : x, from));
  }
}

static void narrows_one(const char *cpu, Elem from, Elem to,
                        Rounding rounding) {
  Arena arena;
  arena_init(&arena, &system_allocator);
  void *in = arena_alloc(&arena, MAX_ITEMS, 8, 8);
  void *out = arena_alloc(&arena, MAX_ITEMS, 8, 8);
  fill_wide(in, from, to);
  const char *attrs = rounding == ROUNDING_rtz ? "{rounding = rtz}" : "";
  host_map_for(cpu, host_map_text(&arena, TILE, "truncf", attrs, from, to),
               TILE, MAX_ITEMS, in, out);
  check("truncf", from, to, rounding, MAX_ITEMS, in, out);
  arena_free(&arena);
}

// The state: the machine to compile for, or NULL for this one.
static const char *cpu_of(void **state) {
  if (*state && !codegen_has_host_cpu(*state)) skip();
  return *state;
}

static void narrows(void **state) {
  const char *cpu = cpu_of(state);
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    narrows_one(cpu, ELEM_f32, narrow[i], ROUNDING_rtne);
    narrows_one(cpu, ELEM_f64, narrow[i], ROUNDING_rtne);
    narrows_one(cpu, ELEM_f32, narrow[i], ROUNDING_rtz);
  }
  narrows_one(cpu, ELEM_f64, ELEM_f32, ROUNDING_rtne);
  narrows_one(cpu, ELEM_f64, ELEM_f32, ROUNDING_rtz);
  narrows_one(cpu, ELEM_f16, ELEM_f8e5, ROUNDING_rtne);
  narrows_one(cpu, ELEM_f16, ELEM_f8e4nv, ROUNDING_rtne);
}

// Every encoding of a narrow format, to f32 and f64.
static void widens(void **state) {
  const char *cpu = cpu_of(state);
  Arena arena;
  arena_init(&arena, &system_allocator);
  void *in = arena_alloc(&arena, MAX_ITEMS, 8, 8);
  void *out = arena_alloc(&arena, MAX_ITEMS, 8, 8);
  for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
    const Elem from = narrow[i];
    const size_t count = (size_t)1 << elem_info[from].bits;
    for (size_t k = 0; k < count; k++) put_bits(in, k, from, k);
    host_map_for(cpu, host_map_text(&arena, TILE, "extf", "", from, ELEM_f32),
                 TILE, count, in, out);
    check("extf", from, ELEM_f32, ROUNDING_rtne, count, in, out);
    host_map_for(cpu, host_map_text(&arena, TILE, "extf", "", from, ELEM_f64),
                 TILE, count, in, out);
    check("extf", from, ELEM_f64, ROUNDING_rtne, count, in, out);
  }
  arena_free(&arena);
}

static void from_integers(void **state) {
  (void)state;
  Arena arena;
  arena_init(&arena, &system_allocator);
  int64_t *in = arena_alloc(&arena, MAX_ITEMS, 8, 8);
  void *out = arena_alloc(&arena, MAX_ITEMS, 8, 8);
  uint64_t seed = 5;
  for (size_t i = 0; i < MAX_ITEMS; i++) {
    const int shift = (int)(i % 64);
    in[i] = (int64_t)(host_random(&seed) * 9e18) >> shift;
    if (i & 64) in[i] = -in[i];
    // Just past the middle of two bf16, and more digits than f64 has.
    if (i % 5 == 0) in[i] = (INT64_C(0x101) << (shift % 54)) + 1;
  }
  host_map(host_map_text(&arena, TILE, "sitofp", "", ELEM_i64, ELEM_bf16), TILE,
           MAX_ITEMS, in, out);
  for (size_t i = 0; i < MAX_ITEMS; i++) {
    // long double holds every int64_t; the odd f64 next to it rounds alike.
    double near = (double)in[i];
    const long double exact = (long double)in[i];
    uint64_t bits;
    memcpy(&bits, &near, 8);
    if ((long double)near != exact && !(bits & 1)) {
      near = nextafter(near, (long double)near < exact ? INFINITY : -INFINITY);
    }
    assert_int_equal(bits_at(out, i, ELEM_bf16), float_encode(near, ELEM_bf16));
  }
  arena_free(&arena);
}

// -- Linking -----------------------------------------------------------------

// Plain x86-64 cannot round, so libm does.
static bool may_import(const char *name, const char *cpu) {
  if (cpu && (!strcmp(name, "rint") || !strcmp(name, "floorf"))) return true;
  return !strcmp(name, "memcpy") || !strcmp(name, "memset") ||
         !strcmp(name, "_GLOBAL_OFFSET_TABLE_") || !name[0];
}

static void check_symbols(const CompiledCode *code, const char *cpu) {
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
      code->data, code->size, "object");
  char *error = NULL;
  LLVMBinaryRef binary = LLVMCreateBinary(buffer, NULL, &error);
  assert_non_null(binary);
  LLVMSymbolIteratorRef it = LLVMObjectFileCopySymbolIterator(binary);
  while (!LLVMObjectFileIsSymbolIteratorAtEnd(binary, it)) {
    LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
    LLVMMoveToContainingSection(section, it);
    const char *name = LLVMGetSymbolName(it);
    // A symbol without a section is an external one.
    if (LLVMObjectFileIsSectionIteratorAtEnd(binary, section) &&
        !may_import(name, cpu) && strcmp(name, "tile")) {
      fail_msg("the object imports '%s'", name);
    }
    LLVMDisposeSectionIterator(section);
    LLVMMoveToNextSymbol(it);
  }
  LLVMDisposeSymbolIterator(it);
  LLVMDisposeBinary(binary);
  LLVMDisposeMemoryBuffer(buffer);
}

static void imports_nothing(void **state) {
  const char *cpu = cpu_of(state);
  static const struct {
    const char *op, *attrs;
    Elem from, to;
  } cases[] = {
      {"truncf", "", ELEM_f64, ELEM_f16}, {"truncf", "", ELEM_f32, ELEM_bf16},
      {"extf", "", ELEM_bf16, ELEM_f64},  {"sitofp", "", ELEM_i64, ELEM_f16},
      {"fptoui", "", ELEM_f64, ELEM_i64}, {"fptosi", "", ELEM_f16, ELEM_i8},
      {"sin", "", ELEM_f64, ELEM_f64},    {"cos", "", ELEM_f32, ELEM_f32},
      {"erf", "", ELEM_f16, ELEM_f16},    {"rint", "", ELEM_f64, ELEM_f64},
      {"floor", "", ELEM_f32, ELEM_f32},  {"sqrt_rn", "", ELEM_f64, ELEM_f64},
      {"popcount", "", ELEM_i8, ELEM_i8}, {"clz", "", ELEM_i64, ELEM_i64}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Arena arena;
    arena_init(&arena, &system_allocator);
    HostKit kit;
    host_compile_for(&kit, cpu,
                     host_map_text(&arena, TILE, cases[i].op, cases[i].attrs,
                                   cases[i].from, cases[i].to));
    check_symbols(&kit.code, cpu);
    host_close(&kit);
    arena_free(&arena);
  }
}

#define PLAIN(test)                                                            \
  { #test " on x86-64", test, NULL, NULL, plain }

int main(void) {
  static char plain[] = "x86-64";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(narrows),
      cmocka_unit_test(widens),
      cmocka_unit_test(from_integers),
      cmocka_unit_test(imports_nothing),
      PLAIN(narrows),
      PLAIN(widens),
      PLAIN(imports_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
