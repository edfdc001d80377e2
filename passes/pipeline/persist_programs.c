// persist_programs.c -- blocks run several programs, one after the other.
//
//     kernel { ... program_id ... }
//
// becomes, where the launch may start fewer blocks than programs,
//
//     kernel {
//       for %i in 0..rounds init(block_id) (%p) {
//         ... %p ...
//         yield %p + num_blocks
//       }
//     }
//
// So blocks of a program are copied while the program before is stored: with
// roles, positions in rings go on from program to program.  Programs that take
// longer come first, which leaves short ones to the end.  The kernel must not
// depend on this: its programs do not wait for one another, and do not read
// their number.
#include "passes/analysis/walk.h"
#include "passes/pass.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/program_order.h"
#include "passes/pipeline/role_loops.h"
#include "passes/pipeline/role_slice.h"

// -- May a kernel's programs share blocks? -----------------------------------

typedef struct {
  bool fails;
} Notice;

// May the op depend on the order of programs, or on the number of blocks?  A
// map would be made anew while copies by the last one may be pending.
static void look_for_notice(Op *op, void *ctx) {
  Notice *x = ctx;
  switch (op->kind) {
  case OP_num_programs:
  case OP_block_id:
  case OP_atomic_cas:
  case OP_inline_asm:
  case OP_inline_asm_effects:
  case OP_device_print:
  case OP_device_assert: x->fails = true; return;
  case OP_atomic_rmw: x->fails |= !op_is_unused(op); return;
  default: x->fails |= op_int(op, ATTR_volatile) != 0 || op_makes_map(op);
  }
}

static bool may_share(const Function *f) {
  Notice x = {false};
  if (function_cluster(f) != 1) return false;
  block_walk(f->body, look_for_notice, &x);
  return !x.fails;
}

// -- Numbers of programs -----------------------------------------------------

typedef struct {
  Builder *b;
  const Type *i32;
  Value *block, *blocks;      // the block's number; the number of blocks
  Value *programs[GRID_AXES]; // along each axis
  Value *all;                 // programs
  Value *rows, *at_once;      // LONGEST: of the other axes; in one section
  const ProgramOrder *order;
} Programs;

static Value *number(const Programs *n, int64_t value) {
  return build_int(n->b, n->i32, value);
}

static Value *add(const Programs *n, Value *x, Value *y) {
  return build_addi(n->b, n->i32, x, y);
}

static Value *sub(const Programs *n, Value *x, Value *y) {
  return build_subi(n->b, n->i32, x, y);
}

static Value *mul(const Programs *n, Value *x, Value *y) {
  return build_muli(n->b, n->i32, x, y);
}

static Value *quotient(const Programs *n, Value *x, Value *y) {
  return build_divui(n->b, n->i32, x, y);
}

static Value *quotient_up(const Programs *n, Value *x, Value *y) {
  return quotient(n, add(n, x, sub(n, y, number(n, 1))), y);
}

static Value *least(const Programs *n, Value *x, Value *y) {
  return build_minui(n->b, n->i32, x, y);
}

// The block's place among those that take programs in round `i`.  If programs
// are sorted, every second round goes backwards: the block with the longest
// program of a round gets the shortest one of the next.
static Value *place_in(const Programs *n, Value *i) {
  if (!n->order->is_sorted) return n->block;
  Value *one = number(n, 1);
  Value *back = sub(n, sub(n, n->blocks, one), n->block);
  Value *odd = build_cmp(n->b, OP_cmpi, PREDICATE_ne,
                         build_andi(n->b, n->i32, i, one), number(n, 0));
  return build_select(n->b, n->i32, odd, back, n->block);
}

// The program behind `p`, the one of round `i`.  From the last one of round `i`
// backwards, or the first one of the next round forwards, both are equally far.
static Value *next_program(const Programs *n, Value *i, Value *p) {
  if (!n->order->is_sorted) return add(n, p, n->blocks);
  Value *first = mul(n, add(n, i, number(n, 1)), n->blocks);
  return sub(n, sub(n, add(n, first, first), number(n, 1)), p);
}

// The other axes are cut into sections of rows, of which there are half as many
// as blocks at most: then two blocks load the same at about the same time.
static void find_sections(Programs *n) {
  const int axis = n->order->axis;
  Value *one = number(n, 1);
  n->rows = mul(n, n->programs[(axis + 1) % GRID_AXES],
                n->programs[(axis + 2) % GRID_AXES]);
  Value *half =
      build_maxui(n->b, n->i32, quotient(n, n->blocks, number(n, 2)), one);
  n->at_once = quotient_up(n, n->rows, quotient_up(n, n->rows, half));
}

static void find_numbers(Programs *n) {
  n->block = build_block_id(n->b);
  n->blocks = build_num_blocks(n->b);
  for (int i = 0; i < GRID_AXES; i++)
    n->programs[i] = build_num_programs(n->b, i);
  n->all = mul(n, mul(n, n->programs[0], n->programs[1]), n->programs[2]);
  if (n->order->is_sorted) find_sections(n);
}

