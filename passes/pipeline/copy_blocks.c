// copy_blocks.c -- blocks of tensor maps are copied through shared memory.
//
//     %x = load_desc %d offsets(%i)
//
// becomes, if no loop copies it ahead,
//
//     mbarrier_expect %b {count = ...}; copy_desc %d, %buffer, %b offsets(%i)
//     mbarrier_await %b
//     %x = load_shared %buffer
//
// and `store_desc %d, %x offsets(%i)` becomes
//
//     bulk_wait   // for a store to that tensor before it
//     store_shared %x, %buffer
//     copy_to_desc %d, %buffer offsets(%i)
//
// so that blocks are written in order.  At the end of the kernel, a last
// bulk_wait_read waits until all buffers were read.  If copies by a descriptor
// need different boxes, the descriptor is made once for each.
#include "ir/tensor_box.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/walk.h"
#include "passes/pass.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/schedule.h"

#include <assert.h>

typedef struct {
  Module *m;
  const Target *target;
  Vec(Op *) accesses;
  Vec(Op *) made;            // descriptors whose maps the program makes
  int64_t shared;            // of all buffers
  Vec(const Value *) stored; // bases of stored tensors
} CopyLowering;

// -- Loads -------------------------------------------------------------------

// Can the op be replaced by reading the buffer in another layout?
static bool is_reading(const Op *op) {
  if (op->kind == OP_convert_layout) return true;
  const Use *use = op->kind == OP_trans ? op_result(op)->uses : NULL;
  for (; use; use = use->next) {
    if (use->user->kind != OP_convert_layout) return false;
  }
  return op->kind == OP_trans;
}

// The first op of the block that uses the loaded value or contains such a use:
// at most a transpose and a conversion are in between.
static void find_user(const Block *block, const Value *x, Op **first) {
  for (const Use *use = x->uses; use; use = use->next) {
    Op *user = use->user;
    if (is_reading(user) && user->block == block) {
      find_user(block, op_result(user), first);
      continue;
    }
    user = op_ancestor_in(user, block);
    if (!*first || op_comes_before(user, *first)) *first = user;
  }
}

static bool is_only_read(const Value *buffer) {
  for (const Use *use = buffer->uses; use; use = use->next) {
    const OpKind kind = use->user->kind;
    if (kind != OP_load_shared && kind != OP_free_shared) return false;
  }
  return true;
}

static void erase_frees(const Value *buffer) {
  for (const Use *use = buffer->uses, *next; use; use = next) {
    next = use->next;
    if (use->user->kind == OP_free_shared) op_erase(use->user);
  }
}

// If a buffer only holds the loaded value, the block is copied into it
// directly.
static void share_buffer(CopyLowering *l, const Ring *ring, Value *slot,
                         Op *load) {
  for (const Use *use = op_result(load)->uses, *next; use; use = next) {
    next = use->next;
    Op *alloc = use->user;
    if (alloc->kind != OP_alloc_shared || alloc->block != load->block ||
        op_result(alloc)->type != ring->slot || !is_only_read(op_result(alloc)))
      continue;
    Builder b = builder_before(l->m, alloc);
    Value *view = build_view_index(&b, ring->slot, ring->ring, slot);
    erase_frees(op_result(alloc));
    value_replace_uses(op_result(alloc), view);
    op_erase(alloc);
  }
}

// The copy starts at the load, and its wait is where the value is needed: other
// copies start in between.
static void lower_load(CopyLowering *l, Op *load) {
  Value *barrier = barriers_create(op_function(load), 1, 1);
  Builder b = builder_before(l->m, load);
  const Ring ring = ring_create(&b, load, 1, l->target);
  Value *slot = build_int(&b, type_scalar(&l->m->types, ELEM_i32), 0);
  Value *offsets[MAX_RANK];
  Op *user = NULL;
  for (int i = 0; i < op_operand(load, 0)->type->rank; i++) {
    offsets[i] = op_operand(load, 1 + i);
  }
  barrier_expect(&b, barrier, NULL, ring_slot_bytes(load));
  ring_copy_block(&b, &ring, offsets, NULL, slot, barrier);
  find_user(load->block, op_result(load), &user);
  if (!user) user = load->next;
  Builder at = builder_before(l->m, user);
  barrier_await(&at, barrier, NULL);
  const Op *wait = at.before->prev;
  share_buffer(l, &ring, slot, load);
  ring_read(&b, &ring, slot, wait->next);
  op_erase(load);
}

// -- Stores ------------------------------------------------------------------

static void build_wait(Module *m, OpKind kind, Op *before) {
  Builder b = builder_before(m, before);
  build_op(&b, kind, 0, NULL, NULL, 0, NULL);
}

// The buffer of a store.  If `own`, it lives to the end of the function, as the
// copy reads it while the kernel continues; else, in a loop or branch without
// room for that, it is made where it is needed.
static Value *create_buffer(CopyLowering *l, Op *store, bool own) {
  Module *m = l->m;
  const Type *tile = op_operand(store, 1)->type;
  const Layout *layout = tensor_box_layout(&m->layouts, tile);
  assert(layout && layout_has_shape(layout, tile->rank, tile->shape) &&
         "a map of blocks that no box fills"); // I12
  const Type *type = type_memdesc(&m->types, tile->rank, tile->shape,
                                  tile->element, layout, SPACE_SHARED);
  const Block *block = own ? op_function(store)->body : store->block;
  Builder b = builder_before(m, op_ancestor_in(store, block));
  const int none = 0;
  return op_result(build_op(&b, OP_alloc_shared, 0, NULL, &none, 1, &type));
}

