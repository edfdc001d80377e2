// scatter_rows.c -- stores by bulk copies, for long rows of a tile whose places
// the program has loaded.
//
//     store (%p + %rows[:, None] * %s + %columns[None, :]), %x mask(%m)
//
// becomes
//
//     store_shared %x, %buffer
//     copy_rows (%p + %rows * %s + %columns[0]), %buffer mask(%m[:, 0])
//
// so that a thread computes one address for a row.  A mask that may cut off
// columns is tested at run time: if a column is cut off, the elements are
// stored as before.  A bulk copy may end late: so nothing else in the kernel
// accesses that tensor, and nothing is loaded behind the store.
#include "ir/exchange.h"
#include "ir/tensor_box.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"

enum {
  LEAST_ROW = 1024,     // bytes: shorter rows take less time as vectors
  MOST_DEPTH = 48,      // of an expression that is built again
  MOST_OPS = 256,       // of it
  MOST_CONDITIONS = 32, // of a mask
  LOG2_LANES = 5,
};

typedef Vec(Value *) Values;

typedef struct {
  Op *store;
  Values by_row, by_column; // conditions, all of which are the mask
} Scatter;

typedef struct {
  Module *m;
  Function *f;
  const Target *target;
  const AxisAnalysis *axes;
  Vec(Op *) accesses;
  Vec(Scatter) scatters;
  int64_t shared;  // bytes of all buffers
  int64_t scratch; // the most that an op needs
  bool orders;     // the program orders its accesses for others
} ScatterSearch;

// -- Values of one column ----------------------------------------------------

typedef struct {
  Builder b;
  int64_t rows, column;
  const Layout *layout; // of one element for each row
  int num_ops;
  bool across;    // the dimension of a tile of one dimension is the columns
  bool is_loaded; // places of rows were loaded
} RowValues;

static Value *at(RowValues *x, Value *value, int depth);

static bool is_by_row(const RowValues *x, const Type *type) {
  return type->rank == 2 ? type->shape[0] == x->rows
                         : type->rank == 1 && !x->across;
}

static const Type *type_at(const RowValues *x, const Type *type) {
  const Type *element = type_element(type);
  if (!is_by_row(x, type)) return element;
  return type_tile(&x->b.m->types, 1, &x->rows, element, x->layout);
}

static Value *spread(RowValues *x, Value *value, const Type *type) {
  if (!value || type_is_tile(value->type) || !type_is_tile(type)) return value;
  return build_splat(&x->b, type, value);
}

// Only a few operands beside the first are followed, so that the number of
// steps is bounded.
static bool comes_of_load(const Value *value, int depth) {
  const Op *op = value->def;
  if (!op || depth >= MOST_DEPTH) return false;
  bool found = op->kind == OP_load;
  for (int i = 0; !found && op_is_pure(op) && i < op->num_operands; i++)
    found = comes_of_load(op_operand(op, i), depth + 1 + i * MOST_DEPTH / 4);
  return found;
}

// A new dimension of 1.
static Value *at_expanded(RowValues *x, const Op *op, int depth) {
  Value *from = op_operand(op, 0);
  const bool by_row = is_by_row(x, op_result(op)->type);
  if (from->type->rank != 1 || by_row != (op_int(op, ATTR_axis) == 1))
    return NULL;
  const bool across = x->across;
  x->across = !by_row;
  Value *found = at(x, from, depth);
  x->across = across;
  return found;
}

static Value *clone_at(RowValues *x, const Op *op, Value *const *operands,
                       const Type *type) {
  Op *copy =
      build_op(&x->b, op->kind, op->num_operands, operands, NULL, 1, &type);
  op_copy_attrs(x->b.m, copy, op);
  op_remove_attr(copy, ATTR_constancy);
  op_remove_attr(copy, ATTR_counts);
  return op_result(copy);
}

static Value *elementwise(RowValues *x, const Op *op, const Type *type,
                          int depth) {
  enum { MOST_OPERANDS = 3 };
  Value *operands[MOST_OPERANDS];
  if (op->num_operands > MOST_OPERANDS || op->num_results != 1 ||
      op->num_regions || !op_is_pure(op) || !op_has(op, TRAIT_ELEMENTWISE))
    return NULL;
  for (int i = 0; i < op->num_operands; i++) {
    const Type *from = op_operand(op, i)->type;
    operands[i] = at(x, op_operand(op, i), depth);
    if (!operands[i]) return NULL;
    if (type_is_tile(from))
      operands[i] = spread(x, operands[i], type_at(x, from));
  }
  return clone_at(x, op, operands, type);
}

