// walk.c -- queries about the state of a walk.
#include "frontend/core/walk.h"

#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/module/program.h"

#include <assert.h>

Walk walk_of(Program *program, Module *m, const Specialization *spec) {
  return (Walk){.program = program,
                .language = program->language,
                .world = program->world,
                .m = m,
                .diags = m->diags,
                .arena = m->arena,
                .spec = spec};
}

void walk_make_scratch(Walk *w, AstFile *file, WalkScratch *scratch) {
  Function *function = &scratch->function;
  *scratch =
      (WalkScratch){.function = {.module = w->m},
                    .frame = {.file = file, .scope = scope_in(w->arena)}};
  w->function = function;
  w->b = (Builder){.m = w->m, .block = block_create(function, 0, NULL)};
  w->frame = &scratch->frame;
  w->plans = &scratch->plans;
}

const Object *named_tuple(Walk *w, SrcLoc loc, const char *const *names,
                          const Object *const *items, int count) {
  if (!names) return object_tuple(w->arena, items, count);
  AstClass *class = arena_new(w->arena, AstClass);
  class->name = "tuple";
  class->loc = loc;
  class->fields = arena_array(w->arena, AstField, count + 1);
  class->num_fields = count;
  for (int i = 0; i < count; i++)
    class->fields[i].name = arena_strdup(w->arena, names[i]);
  return object_of_class(w->arena, class, items);
}

// -- Limits ------------------------------------------------------------------

const Object *walk_error(Walk *w, SrcLoc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  diag_verror(w->diags, loc, format, args);
  va_end(args);
  return NULL;
}

int walk_enter(Walk *w, SrcLoc loc) {
  if (w->stopped) return 0;
  if (w->depth >= MAX_WALK_DEPTH) {
    w->stopped = true;
    return diag_error(w->diags, loc, ERROR_walk_too_deep);
  }
  assert(w->depth >= 0); // I1
  return ++w->depth;
}

// The enclosing loop with the most turns, if turns have used most of the steps.
static const Turns *endless_loop(const Walk *w) {
  enum { MANY_TURNS = 1000 };
  const Turns *most = w->turns;
  for (const Turns *t = most; t; t = t->outer)
    if (t->count > most->count) most = t;
  return most && most->count > MANY_TURNS ? most : NULL;
}

bool walk_count(Walk *w, SrcLoc loc) {
  if (w->steps++ < MAX_STEPS) return true;
  w->stopped = true;
  const Turns *loop = endless_loop(w);
  if (loop)
    return diag_error(w->diags, loop->loc, ERROR_while_never_ends, loop->count);
  return diag_error_text(w->diags, loc, ERROR_kernel_too_big);
}

// An unrolled loop may put a list into itself, which doubles the list each
// time: its size would exhaust memory, and its depth the stack of a recursion.
// A string that grows is copied each time, so a long one counts as several
// steps.
const Object *walk_limits(Walk *w, SrcLoc loc, const Object *x) {
  enum { MAX_DEPTH = 64, BYTES_IN_A_STEP = 4096 };
  if (x->size > OBJECT_MAX_SIZE)
    return walk_error(w, loc, ERROR_tuple_too_long);
  if (x->depth > MAX_DEPTH) return walk_error(w, loc, ERROR_walk_too_deep);
  if (x->kind != OBJECT_STRING) return x;
  if (x->as.string.length > OBJECT_MAX_LENGTH)
    return walk_error(w, loc, ERROR_string_too_long);
  w->steps += (int)(x->as.string.length / BYTES_IN_A_STEP);
  return x;
}

// -- Known values ------------------------------------------------------------

bool walk_is_whole(Walk *w, SrcLoc loc, const Object *x) {
  return !walk_is_host(w) || !object_passes(x) ||
         diag_error(w->diags, loc, ERROR_iterator_kept);
}

// Does the symbol refer to a function of a file, which can be called?
static bool is_plain(Walk *w, const Symbol *symbol) {
  return symbol->kind == SYMBOL_HOST && program_is_plain(w->program, symbol);
}

