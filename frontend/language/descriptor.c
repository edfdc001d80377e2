// descriptor.c -- tensor descriptors: blocks of a strided tensor.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const paddings[] = {"", "zero", "nan", NULL};

static bool check_base(Walk *w, const BuiltinCall *c, const Object *base) {
  const bool pointer = object_is_tensor(base) && !object_is_tile(base) &&
                       base->as.tensor.dtype.is_pointer;
  if (pointer) return true;
  return diag_error(w->diags, c->locs[0], ERROR_wants_pointer, c->info->name,
                    text_of(w, base));
}

// Checks TMA's requirements for a descriptor: a row of a block has at least 16
// bytes, and its elements are contiguous.
static bool check_rows(Walk *w, const BuiltinCall *c, Dtype dtype, int rank,
                       const int64_t *block) {
  int64_t stride = 0;
  const Object *strides = c->args[2];
  if (rank < 1)
    return diag_error(w->diags, c->locs[3], ERROR_block_without_shape);
  if (rank > MAX_DESCRIPTOR_RANK)
    return diag_error(w->diags, c->locs[3], ERROR_descriptor_dimensions,
                      MAX_DESCRIPTOR_RANK, rank);
  if (block[rank - 1] * dtype_bits(dtype) < 128)
    return diag_error(w->diags, argument_item_loc(c, 3, rank - 1),
                      ERROR_block_too_narrow,
                      (long long)(block[rank - 1] * dtype_bits(dtype) / 8));
  const Object *last =
      strides->kind == OBJECT_TUPLE && strides->as.tuple.count
          ? strides->as.tuple.items[strides->as.tuple.count - 1]
          : strides;
  if (object_constant_int(last, &stride) && stride == 1) return true;
  const SrcLoc loc = last == strides
                         ? c->locs[2]
                         : argument_item_loc(c, 2, strides->as.tuple.count - 1);
  return diag_error(w->diags, loc, ERROR_descriptor_stride, text_of(w, last));
}

// Checks the constant strides except the last; run-time strides are unknown.
static bool check_strides(Walk *w, const BuiltinCall *c, Dtype dtype,
                          int rank) {
  const Object *strides = c->args[2];
  if (strides->kind != OBJECT_TUPLE || strides->as.tuple.count != rank ||
      !rule_holds(w->program, RULE_strides_are_checked))
    return true;
  for (int i = 0; i + 1 < rank; i++) {
    int64_t stride;
    const Object *item = strides->as.tuple.items[i];
    if (object_is_tensor(item) || !object_constant_int(item, &stride)) continue;
    const int64_t bits =
        (int64_t)((uint64_t)stride * (uint64_t)dtype_bits(dtype));
    if (bits % 128 == 0) continue;
    return diag_error(w->diags, argument_item_loc(c, 2, i),
                      ERROR_descriptor_stride_bytes, (long long)stride,
                      dtype_text(w->arena, dtype), (long long)(bits / 8));
  }
  return true;
}

static Value *build_descriptor(Walk *w, const Type *type, Value *base,
                               Value *const *shape, Value *const *strides) {
  Value *operands[1 + 2 * MAX_RANK] = {base};
  const int rank = type->rank;
  assert(0 < rank && rank <= MAX_DESCRIPTOR_RANK); // I11
  for (int i = 0; i < rank; i++) {
    assert(shape[i]->type == strides[i]->type); // I11
    operands[1 + i] = shape[i];
    operands[1 + rank + i] = strides[i];
  }
  const int sizes[] = {1, rank, rank};
  return op_result(
      build_op(&w->b, OP_make_desc, 1 + 2 * rank, operands, sizes, 1, &type));
}

const Object *builtin_make_descriptor(Walk *w, const BuiltinCall *c) {
  const Object *base = c->args[0];
  int64_t block[MAX_RANK];
  int rank, padding;
  Value *shape[MAX_RANK], *strides[MAX_RANK];
  if (!check_base(w, c, base)) return NULL;
  Dtype pointed = base->as.tensor.dtype;
  pointed.is_pointer = false;
  const Dtype dtype = memory_dtype(pointed);
  if (!argument_shape(w, c, 3, block, &rank) ||
      !check_rows(w, c, dtype, rank, block) ||
      !check_strides(w, c, dtype, rank) ||
      !argument_word(w, c, 4, paddings, &padding) ||
      !argument_indices(w, c, 1, rank, DTYPE_INT64, shape) ||
      !argument_indices(w, c, 2, rank, DTYPE_INT64, strides))
    return NULL;
  if (padding == 2 && !dtype_is_float(dtype))
    return walk_error(w, c->locs[4], ERROR_integers_no_nan_pad);
  const Type *type = type_descriptor(&w->m->types, rank, block,
                                     dtype_type(&w->m->types, dtype));
  Value *desc =
      build_descriptor(w, type, base->as.tensor.value, shape, strides);
  if (padding == 2) op_set_int(w->m, desc->def, ATTR_padding, PADDING_nan);
  return object_tensor(w->arena, desc, pointed);
}

