// test_interp_ints.c -- integer ops on edge values of every width, against
// 128-bit integers.
#include "op_edges.h"

static Wide shift_ref(Wide x, Wide by, int bits, bool left) {
  for (int i = 0; i < bits && by > 0; i++, by--) {
    if (left) {
      x *= 2;
    } else {
      x = (x - (x & 1)) / 2; // rounds down
    }
  }
  return x;
}

static int count_ref(uint64_t x, int bits, bool leading) {
  int count = 0;
  for (int i = bits - 1; i >= 0; i--) {
    const bool set = x >> i & 1;
    if (leading && set) return count;
    count += leading || set;
  }
  return count;
}

// floor(x * y / 2^bits)
static Wide high_ref(Wide x, Wide y, int bits) {
  return (x * y - (Wide)low(x * y, bits)) / ((Wide)1 << bits);
}

static Wide unsigned_high_ref(uint64_t x, uint64_t y, int bits) {
  if (bits < 64) return high_ref(x, y, bits);
  const uint64_t xl = (uint32_t)x, xh = x >> 32, yl = (uint32_t)y, yh = y >> 32;
  const uint64_t middle = xh * yl + (xl * yl >> 32);
  const uint64_t other = xl * yh + (uint32_t)middle;
  return (Wide)(xh * yh + (middle >> 32) + (other >> 32));
}

static Wide int_ref(OpKind kind, uint64_t ux, uint64_t uy, int bits) {
  const Wide x = as_signed(ux, bits), y = as_signed(uy, bits);
  switch ((int)kind) {
  case OP_addi: return x + y;
  case OP_subi: return x - y;
  case OP_muli: return bits == 64 ? (Wide)(ux * uy) : x * y;
  case OP_mulhsi: return high_ref(x, y, bits);
  case OP_mulhui: return unsigned_high_ref(ux, uy, bits);
  case OP_divsi: return y ? x / y : -1;
  case OP_divui: return uy ? (Wide)(ux / uy) : -1;
  case OP_remsi: return y ? x - x / y * y : x;
  case OP_remui: return uy ? (Wide)(ux % uy) : x;
  case OP_andi: return (Wide)(ux & uy);
  case OP_ori: return (Wide)(ux | uy);
  case OP_xori: return (Wide)(ux ^ uy);
  case OP_shli: return shift_ref(x, uy, bits, true);
  case OP_shrsi: return shift_ref(x, uy, bits, false);
  case OP_shrui: return shift_ref(ux, uy, bits, false);
  case OP_maxsi: return x > y ? x : y;
  case OP_maxui: return ux > uy ? ux : uy;
  case OP_minsi: return x < y ? x : y;
  case OP_minui: return ux < uy ? ux : uy;
  case OP_absi: return x < 0 ? -x : x;
  case OP_clz: return count_ref(ux, bits, true);
  case OP_popcount: return count_ref(ux, bits, false);
  default: fail_msg("no reference for %s", op_info[kind].name); return 0;
  }
}

static void check_ints(OpKind kind, Elem elem) {
  static Case c;
  const int n = op_info[kind].num_operands, bits = elem_info[elem].bits;
  const Edges edges = int_edges(elem);
  fill_pairs(&c, &edges);
  run_case(&c, kind, n, (Elem[]){elem, elem}, elem, ATTR_COUNT, 0);
  for (int i = 0; i < LANES; i++) {
    const uint64_t want = low(int_ref(kind, c.x[0][i], c.x[1][i], bits), bits);
    if (c.out[i] == want) continue;
    fail_msg("%s %s %#llx, %#llx: %#llx, not %#llx", op_info[kind].name,
             elem_info[elem].name, (unsigned long long)c.x[0][i],
             (unsigned long long)c.x[1][i], (unsigned long long)c.out[i],
             (unsigned long long)want);
  }
}

static void test_ints(void **state) {
  (void)state;
  for (int kind = 0; kind < OP_COUNT; kind++) {
    if (op_info[kind].rule != RULE_INTS) continue;
    for (int i = 0; i < 5; i++) check_ints((OpKind)kind, ints[i]);
  }
}

static bool cmpi_ref(Predicate p, uint64_t ux, uint64_t uy, int bits) {
  const Wide x = as_signed(ux, bits), y = as_signed(uy, bits);
  const bool results[] = {
      [PREDICATE_eq] = x == y,
      [PREDICATE_ne] = x != y,
      [PREDICATE_lt] = x<y, [PREDICATE_le] = x <= y, [PREDICATE_gt] = x> y,
      [PREDICATE_ge] = x >= y,
      [PREDICATE_ult] =
          ux<uy, [PREDICATE_ule] = ux <= uy, [PREDICATE_ugt] = ux> uy,
      [PREDICATE_uge] = ux >= uy,
  };
  return results[p];
}

static void test_cmpi(void **state) {
  (void)state;
  static Case c;
  for (int i = 0; i < 5; i++) {
    const Edges edges = int_edges(ints[i]);
    const int bits = elem_info[ints[i]].bits;
    fill_pairs(&c, &edges);
    for (int p = PREDICATE_eq; p <= PREDICATE_uge; p++) {
      run_case(&c, OP_cmpi, 2, (Elem[]){ints[i], ints[i]}, ELEM_i1,
               ATTR_predicate, p);
      for (int k = 0; k < LANES; k++) {
        assert_int_equal(c.out[k],
                         cmpi_ref((Predicate)p, c.x[0][k], c.x[1][k], bits));
      }
    }
  }
}

static void test_int_casts(void **state) {
  (void)state;
  static Case c;
  for (int i = 0; i < 5; i++) {
    const Edges edges = int_edges(ints[i]);
    const int from = elem_info[ints[i]].bits;
    fill_pairs(&c, &edges);
    for (int j = 0; j < 5; j++) {
      const int to = elem_info[ints[j]].bits;
      if (from == to) continue;
      const OpKind first = to > from ? OP_extsi : OP_trunci;
      const OpKind last = to > from ? OP_extui : OP_trunci;
      for (OpKind kind = first; kind <= last; kind++) {
        run_case(&c, kind, 1, &ints[i], ints[j], ATTR_COUNT, 0);
        for (int k = 0; k < LANES; k++) {
          const Wide x =
              kind == OP_extsi ? as_signed(c.x[0][k], from) : (Wide)c.x[0][k];
          assert_int_equal(c.out[k], low(x, to));
        }
      }
    }
  }
}

static void test_all_ops_were_run(void **state) {
  (void)state;
  check_home(HOME_INTS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ints),
      cmocka_unit_test(test_cmpi),
      cmocka_unit_test(test_int_casts),
      cmocka_unit_test(test_all_ops_were_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