bool walk_knows(Walk *w, SrcLoc loc, const Object *x) {
  if (!w->only_known || x->kind != OBJECT_SYMBOL) return true;
  return is_plain(w, x->as.symbol) ||
         (x->as.symbol->kind == SYMBOL_BUILTIN && !object_is_of_host(x)) ||
         diag_error(w->diags, loc, ERROR_computed_by_host, text_of(w, x));
}

bool walk_decides(Walk *w, SrcLoc loc, const Object *x) {
  if (x->is_iterator && !walk_is_whole(w, loc, x)) return false;
  if (x->enum_kind == ENUM_PURE)
    return diag_error_text(w->diags, loc, ERROR_enum_member);
  if (!object_is_of_host(x)) return walk_knows(w, loc, x);
  diag_error(w->diags, loc, ERROR_computed_by_host, x->as.symbol->name);
  note_host(w, x);
  return false;
}

bool walk_shows(Walk *w, SrcLoc loc, const Object *x, bool repr) {
  const ConstantContext context = constant_context(w, loc);
  return constant_shows(&context, x, repr);
}

// -- map_elementwise(), where a tile stands for its elements -----------------

static const Object *elements_of(Walk *w, const Object *x) {
  const int n = x->as.tuple.count;
  const Object **items = arena_array(w->arena, const Object *, n + 1);
  for (int i = 0; i < n; i++) items[i] = element_of(w, x->as.tuple.items[i]);
  return object_with_items(w->arena, x, items);
}

const Object *element_of(Walk *w, const Object *x) {
  if (w->mapping && x->kind == OBJECT_TUPLE) return elements_of(w, x);
  if (!is_element(w, x)) return x;
  Value *value = arena_new(w->arena, Value);
  value->type = type_element(object_type(x));
  return object_tensor(w->arena, value, x->as.tensor.dtype);
}

const char *text_of(Walk *w, const Object *x) {
  return object_text(w->arena, element_of(w, x));
}

// -- Muted diagnostics, and guesses ------------------------------------------

// State that is restored when a scope ends.
typedef struct {
  DiagList quiet, *diags;
  bool stopped;
  int failures;
} Hush;

static void hush(Walk *w, Hush *out) {
  *out =
      (Hush){.diags = w->diags, .stopped = w->stopped, .failures = w->failures};
  diag_init_muted(&out->quiet, w->arena);
  w->diags = &out->quiet;
}

// Restores the state; true: no statement was skipped after an error.
static bool unhush(Walk *w, const Hush *hush) {
  const bool skipped = w->failures != hush->failures;
  assert(w->diags == &hush->quiet);      // I2
  assert(w->failures >= hush->failures); // I2
  w->diags = hush->diags;
  w->stopped = hush->stopped;
  w->failures = hush->failures;
  return !skipped;
}

const void *walk_quietly(Walk *w, WalkStep *step, void *context) {
  Hush outer;
  hush(w, &outer);
  const void *x = step(w, context);
  return unhush(w, &outer) ? x : NULL;
}

const void *walk_hosted(Walk *w, WalkStep *step, void *context) {
  enum { MAX_HOST_STEPS = 100000 };
  const bool only_known = w->only_known, runs_host = w->runs_host;
  const int steps = w->steps, depth = w->depth;
  Hush outer;
  hush(w, &outer);
  w->only_known = w->runs_host = true;
  if (!runs_host) w->steps = MAX_STEPS - MAX_HOST_STEPS;
  const void *x = step(w, context);
  assert(w->only_known && w->runs_host);                     // I2
  assert(w->depth >= depth && "more was left than entered"); // I1
  unhush(w, &outer);
  w->only_known = only_known;
  w->runs_host = runs_host;
  if (!runs_host) w->steps = steps;
  w->depth = depth;
  return x;
}

const void *walk_remember(Walk *w, Map *known, const void *key, WalkStep *step,
                          void *context) {
  const void *x = map_get(known, key);
  if (x) return x;
  x = step(w, context);
  map_put(known, w->arena, key, (void *)x);
  return x;
}
