// count.c -- code that counts the work of a kernel and measures its time
// (`tilec run --stats`).
//
// Counters lie in scratch memory, zeroed for each program: the clock when it
// was last read; the time of code that belongs to no row; how often each block
// ran; and for each row its time, and the elements that its mask or bounds let
// through. At its end a program gives them to a hook, together with a table as
// text, which describes the counters (HostHooks).
//
// The clock is read behind each op that has loops, and the time since it was
// last read is that of the op, so that the times of all rows are the whole.  A
// mask gets a sum of its own, whose time counts for no row, so that the time of
// an access is that of its usual code.
//
// The system's counters, events, are read where a loop begins and ends, and the
// events since they were last read belong to the innermost loop.
#include "ir/builder.h"

#include "codegen/host/nest.h"

#include <assert.h>

// The first counters.
enum { CLOCK, NOBODY, NOBODY_EVENTS, FIRST_FREE = NOBODY_EVENTS + HOST_EVENTS };

typedef struct {
  const Op *op;
  const char *class;
  int loop;              // the row of the loop around it; -1: none
  int times, ticks;      // counters: of runs, or of elements; of time
  int events;            // the first of a loop's counters of events
  const Value *mask;     // the sum of the mask
  bool is_window;        // counted by bounds
  uint64_t bytes, flops; // of one of those that `times` counts
} CountRow;

struct HostCounts {
  Vec(CountRow *) rows;
  Map of_op;    // Op* to CountRow*
  Map of_block; // Block* to CountBlock*
  int num_counters;
  LLVMValueRef memory;
};

typedef struct {
  int counter;
} CountBlock;

// -- The work of an op -------------------------------------------------------

static bool is_special(OpKind kind) {
  switch (kind) {
  case OP_sqrt:
  case OP_sqrt_rn:
  case OP_rsqrt:
  case OP_exp:
  case OP_exp2:
  case OP_log:
  case OP_log2:
  case OP_sin:
  case OP_cos:
  case OP_tanh:
  case OP_erf: return true;
  default: return false;
  }
}

// Floating-point operations for one element, as the simulator counts them.
static int flops_of(OpKind kind) {
  switch (kind) {
  case OP_fma: return 2;
  case OP_addf:
  case OP_subf:
  case OP_mulf:
  case OP_divf:
  case OP_divf_rn:
  case OP_remf:
  case OP_maxf:
  case OP_minf:
  case OP_maximumf:
  case OP_minimumf: return 1;
  default: return is_special(kind);
  }
}

static uint64_t region_flops(const Block *block) {
  uint64_t sum = 0;
  for (const Op *op = block->first; op; op = op->next) {
    sum += (uint64_t)flops_of(op->kind);
    for (int r = 0; r < op->num_regions; r++)
      sum += region_flops(op->regions[r]);
  }
  return sum;
}

// n elements are combined in n - 1 steps, or one row of a scan.
static uint64_t combining_flops(const Op *op) {
  const Type *type = op_operand(op, 0)->type;
  const int64_t rows = type->num_elements / type->shape[op_int(op, ATTR_axis)];
  return region_flops(op->regions[0]) * (uint64_t)(type->num_elements - rows);
}

static uint64_t dot_flops(const Op *op) {
  const Type *left = op_operand(op, 0)->type;
  return 2 * (uint64_t)op_result(op)->type->num_elements *
         (uint64_t)left->shape[left->rank - 1];
}

// NULL: it does not access memory.
static const char *access_class(const Op *op) {
  const unsigned read = EFFECT_BIT(ACT_READ, EFFECT_GLOBAL);
  const unsigned write = EFFECT_BIT(ACT_WRITE, EFFECT_GLOBAL);
  const unsigned effects = op_info[op->kind].effects;
  const bool updates = op->kind == OP_store_desc && op_attr(op, ATTR_kind);
  if (effects == (read | write) || updates) return "atomic";
  return effects == read    ? "global load"
         : effects == write ? "global store"
                            : NULL;
}

static const char *float_class(const Op *op) {
  const Type *type = op_result(op)->type;
  if (is_special(op->kind)) return "special";
  return type_element(type)->elem == ELEM_f64 ? "fp64" : "fp32";
}

static void find_flops(CountRow *row) {
  const Op *op = row->op;
  if (op->kind == OP_dot) {
    row->flops = dot_flops(op);
    row->class = "tensor";
  } else if (op->kind == OP_reduce || op->kind == OP_scan) {
    row->flops = combining_flops(op);
    row->class = float_class(op);
  } else if (op->num_results && op_has(op, TRAIT_ELEMENTWISE)) {
    const uint64_t size = (uint64_t)op_result(op)->type->num_elements;
    row->flops = (uint64_t)flops_of(op->kind) * size;
    row->class = float_class(op);
  }
}