static void copy_back(CopyLowering *l, Op *store, Value *buffer) {
  Builder b = builder_before(l->m, store);
  const int rank = op_operand(store, 0)->type->rank;
  Value *operands[MAX_RANK + 2] = {op_operand(store, 1), buffer};
  build_op(&b, OP_store_shared, 2, operands, NULL, 0, NULL);
  operands[0] = op_operand(store, 0);
  for (int i = 0; i < rank; i++) operands[2 + i] = op_operand(store, 2 + i);
  const int groups[] = {1, 1, rank};
  Op *copy = build_op(&b, OP_copy_to_desc, 2 + rank, operands, groups, 0, NULL);
  const Attr *kind = op_attr(store, ATTR_kind);
  if (kind) op_set_attr(l->m, copy, *kind);
}

// Only tensors that may be written twice need an order.
static bool comes_behind(const CopyLowering *l, const Value *base) {
  bool behind = false;
  for (size_t i = 0; i < l->stored.count; i++) {
    const Value *before = l->stored.items[i];
    behind |= !base || !before || base == before;
  }
  return behind;
}

// Is the store in a branch or loop, behind which other buffers may use its
// memory?
static bool is_nested(const Op *store) {
  const Op *parent = store->block->parent;
  return parent && parent->kind != OP_warp_specialize;
}

static void lower_store(CopyLowering *l, Op *store) {
  const bool nested = is_nested(store);
  const Value *base = address_base(op_operand(store, 0));
  const int64_t bytes = buffer_bytes(op_operand(store, 0)->type);
  const bool own = l->shared + bytes <= l->target->max_shared_block;
  Value *buffer = create_buffer(l, store, nested && own);
  l->shared += bytes;
  if (op_is_in_loop(store) || comes_behind(l, base))
    build_wait(l->m, OP_bulk_wait, store);
  copy_back(l, store, buffer);
  if (nested && !own) {
    build_wait(l->m, OP_bulk_wait_read, store);
    Builder b = builder_before(l->m, store);
    build_value(&b, OP_free_shared, 1, &buffer, NULL);
  }
  op_erase(store);
  vec_push(l->m->arena, &l->stored, base);
}

static void look(Op *op, void *ctx) {
  CopyLowering *l = ctx;
  if (op->kind == OP_alloc_shared || op->kind == OP_load_desc)
    l->shared += buffer_bytes(op_result(op)->type);
  if (op_makes_map(op)) vec_push(l->m->arena, &l->made, op);
  const bool is_access = op->kind == OP_load_desc || op->kind == OP_store_desc;
  if (is_access && value_has_map(op_operand(op, 0)))
    vec_push(l->m->arena, &l->accesses, op);
}

static void lower_all(CopyLowering *l) {
  for (size_t i = 0; i < l->accesses.count; i++) {
    Op *op = l->accesses.items[i];
    if (op->kind == OP_load_desc) {
      lower_load(l, op);
    } else {
      lower_store(l, op);
    }
  }
}

// -- Maps --------------------------------------------------------------------

static Op *first_copy(const Op *map) {
  for (const Use *use = op_result(map)->uses; use; use = use->next) {
    const OpKind kind = use->user->kind;
    if (kind == OP_copy_desc || kind == OP_copy_to_desc) return use->user;
  }
  return NULL;
}

static const Type *buffer_of(const Op *copy) {
  return op_operand(copy, 1)->type;
}

// Copies to buffers of another layout than the first one's get their own
// descriptor.  NULL: there are none.
static Op *part_map(Module *m, Op *map) {
  const Op *first = first_copy(map);
  Op *other = NULL;
  for (Use *use = op_result(map)->uses, *next; use; use = next) {
    next = use->next;
    if (!first || buffer_of(use->user)->layout == buffer_of(first)->layout)
      continue;
    if (!other) {
      Map none = {0};
      other = op_clone(m, map, &none);
      op_insert_before(map->next, other);
    }
    op_set_operand(use->user, use->index, op_result(other));
  }
  return other;
}

// Descriptors of one tensor differ by their boxes' numbers, or they would
// become one again.
static void part_made(Module *m, Op *map) {
  int64_t box = 0;
  while ((map = part_map(m, map))) op_set_int(m, map, ATTR_box, ++box);
}

static void number_maps(Module *m, Function *f) {
  int number = 0;
  for (Op *op = f->body->first, *next; op; op = next) {
    if (op->kind == OP_make_desc && op_attr(op, ATTR_map)) {
      if (op_is_unused(op)) {
        next = op->next;
        op_erase(op);
        continue;
      }
      part_map(m, op);
      op_set_int(m, op, ATTR_map, number++);
    }
    next = op->next;
  }
}

bool pass_copy_blocks(Module *m, const Target *target) {
  if (!target || !target_can(target, CAP_TMA)) return true;
  for (Function *f = m->functions; f; f = f->next) {
    CopyLowering l = {.m = m, .target = target};
    block_walk(f->body, look, &l);
    lower_all(&l);
    if (l.stored.count) build_wait(m, OP_bulk_wait_read, block_end(f->body));
    number_maps(m, f);
    for (size_t i = 0; i < l.made.count; i++) part_made(m, l.made.items[i]);
  }
  return true;
}
