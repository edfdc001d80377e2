// op.c -- the op table and the def-use structure.
#include "ir/op.h"

#include <assert.h>
#include <string.h>

#define A(key)       (UINT64_C(1) << ATTR_##key)
#define READ(space)  EFFECT_BIT(ACT_READ, EFFECT_##space)
#define WRITE(space) EFFECT_BIT(ACT_WRITE, EFFECT_##space)
#define ALLOC(space) EFFECT_BIT(ACT_ALLOC, EFFECT_##space)
#define FREE(space)  EFFECT_BIT(ACT_FREE, EFFECT_##space)
#define PURE         TRAIT_SPECULATABLE
#define EW           (TRAIT_SPECULATABLE | TRAIT_ELEMENTWISE)
#define EW_COSTLY    TRAIT_ELEMENTWISE
#define CONVERGENT   TRAIT_CONVERGENT
#define COMMUTE      TRAIT_COMMUTE
#define TERMINATOR   TRAIT_TERMINATOR
#define CONSTANT     TRAIT_CONSTANT
#define KEEP         TRAIT_KEEP
#define RUNS         (A(contiguity) | A(divisibility) | A(constancy))
#define MOVED        (A(offset) | A(log2_parts))
#define NONE
#define ONE(group) {#group, GROUP_ONE},
#define OPT(group) {#group, GROUP_OPT},
#define ANY(group) {#group, GROUP_ANY},
#define COUNT(...)                                                             \
  (int)(sizeof((OperandGroup[]){__VA_ARGS__{NULL, GROUP_ONE}}) /               \
        sizeof(OperandGroup)) -                                                \
      1

const OpInfo op_info[OP_COUNT] = {
#define OP(name, operands, groups, results, regions, effects, traits, rule,    \
           required, optional, summary)                                        \
  [OP_##name] = {                                                              \
      #name,       operands, COUNT(groups), {groups{NULL, GROUP_ONE}},         \
      results,     regions,  effects,       traits,                            \
      RULE_##rule, required, optional,      summary},
#include "ir/op/ops.def"
};

OpKind op_kind_find(const char *name, size_t length) {
  int kind = 0;
  while (kind < OP_COUNT && (strlen(op_info[kind].name) != length ||
                             memcmp(op_info[kind].name, name, length))) {
    kind++;
  }
  return (OpKind)kind;
}

// -- Construction ------------------------------------------------------------

Module *module_create(Arena *arena, DiagList *diags) {
  Module *m = arena_new(arena, Module);
  m->arena = arena;
  m->diags = diags;
  m->types.arena = arena;
  layout_table_init(&m->layouts, arena);
  m->last_function = &m->functions;
  return m;
}

Function *function_create(Module *m, const char *name, SrcLoc loc,
                          int num_params, const Type *const *types) {
  Function *f = arena_new(m->arena, Function);
  f->module = m;
  f->name = arena_strdup(m->arena, name);
  f->loc = loc;
  f->params = arena_array(m->arena, Param, num_params);
  f->body = block_create(f, num_params, types);
  *m->last_function = f;
  m->last_function = &f->next;
  return f;
}

Block *block_create(Function *f, int num_args, const Type *const *types) {
  Arena *arena = f->module->arena;
  Block *block = arena_new(arena, Block);
  block->function = f;
  block->num_args = num_args;
  block->args = arena_array(arena, Value, num_args);
  for (int i = 0; i < num_args; i++) {
    block->args[i] = (Value){.type = types[i], .block = block, .index = i};
  }
  return block;
}

static void use_link(Use *use, Value *value) {
  use->value = value;
  use->next = value->uses;
  use->link = &value->uses;
  if (use->next) use->next->link = &use->next;
  value->uses = use;
}

static void use_unlink(Use *use) {
  assert(*use->link == use && "the use is not in its list"); // I5
  *use->link = use->next;
  if (use->next) use->next->link = use->link;
}

static void set_groups(Op *op, const int *sizes) {
  const OpInfo *info = &op_info[op->kind];
  if (sizes) {
    memcpy(op->group_sizes, sizes, sizeof *sizes * (size_t)info->num_groups);
    return;
  }
  int left = op->num_operands;
  for (int i = 0; i < info->num_groups; i++) {
    const bool last = i == info->num_groups - 1;
    assert((last || info->groups[i].kind == GROUP_ONE) &&
           "sizes are needed"); // I2
    op->group_sizes[i] = last ? left : 1;
    left -= op->group_sizes[i];
  }
}

