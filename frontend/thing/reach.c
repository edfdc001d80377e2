// reach.c -- escape: objects that unseen code may change.
//
// The content of a thing that has escaped ("exposed") is never known again.  A
// function that has escaped may be called whenever unseen code runs, with any
// arguments.
//
// For example, L = [1], M = [L, 2] and K = [3] come before keep(M), of a module
// that is not found.  M escapes, and L with it: behind the call, len(L) is
// unknown, and len(K) is 1.  With keep(grow) instead, where the body of `grow`
// has L.append(2), L escapes as a global that `grow` names.
#include "frontend/thing/objects.h"

#include <assert.h>
#include <string.h>

static void expose_items(Machine *m, Thing **items, int count) {
  for (int i = 0; i < count; i++)
    if (items && items[i]) run_expose(m, items[i]);
}

static void expose_cell(Machine *m, NameCell *cell) {
  cell->owner.exposed = true;
  if (cell->value) run_expose(m, cell->value);
}

void run_expose_table(Machine *m, NameTable *names) {
  if (!names || names->owner.exposed) return;
  names->owner.exposed = true;
  for (size_t i = 0; i < names->cells.count; i++)
    expose_cell(m, names->cells.items[i]);
}

static void expose_holder(Machine *m, Thing *x) {
  const Content *c = x->as.holder.content;
  if (!c || c == &unknown_content) return;
  expose_items(m, c->keys, c->count);
  expose_items(m, c->items, c->count);
}

static void expose_function(Machine *m, Thing *x) {
  expose_items(m, x->as.function.defaults, x->as.function.ast->num_params);
  run_expose_table(m, x->as.function.names);
  vec_push(m->arena, &m->exposed, x);
}

// The objects that the iterator reads, and code that runs for its items, escape
// with it.
static void expose_iterator(Machine *m, Thing *x) {
  if (x->as.iterator.kind == ITERATES_GENERATOR)
    vec_push(m->arena, &m->exposed, x);
  if (x->as.iterator.kind == ITERATES_FUNCTION)
    run_expose_table(m, x->as.iterator.frame->names);
  if (x->as.iterator.over) run_expose(m, x->as.iterator.over);
  expose_items(m, x->as.iterator.parts, x->as.iterator.num_parts);
}

// Exposes the parts of a thing that was exposed now and not before.
static void expose_new(Machine *m, Thing *x) {
  switch (x->kind) {
  case THING_LIST:
  case THING_DICT:
  case THING_SET: expose_holder(m, x); return;
  case THING_ITERATOR: expose_iterator(m, x); return;
  case THING_FUNCTION: expose_function(m, x); return;
  case THING_CLASS:
    run_expose_table(m, x->as.class.names);
    if (x->as.class.base) run_expose(m, x->as.class.base);
    return;
  case THING_INSTANCE:
    run_expose_table(m, x->as.instance.names);
    run_expose(m, x->as.instance.class);
    return;
  case THING_MODULE:
    if (m->frame) m->frame->module->opens_names = true;
    run_expose_table(m, x->as.module->names);
    return;
  case THING_PROPERTY: run_expose(m, x->as.wrapper.function); return;
  default: return;
  }
}

void run_expose(Machine *m, Thing *x) {
  switch (x->kind) {
  case THING_CONSTANT:
  case THING_RANGE: return;
  case THING_FOREIGN:
    if (foreign_gives_modules(x)) run_expose_modules(m);
    return;
  case THING_BUILTIN:
    if (words_have(WORDS_NAMING_ALL, x->as.builtin->name))
      run_expose_modules(m);
    return;
  case THING_UNKNOWN:
  case THING_MAYBE: expose_items(m, x->as.either, 2); return;
  case THING_TUPLE:
  case THING_SLICE:
    expose_items(m, x->as.tuple.items, x->as.tuple.count);
    return;
  case THING_METHOD:
    run_expose(m, x->as.method.function);
    run_expose(m, x->as.method.self);
    return;
  case THING_SUPER: run_expose(m, x->as.super.self); return;
  case THING_CLASS:
    if (x->as.class.python) return;
    break;
  case THING_VIEW: run_expose(m, x->as.view.dict); return;
  default: break;
  }
  if (x->owner.exposed) return;
  x->owner.exposed = true;
  expose_new(m, x);
}

void run_expose_guided(Machine *m) {
  expose_items(m, m->guided.items, (int)m->guided.count);
}

void run_expose_tuned(Machine *m) {
  run_expose_guided(m);
  for (size_t i = 0; i < m->tuned.count; i++) run_expose(m, m->tuned.items[i]);
}

void run_expose_own(Machine *m) {
  RunModule *module = m->frame->module;
  module->opens_names = true;
  run_expose_table(m, module->names);
}

static bool is_main(const Machine *m, const RunModule *module) {
  return module->file == program_main_file(m->program);
}