// -- Rows --------------------------------------------------------------------

static const Type *accessed(const Op *op) {
  if (op->kind == OP_load_block || op->kind == OP_load_desc)
    return op_result(op)->type;
  if (op->kind == OP_store_block || op->kind == OP_store_desc)
    return op_operand(op, 1)->type;
  return op_operand(op, 0)->type; // pointers
}

static const Value *mask_of(const Op *op) {
  if (op->kind == OP_load) return op_group(op, 1);
  if (op->kind == OP_store || op->kind == OP_atomic_rmw) return op_group(op, 2);
  return NULL;
}

// The sum along the last dimension.
static Value *sum_rows(Builder *b, Value *x) {
  Op *reduce = build_reduce(b, x->type->rank - 1, 1, &x);
  Block *region = reduce->regions[0];
  Builder in = builder_at_end(b->m, region, b->loc);
  Value *sum =
      build_addi(&in, region->args[0].type, &region->args[0], &region->args[1]);
  build_yield(&in, 1, &sum);
  return op_result(reduce);
}

// Inserts in front of an access the number of elements that its mask lets
// through.
static const Value *sum_mask(Module *m, Op *op, const Value *mask) {
  Builder b = builder_before(m, op);
  const Type *type = type_with_elem(&m->types, mask->type, ELEM_i32);
  Value *sum = build_extui(&b, type, (Value *)mask);
  while (type_is_tile(sum->type)) sum = sum_rows(&b, sum);
  return sum;
}

static bool has_bounds(const Op *op) {
  const bool is_block = op->kind == OP_load_block || op->kind == OP_store_block;
  for (int d = 0; is_block && d < accessed(op)->rank; d++) {
    if (op_checks_bound(op, d)) return true;
  }
  return op->kind == OP_load_desc || op->kind == OP_store_desc;
}

static void find_access(Host *h, CountRow *row, Op *op) {
  HostCounts *c = h->counts;
  const Type *type = accessed(op), *element = type_element(type);
  if (element->kind == TYPE_POINTER && op->kind != OP_load_block &&
      op->kind != OP_load_desc && op->kind != OP_store_block &&
      op->kind != OP_store_desc)
    element = element->element;
  row->bytes = emit_memory_bytes(element);
  const Value *mask = mask_of(op);
  if (mask) row->mask = sum_mask(h->e->m, op, mask);
  row->is_window = has_bounds(op);
  if (row->mask || row->is_window)
    row->times = c->num_counters++;
  else
    row->bytes *= (uint64_t)type->num_elements;
}

static void find_rows(Host *h, const Block *block, int loop);

static void add_row(Host *h, Op *op, int loop, int runs) {
  HostCounts *c = h->counts;
  CountRow *row = arena_new(h->e->arena, CountRow);
  *row = (CountRow){.op = op, .class = "", .loop = loop, .times = runs};
  row->ticks = c->num_counters++;
  row->class = access_class(op);
  if (row->class)
    find_access(h, row, op);
  else
    find_flops(row);
  map_put(&c->of_op, h->e->arena, op, row);
  const int self = (int)c->rows.count;
  vec_push(h->e->arena, &c->rows, row);
  if (op->kind == OP_reduce || op->kind == OP_scan) return;
  const bool loops = op->kind == OP_for || op->kind == OP_while;
  if (loops) {
    row->class = "loop";
    row->events = c->num_counters;
    c->num_counters += HOST_EVENTS;
  }
  for (int r = 0; r < op->num_regions; r++)
    find_rows(h, op->regions[r], loops ? self : loop);
  if (!loops) return;
  const CountBlock *body =
      map_get(&c->of_block, op->regions[op->num_regions - 1]);
  row->times = body->counter;
}

static void find_rows(Host *h, const Block *block, int loop) {
  HostCounts *c = h->counts;
  CountBlock *counted = arena_new(h->e->arena, CountBlock);
  counted->counter = c->num_counters++;
  map_put(&c->of_block, h->e->arena, block, counted);
  for (Op *op = block->first; op; op = op->next) {
    if (!op_has(op, TRAIT_TERMINATOR)) add_row(h, op, loop, counted->counter);
  }
}

void count_prepare(Host *h) {
  if (!h->e->options.counts) return;
  h->counts = arena_new(h->e->arena, HostCounts);
  h->counts->num_counters = FIRST_FREE;
  find_rows(h, h->f->body, -1);
}

// -- Counting ----------------------------------------------------------------

static LLVMValueRef counter_at(Host *h, int counter) {
  LLVMValueRef index = host_i64(h, counter);
  assert(counter < h->counts->num_counters); // I13
  return LLVMBuildGEP2(h->b, int_type(h->e, 64), h->counts->memory, &index, 1,
                       "");
}