static Value *at_tile(RowValues *x, const Op *op, const Type *type, int depth) {
  Value *from = op->num_operands ? op_operand(op, 0) : NULL;
  switch (op->kind) {
  case OP_constant: return clone_at(x, op, NULL, type);
  case OP_arange:
    if (!x->across) return NULL;
    return build_int(&x->b, type, op_int(op, ATTR_start) + x->column);
  case OP_splat: return spread(x, from, type);
  case OP_broadcast: return spread(x, at(x, from, depth), type);
  case OP_expand_dims: return at_expanded(x, op, depth);
  case OP_convert_layout:
  case OP_hint: return at(x, from, depth);
  default: return elementwise(x, op, type, depth);
  }
}

// Ops are built again for the column, down to tiles of one dimension that other
// ops make.  NULL: there are too many ops, or some of another kind.
static Value *at(RowValues *x, Value *value, int depth) {
  const Type *type = value->type;
  Value *found = NULL;
  if (!type_is_tile(type)) return value;
  if (value->def && depth < MOST_DEPTH && x->num_ops++ < MOST_OPS)
    found = at_tile(x, value->def, type_at(x, type), depth + 1);
  if (found || type->rank != 1 || x->across) return found;
  x->is_loaded |= comes_of_load(value, 0);
  return build_convert_layout(&x->b, type_at(x, type), value);
}

// The tile's elements of one column: a tile of the rows, or, if it has no rows,
// a scalar.
static Value *column_of(RowValues *x, Value *tile, int64_t column) {
  x->column = column;
  x->across = tile->type->rank == 1;
  Value *found = at(x, tile, 0);
  return spread(x, found, type_at(x, tile->type));
}

// -- Masks -------------------------------------------------------------------

static int64_t columns_of(const Type *type) {
  return type->shape[type->rank - 1];
}

// Is the comparison true in all columns if it is in the first and the last one?
static bool is_monotonic(const ScatterSearch *s, const Op *op) {
  const Predicate predicate = (Predicate)op_int(op, ATTR_predicate);
  int constant = 0, rising = 0;
  if (predicate < PREDICATE_lt || predicate > PREDICATE_ge) return false;
  for (int i = 0; i < 2; i++) {
    const Type *type = op_operand(op, i)->type;
    const AxisInfo *info = axis_info(s->axes, op_operand(op, i));
    if (!type_is_tile(type) || type_is_pointer(type)) return false;
    constant += info->constancy[type->rank - 1] >= columns_of(type);
    rising += info->contiguity[type->rank - 1] >= columns_of(type);
  }
  return constant == 1 && rising == 1;
}

// Adds the conditions of which the mask is made; false: it has others.
static bool split_mask(ScatterSearch *s, Scatter *x, Value *mask, int depth) {
  const Type *type = mask->type;
  const Op *op = mask->def;
  const bool by_row = type->rank == 2 && type->shape[0] > 1;
  if (!op || depth == MOST_DEPTH) return false;
  if (x->by_row.count + x->by_column.count >= MOST_CONDITIONS) return false;
  if (by_row && axis_info(s->axes, mask)->constancy[1] >= columns_of(type)) {
    vec_push(s->m->arena, &x->by_row, mask);
    return true;
  }
  switch (op->kind) {
  case OP_andi:
    return split_mask(s, x, op_operand(op, 0), depth + 1) &&
           split_mask(s, x, op_operand(op, 1), depth + 1);
  case OP_expand_dims:
    if (op_int(op, ATTR_axis)) return false;
    return split_mask(s, x, op_operand(op, 0), depth + 1);
  case OP_broadcast:
  case OP_convert_layout: return split_mask(s, x, op_operand(op, 0), depth + 1);
  case OP_cmpi:
    if (by_row || !is_monotonic(s, op)) return false;
    vec_push(s->m->arena, &x->by_column, mask);
    return true;
  default: return false;
  }
}

