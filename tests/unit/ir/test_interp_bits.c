// test_interp_bits.c -- elementwise ops that do not compute with values: casts,
// select, addresses.
#include "op_edges.h"

// Loads, stores and bit casts keep every bit, also of NaNs.
static void test_bitcast(void **state) {
  (void)state;
  static Case c;
  for (int from = 0; from < ELEM_COUNT; from++) {
    for (int to = 0; to < ELEM_COUNT; to++) {
      const int bits = elem_info[from].bits;
      if (bits != elem_info[to].bits || bits == 1) continue;
      for (int i = 0; i < LANES; i++) {
        const uint64_t mixed = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
        c.x[0][i] = low((Wide)(mixed >> 7), bits);
        if (i % 4 == 0) c.x[0][i] = low(-(Wide)i, bits); // NaNs
      }
      const Elem elem = (Elem)from;
      run_case(&c, OP_bitcast, 1, &elem, (Elem)to, ATTR_COUNT, 0);
      assert_memory_equal(c.out, c.x[0], sizeof c.out);
    }
  }
}

static void test_select(void **state) {
  (void)state;
  static Case c;
  for (int elem = 0; elem < ELEM_COUNT; elem++) {
    for (int i = 0; i < LANES; i++) {
      c.x[0][i] = i * 5 % 3 == 0;
      c.x[1][i] = low(i, elem_info[elem].bits);
      c.x[2][i] = low(i + 1, elem_info[elem].bits);
    }
    run_case(&c, OP_select, 3, (Elem[]){ELEM_i1, (Elem)elem, (Elem)elem},
             (Elem)elem, ATTR_COUNT, 0);
    for (int i = 0; i < LANES; i++) {
      assert_int_equal(c.out[i], c.x[0][i] ? c.x[1][i] : c.x[2][i]);
    }
  }
}

static void test_addresses(void **state) {
  (void)state;
  int64_t out[2];
  int16_t in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  Kit kit;
  kit_open(&kit, "kernel @k(%out: ptr<i64>, %in: ptr<i16>, %n: i32) {\n"
                 "  %p = addptr %in, %n : ptr<i16>\n"
                 "  %a = ptrtoint %p : i64\n"
                 "  %b = ptrtoint %in : i64\n"
                 "  %d = subi %a, %b : i64\n"
                 "  store %out, %d\n"
                 "  %q = inttoptr %a : ptr<i16>\n"
                 "  %m = constant {value = -2} : i64\n"
                 "  %r = addptr %q, %m : ptr<i16>\n"
                 "  %x = load %r : i16\n"
                 "  %w = extsi %x : i64\n"
                 "  %one = constant {value = 1} : i32\n"
                 "  %o = addptr %out, %one : ptr<i64>\n"
                 "  store %o, %w\n"
                 "  return\n"
                 "}\n");
  kit_memory(&kit, 0, out, sizeof out);
  kit_memory(&kit, 1, in, sizeof in);
  kit.args[2].as.i = 7;
  kit_pass(&kit);
  assert_int_equal(out[0], 14);
  assert_int_equal(out[1], 5);
}

static void test_all_ops_were_run(void **state) {
  (void)state;
  check_home(HOME_BITS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bitcast),
      cmocka_unit_test(test_select),
      cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_all_ops_were_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
