// accesses.c -- accesses to global memory between barriers.
#include "passes/shared/accesses.h"

static bool is_same(const GlobalAccess *a, const GlobalAccess *b) {
  return a->base == b->base && a->ptr == b->ptr && a->write == b->write &&
         a->atomic == b->atomic && a->motion == b->motion && a->loop == b->loop;
}

bool accesses_add(Arena *arena, GlobalAccesses *set, GlobalAccess access) {
  for (size_t i = 0; i < set->count; i++) {
    if (is_same(&set->items[i], &access)) return false;
  }
  vec_push(arena, set, access);
  return true;
}

// Do several threads hold an element?
static bool is_replicated(const Value *ptr) {
  if (!type_is_tile(ptr->type)) return true;
  const Layout *layout = ptr->type->layout;
  const uint32_t registers = layout_dim_mask(layout, LAYOUT_REGISTER);
  return layout_free_bits(layout) & ~registers;
}

// Two accesses through one tile: does each address belong to one thread?  If
// several threads hold an element, one stores it, and all load it.
static bool keeps_threads(const GlobalAccess *a, const GlobalAccess *b) {
  const bool writes = a->write && b->write;
  switch (a->motion) {
  case MOTION_NONE: return writes || !is_replicated(b->ptr);
  case MOTION_APART: return true;
  case MOTION_STRIDE: return writes;
  case MOTION_ANY: break;
  }
  return false;
}

static bool both_by_one_thread(const GlobalAccess *a, const GlobalAccess *b) {
  return a->ptr && b->ptr && a->write && b->write &&
         !type_is_tile(a->ptr->type) && !type_is_tile(b->ptr->type);
}

static bool clash(const GlobalAccess *a, const GlobalAccess *b) {
  if (!a->write && !b->write) return false;
  if (a->atomic && b->atomic) return false;
  if (a->base && b->base && a->base != b->base) return false;
  if (both_by_one_thread(a, b)) return false;
  if (a->motion == MOTION_NONE && (places_apart(a->place, b->place) ||
                                   places_by_one_thread(a->place, b->place)))
    return false;
  if (!a->ptr || a->ptr != b->ptr || !address_is_distinct(a->ptr)) return true;
  return !keeps_threads(a, b);
}

bool accesses_clash(const GlobalAccesses *set, const GlobalAccess *access) {
  for (size_t i = 0; i < set->count; i++) {
    if (clash(&set->items[i], access)) return true;
  }
  return false;
}

// A trip of another loop may cancel the motion of the first.
void access_move(GlobalAccess *access, const Op *loop) {
  const Motion motion =
      loop->kind == OP_for ? address_motion(access->ptr, loop) : MOTION_STRIDE;
  if (motion == MOTION_NONE || access->loop == loop) return;
  const bool first = access->motion == MOTION_NONE;
  access->loop = first ? loop : NULL;
  if (!first && access->motion == MOTION_APART) access->motion = MOTION_STRIDE;
  if (motion > access->motion) access->motion = motion;
}
