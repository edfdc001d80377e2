// alloc_shared.c -- an address in shared memory for every buffer and scratch.
//
// Buffers that are live at the same time do not overlap; the largest come
// first, each at the lowest possible address.  Converted tiles are exchanged in
// parts if, as a whole, they would need more memory than everything else.  Then
// scratch is moved away from the memory that the exchange before it read,
// unless that costs memory: two consecutive exchanges in different places need
// no barrier between them.
//
// For example, a ring of 3 x 2048 bytes gets 0 to 6143, and the scratch of two
// conversions of 2048 bytes during its life 6144 for both: apart, they would
// need 10240 bytes in all.  The next two conversions, after the ring, get 0 and
// 2048, so no barrier is needed between them.
#include "passes/shared/alloc_shared.h"

#include "ir/exchange.h"
#include "ir/wgmma.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/errors.h"
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>

enum {
  SCRATCH_ALIGN = 16,
  BUFFER_ALIGN = 128, // a line of the banks
};

typedef struct {
  SharedLife life;
  int64_t offset; // -1: no address yet
  int64_t align;
} Item;

typedef struct {
  Item *items;
  int count;
} Items;

static bool is_buffer(const Item *item) {
  const OpKind kind = item->life.op->kind;
  return kind == OP_alloc_shared || kind == OP_mbarrier_alloc;
}

