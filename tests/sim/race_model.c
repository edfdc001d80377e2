// race_model.c -- which accesses of an execution race, by the PTX manual: its
// sections on morally strong operations, release and acquire patterns, and the
// ordering of memory operations.
#include "tests/sim/race_model.h"

#include <string.h>

typedef bool Relation[MAX_EVENTS][MAX_EVENTS];

typedef struct {
  const Execution *execution;
  const Event *events;
  int count;
  bool most;              // all accesses that may order do so
  Relation found, before; // observation order, base causality order
  Relation told;          // the observation order, as far as values show it
} Model;

static bool is_access(const Event *e) {
  return e->kind < EVENT_FENCE;
}

static bool is_write(const Event *e) {
  return is_access(e) && e->kind != EVENT_LOAD;
}

static bool returns(const Event *e) {
  return is_access(e) && e->kind != EVENT_STORE && e->kind != EVENT_REDUCTION;
}

static bool adds(const Event *e) {
  return e->kind == EVENT_ADD || e->kind == EVENT_REDUCTION;
}

static bool is_same_place(const Event *a, const Event *b) {
  return is_access(a) && is_access(b) && a->place == b->place;
}

// Are they morally strong, if they touch the same bytes?
static bool is_strong_pair(const Event *a, const Event *b) {
  if (a->thread == b->thread) return true;
  if (!a->scope || !b->scope) return false;
  return a->cta == b->cta || (a->scope == SCOPE_GPU && b->scope == SCOPE_GPU);
}

// -- Observation order -------------------------------------------------------

// Does the value contain the part of this write?
static bool has_part(const Event *write, const Event *read) {
  if (!is_write(write) || !is_same_place(write, read)) return false;
  if (adds(write)) return read->found & write->value;
  return read->found >> ADD_BITS == write->value >> ADD_BITS;
}

// The order of several additions is unknown.
static bool all_strong(const Model *m, int read) {
  for (int i = 0; i < m->count; i++) {
    const Event *a = &m->events[i];
    if (!has_part(a, &m->events[read])) continue;
    if (!is_strong_pair(a, &m->events[read])) return false;
    for (int j = 0; j < i; j++)
      if (has_part(&m->events[j], &m->events[read]) &&
          !is_strong_pair(a, &m->events[j]))
        return false;
  }
  return true;
}

// Whether the other write, which is no addition, may have overwritten the
// strong write.
static bool may_be_overwritten(const Model *m, int a, int b) {
  const Event *write = &m->events[a], *next = &m->events[b];
  if (a == b || !is_write(write) || !write->scope || m->told[b][a] ||
      !is_same_place(write, next) || (write->thread == next->thread && a > b))
    return false;
  const Event end = {.kind = EVENT_LOAD,
                     .place = write->place,
                     .found = m->execution->final[write->place]};
  return !m->execution->is_known[write->place] || !has_part(write, &end);
}

static void find_overwritten(Model *m) {
  for (int i = 0; i < m->count; i++) {
    if (adds(&m->events[i])) continue;
    for (int j = 0; j < m->count; j++)
      for (int k = 0; m->found[i][j] && k < m->count; k++)
        if (may_be_overwritten(m, k, i)) m->found[k][j] = true;
  }
}

static void close_over(Relation r, int count) {
  for (int k = 0; k < count; k++)
    for (int i = 0; i < count; i++)
      for (int j = 0; r[i][k] && j < count; j++)
        if (r[k][j]) r[i][j] = true;
}

static void find_found(Model *m) {
  for (int j = 0; j < m->count; j++) {
    const Event *read = &m->events[j];
    if (!returns(read) || (!read->scope && !m->most)) continue;
    const bool all = all_strong(m, j);
    for (int i = 0; i < m->count; i++) {
      const Event *write = &m->events[i];
      if (i == j || !has_part(write, read)) continue;
      m->found[i][j] = m->most ? is_strong_pair(write, read) || write->scope
                               : all && write->scope;
    }
  }
  // Through exchanges, which are writes that have found other writes.
  close_over(m->found, m->count);
  memcpy(m->told, m->found, sizeof m->told);
  if (m->most) find_overwritten(m);
}