// The number of programs of this block.
static Value *count_rounds(const Programs *n) {
  Value *full = quotient(n, n->all, n->blocks);
  Value *left = sub(n, n->all, mul(n, full, n->blocks));
  Value *more =
      build_cmp(n->b, OP_cmpi, PREDICATE_ult, place_in(n, full), left);
  return add(n, full, build_extui(n->b, n->i32, more));
}

// The numbers along the axes of program `p`, counted along the first one first.
static void split_number(const Programs *n, Value *p, const int axes[],
                         int count, Value *out[GRID_AXES]) {
  for (int i = 0; i < count - 1; i++) {
    Value *size = n->programs[axes[i]], *next = quotient(n, p, size);
    out[axes[i]] = sub(n, p, mul(n, next, size));
    p = next;
  }
  out[axes[count - 1]] = p;
}

// In each section the longest programs of all rows come first.
static void split_sorted(const Programs *n, Value *p, Value *out[GRID_AXES]) {
  const int axis = n->order->axis;
  const int others[] = {axis == 0, axis == 2 ? 1 : 2};
  Value *length = n->programs[axis];
  Value *each = mul(n, n->at_once, length);
  Value *section = quotient(n, p, each);
  Value *first = mul(n, section, n->at_once);
  Value *within = sub(n, p, mul(n, section, each));
  Value *rows = least(n, n->at_once, sub(n, n->rows, first));
  Value *step = quotient(n, within, rows);
  Value *row = add(n, first, sub(n, within, mul(n, step, rows)));
  split_number(n, row, others, 2, out);
  out[axis] =
      n->order->grows ? sub(n, sub(n, length, number(n, 1)), step) : step;
}

// The numbers of program `p` along the axes.
static void find_program(const Programs *n, Value *p, Value *out[GRID_AXES]) {
  static const int axes[] = {0, 1, 2};
  if (n->order->is_sorted)
    split_sorted(n, p, out);
  else
    split_number(n, p, axes, GRID_AXES, out);
}

// -- The loop ----------------------------------------------------------------

// Scalars that are the same in all programs stay in front of the loop.
static void find_common(const Function *f, Map *kept) {
  for (Op *op = f->body->first; op; op = op->next)
    if (op->kind != OP_program_id && role_shares_scalar(kept, op))
      map_put(kept, f->module->arena, op, op);
}

static void replace_number(Op *op, void *ctx) {
  Value *const *program = ctx;
  if (op->kind != OP_program_id) return;
  value_replace_uses(op_result(op), program[op_int(op, ATTR_axis)]);
  op_erase(op);
}

static void wrap(Function *f, const ProgramOrder *order) {
  Module *m = f->module;
  Map kept = {0};
  Value *program[GRID_AXES];
  find_common(f, &kept);
  Op *end = block_end(f->body);
  Builder b = builder_before(m, end);
  Programs n = {
      .b = &b, .i32 = type_scalar(&m->types, ELEM_i32), .order = order};
  find_numbers(&n);
  const Op *first = n.block->def;
  Op *loop = build_for(&b, number(&n, 0), count_rounds(&n), number(&n, 1), 1,
                       &n.block);
  Block *body = loop->regions[0];
  Value *round = &body->args[0], *p = &body->args[1];
  Builder in = builder_at_end(m, body, f->loc);
  n.b = &in;
  find_program(&n, p, program);
  ops_move_except(body, f->body->first, first, &kept);
  Value *next = next_program(&n, round, p);
  build_yield(&in, 1, &next);
  block_walk(body, replace_number, program);
}

// -- All ---------------------------------------------------------------------

// Do the loops still have the rings, and the products that run on?
static bool are_kept(const RoleLoops *before, const RoleLoops *now) {
  bool kept = before->count == now->count;
  for (size_t i = 0; kept && i < now->count; i++) {
    const Schedule *x = &before->items[i].schedule;
    const Schedule *y = &now->items[i].schedule;
    kept = schedule_ring(x) == schedule_ring(y) && x->runs_on == y->runs_on;
  }
  return kept;
}

// Blocks run several programs where there is a gain, unless the launch asks for
// that wherever it is possible, or never.
typedef enum { WISH_GAIN, WISH_ALWAYS, WISH_NEVER } Wish;

static Wish wish_of(const Function *f) {
  const Attr *wish = attrs_find(f->attrs, f->num_attrs, ATTR_persist);
  if (!wish) return WISH_GAIN;
  return wish->as.i ? WISH_ALWAYS : WISH_NEVER;
}

static bool pays(const Function *f, const Target *target,
                 const RoleLoops *loops, const ProgramOrder *order) {
  return role_loops_may_go_on(f, target, loops) && order->is_known;
}

static void persist(Function *f, const Target *target) {
  const Wish wish = wish_of(f);
  const bool for_gain = wish == WISH_GAIN;
  RoleLoops loops = {0};
  if (wish == WISH_NEVER || !may_share(f) ||
      !role_loops_find(f, target, &loops))
    return;
  const ProgramOrder order = program_order_find(f);
  if (for_gain && !pays(f, target, &loops, &order)) return;
  Block *before = block_copy(f->module, f->body);
  wrap(f, &order);
  RoleLoops now = {0};
  if (!role_loops_find(f, target, &now) ||
      (for_gain && !are_kept(&loops, &now)))
    f->body = before;
}

bool pass_persist_programs(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) persist(f, target);
  return true;
}
