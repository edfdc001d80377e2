// split_programs.c -- the blocks of a cluster share the tiles of a program.
//
//     %r = arange {end = 128}                 %q = cluster_rank
//     %v = load (addptr %p, %r)               %s = arange {end = 64} + %q * 64
//     store (addptr %y, %r), %v               %v = load (addptr %p, %s)
//                                             store (addptr %y, %s), %v
//
// Each block runs the whole kernel on its part of the tiles that are cut
// (cuts.h).  A value that is needed whole is computed in each block; a tile
// that is stored whole is stored by the first block.  Old values without uses
// are left to dce.
#include "passes/cluster/cuts.h"
#include "passes/errors.h"
#include "passes/pass.h"

#include "passes/analysis/walk.h"

#include <assert.h>

typedef struct {
  Module *m;
  Cuts *cuts;
  Value *rank, *is_first; // number of the block, and whether that is 0
  Map parts[MAX_RANK];    // of values that are cut along the dimension
} Split;

static Value *part_of(const Split *s, Value *x, int cut) {
  Value *part = cut == WHOLE ? x : map_get(&s->parts[cut], x);
  assert(part && (cut == WHOLE || part->type->shape[cut] * s->cuts->parts ==
                                      x->type->shape[cut])); // I1
  return part;
}

static void set_part(Split *s, const Value *x, int cut, Value *part) {
  map_put(&s->parts[cut], s->m->arena, x, part);
}

static const Type *part_type(Split *s, const Type *type, int cut) {
  TypeTable *types = &s->m->types;
  int64_t shape[MAX_RANK];
  for (int i = 0; i < type->rank; i++) shape[i] = type->shape[i];
  shape[cut] /= s->cuts->parts;
  if (type_is_tile(type))
    return type_tile(types, type->rank, shape, type->element, type->layout);
  if (type->kind == TYPE_DESCRIPTOR)
    return type_descriptor(types, type->rank, shape, type->element);
  const Type *narrow =
      type_block_pointer(types, type->rank, shape, type->element);
  return type->is_wide ? type_wide_block_pointer(types, narrow) : narrow;
}

// -- Places ------------------------------------------------------------------

// `x`, a scalar or a tile, plus the number of elements, along a dimension of
// `size`, in earlier blocks.
static Value *behind_others(Split *s, Builder *b, Value *x, int64_t size) {
  const Type *type = type_element(x->type);
  Value *rank = s->rank;
  if (type != rank->type) rank = build_extsi(b, type, rank);
  Value *before =
      build_muli(b, type, rank, build_int(b, type, size / s->cuts->parts));
  if (x->type != type) before = build_splat(b, x->type, before);
  return build_addi(b, x->type, x, before);
}

static Value *part_of_range(Split *s, Builder *b, const Op *op) {
  const int64_t size = op_result(op)->type->num_elements;
  const int64_t start = op_int(op, ATTR_start);
  Value *first = build_arange(b, start, start + size / s->cuts->parts);
  return behind_others(s, b, first, size);
}

static void move_offset(Split *s, Builder *b, Op *op, int group,
                        const Type *window, int cut) {
  const int at = op_group_start(op, group) + cut;
  op_set_operand(op, at,
                 behind_others(s, b, op_operand(op, at), window->shape[cut]));
}

// -- Parts -------------------------------------------------------------------

static int64_t common_divisor(int64_t x, int64_t y) {
  return y ? common_divisor(y, x % y) : x;
}

// Adapts a promise of the user about whole tiles to their parts.
static void part_of_hint(Split *s, Op *op, int cut) {
  const Attr *runs = op_attr(op, ATTR_contiguity);
  const int64_t size = op_result(op)->type->shape[cut];
  for (AttrKey key = 0; key < ATTR_COUNT; key++) {
    const Attr *attr = op_attr(op, key);
    if (!attr || attr_info[key].kind != ATTR_KIND_INTS) continue;
    if (cut >= attr->as.ints.count) continue;
    int64_t *items = arena_array(s->m->arena, int64_t, attr->as.ints.count);
    for (int i = 0; i < attr->as.ints.count; i++)
      items[i] = attr->as.ints.items[i];
    if (key == ATTR_divisibility && runs)
      items[cut] = common_divisor(items[cut], size);
    else if (key != ATTR_divisibility && items[cut] > size)
      items[cut] = size;
    op_set_ints(s->m, op, key, items, attr->as.ints.count);
  }
}