// -- Base causality order ----------------------------------------------------

static void order_threads(Model *m) {
  for (int i = 0; i < m->count; i++) {
    for (int j = 0; j < m->count; j++) {
      const Event *a = &m->events[i], *b = &m->events[j];
      const bool is_barrier = a->kind == EVENT_BARRIER &&
                              b->kind == EVENT_BARRIER && a->place == b->place;
      m->before[i][j] = is_barrier || (a->thread == b->thread && i < j);
    }
  }
}

// Is the event the first of a release pattern that ends with the write?
static bool begins(const Event *first, const Event *write) {
  if (first->thread != write->thread || first > write) return false;
  if (!write->scope) return false;
  if (first->kind == EVENT_FENCE) return true;
  return first->releases && is_same_place(first, write);
}

// Is the event the last of an acquire pattern that begins with the read?
static bool ends(const Event *last, const Event *read) {
  if (last->thread != read->thread || last < read) return false;
  if (!read->scope) return false;
  if (last->kind == EVENT_FENCE) return true;
  return last->acquires && is_same_place(last, read);
}

static void synchronise(Model *m, const Event *write, const Event *read) {
  for (int i = 0; i < m->count; i++) {
    if (!begins(&m->events[i], write)) continue;
    for (int j = 0; j < m->count; j++)
      if (ends(&m->events[j], read) &&
          is_strong_pair(&m->events[i], &m->events[j]))
        m->before[i][j] = true;
  }
}

// Fences of sequential consistency are in one total order.  If a thread has
// found, behind fence B, an access from before fence A, then A comes before B.
static bool is_forced(const Model *m, int first, int second) {
  for (int i = 0; i < m->count; i++)
    for (int j = 0; m->before[first][i] && j < m->count; j++)
      if (m->found[i][j] && m->before[j][second] &&
          is_strong_pair(&m->events[i], &m->events[j]))
        return true;
  return false;
}

static bool order_fences(Model *m) {
  bool changed = false;
  for (int i = 0; i < m->count; i++) {
    for (int j = 0; j < m->count; j++) {
      const Event *a = &m->events[i], *b = &m->events[j];
      if (!a->is_sc || !b->is_sc || m->before[i][j] || !is_strong_pair(a, b) ||
          a->thread == b->thread)
        continue;
      if (!m->most && !is_forced(m, i, j)) continue;
      m->before[i][j] = changed = true;
    }
  }
  return changed;
}

static void order_all(Model *m) {
  find_found(m);
  order_threads(m);
  for (int i = 0; i < m->count; i++)
    for (int j = 0; j < m->count; j++)
      if (m->found[i][j]) synchronise(m, &m->events[i], &m->events[j]);
  do close_over(m->before, m->count);
  while (order_fences(m));
}

// -- Races -------------------------------------------------------------------

// Whether a read before the access has found the write.
static bool is_found_before(const Model *m, int write, int access) {
  for (int i = 0; i < m->count; i++)
    if (m->found[write][i] && m->before[i][access]) return true;
  return false;
}

static bool is_ordered(const Model *m, int a, int b) {
  if (m->before[a][b] || is_found_before(m, a, b)) return true;
  for (int i = 0; m->most && m->events[a].scope && i < m->count; i++)
    if (m->before[a][i] && is_same_place(&m->events[a], &m->events[i]) &&
        is_found_before(m, i, b))
      return true;
  return false;
}

static bool is_race(const Model *m, int a, int b) {
  const Event *x = &m->events[a], *y = &m->events[b];
  return x->thread != y->thread && is_same_place(x, y) &&
         (is_write(x) || is_write(y)) && !is_strong_pair(x, y) &&
         !is_ordered(m, a, b) && !is_ordered(m, b, a);
}

void find_races(const Execution *execution, Races *races) {
  static Model m;
  for (int most = 0; most < 2; most++) {
    memset(&m, 0, sizeof m);
    m.execution = execution;
    m.events = execution->events;
    m.count = execution->count;
    m.most = most;
    order_all(&m);
    for (int i = 0; i < m.count; i++)
      for (int j = 0; j < m.count; j++)
        (most ? races->sure : races->may)[i][j] = is_race(&m, i, j);
  }
}
