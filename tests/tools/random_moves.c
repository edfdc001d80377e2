// random_moves.c -- statements that move elements of tiles.
#include "random_gen.h"

void gen_add_gather(Gen *g) {
  Value *source = gen_value(g, SHAPE_BOX, gen_elem(g), 0);
  Value *index = gen_value(g, SHAPE_BOX, ELEM_i32, 0);
  Value *result = build_gather(&g->b, source->type, source, index);
  op_set_int(g->b.m, result->def, ATTR_axis, random_below(&g->random, 2));
  gen_keep(g, result);
}

void gen_add_minmax(Gen *g) {
  const Elem elems[] = {ELEM_i1, ELEM_i8, ELEM_i16, ELEM_i32, ELEM_i64};
  Value *x = gen_value(g, SHAPE_BOX, elems[random_below(&g->random, 5)], 0);
  const int axis = random_below(&g->random, 2);
  const int size = (int)x->type->shape[axis];
  if (size < 2) return;
  Value *result = build_minmaxsi(&g->b, x->type, x);
  Module *m = g->b.m;
  op_set_int(m, result->def, ATTR_axis, axis);
  op_set_int(m, result->def, ATTR_distance,
             1 + random_below(&g->random, size - 1));
  op_set_int(m, result->def, ATTR_upper, random_below(&g->random, size));
  if (gen_chance(g, 50)) op_set_int(m, result->def, ATTR_reverse, true);
  gen_keep(g, result);
}

void gen_add_histogram(Gen *g) {
  Value *x = gen_value(g, SHAPE_BOX, ELEM_i32, 0);
  Value *end = build_int(&g->b, x->type, g->rows + 1);
  Value *bin = build_remui(&g->b, x->type, x, end);
  const Type *counts =
      type_tile(&g->b.m->types, 1, &g->rows, type_element(x->type), NULL);
  Value *result = gen_keep(g, build_histogram(&g->b, counts, bin));
  gen_store_output(g, result, SHAPE_ROW);
}

void gen_add_join(Gen *g) {
  const Elem elem = gen_elem(g);
  Value *x = gen_value(g, SHAPE_ROW, elem, 0);
  Value *y = gen_value(g, SHAPE_ROW, elem, 0);
  const int64_t shape[] = {g->rows, 2};
  const Type *wide =
      type_tile(&g->b.m->types, 2, shape, type_element(x->type), NULL);
  Value *both = build_join(&g->b, wide, x, y);
  if (gen_chance(g, 50)) {
    gen_keep(g, gen_reduce(g, both, 1));
    return;
  }
  const Type *types[] = {x->type, x->type};
  Op *split = build_op(&g->b, OP_split, 1, &both, NULL, 2, types);
  gen_keep(g, &split->results[0]);
  gen_keep(g, &split->results[1]);
}

void gen_add_cat(Gen *g) {
  const Elem elem = gen_elem(g);
  Value *x = gen_value(g, SHAPE_ROW, elem, 0);
  Value *y = gen_value(g, SHAPE_ROW, elem, 0);
  const int64_t count = 2 * g->rows;
  const Type *type =
      type_tile(&g->b.m->types, 1, &count, type_element(x->type), NULL);
  gen_keep(g, gen_reduce(g, build_cat(&g->b, type, x, y), 0));
}

void gen_add_hint(Gen *g) {
  static const int64_t ones[] = {1, 1};
  Value *value = gen_value(g, gen_shape(g), gen_elem(g), 0);
  Value *result = build_hint(&g->b, value->type, value);
  const int rank = value->type->rank ? value->type->rank : 1;
  op_set_ints(g->b.m, result->def, ATTR_divisibility, ones, rank);
  gen_keep(g, result);
}