static void adjust(Split *s, Op *op, const Op *from, int cut) {
  Builder b = builder_before(s->m, op);
  const Type *tile;
  switch (op->kind) {
  case OP_hint: part_of_hint(s, op, cut); break;
  case OP_make_block_ptr:
    move_offset(s, &b, op, 3, op_result(from)->type, cut);
    break;
  case OP_load_desc:
    tile = op_result(from)->type;
    cut += op_operand(from, 0)->type->rank - tile->rank;
    move_offset(s, &b, op, 1, op_operand(from, 0)->type, cut);
    break;
  case OP_store_desc:
    tile = op_operand(from, 1)->type;
    cut += op_operand(from, 0)->type->rank - tile->rank;
    move_offset(s, &b, op, 2, op_operand(from, 0)->type, cut);
    break;
  default: break;
  }
}

// A copy of the op before `before`, for parts.
static Op *copy_op(Split *s, Op *op, int cut, Op *before) {
  Map map = {0};
  Op *copy = op_clone(s->m, op, &map);
  for (int i = 0; i < op->num_operands; i++) {
    int of = WHOLE;
    const bool ok = cut_of_operand(op, i, cut, s->cuts->parts, &of);
    assert(ok && "the op has no such parts"); // I2
    (void)ok;
    op_set_operand(copy, i, part_of(s, op_operand(op, i), of));
  }
  for (int i = 0; i < op->num_results; i++)
    copy->results[i].type = part_type(s, op->results[i].type, cut);
  op_insert_before(before, copy);
  adjust(s, copy, op, cut);
  return copy;
}

static void make_part(Split *s, Op *op, int cut) {
  if (op->kind == OP_arange) {
    Builder b = builder_before(s->m, op->next);
    b.loc = op->loc;
    set_part(s, op_result(op), cut, part_of_range(s, &b, op));
    return;
  }
  const Op *copy = copy_op(s, op, cut, op->next);
  for (int i = 0; i < op->num_results; i++)
    set_part(s, &op->results[i], cut, &copy->results[i]);
}

static void make_parts(Split *s, Op *op) {
  CutSet set = 0;
  for (int i = 0; i < op->num_results; i++)
    set |= cuts_wanted(s->cuts, &op->results[i]);
  for (int cut = 0; cut < MAX_RANK; cut++)
    if (set & cut_bit(cut)) make_part(s, op, cut);
}

// -- Stores ------------------------------------------------------------------

// Replaces a whole value, of which only parts are needed, by a constant for its
// users, and returns the constant: copies of the users find the parts by it.
static Value *forget_whole(Split *s, Op *op, int i) {
  Builder b = builder_before(s->m, op);
  const Type *type = op->results[i].type;
  Value *none =
      type_is_float(type) ? build_float(&b, type, 0) : build_int(&b, type, 0);
  value_replace_uses(&op->results[i], none);
  return none;
}

static void write_first(Split *s, Op *op) {
  for (int i = 0; i < op->num_results; i++) forget_whole(s, op, i);
  Builder b = builder_before(s->m, op);
  Op *branch = build_if(&b, s->is_first, 0, NULL);
  for (int r = 0; r < 2; r++) {
    Builder end = builder_at_end(s->m, branch->regions[r], op->loc);
    build_yield(&end, 0, NULL);
  }
  op_unlink(op);
  op_insert_before(block_end(branch->regions[0]), op);
}

static void write_part(Split *s, Op *op, int cut) {
  Op *copy = copy_op(s, op, cut, op);
  for (int i = 0; i < op->num_results; i++)
    set_part(s, forget_whole(s, op, i), cut, &copy->results[i]);
  op_erase(op);
}

// -- Loops and branches ------------------------------------------------------

typedef struct {
  int slot, cut;
} SlotPart;

typedef Vec(SlotPart) SlotParts;

static void find_parts(Split *s, const Op *op, SlotParts *out) {
  for (int i = 0; i < op->num_results; i++) {
    const CutSet set = cuts_wanted(s->cuts, &op->results[i]);
    for (int cut = 0; cut < MAX_RANK; cut++)
      if (set & cut_bit(cut)) vec_push(s->m->arena, out, ((SlotPart){i, cut}));
  }
}

static void split_block(Split *s, Block *block);