Op *op_create(Module *m, OpKind kind, SrcLoc loc, int num_operands,
              Value *const *operands, const int *group_sizes, int num_results,
              const Type *const *types) {
  Op *op = arena_new(m->arena, Op);
  op->kind = kind;
  op->loc = loc;
  op->num_operands = num_operands;
  op->num_results = num_results;
  op->num_regions = op_info[kind].num_regions;
  op->operands = arena_array(m->arena, Use, num_operands);
  op->results = arena_array(m->arena, Value, num_results);
  op->regions = arena_array(m->arena, Block *, op->num_regions);
  set_groups(op, group_sizes);
  assert(op_group_start(op, op_info[kind].num_groups) == num_operands &&
         "the groups and the operands differ in number"); // I2
  for (int i = 0; i < num_operands; i++) {
    op->operands[i].user = op;
    op->operands[i].index = i;
    use_link(&op->operands[i], operands[i]);
  }
  for (int i = 0; i < num_results; i++) {
    op->results[i] = (Value){.type = types[i], .def = op, .index = i};
  }
  return op;
}

void op_set_region(Op *op, int index, Block *block) {
  assert(index >= 0 && index < op->num_regions && "no such region"); // I3
  op->regions[index] = block;
  block->parent = op;
}

void op_append(Block *block, Op *op) {
  assert(!op->block && "op is already in a block"); // I4
  op->block = block;
  op->prev = block->last;
  *(block->last ? &block->last->next : &block->first) = op;
  block->last = op;
}

void op_insert_before(Op *at, Op *op) {
  assert(!op->block && at->block && "the place is in no block"); // I4
  op->block = at->block;
  op->next = at;
  op->prev = at->prev;
  *(at->prev ? &at->prev->next : &at->block->first) = op;
  at->prev = op;
}

void op_unlink(Op *op) {
  assert((op->prev ? op->prev->next : op->block->first) == op &&
         (op->next ? op->next->prev : op->block->last) == op); // I4
  *(op->prev ? &op->prev->next : &op->block->first) = op->next;
  *(op->next ? &op->next->prev : &op->block->last) = op->prev;
  op->prev = op->next = NULL;
  op->block = NULL;
}

// Recursion is as deep as regions nest, which the parsers limit.
static void drop_operands(Op *op) {
  for (int r = 0; r < op->num_regions; r++) {
    Op *inner = op->regions[r] ? op->regions[r]->first : NULL;
    for (; inner; inner = inner->next) drop_operands(inner);
  }
  for (int i = 0; i < op->num_operands; i++) use_unlink(&op->operands[i]);
  op->num_operands = 0;
}

void op_erase(Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    assert(!op->results[i].uses && "erasing an op that is still used"); // I5
  }
  drop_operands(op);
  if (op->block) op_unlink(op);
}

void op_set_operand(Op *op, int index, Value *value) {
  assert(index >= 0 && index < op->num_operands); // I1
  use_unlink(&op->operands[index]);
  use_link(&op->operands[index], value);
}

void op_add_operand(Module *m, Op *op, int group, Value *value) {
  assert(!op->group_sizes[group] && "the group has an operand"); // I2
  const int at = op_group_start(op, group), n = op->num_operands + 1;
  Use *operands = arena_array(m->arena, Use, n);
  for (int i = 0; i < n; i++) {
    Value *x = i == at ? value : op_operand(op, i < at ? i : i - 1);
    if (i != at) use_unlink(&op->operands[i < at ? i : i - 1]);
    operands[i].user = op;
    operands[i].index = i;
    use_link(&operands[i], x);
  }
  op->operands = operands;
  op->num_operands = n;
  op->group_sizes[group] = 1;
}

void value_replace_uses(Value *from, Value *to) {
  assert(from != to && "replacing a value by itself"); // I5
  while (from->uses) {
    Use *use = from->uses;
    use_unlink(use);
    use_link(use, to);
  }
}

// -- Cloning -----------------------------------------------------------------

Value *value_renamed(const Map *map, Value *value) {
  Value *to = map_get(map, value);
  return to ? to : value;
}

Block *block_clone(Module *m, const Block *block, Map *map) {
  const Type **types = arena_array(m->arena, const Type *, block->num_args);
  for (int i = 0; i < block->num_args; i++) types[i] = block->args[i].type;
  Block *copy = block_create(block->function, block->num_args, types);
  for (int i = 0; i < block->num_args; i++) {
    copy->args[i].name = block->args[i].name;
    map_put(map, m->arena, &block->args[i], &copy->args[i]);
  }
  for (const Op *op = block->first; op; op = op->next) {
    op_append(copy, op_clone(m, op, map));
  }
  return copy;
}