static bool check_parameter(Walk *w, SrcLoc loc, const ArgSpec *spec,
                            Dtype dtype, const int64_t *block) {
  const int rank = spec->num_items;
  if (!check_shape(w, loc, rank, block)) return false;
  if (block[rank - 1] * dtype_bits(dtype) < 128)
    return diag_error(w->diags, loc, ERROR_block_too_narrow,
                      (long long)(block[rank - 1] * dtype_bits(dtype) / 8));
  if (!spec->i || dtype_is_float(dtype)) return true;
  return diag_error(w->diags, loc, ERROR_integers_no_nan_pad);
}

const Object *descriptor_of(Walk *w, SrcLoc loc, const ArgSpec *spec,
                            const Object *const *parts) {
  const int rank = spec->num_items;
  int64_t block[MAX_RANK];
  Value *sizes[2 * MAX_RANK];
  const Dtype pointed = dtype_of(parts[0]->as.tensor.dtype.id);
  const Dtype dtype = memory_dtype(pointed);
  for (int i = 0; i < rank; i++) block[i] = spec->items[i].i;
  if (!check_parameter(w, loc, spec, dtype, block)) return NULL;
  for (int i = 0; i < 2 * rank; i++) {
    const Object *size = to_tensor(w, loc, parts[1 + i]);
    size = tensor_cast(w, loc, size, dtype_of(DTYPE_INT64));
    sizes[i] = size->as.tensor.value;
  }
  const Type *type = type_descriptor(&w->m->types, rank, block,
                                     dtype_type(&w->m->types, dtype));
  Value *desc =
      build_descriptor(w, type, parts[0]->as.tensor.value, sizes, sizes + rank);
  if (spec->i) op_set_int(w->m, desc->def, ATTR_padding, PADDING_nan);
  return object_tensor(w->arena, desc, pointed);
}

// Fills `operands`: first the descriptor, and from index `first` on the offsets
// in argument `n`.
static bool read_offsets(Walk *w, const BuiltinCall *c, int n, int first,
                         Value **operands) {
  const Object *desc = c->args[0];
  operands[0] = desc->as.tensor.value;
  return argument_indices(w, c, n, object_type(desc)->rank, DTYPE_INT32,
                          operands + first);
}

static const Object *descriptor_load(Walk *w, const BuiltinCall *c) {
  const Object *desc = c->args[0];
  const Type *block = object_type(desc);
  Value *operands[1 + MAX_RANK];
  if (!read_offsets(w, c, 1, 1, operands)) return NULL;
  const Dtype dtype = memory_dtype(desc->as.tensor.dtype);
  const Type *type = tensor_type(w, dtype, block->rank, block->shape);
  const int sizes[] = {1, block->rank};
  Op *op =
      build_op(&w->b, OP_load_desc, 1 + block->rank, operands, sizes, 1, &type);
  return object_tensor(w->arena, op_result(op), dtype);
}

// `d.store(value, offsets)`: were the arguments exchanged?
static const Object *exchanged(Walk *w, const BuiltinCall *c) {
  argument_wrong(w, c, 1, "integers");
  diag_note(w->diags, (SrcLoc){0}, NOTE_exchanged, c->info->name, "the offsets",
            "the value");
  return NULL;
}

static const Object *descriptor_store(Walk *w, const BuiltinCall *c) {
  const Object *desc = c->args[0];
  const Type *block = object_type(desc);
  Value *operands[2 + MAX_RANK];
  if (object_is_tile(c->args[1]) && c->args[2]->kind == OBJECT_TUPLE)
    return exchanged(w, c);
  const Object *x = argument_tensor(w, c, 2);
  if (!x || !read_offsets(w, c, 1, 2, operands)) return NULL;
  if (!object_is_tile(x) || !type_same_shape(object_type(x), block))
    return walk_error(w, c->locs[2], ERROR_does_not_fit_into, text_of(w, x),
                      text_of(w, desc));
  x = value_in_memory(w, c->locs[2], x, desc->as.tensor.dtype);
  if (!x) return NULL;
  operands[1] = x->as.tensor.value;
  const int sizes[] = {1, 1, block->rank};
  build_op(&w->b, OP_store_desc, 2 + block->rank, operands, sizes, 0, NULL);
  return &object_none;
}

// -- Methods implemented with pointers ---------------------------------------