static void split_for(Split *s, Op *loop) {
  SlotParts parts = {0};
  find_parts(s, loop, &parts);
  const int before = for_num_slots(loop), count = (int)parts.count;
  Value **init = arena_array(s->m->arena, Value *, count + 1);
  CutSet *sets = arena_array(s->m->arena, CutSet, before + 1);
  for (int i = 0; i < before; i++)
    sets[i] = cuts_wanted(s->cuts, &loop->results[i]);
  for (int i = 0; i < count; i++)
    init[i] =
        part_of(s, for_init(loop, parts.items[i].slot), parts.items[i].cut);
  if (count) loop = for_add(loop, count, init);
  for (int i = 0; i < before && count; i++) {
    cuts_want(s->cuts, for_arg(loop, i), sets[i]);
    cuts_want(s->cuts, &loop->results[i], sets[i]);
  }
  for (int i = 0; i < count; i++)
    set_part(s, for_arg(loop, parts.items[i].slot), parts.items[i].cut,
             for_arg(loop, before + i));
  split_block(s, loop->regions[0]);
  Op *yield = block_end(loop->regions[0]);
  for (int i = 0; i < count; i++) {
    const SlotPart at = parts.items[i];
    op_set_operand(yield, before + i,
                   part_of(s, op_operand(yield, at.slot), at.cut));
    set_part(s, &loop->results[at.slot], at.cut, &loop->results[before + i]);
  }
}

static void yield_parts(Split *s, Block *block, const SlotParts *parts) {
  Op *end = block_end(block);
  const int before = end->num_operands;
  Value **values =
      arena_array(s->m->arena, Value *, (size_t)before + parts->count);
  for (int i = 0; i < before; i++) values[i] = op_operand(end, i);
  for (size_t i = 0; i < parts->count; i++) {
    const SlotPart at = parts->items[i];
    values[(size_t)before + i] = part_of(s, values[at.slot], at.cut);
  }
  Builder b = builder_before(s->m, end);
  build_yield(&b, before + (int)parts->count, values);
  op_erase(end);
}

static void split_if(Split *s, Op *op) {
  SlotParts parts = {0};
  find_parts(s, op, &parts);
  for (int r = 0; r < 2; r++) split_block(s, op->regions[r]);
  if (!parts.count) return;
  const int before = op->num_results, count = before + (int)parts.count;
  const Type **types = arena_array(s->m->arena, const Type *, count);
  for (int i = 0; i < before; i++) types[i] = op->results[i].type;
  for (int i = before; i < count; i++) {
    const SlotPart at = parts.items[i - before];
    types[i] = part_type(s, types[at.slot], at.cut);
  }
  for (int r = 0; r < 2; r++) yield_parts(s, op->regions[r], &parts);
  Value *condition = op_operand(op, 0);
  Op *now = op_replace(op, 1, &condition, count, types);
  for (int i = 0; i < before; i++) {
    cuts_want(s->cuts, &now->results[i], cuts_wanted(s->cuts, &op->results[i]));
    if (op->results[i].uses)
      value_replace_uses(&op->results[i], &now->results[i]);
  }
  for (int i = before; i < count; i++) {
    const SlotPart at = parts.items[i - before];
    set_part(s, &now->results[at.slot], at.cut, &now->results[i]);
  }
  op_erase(op);
}

static void split_op(Split *s, Op *op) {
  const int root = cuts_root(s->cuts, op);
  if (op->kind == OP_for) {
    split_for(s, op);
  } else if (op->kind == OP_if) {
    split_if(s, op);
  } else if (op->kind == OP_while) {
    for (int r = 0; r < 2; r++) split_block(s, op->regions[r]);
  } else if (root >= 0) {
    write_part(s, op, root);
  } else if (root == WHOLE) {
    write_first(s, op);
  } else {
    make_parts(s, op);
  }
}

static void split_block(Split *s, Block *block) {
  for (Op *op = block->first, *next; op; op = next) {
    next = op->next;
    split_op(s, op);
  }
}

// -- All ---------------------------------------------------------------------

static void split(Function *f, Cuts *cuts) {
  Split *s = arena_new(f->module->arena, Split);
  *s = (Split){.m = f->module, .cuts = cuts};
  Builder b = builder_before(f->module, f->body->first);
  s->rank = build_cluster_rank(&b);
  s->is_first = build_cmp(&b, OP_cmpi, PREDICATE_eq, s->rank,
                          build_int(&b, s->rank->type, 0));
  split_block(s, f->body);
  function_set_attr(f, (Attr){.key = ATTR_cluster, .as.i = cuts->parts});
}

bool pass_split_programs(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    const int parts = (int)function_int(f, ATTR_num_ctas, 1);
    Cuts cuts;
    if (parts == 1 || function_cluster(f) > 1) continue;
    const char *why = "the chip has no clusters";
    if (!target || target_can(target, CAP_CLUSTER))
      why = cuts_find(f, target, parts, &cuts);
    if (why)
      diag_remark(m->diags, f->loc, REMARK_program_not_shared, parts, why);
    else
      split(f, &cuts);
  }
  return true;
}