// -- Which stores ------------------------------------------------------------

static bool are_rows(const ScatterSearch *s, const Op *store) {
  const Type *type = op_operand(store, 1)->type;
  const Attr *run = op_attr(store, ATTR_contiguity),
             *start = op_attr(store, ATTR_divisibility);
  if (type->rank != 2 || type->shape[0] < 2 || !run || !start ||
      op_is_in_loop(store) || op_attr(store, ATTR_cache))
    return false;
  const int64_t bytes = buffer_bytes(type);
  return type_element(type)->kind == TYPE_SCALAR &&
         bytes / type->shape[0] >= LEAST_ROW &&
         run->as.ints.items[1] >= type->shape[1] &&
         start->as.ints.items[1] >= BULK_UNIT &&
         s->shared + s->scratch + bytes <= s->target->max_shared_block;
}

// Is the store the only access to its tensor, and without a load behind it?
static bool is_alone(const ScatterSearch *s, const Op *store) {
  const Value *base = address_base(op_operand(store, 0));
  bool alone = base != NULL, behind = false;
  for (size_t i = 0; alone && i < s->accesses.count; i++) {
    const Op *other = s->accesses.items[i];
    const Value *of = address_base(op_operand(other, 0));
    const unsigned reads = EFFECT_BIT(ACT_READ, EFFECT_GLOBAL);
    if (other == store)
      behind = true;
    else
      alone =
          of && of != base && !(behind && op_info[other->kind].effects & reads);
  }
  return alone;
}

static void look(Op *op, void *ctx) {
  ScatterSearch *s = ctx;
  const unsigned global = EFFECT_BIT(ACT_READ, EFFECT_GLOBAL) |
                          EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  if (op->kind == OP_alloc_shared)
    s->shared += buffer_bytes(op_result(op)->type);
  if (op_scratch_bytes(op) > s->scratch) s->scratch = op_scratch_bytes(op);
  s->orders |= op_int(op, ATTR_volatile) != 0;
  if (op->kind == OP_barrier) // of the program, not for mbarriers or clusters
    s->orders |= !op_attr(op, ATTR_cluster) &&
                 (!op->prev || op->prev->kind != OP_mbarrier_alloc);
  else if (op_is_atomic(op) || op->kind == OP_inline_asm_effects)
    s->orders = true;
  else if (op_info[op->kind].effects & global)
    vec_push(s->m->arena, &s->accesses, op);
}

static void choose(ScatterSearch *s) {
  for (size_t i = 0; i < s->accesses.count; i++) {
    Op *op = s->accesses.items[i];
    Scatter x = {.store = op};
    if (op->kind != OP_store || !are_rows(s, op) || !is_alone(s, op)) continue;
    if (!s->axes) s->axes = axis_analyze(s->f, s->m->arena);
    Value *mask = op_group(op, 2);
    if (mask && !split_mask(s, &x, mask, 0)) continue;
    vec_push(s->m->arena, &s->scatters, x);
    s->shared += buffer_bytes(op_operand(op, 1)->type);
  }
}

// -- Copies ------------------------------------------------------------------

// A row for each lane; warps share the rows first.
static const Layout *layout_of_rows(Module *m, int log2_rows, int log2_warps) {
  const int left = log2_rows > log2_warps ? log2_rows - log2_warps : 0;
  const int lanes = int_min(left, LOG2_LANES);
  const int warps = int_min(log2_rows - lanes, log2_warps);
  const int registers = log2_rows - lanes - warps;
  Layout key = {.rank = 1, .log2_shape = {log2_rows}};
  key.num_bits[LAYOUT_REGISTER] = registers;
  key.num_bits[LAYOUT_LANE] = LOG2_LANES;
  key.num_bits[LAYOUT_WARP] = log2_warps;
  key.map.num_in = registers + LOG2_LANES + log2_warps;
  key.map.num_out = log2_rows;
  uint32_t *lane = key.map.column + registers, *warp = lane + LOG2_LANES;
  for (int i = 0; i < lanes; i++) lane[i] = UINT32_C(1) << i;
  for (int i = 0; i < warps; i++) warp[i] = UINT32_C(1) << (lanes + i);
  for (int i = 0; i < registers; i++)
    key.map.column[i] = UINT32_C(1) << (lanes + warps + i);
  return layout_get(&m->layouts, &key);
}