// The shape or strides with which the descriptor was made.
static const Object *sizes_of(Walk *w, const Op *op, int group, DtypeId id) {
  const Object *sizes[MAX_RANK];
  const int rank = op->results[0].type->rank;
  assert(op->kind == OP_make_desc && (group == 1 || group == 2)); // I11
  for (int i = 0; i < rank; i++) {
    Value *size = op_operand(op, op_group_start(op, group) + i);
    sizes[i] = tensor_cast(w, w->b.loc,
                           object_tensor(w->arena, size, dtype_of(DTYPE_INT64)),
                           dtype_of(id));
  }
  return object_tuple(w->arena, sizes, rank);
}

const Object *descriptor_sizes(Walk *w, const Object *desc, bool strides) {
  const Op *op = value_def(desc->as.tensor.value, OP_make_desc);
  if (!op) return NULL;
  return strides ? sizes_of(w, op, 2, DTYPE_INT64)
                 : sizes_of(w, op, 1, DTYPE_INT32);
}

static const Object *block_of(Walk *w, const Type *type) {
  const Object *sizes[MAX_RANK];
  for (int i = 0; i < type->rank; i++)
    sizes[i] = object_int(w->arena, type->shape[i]);
  return object_tuple(w->arena, sizes, type->rank);
}

static bool has_shape(const Object *x, int rank, const int64_t *shape) {
  if (!object_is_tensor(x) || object_is_window(x)) return false;
  const Type *type = object_type(x);
  bool is_it = type->rank == rank && !x->as.tensor.dtype.is_pointer;
  for (int i = 0; is_it && i < rank; i++) is_it = type->shape[i] == shape[i];
  return is_it;
}

static bool check_value(Walk *w, const BuiltinCall *c, int n, int rank,
                        const int64_t *shape) {
  return has_shape(c->args[n], rank, shape) ||
         argument_wrong(w, c, n,
                        arena_printf(w->arena, "a tile of the shape %s",
                                     shape_text(w->arena, rank, shape)));
}

// Rejects fewer rows than the hardware moves at once.
static bool check_many(Walk *w, const BuiltinCall *c, int at) {
  enum { MIN_ROWS = 8 };
  const Object *desc = c->args[0];
  const Type *rows = object_type(c->args[at]);
  const char *name = strchr(c->info->name, '.') + 1;
  const int bits = dtype_bits(memory_dtype(desc->as.tensor.dtype));
  assert(object_type(desc)->rank == 2 && rows->rank == 1); // I11
  const int64_t columns = object_type(desc)->shape[1], least = 32 / bits * 8;
  if (rows->shape[0] < MIN_ROWS)
    return diag_error(w->diags, c->locs[at], ERROR_too_few_rows, name, MIN_ROWS,
                      (long long)rows->shape[0]);
  if (columns >= least) return true;
  return diag_error(w->diags, c->locs[0], ERROR_too_few_columns, name,
                    (long long)least, text_of(w, desc));
}

static bool is_offset(const Object *x) {
  if (!object_is_tile(x) || object_is_window(x) || object_type(x)->rank != 1)
    return false;
  const Dtype dtype = x->as.tensor.dtype;
  return dtype.id == DTYPE_INT16 || dtype.id == DTYPE_INT32;
}

// Checks `x_offsets`, `y_offset` and, when writing, the value before them.
static bool check_picked(Walk *w, const BuiltinCall *c, bool writes) {
  const Type *block = object_type(c->args[0]);
  const int at = 1 + writes;
  const Object *rows = c->args[at], *column = c->args[at + 1];
  if (block->rank != 2 || block->shape[0] != 1)
    return diag_error(w->diags, c->locs[0], ERROR_wants_one_row,
                      strchr(c->info->name, '.') + 1, text_of(w, c->args[0]));
  if (!is_offset(rows))
    return argument_wrong(w, c, at, "a tile of i16 or i32 of 1 dimension");
  if (!check_many(w, c, at)) return false;
  int64_t value;
  if (!object_constant_int(column, &value) &&
      (!has_shape(column, 0, NULL) || !dtype_is_int(column->as.tensor.dtype)))
    return argument_wrong(w, c, at + 1, "one integer");
  const int64_t shape[] = {object_type(rows)->shape[0], block->shape[1]};
  return !writes || check_value(w, c, 1, 2, shape);
}

