// run.c -- statements of modules, run while compiling.
//
// A statement is run once for all names that it binds or changes.  The
// statement changes a copy of an object (I3); alias.c notes the change for
// other names of the object.
//
// Example: `L = [1]`, `M = L`, `for i in range(2): L.append(i)`: the loop runs
// on a copy, and `L` is [1, 0, 1]; a use of `M` below the loop is an error.
#include "frontend/core/builtins.h"
#include "frontend/host/host.h"
#include "frontend/module/program.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <string.h>

// -- Statements --------------------------------------------------------------

static const Object *value_before(Walk *w, const Symbol *symbol,
                                  const char *name, bool changes) {
  const AstGlobal *global = symbol->global;
  const Symbol before = program_lookup_at(w->program, w->diags, symbol->file,
                                          global->place, name, global->loc);
  w->continued = changes ? before.global : NULL;
  const Object *x = constant_of_symbol(w, &before, global->loc);
  w->continued = NULL;
  return x;
}

// Binds copies of the objects that the statement changes.
static bool bind_changed(Walk *w, const Symbol *symbol, Locals *scope) {
  const AstRun *run = symbol->global->run;
  for (int i = 0; i < run->num_changed; i++) {
    const Object *x = value_before(w, symbol, run->changed[i], true);
    if (!x) return false;
    const bool list = x->kind == OBJECT_TUPLE && x->as.tuple.written == '[';
    if (list || x->kind == OBJECT_DICT || x->kind == OBJECT_SET) {
      Object *copy = arena_new(w->arena, Object);
      *copy = *x;
      copy->owner = w->run;
      walk_note_copy(w, symbol, copy, x);
      x = copy;
    }
    scope_set(scope, run->changed[i], x);
  }
  return true;
}

// Lambdas of the statement run later: for them, names that other statements
// bind again are unknown.
static void forget_bound_again(Walk *w, const Symbol *symbol, Locals *names) {
  const SrcLoc loc = symbol->global->loc;
  DiagList quiet;
  diag_init_muted(&quiet, w->arena);
  for (size_t i = 0; i < names->count; i++) {
    const char *name = names->items[i].name;
    const AstPlace end = {0};
    const Symbol last =
        program_lookup_at(w->program, &quiet, symbol->file, end, name, loc);
    if (last.kind == SYMBOL_GLOBAL && last.global->run == symbol->global->run)
      continue;
    Symbol *host = arena_new(w->arena, Symbol);
    *host = (Symbol){.kind = SYMBOL_HOST,
                     .file = symbol->file,
                     .name = name,
                     .loc = loc,
                     .global = symbol->global};
    scope_set(names, name, object_symbol(w->arena, host));
  }
}

static bool run_statement(Walk *w, const Symbol *symbol, Locals *out) {
  const AstFunction *function = &symbol->global->run->function;
  Frame frame = {.caller = w->frame,
                 .function = function,
                 .file = symbol->file,
                 .place = symbol->global->place,
                 .scope = scope_in(w->arena)};
  const Builder outer = w->b;
  const int run = w->run, failures = w->failures;
  w->run = ++w->num_runs;
  w->num_replays++;
  w->b.block = block_create(w->function, 0, NULL); // discarded
  const bool bound = bind_changed(w, symbol, &frame.scope);
  w->frame = &frame;
  const bool ok = bound && walk_block(w, &function->body) == FLOW_NEXT &&
                  w->failures == failures;
  if (frame.shared) {
    scope_copy(frame.shared, &frame.scope);
    forget_bound_again(w, symbol, frame.shared);
  }
  assert(w->frame == &frame); // I1
  w->frame = frame.caller;
  w->run = run;
  w->b = outer;
  *out = frame.scope;
  return ok;
}

// The names are bound to nothing while the statement runs.
static const void *names_step(Walk *w, void *context) {
  const Symbol *symbol = context;
  const AstRun *run = symbol->global->run;
  Locals *names = arena_new(w->arena, Locals);
  map_put(&w->runs, w->arena, run, names);
  Locals found;
  if (run->function.ok && run_statement(w, symbol, &found)) *names = found;
  return names;
}

// The bindings after the statement; empty if it fails.
static const Locals *names_after(Walk *w, const Symbol *symbol) {
  return walk_remember(w, &w->runs, symbol->global->run, names_step,
                       (void *)symbol);
}

static const void *value_step(Walk *w, void *context) {
  const Symbol *symbol = context;
  const char *name =
      program_intern(w->program, name_last_part(symbol->global->name));
  const Locals *names = names_after(w, symbol);
  const Object *x = scope_get(names, name);
  return x || !names->count ? x : value_before(w, symbol, name, false);
}

const Object *run_value(Walk *w, const Symbol *symbol) {
  const Object *x = walk_hosted(w, value_step, (void *)symbol);
  return x && object_is_constant(x) && x->kind != OBJECT_POISON ? x : NULL;
}
