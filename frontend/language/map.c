// map.c -- map_elementwise: a function of elements, applied to tiles.
//
// The function is walked once, with whole tiles in place of its elements.  If a
// condition is a tile, both branches are computed, and a select takes each
// element from one; for effects in a branch, see walk/element.c.  With `pack`,
// neighbouring elements are separate arguments.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>

enum { MAX_PACK = 16 };

typedef struct {
  Walk *w;
  const BuiltinCall *call;
  int rank, pack;
  int64_t shape[MAX_RANK]; // common to all arguments
} Mapping;

static const Object *run_time_value(Walk *w, const BuiltinCall *c, int i) {
  const Object *x = c->rest[i];
  if (object_is_tensor(x) && !object_is_window(x)) return x;
  return walk_error(w, c->rest_locs[i], ERROR_wants_run_time_values,
                    c->info->name, text_of(w, x));
}

// Broadcasts all arguments to one shape.
static bool spread_all(Mapping *m, const Object **args) {
  Walk *w = m->w;
  const BuiltinCall *c = m->call;
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < c->num_rest; i++) {
      const Object *first = args[0];
      if (!turn) args[i] = run_time_value(w, c, i);
      if (!args[i]) return false;
      first = args[0];
      if (!tensor_broadcast(w, c->loc, c->info->name, &first, &args[i]))
        return false;
      args[0] = first;
    }
  }
  const Type *type = object_type(args[0]);
  for (int i = 0; i < c->num_rest; i++)
    assert(type->rank == object_type(args[i])->rank); // I2
  m->rank = type->rank;
  for (int i = 0; i < type->rank; i++) m->shape[i] = type->shape[i];
  return true;
}

// The elements at `offset`, `offset + pack`, ... of the last dimension.  A
// scalar stays scalar, as a loop may use it as a bound.  `x` is `given`,
// broadcast to the common shape.
static void unpack(const Mapping *m, const Object *given, const Object *x,
                   Arguments *out) {
  Walk *w = m->w;
  int64_t shape[MAX_RANK];
  const SrcLoc loc = m->call->loc;
  for (int i = 0; i < m->rank; i++) shape[i] = m->shape[i];
  if (!object_is_tile(given) || m->pack == 1) {
    const Object *each = object_is_tile(given) ? x : given;
    for (int i = 0; i < m->pack; i++)
      vec_push(w->arena, out, ((Argument){NULL, each, loc, loc}));
    return;
  }
  assert(0 < m->rank && m->rank < MAX_RANK); // I2
  shape[m->rank - 1] /= m->pack;
  shape[m->rank] = m->pack;
  const Object *parts = tensor_reshape(w, x, m->rank + 1, shape, false);
  for (int i = 0; i < m->pack; i++) {
    shape[m->rank] = 1;
    const Dtype int32 = dtype_of(DTYPE_INT32);
    const Object *at = tensor_broadcast_to(w, loc, tensor_int(w, int32, i),
                                           m->rank + 1, shape);
    const Object *part = tensor_gather(w, parts, at, m->rank);
    part = tensor_reshape(w, part, m->rank, shape, false);
    vec_push(w->arena, out, ((Argument){NULL, part, loc, loc}));
  }
}

// Joins the parts into one tile of the arguments' shape.
static const Object *pack(const Mapping *m, const Object *const *parts) {
  Walk *w = m->w;
  const SrcLoc loc = m->call->loc;
  int64_t shape[MAX_RANK];
  const Object *all = NULL;
  assert(0 < m->rank && m->rank < MAX_RANK); // I2
  for (int i = 0; i < m->rank; i++) shape[i] = m->shape[i];
  shape[m->rank - 1] /= m->pack;
  shape[m->rank] = m->pack;
  const Dtype int32 = dtype_of(DTYPE_INT32);
  Value *lanes = build_arange(&w->b, 0, m->pack);
  const Object *lane = object_tensor(w->arena, lanes, int32);
  for (int i = 0; i < m->rank; i++) lane = tensor_expand(w, lane, 0);
  for (int i = 0; i < m->pack; i++) {
    const Object *x = to_tensor(w, loc, parts[i]);
    if (x) x = tensor_broadcast_to(w, loc, x, m->rank, shape);
    if (x) x = tensor_expand(w, x, m->rank);
    if (x) x = tensor_broadcast_to(w, loc, x, m->rank + 1, shape);
    const Object *mine =
        tensor_comparison(w, loc, COMPARE_EQ, lane, tensor_int(w, int32, i));
    if (!x || !mine) return NULL;
    all = all ? tensor_select(w, loc, mine, x, all) : x;
    if (!all) return NULL;
  }
  return tensor_reshape(w, all, m->rank, m->shape, false);
}

