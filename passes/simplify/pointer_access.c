// pointer_access.c -- loads and stores of pointers through a map.
#include "passes/simplify/pointer_window.h"

#include "ir/tensor_box.h"

#include <assert.h>

// -- Maps --------------------------------------------------------------------

static void raise_factors(const IndexSum *sum, Op *before) {
  for (int i = 0; i < sum->count; i++) {
    const IndexTerm *term = &sum->terms[i];
    for (int k = 0; k < term->num_factors; k++)
      map_raise(term->factors[k], before);
  }
}

static Value *build_known(Builder *b, const IndexSum *sum) {
  raise_factors(sum, b->before);
  return index_build(b, sum, type_scalar(&b->m->types, ELEM_i64));
}

static Value *build_stride(Builder *b, const IndexTerm *stride) {
  const IndexSum sum = {1, {*stride}};
  return build_known(b, &sum);
}

// An axis without bounds has no end.
static Value *build_size(Builder *b, const PointerWindow *w, int axis) {
  const Type *i64 = type_scalar(&b->m->types, ELEM_i64);
  return w->ends[axis] ? build_known(b, &w->sizes[axis])
                       : build_int(b, i64, TENSOR_NO_END);
}

static Value *build_base(Builder *b, const PointerWindow *w) {
  map_raise(w->start, b->before);
  if (!w->known.count) return w->start;
  return build_addptr(b, w->start->type, w->start, build_known(b, &w->known));
}

// Outer dimensions, over separate tensors, come first.
Op *pointer_descriptor(Module *m, const PointerWindow *w, Op *access,
                       Op *before) {
  const Type *pointers = op_operand(access, 0)->type;
  const int rank = w->num_outer + w->rank;
  assert(rank <= TENSOR_BOX_RANK && "more than a map has"); // I11
  Value *operands[1 + 2 * MAX_RANK];
  int64_t block[MAX_RANK];
  Builder b = builder_before(m, before);
  operands[0] = build_base(&b, w);
  for (int i = 0; i < rank; i++) {
    const bool is_outer = i < w->num_outer;
    const int axis = is_outer ? 0 : w->order[i - w->num_outer];
    block[i] = is_outer ? 1 : pointers->shape[axis];
    operands[1 + i] = is_outer ? build_int(&b, type_scalar(&m->types, ELEM_i64),
                                           TENSOR_NO_END)
                               : build_size(&b, w, axis);
    operands[1 + rank + i] =
        build_stride(&b, is_outer ? &w->outer_strides[i] : &w->strides[axis]);
  }
  const Type *type =
      type_descriptor(&m->types, rank, block, pointers->element->element);
  const int sizes[] = {1, rank, rank};
  return build_op(&b, OP_make_desc, 1 + 2 * rank, operands, sizes, 1, &type);
}

// -- Accesses ----------------------------------------------------------------

static int add_places(Builder *b, const PointerWindow *w, Value **operands) {
  const Type *i32 = type_scalar(&b->m->types, ELEM_i32);
  int count = 0;
  for (int i = 0; i < w->num_outer; i++)
    operands[count++] = index_build(b, &w->outer_places[i], i32);
  for (int i = 0; i < w->rank; i++)
    operands[count++] = index_build(b, &w->places[w->order[i]], i32);
  return count;
}

// A tile whose axis i is axis order[i] of `x`, or the inverse.
static Value *reorder(Builder *b, const PointerWindow *w, Value *x,
                      bool to_map) {
  int64_t order[INDEX_MAX_AXES], shape[INDEX_MAX_AXES] = {0};
  bool changes = false;
  for (int i = 0; i < w->rank; i++) {
    order[to_map ? i : w->order[i]] = to_map ? w->order[i] : i;
    changes |= w->order[i] != i;
  }
  if (!changes) return x;
  for (int i = 0; i < w->rank; i++) shape[i] = x->type->shape[order[i]];
  const Type *type =
      type_tile(&b->m->types, w->rank, shape, x->type->element, NULL);
  Value *value = build_trans(b, type, x);
  op_set_ints(b->m, value->def, ATTR_order, order, w->rank);
  return value;
}

static void load(Builder *b, const PointerWindow *w, Op *access,
                 Op *descriptor) {
  const Type *tile = op_result(access)->type;
  int64_t shape[INDEX_MAX_AXES] = {0};
  for (int i = 0; i < w->rank; i++) shape[i] = tile->shape[w->order[i]];
  const Type *type =
      type_tile(&b->m->types, w->rank, shape, tile->element, NULL);
  Value *operands[1 + MAX_RANK] = {op_result(descriptor)};
  const int count = add_places(b, w, operands + 1);
  assert(count == op_result(descriptor)->type->rank); // I11
  const int sizes[] = {1, count};
  Op *op = build_op(b, OP_load_desc, 1 + count, operands, sizes, 1, &type);
  map_copy_hints(b->m, op, access);
  op_result(op)->name = op_result(access)->name;
  value_replace_uses(op_result(access), reorder(b, w, op_result(op), false));
}

static void store(Builder *b, const PointerWindow *w, Op *access,
                  Op *descriptor) {
  Value *operands[2 + MAX_RANK] = {op_result(descriptor)};
  operands[1] = reorder(b, w, op_operand(access, 1), true);
  const int count = add_places(b, w, operands + 2);
  assert(count == op_result(descriptor)->type->rank); // I11
  const int sizes[] = {1, 1, count};
  Op *op = build_op(b, OP_store_desc, 2 + count, operands, sizes, 0, NULL);
  const Attr *kind = op_attr(access, ATTR_kind);
  if (kind) op_set_attr(b->m, op, *kind);
}

void pointer_access(Module *m, const PointerWindow *window, Op *access,
                    Op *descriptor) {
  Builder b = builder_before(m, access);
  if (access->kind == OP_load)
    load(&b, window, access, descriptor);
  else
    store(&b, window, access, descriptor);
  op_erase(access);
}