static bool are_few(const Machine *m) {
  return m->bytes + BYTES_OF_FEW > BYTES_OF_IMPORTS;
}

// With many imported modules, their functions are not run again to find their
// effects on the main module: only names of imported modules become unknown.
static void expose_imported(Machine *m) {
  for (RunModule *module = m->modules; module; module = module->next)
    if (!is_main(m, module)) run_expose_table(m, module->names);
}

// With `untold`, a name of a module other than the one that runs is no longer
// known by the lines of its module, either.
static void expose_all(Machine *m, bool untold) {
  for (RunModule *module = m->modules; module; module = module->next) {
    run_expose_table(m, module->names);
    if (untold && module != m->frame->module) module->names->untold = true;
  }
  for (RunFrame *f = m->frame; f; f = f->outer) run_expose_table(m, f->names);
}

void run_expose_modules(Machine *m) {
  if (m->frame) run_expose_own(m);
  const bool main = !m->frame || is_main(m, m->frame->module);
  if (are_few(m) || main)
    expose_all(m, false);
  else
    expose_imported(m);
}

void run_open_others(Machine *m) {
  if (are_few(m) && !is_main(m, m->frame->module)) expose_all(m, true);
}

void run_expose_by_import(Machine *m) {
  if (are_few(m))
    expose_all(m, false);
  else
    expose_imported(m);
}

// The kind of slots, not exposed before, that functions have written.
typedef enum {
  WROTE_NONE,
  WROTE_YOUNG, // slots that were made in the same round
  WROTE_OLD,
} Wrote;

// Exposes the slots that an exposed function has written since `mark`, in a
// round that began at `start`.
static Wrote expose_written(Machine *m, RunMark mark, RunMark start) {
  assert(mark.log <= m->log.count && mark.clock <= m->clock); // I1
  Wrote wrote = WROTE_NONE;
  const size_t length = m->log.count;
  for (size_t i = mark.log; i < length; i++) {
    const Write w = m->log.items[i];
    if (w.owner->born > mark.clock) continue;
    if (!w.owner->exposed && wrote != WROTE_OLD)
      wrote = w.owner->born > start.clock ? WROTE_YOUNG : WROTE_OLD;
    w.owner->exposed = true;
    if (w.owner->kind == SLOT_THING && *w.slot) run_expose(m, *w.slot);
    if (w.owner->kind == SLOT_CONTENT) {
      const Content *c = *w.slot;
      if (!c) continue;
      expose_items(m, c->keys, c->count);
      expose_items(m, c->items, c->count);
    }
  }
  return wrote;
}

// Can the exposed function be run?
static bool is_called(const Machine *m, const Thing *x) {
  const RunFrame *frame =
      x->kind == THING_ITERATOR ? x->as.iterator.frame : x->as.function.around;
  return are_few(m) || !frame || is_main(m, frame->module);
}

// Runs `functions` and all exposed functions, also those that get exposed
// meanwhile.
static Wrote run_round(Machine *m, const Things *functions) {
  const RunMark start = run_mark(m);
  const RunModule *newest = NULL; // that was exposed with those before it
  Wrote wrote = WROTE_NONE;
  for (size_t i = 0; i < functions->count + m->exposed.count; i++) {
    const RunMark mark = run_mark(m);
    Thing *x = i < functions->count ? functions->items[i]
                                    : m->exposed.items[i - functions->count];
    if (i >= functions->count && !is_called(m, x)) {
      // All things that it may change.
      if (newest != m->modules) expose_imported(m);
      newest = m->modules;
      continue;
    }
    run_weakly(m, x);
    const Wrote now = expose_written(m, mark, start);
    if (now > wrote) wrote = now;
  }
  return wrote;
}

// Runs rounds until none of them writes a slot that was not exposed before.  A
// function that makes functions makes new ones in each round, and these write
// their own slots.  So two rounds that write only such young slots are enough:
// the second has run the new functions of the first.
static void run_until_quiet(Machine *m, const Things *functions) {
  enum { MAX_ROUNDS = 8 };
  m->runs_exposed = true;
  Wrote before = WROTE_OLD;
  for (int round = 0; !m->lost; round++) {
    const Wrote wrote = run_round(m, functions);
    if (!wrote || (wrote == WROTE_YOUNG && before == WROTE_YOUNG)) break;
    before = wrote;
    if (round > MAX_ROUNDS) run_lose(m);
  }
  m->runs_exposed = false;
  assert(m->exposed_count <= m->exposed.count && "they were forgotten"); // I5
  m->exposed_version = m->version;
  m->exposed_count = m->exposed.count;
}

void run_unseen(Machine *m) {
  const Things none = {0};
  if (m->runs_exposed || !m->exposed.count || m->lost) return;
  if (m->exposed_version == m->version && m->exposed_count == m->exposed.count)
    return;
  run_until_quiet(m, &none);
}

