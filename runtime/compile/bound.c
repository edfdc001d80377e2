// bound.c -- the items, keys and slots of bound arguments.
#include "runtime/compile/argument.h"

#include <assert.h>
#include <string.h>

// -- Items -------------------------------------------------------------------

static size_t num_items(const TileArg *arg, int depth) {
  if (arg->kind == TILE_ARG_DESCRIPTOR) return 2 * TILE_MAX_DESCRIPTOR_RANK;
  if (arg->kind == TILE_ARG_CONSTANT && arg->as.constant) {
    arg = arg->as.constant;
  }
  if (arg->kind != TILE_ARG_TUPLE || depth >= MAX_TUPLE_DEPTH) return 0;
  size_t count = arg->as.tuple.items ? arg->as.tuple.count : 0;
  for (size_t i = count; i-- > 0;)
    count += num_items(&arg->as.tuple.items[i], depth + 1);
  return count;
}

size_t bound_num_items(const TileLaunch *launch) {
  size_t count = 0;
  for (size_t i = 0; i < launch->num_args; i++)
    count += num_items(&launch->args[i], 0);
  for (size_t i = 0; i < launch->num_constants; i++)
    count += num_items(&launch->constants[i].value, 0);
  return count;
}

// -- Keys and slots ----------------------------------------------------------

typedef struct {
  unsigned char *bytes;
  size_t length, size;
} Key;

static void key_add(Key *key, const void *bytes, size_t length) {
  if (key->length + length <= key->size)
    memcpy(key->bytes + key->length, bytes, length);
  key->length += length;
}

static void key_add_arg(Key *key, const ArgSpec *spec) {
  const unsigned char head[] = {(unsigned char)spec->kind,
                                (unsigned char)spec->divisibility,
                                spec->names != NULL};
  key_add(key, head, sizeof head);
  if (spec->text) key_add(key, spec->text, strlen(spec->text) + 1);
  if (spec->kind == ARG_INT || spec->kind == ARG_BOOL ||
      spec->kind == ARG_DESCRIPTOR)
    key_add(key, &spec->i, sizeof spec->i);
  if (spec->kind == ARG_FLOAT) key_add(key, &spec->f, sizeof spec->f);
  if (spec->kind != ARG_TUPLE && spec->kind != ARG_DESCRIPTOR) return;
  key_add(key, &spec->num_items, sizeof spec->num_items);
  for (int i = 0; spec->names && i < spec->num_items; i++)
    key_add(key, spec->names[i], strlen(spec->names[i]) + 1);
  for (int i = 0; i < spec->num_items; i++) key_add_arg(key, &spec->items[i]);
}

size_t bound_key(const BoundArg *bound, size_t count, unsigned char *bytes,
                 size_t size) {
  Key key = {bytes, 0, size};
  for (size_t i = 0; i < count; i++) key_add_arg(&key, &bound[i].spec);
  return key.length;
}

// The number of items of a tuple, or of parts of a descriptor that are not
// constant.
static int num_bound(const ArgSpec *spec) {
  return spec->kind == ARG_TUPLE        ? spec->num_items
         : spec->kind == ARG_DESCRIPTOR ? 2 * spec->num_items
                                        : 0;
}

// Finds run-time value number `*leaf`, depth first, and counts `*leaf` down.
static const BoundArg *find_leaf(const BoundArg *bound, int *leaf) {
  if (bound->spec.kind == ARG_RUNTIME && !(*leaf)--) return bound;
  for (int i = 0; i < num_bound(&bound->spec); i++) {
    const BoundArg *found = find_leaf(&bound->items[i], leaf);
    if (found) return found;
  }
  return NULL;
}

const BoundArg *bound_leaf(const BoundArg *bound, int leaf) {
  if (num_bound(&bound->spec)) bound = find_leaf(bound, &leaf);
  assert(bound && !num_bound(&bound->spec) &&
         "a machine parameter that no argument gives"); // I3
  return bound;
}