// The mask of rows and the condition that no column is cut off; NULL: none.
// False: there is no such form.
static bool build_masks(RowValues *x, const Scatter *scatter, Value **rows,
                        Value **full) {
  *rows = *full = NULL;
  for (size_t i = 0; i < scatter->by_row.count; i++) {
    Value *each = column_of(x, scatter->by_row.items[i], 0);
    if (!each) return false;
    *rows = build_both(&x->b, *rows, each);
  }
  for (size_t i = 0; i < scatter->by_column.count; i++) {
    Value *mask = scatter->by_column.items[i];
    Value *first = column_of(x, mask, 0),
          *last = column_of(x, mask, columns_of(mask->type) - 1);
    if (!first || !last) return false;
    *full = build_both(&x->b, build_both(&x->b, *full, first), last);
  }
  return true;
}

// A buffer that lives to the end of the function, as the copies read it while
// the kernel goes on.
static Value *create_buffer(ScatterSearch *s, Op *store) {
  const Type *tile = op_operand(store, 1)->type;
  const Layout *layout =
      layout_shared(&s->m->layouts, 2, tile->shape, (const int[]){1, 0});
  const Type *type = type_memdesc(&s->m->types, 2, tile->shape, tile->element,
                                  layout, SPACE_SHARED);
  Builder b = builder_before(s->m, op_ancestor_in(store, s->f->body));
  const int none = 0;
  return op_result(build_op(&b, OP_alloc_shared, 0, NULL, &none, 1, &type));
}

static void build_copies(Builder *b, const Op *store, Value *buffer,
                         Value *starts, Value *rows) {
  Value *operands[] = {op_operand(store, 1), buffer};
  build_op(b, OP_store_shared, 2, operands, NULL, 0, NULL);
  Value *all[] = {starts, buffer, rows};
  const int groups[] = {1, 1, rows != NULL};
  build_op(b, OP_copy_rows, 2 + (rows != NULL), all, groups, 0, NULL);
}

// If not all columns are stored, the elements are stored as before.
static void build_branch(ScatterSearch *s, Op *store, Value *full,
                         Value *buffer, Value *starts, Value *rows) {
  Builder b = builder_before(s->m, store);
  Op *branch = build_if(&b, full, 0, NULL);
  Builder then = builder_at_end(s->m, branch->regions[0], store->loc);
  build_copies(&then, store, buffer, starts, rows);
  build_yield(&then, 0, NULL);
  op_unlink(store);
  op_append(branch->regions[1], store);
  Builder otherwise = builder_at_end(s->m, branch->regions[1], store->loc);
  build_yield(&otherwise, 0, NULL);
}

static bool lower(ScatterSearch *s, const Scatter *scatter) {
  Op *store = scatter->store;
  const Type *tile = op_operand(store, 1)->type;
  RowValues x = {.b = builder_before(s->m, store), .rows = tile->shape[0]};
  x.layout = layout_of_rows(s->m, floor_log2(x.rows),
                            floor_log2(function_num_warps(s->f)));
  Value *starts = column_of(&x, op_operand(store, 0), 0), *rows, *full;
  if (!starts || !x.is_loaded || !build_masks(&x, scatter, &rows, &full))
    return false;
  Value *buffer = create_buffer(s, store);
  if (full) {
    build_branch(s, store, full, buffer, starts, rows);
    return true;
  }
  build_copies(&x.b, store, buffer, starts, rows);
  op_erase(store);
  return true;
}

bool pass_scatter_rows(Module *m, const Target *target) {
  if (!target || !target_can(target, CAP_TMA)) return true;
  for (Function *f = m->functions; f; f = f->next) {
    ScatterSearch s = {.m = m, .f = f, .target = target};
    bool changed = false;
    block_walk(f->body, look, &s);
    if (!s.orders && function_cluster(f) <= 1) choose(&s);
    for (size_t i = 0; i < s.scatters.count; i++)
      changed |= lower(&s, &s.scatters.items[i]);
    if (!changed) continue;
    Builder end = builder_before(m, block_end(f->body));
    build_op(&end, OP_bulk_wait_read, 0, NULL, NULL, 0, NULL);
  }
  return true;
}