static int64_t round_up(int64_t n, int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

static int64_t end_of(const Item *item) {
  return item->offset + item->life.bytes;
}

static bool overlap(const Item *placed, int64_t start, int64_t bytes) {
  return placed->offset >= 0 && placed->offset < start + bytes &&
         start < end_of(placed);
}

// The lowest address from `from` on that overlaps neither items live with the
// item, nor `a` and `b`, which may be NULL.
static int64_t find_place(const Items *all, const Item *item, int64_t from,
                          const Item *a, const Item *b) {
  int64_t at = from;
  for (int i = 0; i < all->count; i++) {
    const Item *other = &all->items[i];
    if (other == item) continue;
    const bool apart =
        lives_meet(&other->life, &item->life) || other == a || other == b;
    if (!apart || !overlap(other, at, item->life.bytes)) continue;
    at = round_up(end_of(other), item->align);
    i = -1;
  }
  return at;
}

// -- Lowest addresses --------------------------------------------------------

static int by_size(const void *x, const void *y) {
  const Item *a = *(Item *const *)x, *b = *(Item *const *)y;
  if (a->life.bytes != b->life.bytes) {
    return a->life.bytes > b->life.bytes ? -1 : 1;
  }
  return a->life.start < b->life.start ? -1 : 1;
}

static Item **largest_first(Arena *arena, const Items *all) {
  Item **order = arena_array(arena, Item *, all->count);
  for (int i = 0; i < all->count; i++) order[i] = &all->items[i];
  qsort(order, (size_t)all->count, sizeof *order, by_size);
  return order;
}

static int64_t place_all(Arena *arena, const Items *all) {
  Item **order = largest_first(arena, all);
  for (int i = 0; i < all->count; i++) order[i]->offset = -1;
  int64_t total = 0;
  for (int i = 0; i < all->count; i++) {
    order[i]->offset = find_place(all, order[i], 0, NULL, NULL);
    assert(order[i]->offset >= 0 && order[i]->life.bytes > 0); // I2
    if (end_of(order[i]) > total) total = end_of(order[i]);
  }
  return total;
}

// -- In parts ----------------------------------------------------------------

// The number of programs with `bytes` of shared memory that a chip runs at
// once.
static int residency(const Function *f, const Target *target, int64_t bytes) {
  const Footprint program = {.num_warps = function_num_warps(f),
                             .shared_bytes = (size_t)bytes};
  Limit by;
  return target_residency(target, &program, &by);
}

static void find_most_registers(Op *loop, void *ctx) {
  int64_t *most = ctx;
  if (loop->kind != OP_for && loop->kind != OP_while) return;
  const LoopWords words = loop_words(loop);
  const int64_t registers = registers_of(words.all - words.sums);
  if (words.num_dots && registers > *most) *most = registers;
}

// The number of programs for which, by their loops of dots, the registers of a
// chip suffice.  An estimate above the ample number is not trusted: ptxas may
// use fewer.
static int64_t registers_let(const Function *f, const Target *target) {
  int64_t registers = 1;
  block_walk(f->body, find_most_registers, &registers);
  if (registers > AMPLE_REGISTERS) registers = AMPLE_REGISTERS;
  return registers_programs(target, function_num_warps(f), registers);
}

// The total if all exchanges have as many parts as possible.
static int64_t least_total(Arena *arena, const Items *all, bool matrix) {
  Items least = {arena_array(arena, Item, all->count), all->count};
  for (int i = 0; i < all->count; i++) {
    Item *item = &least.items[i];
    *item = all->items[i];
    if (is_buffer(item)) continue;
    item->life.bytes = exchange_least_bytes(item->life.op, matrix);
  }
  return place_all(arena, &least);
}

static bool has_dot(Op *op) {
  bool found = op->kind == OP_dot || op->kind == OP_async_dot;
  for (int i = 0; i < op->num_regions; i++)
    for (Op *in = op->regions[i]->first; in; in = in->next)
      found |= has_dot(in);
  return found;
}

// Is the exchange made in each trip of a loop?  A condition beside the products
// of a loop is seldom true: a kernel that computes one tile after another
// stores each behind its last product.
static bool is_each_trip(const Op *op) {
  Op *condition = NULL;
  for (Op *at = op->block->parent; at; at = at->block->parent) {
    if (at->kind == OP_for || at->kind == OP_while)
      return !condition || has_dot(condition) || !has_dot(at);
    if (at->kind == OP_if) condition = at;
  }
  return false;
}

// A loaded tile arrives in parts anyway: the first ones are exchanged while
// others are still being loaded.
static bool is_loaded_here(const Op *op) {
  const Block *block = op->block;
  if (op->kind != OP_convert_layout) return false;
  while (op->kind != OP_load) {
    if (op->num_operands != 1 || !type_is_tile(op_operand(op, 0)->type)) break;
    op = op_operand(op, 0)->def;
    if (!op || op->block != block) return false;
  }
  return op->kind == OP_load;
}

// Wide stores of a thread for each part: for a loaded tile, whose first parts
// are exchanged while others arrive; and for a tile that a loop seldom
// exchanges.
enum { STORES_OF_LOADS = 4, STORES_SELDOM = 2 };

// Is a part more than `stores` wide stores of every thread?
static bool is_large(const Op *op, int stores) {
  enum { WIDEST = 16 };
  const Layout *layout = op_result(op)->type->layout;
  return op_scratch_bytes(op) > (int64_t)stores * WIDEST *
                                    layout_count(layout, LAYOUT_LANE) *
                                    layout_count(layout, LAYOUT_WARP);
}

// Halves an exchange down to parts of `stores` wide stores, if that saves
// memory.  Returns the total.
static int64_t halve_to(Module *m, const Items *all, Item *item, int stores,
                        int64_t total, bool matrix) {
  Op *op = item->life.op;
  const int64_t whole = item->life.bytes;
  const int parts = exchange_log2_parts(op);
  while (is_large(op, stores) && exchange_halve(op, matrix)) {
    item->life.bytes = op_scratch_bytes(op);
  }
  assert(item->life.bytes <= whole && "parts take more than the whole"); // I3
  const int64_t halved = place_all(m->arena, all);
  if (halved < total || item->life.bytes == whole) return halved;
  if (parts) op_set_int(m, op, ATTR_log2_parts, parts);
  if (!parts) op_remove_attr(op, ATTR_log2_parts);
  item->life.bytes = whole;
  return place_all(m->arena, all);
}

// Halves all exchanges that reach up to `total`; false if one of these items
// cannot be halved, or is in a loop without a gain.
static bool halve_highest(const Items *all, int64_t total, bool matrix,
                          bool gains) {
  for (int i = 0; i < all->count; i++) {
    Item *item = &all->items[i];
    Op *op = item->life.op;
    if (end_of(item) < total) continue;
    if (is_buffer(item) || (is_each_trip(op) && !gains)) return false;
    if (exchange_counts(op)) return false; // a part takes as long as all
    if (!exchange_halve(op, matrix)) return false;
    item->life.bytes = op_scratch_bytes(op);
  }
  return true;
}

static int64_t halve_all_loaded(Module *m, const Items *all, int64_t total,
                                bool matrix) {
  for (int i = 0; i < all->count; i++) {
    Item *item = &all->items[i];
    const Op *op = item->life.op;
    if (is_buffer(item) || !op_is_in_loop(op) || !is_loaded_here(op)) continue;
    total = halve_to(m, all, item, STORES_OF_LOADS, total, matrix);
  }
  return total;
}

// An exchange that a loop seldom makes is above the loop's live buffers, and
// adds to the total.
static int64_t halve_all_seldom(Module *m, const Items *all, int64_t total,
                                bool matrix) {
  for (int i = 0; i < all->count; i++) {
    Item *item = &all->items[i];
    const Op *op = item->life.op;
    if (is_buffer(item) || op->kind != OP_convert_layout) continue;
    if (!op_is_in_loop(op) || is_each_trip(op)) continue;
    total = halve_to(m, all, item, STORES_SELDOM, total, matrix);
  }
  return total;
}

// More parts need more barriers: so none are made unless memory limits the
// number of programs on the chip.  In a loop, each trip pays for parts, so they
// are taken only if they allow more programs, as far as registers do; after a
// loop they are always taken, whatever its registers.
static int64_t place_in_parts(const Function *f, const Items *all,
                              const Target *target) {
  Arena *arena = f->module->arena;
  int64_t total = place_all(arena, all);
  if (!target || !target->is_gpu) return total;
  const int most = residency(f, target, 0);
  if (residency(f, target, total) == most) return total;
  const bool matrix = target_can(target, CAP_LDMATRIX);
  const int64_t let = registers_let(f, target);
  total = halve_all_seldom(f->module, all, total, matrix);
  if (residency(f, target, total) < let) {
    total = halve_all_loaded(f->module, all, total, matrix);
  }
  const int wanted = residency(f, target, least_total(arena, all, matrix));
  for (int now; (now = residency(f, target, total)) < most;) {
    if (!halve_highest(all, total, matrix, now < wanted && now < let)) break;
    total = place_all(arena, all);
  }
  return total;
}

// False if nothing can be halved.
static bool halve_largest(Arena *arena, const Items *all, bool matrix) {
  Item **order = largest_first(arena, all);
  for (int i = 0; i < all->count; i++) {
    Op *op = order[i]->life.op;
    if (is_buffer(order[i]) || !exchange_halve(op, matrix)) continue;
    order[i]->life.bytes = op_scratch_bytes(op);
    return true;
  }
  return false;
}

// Places all items.  If the chip has less memory, tiles are exchanged in parts
// also below buffers and in loops; pipelining relies on that.
static int64_t place_to_fit(const Function *f, const Items *all,
                            const Target *target) {
  Arena *arena = f->module->arena;
  int64_t total = place_in_parts(f, all, target);
  if (!target || !target->is_gpu) return total;
  const int64_t most = target->max_shared_block;
  const bool matrix = target_can(target, CAP_LDMATRIX);
  if (total <= most || least_total(arena, all, matrix) > most) return total;
  while (total > most && halve_largest(arena, all, matrix)) {
    total = place_all(arena, all);
  }
  return total;
}

// -- Taking turns ------------------------------------------------------------

// The first item that is scratch of an op in the same block.
static const Item *first_in_block(const Items *all, const Item *item) {
  const Block *block = item->life.op->block;
  for (int i = 0; i < all->count; i++) {
    const Item *other = &all->items[i];
    if (!is_buffer(other) && other->life.op->block == block) return other;
  }
  return NULL;
}

static void take_turns(const Items *all, int64_t limit) {
  const Item *before = NULL;
  for (int i = 0; i < all->count; i++) {
    Item *item = &all->items[i];
    if (is_buffer(item)) continue;
    const int64_t old = item->offset;
    item->offset = -1;
    const int64_t at =
        find_place(all, item, 0, before, first_in_block(all, item));
    item->offset = at + item->life.bytes <= limit ? at : old;
    before = item;
  }
}

// -- All ---------------------------------------------------------------------

// The operands of groups of warps, and boxes, consist of whole patterns of
// lines.
static int64_t align_of(const SharedLife *life) {
  if (life->op->kind != OP_alloc_shared) return SCRATCH_ALIGN;
  return life->patterns ? WGMMA_ALIGN : BUFFER_ALIGN;
}

static Items items_of(const Function *f, Arena *arena) {
  SharedLives lives = {0};
  shared_lives(f, arena, &lives);
  Items all = {arena_array(arena, Item, lives.count), (int)lives.count};
  for (int i = 0; i < all.count; i++) {
    const SharedLife *life = &lives.items[i];
    all.items[i] = (Item){*life, -1, align_of(life)};
  }
  return all;
}

static const Item *largest(const Items *all) {
  const Item *largest = &all->items[0];
  for (int i = 1; i < all->count; i++) {
    const Item *item = &all->items[i];
    if (item->life.bytes > largest->life.bytes) largest = item;
  }
  return largest;
}

// The tile that is exchanged or stored in a buffer, perhaps one for each stage.
static const Type *tile_of(Module *m, const Item *item) {
  if (!is_buffer(item)) return op_operand(item->life.op, 0)->type;
  const Type *buffer = op_result(item->life.op)->type;
  const int rank = buffer->layout->rank;
  return type_tile(&m->types, rank, buffer->shape + buffer->rank - rank,
                   buffer->element, NULL);
}

static bool check_total(const Function *f, const Items *all, int64_t total,
                        const Target *target) {
  if (!target || total <= target->max_shared_block) return true;
  const Item *item = largest(all);
  Op *op = item->life.op;
  const Type *tile = tile_of(f->module, item);
  const bool is_ring =
      is_buffer(item) && op_result(op)->type->rank > tile->rank;
  return diag_error(f->module->diags, op->loc,
                    is_ring           ? ERROR_kernel_stages_too_big
                    : is_buffer(item) ? ERROR_kernel_buffers_too_big
                                      : ERROR_kernel_shared_too_big,
                    (long long)total, target->name, target->max_shared_block,
                    (long long)item->life.bytes,
                    type_shape_text(tile, f->module->arena));
}

static bool alloc_function(Function *f, const Target *target) {
  Module *m = f->module;
  const Items all = items_of(f, m->arena);
  if (!all.count) return true;
  const int64_t total = place_to_fit(f, &all, target);
  if (!check_total(f, &all, total, target)) return false;
  take_turns(&all, total);
  for (int i = 0; i < all.count; i++) {
    const Item *item = &all.items[i];
    assert(find_place(&all, item, item->offset, NULL, NULL) == item->offset &&
           "what lives at the same time overlaps");                   // I1
    assert(item->offset % item->align == 0 && end_of(item) <= total); // I2
    op_set_int(m, item->life.op, ATTR_offset, item->offset);
  }
  return true;
}

int64_t shared_needed(Function *f, const Target *target) {
  const Items all = items_of(f, f->module->arena);
  return all.count ? place_to_fit(f, &all, target) : 0;
}

bool pass_alloc_shared(Module *m, const Target *target) {
  for (Function *f = m->functions; f; f = f->next) {
    if (!alloc_function(f, target)) return false;
  }
  return true;
}