Thing *run_unknown(Machine *m, Thing *a, Thing *b) {
  if (a) run_expose(m, a);
  if (b) run_expose(m, b);
  run_unseen(m);
  run_may_raise(m);
  return &thing_unknown;
}

bool names_globals(const Things *args) {
  for (size_t i = 0; i < args->count; i++) {
    if (!thing_is_text(args->items[i])) continue;
    const char *text = args->items[i]->as.constant->as.string.text;
    const char *dot = strrchr(text, '.');
    if (words_have(WORDS_WAYS_TO_GLOBALS, dot ? dot + 1 : text)) return true;
  }
  return false;
}

enum { MOST_HELD = 4000 }; // things that are looked through for modules

// Sets names of the modules among the items, and of those that the items hold.
static void give_held(Machine *m, Thing *const *items, int count, int *fuel);

static void give_names(Machine *m, const NameTable *names, int *fuel) {
  for (size_t i = 0; names && i < names->cells.count; i++) {
    Thing *x = cell_value(names->cells.items[i]);
    if (x) give_held(m, &x, 1, fuel);
  }
}

static void give_item(Machine *m, Thing *x, int *fuel) {
  const Content *c;
  switch (x->kind) {
  case THING_MODULE:
    if (!run_is_home(m, x) && x != m->frame->module->thing) run_set_text(x);
    return;
  case THING_TUPLE:
    give_held(m, x->as.tuple.items, x->as.tuple.count, fuel);
    return;
  case THING_LIST:
  case THING_DICT:
  case THING_SET:
    c = content_of(x);
    if (c) give_held(m, c->items ? c->items : c->keys, c->count, fuel);
    return;
  case THING_INSTANCE:
    give_names(m, x->as.instance.names, fuel);
    give_item(m, x->as.instance.class, fuel);
    return;
  case THING_CLASS: give_names(m, x->as.class.names, fuel); return;
  default: return;
  }
}

static void give_held(Machine *m, Thing *const *items, int count, int *fuel) {
  for (int i = 0; i < count && --*fuel > 0; i++) give_item(m, items[i], fuel);
}

// Unseen code may change a list, dictionary, set, class or instance that
// another module made, another module, and the table of its names.
static void give_to_unseen(Machine *m, Thing *x) {
  int fuel = MOST_HELD;
  if (!x->owner.exposed) give_item(m, x, &fuel);
  if (fuel <= 0) run_open_others(m);
  const bool is_own =
      x->kind == THING_VIEW && x->as.view.dict == m->frame->module->thing;
  if (x->kind == THING_METHOD) give_to_unseen(m, x->as.method.self);
  if ((x->kind == THING_LIST || x->kind == THING_DICT || x->kind == THING_SET ||
       x->kind == THING_INSTANCE || x->kind == THING_VIEW ||
       x->kind == THING_MODULE || x->kind == THING_CLASS) &&
      !is_own && !run_is_home(m, x) && x != m->frame->module->thing)
    run_set_text(x);
  run_expose(m, x);
}

// `heappush(x, 1)`, `methodcaller("append", 1)`, `reduce(iadd, ...)`: unseen
// code changes a thing.  A library's `operator.add` or `sys.path.append` that
// is called itself changes no argument, though a method has its name.
static void note_changer(Machine *m, const Thing *x, bool is_called) {
  const char *name = x->kind == THING_FOREIGN   ? x->as.foreign
                     : x->kind == THING_BUILTIN ? x->as.builtin->name
                     : thing_is_text(x)         ? x->as.constant->as.string.text
                                                : "";
  if (!*name || m->changes_unseen) return;
  const char *dot = strrchr(name, '.');
  name = dot ? dot + 1 : name;
  if (words_have(WORDS_CHANGING_FUNCTIONS, name) ||
      (words_have(WORDS_CHANGING_METHODS, name) &&
       !(is_called && x->kind == THING_FOREIGN)))
    m->changes_unseen = true;
}

Thing *run_call_unseen(Machine *m, Thing *callee, const Things *args) {
  if (names_globals(args)) run_expose_modules(m);
  if (callee) note_changer(m, callee, true);
  for (size_t i = 0; i < args->count; i++)
    note_changer(m, args->items[i], false);
  if (callee) give_to_unseen(m, callee);
  for (size_t i = 0; i < args->count; i++) give_to_unseen(m, args->items[i]);
  return run_unknown(m, NULL, NULL);
}

void run_later(Machine *m, const RunModule *a, const RunModule *b) {
  Things later = {0};
  for (size_t i = 0; i < m->functions.count; i++) {
    Thing *f = m->functions.items[i];
    const RunModule *of = f->as.function.around->module;
    if (of == a || of == b) vec_push(m->arena, &later, f);
  }
  const bool widens = m->widens;
  m->widens = true;
  m->steps = 0;
  m->most_steps = MOST_STEPS;
  m->statement = m->clock;
  run_until_quiet(m, &later);
  m->widens = widens;
}
