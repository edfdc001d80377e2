// store.c -- states of a run: the log, leaving them, and joining them.
//
// A state is the content of all slots.  The log has each store with the earlier
// content of the slot, so a length of the log stands for a state.  A path that
// leaves is at a length of the log.  Writes that are undone below it are kept
// in a trail, which all paths share that have left among them.
//
//     x = 1
//     if unknown(): x = 2
//
// The log has "x had no value" at the mark.  The branch adds "x had 1", and
// leaves; undone to the mark, x is 1 again, and "x is 2" is the branch's trail.
// The other branch writes nothing, so the join is of 1 and 2: x is not known.
#include "frontend/thing/machine.h"

#include <assert.h>
#include <string.h>

enum { MAX_LEAVES = 300 };

RunMark run_mark(const Machine *m) {
  return (RunMark){m->log.count, m->clock};
}

void run_lose(Machine *m) {
  m->lost = true;
}

bool run_step(Machine *m) {
  enum { MAX_LOG = 1000000 };
  m->steps++;
  if (m->steps > m->most_steps || m->steps > MOST_STEPS ||
      m->log.count > MAX_LOG)
    run_lose(m);
  return !m->lost;
}

void run_store(Machine *m, Owner *owner, void *slot, void *value) {
  void **at = slot;
  const Write write = {at, *at, owner};
  vec_push(m->arena, &m->log, write);
  assert(slot && owner->born <= m->clock && "written before it is made"); // I6
  m->version++;
  *at = value;
}

// -- Going back --------------------------------------------------------------

// Begins another set of slots.
static void clear_slots(Machine *m) {
  m->slot_set++;
}

// Adds the owner's slot to the set.  False: it was there.
static bool add_slot(Machine *m, Owner *owner) {
  if (owner->set == m->slot_set) return false;
  owner->set = m->slot_set;
  return true;
}

// Undoes the log down to that length.  Keeps the writes for paths that have
// left, if there is a trail.
static void restore(Machine *m, size_t length, Trail *trail) {
  assert(length <= m->log.count && "a state that is not there"); // I1
  m->version++;
  clear_slots(m);
  while (m->log.count > length) {
    const Write *w = &m->log.items[--m->log.count];
    const Write now = {w->slot, *w->slot, w->owner};
    *w->slot = w->value;
    if (trail && add_slot(m, w->owner)) vec_push(m->arena, &trail->writes, now);
  }
}

// Prepends the writes of `before`, from item `from` on, to those of the path.
static void go_on(Leave *leave, Trail *before, size_t from) {
  if (!leave->trail) {
    leave->trail = before;
    leave->from = from;
  } else {
    leave->oldest->before = before;
    leave->oldest->from = from;
  }
  leave->oldest = before;
}

// The paths that have left at the present end of the log go on from the trail.
// Returns the latest point, `least` or later, at which others have left.
static size_t take_up(Machine *m, Trail *trail, RunMark least) {
  size_t next = least.log;
  for (size_t i = 0; i < m->leaves.count; i++) {
    Leave *leave = &m->leaves.items[i];
    if (leave->mark.log > next && leave->mark.log < m->log.count)
      next = leave->mark.log;
    if (leave->mark.log != m->log.count) continue;
    go_on(leave, trail, trail->writes.count);
    leave->mark = least;
  }
  return next;
}

void run_undo(Machine *m, RunMark mark) {
  assert(mark.log <= m->log.count); // I1
  size_t latest = mark.log;
  for (size_t i = 0; i < m->leaves.count; i++) {
    const size_t at = m->leaves.items[i].mark.log;
    assert(at <= m->log.count); // I2
    latest = at > latest ? at : latest;
  }
  restore(m, latest, NULL);
  if (latest == mark.log) return;
  Trail *trail = arena_new(m->arena, Trail);
  while (m->log.count > mark.log) restore(m, take_up(m, trail, mark), trail);
}

void run_add_write(Machine *m, Leave *leave, Owner *owner, void *slot,
                   void *value) {
  Trail *own = arena_new(m->arena, Trail);
  const Write write = {slot, value, owner};
  vec_push(m->arena, &own->writes, write);
  own->before = leave->trail;
  own->from = leave->from;
  if (!leave->trail) leave->oldest = own;
  leave->trail = own;
  leave->from = 0;
}

bool run_leave(Machine *m, int kind, Thing *value) {
  const Leave leave = {.kind = kind, .value = value, .mark = run_mark(m)};
  vec_push(m->arena, &m->leaves, leave);
  if (m->leaves.count > MAX_LEAVES) run_lose(m);
  return false;
}

void run_may_raise(Machine *m) {
  if (!m->tries) return;
  if (m->leaves.count) {
    const Leave *last = &m->leaves.items[m->leaves.count - 1];
    if (last->kind == LEAVE_RAISE && last->value == &thing_unknown &&
        last->mark.log == m->log.count && !last->trail)
      return;
  }
  run_leave(m, LEAVE_RAISE, &thing_unknown);
}

// -- Joining -----------------------------------------------------------------

