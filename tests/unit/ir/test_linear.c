// test_linear.c -- GF(2) maps against enumeration of all their inputs.
#include "tests/unit/ir/layout_family.h"

enum { BITS = 5, TRIES = 3000 };

static LinearMap any_map(Family *f) {
  LinearMap map = {.num_in = (int)pick(f, BITS + 1),
                   .num_out = (int)pick(f, BITS + 1)};
  for (int i = 0; i < map.num_in; i++) {
    map.column[i] = pick(f, 1u << map.num_out);
  }
  return map;
}

static int count_image(const LinearMap *map) {
  uint32_t seen = 0; // a bit for each of the 32 possible outputs
  for (uint32_t x = 0; x < 1u << map->num_in; x++) {
    seen |= UINT32_C(1) << linear_apply(map, x);
  }
  return __builtin_popcount(seen);
}

static void check_apply(const LinearMap *map) {
  for (uint32_t x = 0; x < 1u << map->num_in; x++) {
    uint32_t sum = 0;
    for (int i = 0; i < map->num_in; i++) sum ^= (x >> i & 1) * map->column[i];
    assert_int_equal(sum, linear_apply(map, x));
  }
}

static void check_rank(const LinearMap *map) {
  const int image = count_image(map);
  assert_int_equal(image, 1 << linear_rank(map));
  assert_int_equal(linear_is_injective(map), image == 1 << map->num_in);
  assert_int_equal(linear_is_surjective(map), image == 1 << map->num_out);
}

static void check_free_bits(const LinearMap *map) {
  const uint32_t free_bits = linear_free_bits(map);
  uint32_t seen = 0;
  for (uint32_t x = 0; x < 1u << map->num_in; x++) {
    if (x & free_bits) continue;
    const uint32_t y = linear_apply(map, x);
    assert_false(seen >> y & 1);
    seen |= UINT32_C(1) << y;
  }
  assert_int_equal(__builtin_popcount(seen), count_image(map));
}

static void check_inverse(const LinearMap *map) {
  const LinearMap inverse = linear_inverse(map);
  const uint32_t free_bits = linear_free_bits(map);
  for (uint32_t x = 0; x < 1u << map->num_in; x++) {
    const uint32_t y = linear_apply(map, x);
    const uint32_t back = linear_apply(&inverse, y);
    assert_int_equal(linear_apply(map, back), y);
    if (!(x & free_bits)) assert_int_equal(back, x);
  }
  for (int i = 0; i < map->num_out; i++) {
    assert_false(inverse.column[i] & free_bits);
  }
}

static void check_solve(const LinearMap *map, uint32_t allowed) {
  uint32_t reachable = 0;
  for (uint32_t x = 0; x < 1u << map->num_in; x++) {
    if (!(x & ~allowed)) reachable |= UINT32_C(1) << linear_apply(map, x);
  }
  for (uint32_t y = 0; y < 1u << map->num_out; y++) {
    uint32_t x;
    const bool solved = linear_solve(map, allowed, y, &x);
    assert_int_equal(solved, reachable >> y & 1);
    if (!solved) continue;
    assert_false(x & ~allowed);
    assert_int_equal(linear_apply(map, x), y);
  }
}

static void check_kernel(const LinearMap *map) {
  uint32_t kernel[LINEAR_MAX];
  Subspace span = {0};
  const int count = linear_kernel(map, kernel);
  assert_int_equal(count, map->num_in - linear_rank(map));
  for (int i = 0; i < count; i++) {
    assert_int_equal(linear_apply(map, kernel[i]), 0);
    assert_true(subspace_add(&span, kernel[i]));
  }
}

static Subspace image_of(const LinearMap *map) {
  Subspace image = {0};
  for (int i = 0; i < map->num_in; i++) subspace_add(&image, map->column[i]);
  return image;
}

static void check_intersection(const LinearMap *a, const LinearMap *b) {
  const Subspace x = image_of(a), y = image_of(b);
  const Subspace both = subspace_intersect(&x, &y);
  for (uint32_t v = 0; v < 1u << BITS; v++) {
    assert_int_equal(subspace_has(&both, v),
                     subspace_has(&x, v) && subspace_has(&y, v));
  }
}

static void check_basis(const LinearMap *map) {
  const Subspace space = image_of(map);
  Subspace again = {0};
  uint32_t basis[LINEAR_MAX];
  const int count = subspace_basis(&space, basis);
  assert_int_equal(count, space.rank);
  for (int i = 0; i < count; i++) {
    assert_true(subspace_has(&space, basis[i]));
    assert_true(subspace_add(&again, basis[i]));
    const uint32_t top = UINT32_C(1) << (31 - __builtin_clz(basis[i]));
    for (int j = 0; j < count; j++) assert_true(i == j || !(basis[j] & top));
  }
}

static void check_compose(const LinearMap *outer, LinearMap inner) {
  inner.num_out = outer->num_in;
  for (int i = 0; i < inner.num_in; i++) {
    inner.column[i] &= (1u << inner.num_out) - 1;
  }
  const LinearMap both = linear_compose(outer, &inner);
  for (uint32_t x = 0; x < 1u << inner.num_in; x++) {
    const uint32_t y = linear_apply(outer, linear_apply(&inner, x));
    assert_int_equal(linear_apply(&both, x), y);
  }
}

static void try_maps(void *data) {
  Family *f = data;
  for (int i = 0; i < TRIES; i++) {
    const LinearMap map = any_map(f);
    check_apply(&map);
    check_rank(&map);
    check_free_bits(&map);
    check_inverse(&map);
    check_solve(&map, pick(f, 1u << BITS));
    const LinearMap other = any_map(f);
    check_compose(&map, other);
    check_kernel(&map);
    check_basis(&map);
    check_intersection(&map, &other);
  }
}

static void test_small_maps(void **state) {
  (void)state;
  with_family(try_maps);
}

static void test_all_bits(void **state) {
  (void)state;
  LinearMap map = linear_identity(LINEAR_MAX);
  assert_int_equal(linear_apply(&map, UINT32_MAX), UINT32_MAX);
  for (int i = 1; i < LINEAR_MAX; i++) map.column[i] |= map.column[i - 1];
  assert_true(linear_is_injective(&map));
  const LinearMap inverse = linear_inverse(&map);
  const LinearMap both = linear_compose(&inverse, &map);
  const LinearMap identity = linear_identity(LINEAR_MAX);
  assert_true(linear_equal(&both, &identity));
}

static void test_subspace(void **state) {
  (void)state;
  Subspace space = {0};
  assert_true(subspace_add(&space, 6));
  assert_true(subspace_add(&space, UINT32_C(1) << 31));
  assert_false(subspace_add(&space, UINT32_C(1) << 31 | 6));
  assert_true(subspace_has(&space, 0));
  assert_false(subspace_has(&space, 2));
  assert_int_equal(space.rank, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_maps),
      cmocka_unit_test(test_all_bits),
      cmocka_unit_test(test_subspace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