static bool check_method(Walk *w, const BuiltinCall *c, const char *name) {
  const Type *block = object_type(c->args[0]);
  const Object *items[MAX_RANK];
  if (strncmp(name, "atomic_", 7))
    return check_picked(w, c, !strcmp(name, "scatter"));
  if (!argument_items(w, c, 1, block->rank, items) ||
      !check_value(w, c, 2, block->rank, block->shape))
    return false;
  const Dtype dtype = c->args[0]->as.tensor.dtype;
  const bool bytes = dtype_bits(dtype) < 16; // no atomic of bytes
  if (bytes || object_type(c->args[2])->elem == block->elem) return true;
  return argument_wrong(
      w, c, 2,
      arena_printf(w->arena, "a tile of %s", dtype_text(w->arena, dtype)));
}

static void add_argument(Walk *w, const BuiltinCall *c, const Object *x,
                         Arguments *args) {
  vec_push(w->arena, args, ((Argument){NULL, x, c->loc, c->loc}));
}

static bool is_bitwise(const char *name) {
  return !strcmp(name, "atomic_and") || !strcmp(name, "atomic_or") ||
         !strcmp(name, "atomic_xor");
}

// Minima and maxima exist for types that the hardware compares.
static bool check_extreme(Walk *w, const BuiltinCall *c, const char *name) {
  const Dtype dtype = c->args[0]->as.tensor.dtype;
  if (strcmp(name, "atomic_min") && strcmp(name, "atomic_max")) return true;
  const int bits = dtype_bits(dtype);
  if (dtype_is_float(dtype) ? bits == 16 : bits >= 32) return true;
  return diag_error(w->diags, c->locs[0], ERROR_atomic_types, name,
                    "integers of 32 and 64 bits, fp16 and bf16",
                    dtype_text(w->arena, dtype));
}

// Calls `_descriptor_gather(base, shape, ..., padding, ...)` for
// `desc.gather(...)`.
const Object *builtin_descriptor_method(Walk *w, const BuiltinCall *c) {
  const Object *desc = c->args[0];
  const Op *op = value_def(desc->as.tensor.value, OP_make_desc);
  const char *name = strchr(c->info->name, '.') + 1;
  if (!op) return walk_error(w, c->loc, ERROR_descriptor_handed_on, name);
  if (is_bitwise(name) && !dtype_is_int(desc->as.tensor.dtype))
    return walk_error(w, c->locs[0], ERROR_wants_integers, name,
                      text_of(w, desc));
  if (!check_extreme(w, c, name) || !check_method(w, c, name)) return NULL;
  const Dtype dtype = desc->as.tensor.dtype;
  const Dtype pointer = dtype_pointer_to(
      strcmp(name, "scatter") ? memory_dtype(dtype).id : dtype.id);
  const bool nan = op_attr(op, ATTR_padding) != NULL;
  Arguments args = {0};
  add_argument(w, c, object_tensor(w->arena, op_operand(op, 0), pointer),
               &args);
  add_argument(w, c, descriptor_sizes(w, desc, false), &args);
  add_argument(w, c, descriptor_sizes(w, desc, true), &args);
  add_argument(w, c, block_of(w, object_type(desc)), &args);
  add_argument(
      w, c, nan ? object_float(w->arena, NAN) : object_int(w->arena, 0), &args);
  for (int i = 1; i < MAX_BUILTIN_PARAMS && c->args[i]; i++)
    vec_push(w->arena, &args,
             ((Argument){NULL, c->args[i], c->locs[i], c->locs[i]}));
  return library_call_with(w, c, arena_printf(w->arena, "_descriptor_%s", name),
                           &args);
}

static bool check_descriptor(Walk *w, const BuiltinCall *c) {
  if (object_is_descriptor(c->args[0])) return true;
  return diag_error(w->diags, c->locs[0], ERROR_wants_descriptor, c->info->name,
                    text_of(w, c->args[0]));
}

const Object *builtin_load_descriptor(Walk *w, const BuiltinCall *c) {
  return check_descriptor(w, c) ? descriptor_load(w, c) : NULL;
}

const Object *builtin_store_descriptor(Walk *w, const BuiltinCall *c) {
  return check_descriptor(w, c) ? descriptor_store(w, c) : NULL;
}

// The older function has another order of arguments.
const Object *builtin_experimental_store(Walk *w, const BuiltinCall *c) {
  BuiltinCall turned = *c;
  turned.args[1] = c->args[2], turned.locs[1] = c->locs[2];
  turned.args[2] = c->args[1], turned.locs[2] = c->locs[1];
  return check_descriptor(w, c) ? descriptor_store(w, &turned) : NULL;
}

// Calls `_load_ragged(desc, ...)` for
// `triton.tools.ragged_tma.load_ragged(desc, ...)`.
const Object *builtin_ragged(Walk *w, const BuiltinCall *c) {
  const char *name = strrchr(c->info->name, '.') + 1;
  if (!check_descriptor(w, c)) return NULL;
  return library_call(w, c, arena_printf(w->arena, "_%s", name));
}