Block *block_copy(Module *m, const Block *block) {
  Map map = {0};
  return block_clone(m, block, &map);
}

Op *op_clone(Module *m, const Op *op, Map *map) {
  Value **operands = arena_array(m->arena, Value *, op->num_operands);
  for (int i = 0; i < op->num_operands; i++) {
    operands[i] = value_renamed(map, op_operand(op, i));
  }
  const Type **types = arena_array(m->arena, const Type *, op->num_results);
  for (int i = 0; i < op->num_results; i++) types[i] = op->results[i].type;
  Op *copy = op_create(m, op->kind, op->loc, op->num_operands, operands,
                       op->group_sizes, op->num_results, types);
  copy->attrs = arena_array(m->arena, Attr, op->num_attrs);
  copy->num_attrs = op->num_attrs;
  for (int i = 0; i < op->num_attrs; i++) copy->attrs[i] = op->attrs[i];
  for (int i = 0; i < op->num_results; i++) {
    copy->results[i].name = op->results[i].name;
    map_put(map, m->arena, &op->results[i], &copy->results[i]);
  }
  for (int i = 0; i < op->num_regions; i++) {
    op_set_region(copy, i, block_clone(m, op->regions[i], map));
  }
  return copy;
}

// -- Queries -----------------------------------------------------------------

int op_group_start(const Op *op, int group) {
  assert(group >= 0 && group <= op_info[op->kind].num_groups); // I2
  int start = 0;
  for (int i = 0; i < group; i++) start += op->group_sizes[i];
  return start;
}

int64_t mbarrier_size(const Op *alloc) {
  const Attr *size = op_attr(alloc, ATTR_size);
  return size ? size->as.i : 1;
}

const Op *mbarrier_alloc_of(const Value *barrier) {
  const Op *op = barrier->def;
  return op->kind == OP_mbarrier_index ? op_operand(op, 0)->def : op;
}

Value *op_group(const Op *op, int group) {
  if (!op->group_sizes[group]) return NULL;
  return op_operand(op, op_group_start(op, group));
}

unsigned op_effects(const Op *op) {
  unsigned effects = op_info[op->kind].effects;
  for (int i = 0; i < op->num_regions; i++) {
    for (const Op *inner = op->regions[i]->first; inner; inner = inner->next) {
      effects |= op_effects(inner);
    }
  }
  return effects;
}

static bool is_kept(const Op *op) {
  if (op_has(op, TRAIT_KEEP)) return true;
  for (int i = 0; i < op->num_regions; i++) {
    for (const Op *inner = op->regions[i]->first; inner; inner = inner->next) {
      if (is_kept(inner)) return true;
    }
  }
  return false;
}

bool op_is_pure(const Op *op) {
  return !op_has(op, TRAIT_TERMINATOR) && !is_kept(op) && !op_effects(op);
}

Function *op_function(const Op *op) {
  return op->block->function;
}

Value *region_yield(const Op *op, int region, int slot) {
  const Op *end = block_end(op->regions[region]);
  return op_operand(end, slot + (end->kind == OP_condition));
}

bool op_is_in_loop(const Op *op) {
  for (op = op->block->parent; op; op = op->block->parent) {
    if (op->kind == OP_for || op->kind == OP_while) return true;
  }
  return false;
}

bool value_is_outside(const Value *value, const Block *block) {
  const Block *home = value_block(value);
  while (block->parent) {
    block = block->parent->block;
    if (block == home) return true;
  }
  return false;
}

Op *value_def(const Value *value, OpKind kind) {
  return value->def && value->def->kind == kind ? value->def : NULL;
}

bool op_combines_freely(const Op *op) {
  const Block *body = op->regions[0];
  const Op *combine = body->first;
  if (op->num_operands != 1 || combine->next != body->last) return false;
  const Value *x = op_operand(combine, 0);
  if (!op_has(combine, TRAIT_COMMUTE) || type_is_bool(x->type)) return false;
  if (combine->kind == OP_mulhsi || combine->kind == OP_mulhui) return false;
  const Value *y = op_operand(combine, 1);
  return op_operand(body->last, 0) == op_result(combine) && x != y &&
         x->block == body && y->block == body;
}