static void add_to(Host *h, int counter, LLVMValueRef x) {
  LLVMValueRef at = counter_at(h, counter);
  LLVMValueRef old = LLVMBuildLoad2(h->b, int_type(h->e, 64), at, "");
  LLVMBuildStore(h->b, LLVMBuildAdd(h->b, old, x, ""), at);
}

static LLVMValueRef read_clock(Host *h) {
  return llvm_call(&h->e->llvm, "llvm.readcyclecounter", NULL, 0, NULL, 0);
}

// Adds the time since the clock was last read.
static void tick(Host *h, int counter) {
  LLVMValueRef now = read_clock(h), at = counter_at(h, CLOCK);
  LLVMValueRef last = LLVMBuildLoad2(h->b, int_type(h->e, 64), at, "");
  add_to(h, counter, LLVMBuildSub(h->b, now, last, ""));
  LLVMBuildStore(h->b, now, at);
}

void count_begin(Host *h) {
  if (!h->counts) return;
  const size_t bytes = sizeof(uint64_t) * (size_t)h->counts->num_counters;
  h->counts->memory = host_spare(h, bytes);
  LLVMBuildMemSet(h->b, h->counts->memory, const_int(int_type(h->e, 8), 0),
                  host_i64(h, (int64_t)bytes), 64);
  debug_read_events(h, LLVMConstNull(LLVMTypeOf(h->counts->memory)));
  LLVMBuildStore(h->b, read_clock(h), counter_at(h, CLOCK));
}

void count_block(Host *h, const Block *block) {
  if (!h->counts) return;
  const CountBlock *counted = map_get(&h->counts->of_block, block);
  if (counted) add_to(h, counted->counter, host_i64(h, 1));
}

CountMark count_mark(const Host *h) {
  return (CountMark){LLVMGetInsertBlock(h->b), h->e->num_tiles};
}

static void count_elements(Host *h, const CountRow *row) {
  LLVMValueRef count = NULL;
  if (row->mask)
    count =
        LLVMBuildZExt(h->b, host_scalar(h, row->mask), int_type(h->e, 64), "");
  else if (row->is_window)
    count = window_elements(h, row->op);
  if (count) add_to(h, row->times, count);
}

void count_op(Host *h, const Op *op, CountMark before) {
  if (!h->counts) return;
  const CountRow *row = map_get(&h->counts->of_op, op);
  if (row) count_elements(h, row);
  if (LLVMGetInsertBlock(h->b) == before.block &&
      h->e->num_tiles == before.num_tiles)
    return;
  tick(h, row ? row->ticks : NOBODY);
}

// The reading takes time that belongs to no row.
static void read_events(Host *h, int counter) {
  debug_read_events(h, counter_at(h, counter));
  tick(h, NOBODY);
}

void count_enter(Host *h, const Op *loop) {
  const CountRow *row = h->counts ? map_get(&h->counts->of_op, loop) : NULL;
  if (!row) return;
  tick(h, row->ticks); // of initial values
  const int around = row->loop;
  read_events(h, around < 0 ? NOBODY_EVENTS
                            : h->counts->rows.items[around]->events);
}

void count_leave(Host *h, const Op *loop) {
  const CountRow *row = h->counts ? map_get(&h->counts->of_op, loop) : NULL;
  if (!row) return;
  tick(h, row->ticks);
  read_events(h, row->events);
}

void count_trip(Host *h, const Op *loop) {
  if (!h->counts) return;
  const CountRow *row = map_get(&h->counts->of_op, loop);
  bool copies = false;
  for (int i = 0; i < loop->num_results; i++)
    copies |= type_is_tile(loop->results[i].type);
  if (row && copies) tick(h, row->ticks);
}

// -- The end -----------------------------------------------------------------

// A line for each row that can be more than 0; the first has their numbers.
static const char *table_of(Host *h) {
  const HostCounts *c = h->counts;
  Str table = str_in(h->e->arena);
  str_addf(&table, "%d %zu %s\n", c->num_counters, c->rows.count, h->f->name);
  for (size_t i = 0; i < c->rows.count; i++) {
    const CountRow *row = c->rows.items[i];
    str_addf(&table, "%d %d %d %d %llu %llu %d", row->loop, row->times,
             row->ticks, row->events, (unsigned long long)row->bytes,
             (unsigned long long)row->flops, row->op->loc.line);
    str_addf(&table, "\t%s\t%s\n", row->class ? row->class : "",
             row->op->loc.line ? row->op->loc.file : "");
  }
  return str_text(&table);
}

void count_end(Host *h) {
  if (!h->counts) return;
  tick(h, NOBODY);
  debug_read_events(h, counter_at(h, NOBODY_EVENTS));
  debug_tell_counts(h, table_of(h), h->counts->memory);
}