static bool same_constant(const Object *a, const Object *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == OBJECT_FLOAT)
    return !memcmp(&a->as.number, &b->as.number, sizeof a->as.number);
  return object_equal(a, b);
}

bool thing_is_same(const Thing *a, const Thing *b) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  if (a->kind == THING_CONSTANT)
    return same_constant(a->as.constant, b->as.constant);
  if (a->kind != THING_TUPLE || a->as.tuple.count != b->as.tuple.count)
    return false;
  for (int i = 0; i < a->as.tuple.count; i++)
    if (!thing_is_same(a->as.tuple.items[i], b->as.tuple.items[i]))
      return false;
  return true;
}

int64_t thing_num_parts(const Thing *x) {
  int64_t count = 1;
  switch (x->kind) {
  case THING_TUPLE:
  case THING_SLICE: return x->as.tuple.num_parts;
  case THING_METHOD: return count + thing_num_parts(x->as.method.self);
  case THING_UNKNOWN:
  case THING_MAYBE:
    for (int i = 0; i < 2; i++)
      if (x->as.either[i]) count += thing_num_parts(x->as.either[i]);
    return count;
  default: return count;
  }
}

static Thing *join_tuples(Machine *m, Thing *a, Thing *b) {
  assert(a->as.tuple.count == b->as.tuple.count); // I7
  bool same = true;
  Things items = {0};
  for (int i = 0; i < a->as.tuple.count; i++) {
    Thing *x = thing_join(m, a->as.tuple.items[i], b->as.tuple.items[i]);
    same = same && x == a->as.tuple.items[i];
    vec_push(m->arena, &items, x);
  }
  return same ? a : thing_tuple(m, items.items, (int)items.count);
}

// Is `x` one of the things that `unknown` may be?
static bool has_part(const Thing *unknown, const Thing *x) {
  if (unknown == x) return true;
  if (unknown->kind != THING_UNKNOWN) return false;
  for (int i = 0; i < 2; i++)
    if (unknown->as.either[i] && has_part(unknown->as.either[i], x))
      return true;
  return false;
}

// Is each of the things that `x` may be one of those that `unknown` may be?
static bool has_parts(const Thing *unknown, const Thing *x) {
  if (has_part(unknown, x)) return true;
  if (x->kind != THING_UNKNOWN) return false;
  for (int i = 0; i < 2; i++)
    if (x->as.either[i] && !has_parts(unknown, x->as.either[i])) return false;
  return true;
}

// The number of things that `x` may be, or `most`.  A thing that is found in
// two ways counts twice, as those that look at all things meet it twice.
static int num_either(const Thing *x, int most) {
  int count = 1;
  if (x->kind != THING_UNKNOWN) return count;
  for (int i = 0; i < 2 && count < most; i++)
    if (x->as.either[i]) count += num_either(x->as.either[i], most - count);
  return count;
}

static Thing *join_unlike(Machine *m, Thing *a, Thing *b) {
  enum { MOST_EITHER = 256 };
  const bool first = thing_is_mutable(a), second = thing_is_mutable(b);
  if (!first && !second) return &thing_unknown;
  if (!m->widens) {
    if (a->kind == THING_UNKNOWN && (!second || has_parts(a, b))) return a;
    if (b->kind == THING_UNKNOWN && (!first || has_parts(b, a))) return b;
  }
  const int most = MOST_EITHER - num_either(a, MOST_EITHER);
  if (m->widens || num_either(b, MOST_EITHER) >= most) {
    run_expose(m, a);
    run_expose(m, b);
    return &thing_unknown;
  }
  Thing *x = thing_new(m, THING_UNKNOWN);
  x->as.either[0] = first ? a : b;
  x->as.either[1] = first && second ? b : NULL;
  return x;
}

static Thing *join_whole(Machine *m, Thing *a, Thing *b) {
  if (a == b) return a;
  if (a->kind != b->kind) return join_unlike(m, a, b);
  switch (a->kind) {
  case THING_CONSTANT:
    if (same_constant(a->as.constant, b->as.constant)) return a;
    break;
  case THING_TUPLE:
    if (a->as.tuple.count == b->as.tuple.count) return join_tuples(m, a, b);
    break;
  case THING_RANGE:
    if (a->as.range.start == b->as.range.start &&
        a->as.range.stop == b->as.range.stop &&
        a->as.range.step == b->as.range.step)
      return a;
    break;
  case THING_METHOD:
    if (a->as.method.function == b->as.method.function &&
        a->as.method.self == b->as.method.self)
      return a;
    break;
  default: break;
  }
  return join_unlike(m, a, b);
}

Thing *thing_join(Machine *m, Thing *a, Thing *b) {
  const bool maybe =
      !a || !b || a->kind == THING_MAYBE || b->kind == THING_MAYBE;
  Thing *x = a && a->kind == THING_MAYBE ? a->as.either[0] : a;
  Thing *y = b && b->kind == THING_MAYBE ? b->as.either[0] : b;
  Thing *both = x && y ? join_whole(m, x, y) : x ? x : y;
  if (!maybe || !both) return both;
  if (a && a->kind == THING_MAYBE && a->as.either[0] == both) return a;
  if (b && b->kind == THING_MAYBE && b->as.either[0] == both) return b;
  Thing *result = thing_new(m, THING_MAYBE);
  result->as.either[0] = both;
  return result;
}

