// map_number.c -- the descriptors of chosen candidates, and their numbers.
#include "passes/simplify/tensor_maps.h"

#include "passes/analysis/walk.h"
#include "passes/simplify/pointer_window.h"

#include <assert.h>

Op *map_top_op(Op *op) {
  return op_ancestor_in(op, op_function(op)->body);
}

static void add_apart(Module *m, Op *map, int64_t apart) {
  apart |= op_int(map, ATTR_apart);
  if (apart) op_set_int(m, map, ATTR_apart, apart);
}

static int use_map(MapSearch *s, MapList *maps, Op *op, int number) {
  assert(number < LAUNCH_MAX_MAPS && number < (int)maps->count); // I11
  map_raise_op(op, map_top_op(op));
  op_set_int(s->m, op, ATTR_map, number);
  maps->items[number] = op;
  return number;
}

// The number of the op's map; of equal maps, the first in the kernel is used,
// which dominates all accesses.
static int add_map(MapSearch *s, MapList *maps, Op *op) {
  for (int i = 0; i < (int)maps->count; i++) {
    Op *other = maps->items[i];
    if (!map_is_same(other, op)) continue;
    const bool is_first = op_comes_before(map_top_op(op), other);
    Op *kept = is_first ? op : other, *gone = is_first ? other : op;
    value_replace_uses(op_result(gone), op_result(kept));
    add_apart(s->m, kept, op_int(gone, ATTR_apart));
    op_erase(gone);
    return use_map(s, maps, kept, i);
  }
  vec_push(s->m->arena, maps, op);
  return use_map(s, maps, op, (int)maps->count - 1);
}

static void number_accesses(MapSearch *s, size_t candidate, int number) {
  for (size_t i = 0; i < s->accesses.count; i++) {
    const NotedAccess *access = &s->accesses.items[i];
    if (access->candidate == (int)candidate)
      op_set_int(s->m, access->op, ATTR_map, number);
  }
}

static int use_pointers(MapSearch *s, MapList *maps, const MapCandidate *c) {
  Op *op = pointer_descriptor(s->m, c->pointers, c->op, map_top_op(c->op));
  const int number = add_map(s, maps, op);
  pointer_access(s->m, c->pointers, c->op, maps->items[number]);
  return number;
}

static int use_descriptor(MapSearch *s, MapList *maps, size_t candidate) {
  Op *window = s->candidates.items[candidate].op;
  const unsigned all = (1U << op_result(window)->type->rank) - 1;
  Op *op = map_descriptor(s->m, window, all, op_int(window, ATTR_padding));
  const int number = add_map(s, maps, op);
  for (size_t i = 0; i < s->accesses.count; i++) {
    const NotedAccess *access = &s->accesses.items[i];
    if (access->candidate == (int)candidate)
      map_replace(s->m, window, maps->items[number], access->op);
  }
  return number;
}

static int use_block_ptr(MapSearch *s, MapList *maps, size_t candidate) {
  const MapCandidate *c = &s->candidates.items[candidate];
  Op *op = map_descriptor(s->m, c->op, c->checked, c->padding);
  const int number = add_map(s, maps, op);
  number_accesses(s, candidate, number);
  return number;
}

// The number of the candidate's map.
static int use_map_of(MapSearch *s, MapList *maps, size_t candidate) {
  const MapCandidate *c = &s->candidates.items[candidate];
  if (c->pointers) return use_pointers(s, maps, c);
  if (!map_is_descriptor(c)) return use_block_ptr(s, maps, candidate);
  return map_is_whole(c->op) ? add_map(s, maps, c->op)
                             : use_descriptor(s, maps, candidate);
}

void map_use_candidate(MapSearch *s, MapList *maps, size_t candidate) {
  const MapCandidate *c = &s->candidates.items[candidate];
  if (c->is_made) {
    op_set_int(s->m, c->op, ATTR_made, true);
  } else {
    const int number = use_map_of(s, maps, candidate);
    add_apart(s->m, maps->items[number], c->apart);
  }
}