static const Object *result_of(const Mapping *m, const Object *result) {
  Walk *w = m->w;
  const bool many = result->kind == OBJECT_TUPLE;
  const int n = many ? result->as.tuple.count : 1;
  const Object *const *items = many ? result->as.tuple.items : &result;
  for (int i = 0; i < n; i++) {
    if (object_is_tensor(items[i])) continue;
    return walk_error(w, m->call->locs[0], ERROR_map_wants_results,
                      text_of(w, items[i]));
  }
  if (n % m->pack)
    return walk_error(w, m->call->locs[0], ERROR_map_returns, m->pack, n);
  const Object **out = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n / m->pack; i++) {
    const Object *x = to_tensor(w, m->call->loc, items[i * m->pack]);
    if (x && m->pack == 1)
      out[i] = tensor_broadcast_to(w, m->call->loc, x, m->rank, m->shape);
    else
      out[i] = x ? pack(m, items + i * m->pack) : NULL;
    if (!out[i]) return NULL;
  }
  return many ? object_tuple(w->arena, out, n / m->pack) : out[0];
}

static bool read_pack(Mapping *m) {
  Walk *w = m->w;
  int64_t value;
  if (!argument_int(w, m->call, 2, 1, &value)) return false;
  const int64_t last = m->rank ? m->shape[m->rank - 1] : 1;
  const bool fits = value > 0 && value <= MAX_PACK && last % value == 0;
  m->pack = fits ? (int)value : 1;
  if (m->pack > 1 && m->rank == MAX_RANK) // parts have one dimension more
    return diag_error(w->diags, m->call->loc, ERROR_tile_at_most_dimensions,
                      MAX_RANK);
  return fits || diag_error(w->diags, m->call->locs[2], ERROR_map_pack,
                            MAX_PACK, (long long)value);
}

static const Type *truth_of_elements(const Mapping *m) {
  int64_t shape[MAX_RANK];
  for (int i = 0; i < m->rank; i++) shape[i] = m->shape[i];
  if (m->rank) shape[m->rank - 1] /= m->pack;
  return tensor_type(m->w, dtype_of(DTYPE_INT1), m->rank, shape);
}

const Object *builtin_map_elementwise(Walk *w, const BuiltinCall *c) {
  const Object *callee = c->args[0];
  Mapping m = {.w = w, .call = c};
  Arguments args = {0};
  if (callee->kind != OBJECT_FUNCTION && callee->kind != OBJECT_BUILTIN)
    return walk_error(w, c->locs[0], ERROR_map_wants_function);
  if (!c->num_rest)
    return walk_error(w, c->loc, ERROR_wants_tiles, c->info->name, "none");
  const Object **tiles = arena_array(w->arena, const Object *, c->num_rest + 1);
  if (!spread_all(&m, tiles) || !read_pack(&m)) return NULL;
  for (int i = 0; i < c->num_rest; i++) unpack(&m, c->rest[i], tiles[i], &args);
  const Type *outer = w->mapping;
  w->mapping = truth_of_elements(&m);
  const Object *result = call_object(w, callee, c->loc, &args);
  assert(!outer && "no function of elements maps others"); // I7
  w->mapping = outer;
  return result ? result_of(&m, result) : NULL;
}