static void expose_content(Machine *m, const Content *c) {
  for (int i = 0; i < c->count; i++) {
    if (c->keys) run_expose(m, c->keys[i]);
    if (c->items) run_expose(m, c->items[i]);
  }
}

static bool same_keys(const Content *a, const Content *b) {
  for (int i = 0; a->keys && i < a->count; i++)
    if (!thing_is_same(a->keys[i], b->keys[i])) return false;
  return true;
}

static Content *join_contents(Machine *m, Content *a, Content *b) {
  if (a == b) return a;
  const bool known = a != &unknown_content && b != &unknown_content;
  if (!known || a->count != b->count || !same_keys(a, b)) {
    expose_content(m, a);
    expose_content(m, b);
    return &unknown_content;
  }
  assert(!a->keys == !b->keys && !a->items == !b->items && "two kinds"); // I7
  if (!a->items) return a;
  Things items = {0};
  bool same = true;
  for (int i = 0; i < a->count; i++) {
    Thing *x = thing_join(m, a->items[i], b->items[i]);
    same = same && x == a->items[i];
    vec_push(m->arena, &items, x);
  }
  return same ? a : content_new(m, a->keys, items.items, a->count);
}

static void *join_values(Machine *m, SlotKind kind, void *a, void *b) {
  switch (kind) {
  case SLOT_THING: return thing_join(m, a, b);
  case SLOT_CONTENT: return join_contents(m, a, b);
  case SLOT_STATE: break;
  }
  return a == b ? a : &lost_state;
}

// Joins the slot with its value in the other state.  A slot that was made after
// the mark exists in one of the states only.
static void join_slot(Machine *m, const Write *w, RunMark mark) {
  assert(mark.log <= m->log.count && mark.clock <= m->clock); // I1
  void *now = *w->slot;
  if (now == w->value) return;
  const bool young = w->owner->born > mark.clock;
  void *both = now;
  if ((young || w->owner->kind != SLOT_THING) && (!now || !w->value))
    both = now ? now : w->value;
  else
    both = join_values(m, w->owner->kind, now, w->value);
  if (both == now) return;
  m->changed = m->changed || !young;
  run_store(m, w->owner, w->slot, both);
}

// Calls `act` for each slot of the path's writes, with its last value.
static void each_write(Machine *m, const Leave *leave,
                       void (*act)(Machine *m, const Write *w, RunMark mark)) {
  size_t i = leave->from;
  for (const Trail *t = leave->trail; t; i = t->from, t = t->before)
    for (; i < t->writes.count; i++)
      if (add_slot(m, t->writes.items[i].owner))
        act(m, &t->writes.items[i], leave->mark);
}

static void join_leave(Machine *m, const Leave *leave) {
  const size_t length = m->log.count;
  clear_slots(m);
  each_write(m, leave, join_slot);
  for (size_t i = leave->mark.log; i < length; i++) {
    const Write w = m->log.items[i];
    if (add_slot(m, w.owner)) join_slot(m, &w, leave->mark);
  }
}

static void write_again(Machine *m, const Write *w, RunMark mark) {
  (void)mark;
  run_store(m, w->owner, w->slot, w->value);
}

static void enter_leave(Machine *m, const Leave *leave) {
  assert(leave->mark.log <= m->log.count); // I2
  run_undo(m, leave->mark);
  clear_slots(m);
  each_write(m, leave, write_again);
}

bool run_merge(Machine *m, size_t base, int kind, bool alive, Thing **value) {
  assert(base <= m->leaves.count && "leaves of a path around were taken"); // I2
  for (size_t i = base; i < m->leaves.count;) {
    if (m->leaves.items[i].kind != kind) {
      i++;
      continue;
    }
    const Leave leave = m->leaves.items[i];
    m->leaves.count--;
    memmove(&m->leaves.items[i], &m->leaves.items[i + 1],
            (m->leaves.count - i) * sizeof leave);
    if (alive)
      join_leave(m, &leave);
    else
      enter_leave(m, &leave);
    if (value)
      *value = *value && leave.value ? thing_join(m, *value, leave.value)
                                     : leave.value;
    alive = true;
  }
  return alive && !m->lost;
}

void run_weak(Machine *m, bool (*turn)(Machine *m, void *data), void *data) {
  enum { MAX_ROUNDS = 12 };
  const bool widens = m->widens, outer = m->changed;
  for (int round = 0; !m->lost; round++) {
    const RunMark mark = run_mark(m);
    const size_t base = m->leaves.count;
    m->forks++;
    if (turn(m, data)) run_leave(m, LEAVE_FALL, NULL);
    m->forks--;
    run_undo(m, mark);
    m->changed = false;
    assert(base <= m->leaves.count && m->log.count == mark.log); // I1
    run_merge(m, base, LEAVE_FALL, true, NULL);
    if (!m->changed) break;
    m->widens = true;
    if (round > MAX_ROUNDS) run_lose(m);
  }
  m->widens = widens;
  m->changed = outer;
}
