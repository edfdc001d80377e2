// library.c -- functions that are written in the language itself.
//
// library.tile contains functions of the language, python.tile those of
// Python's library that host code calls.  Each file is parsed at the first use
// of a function.
#include "frontend/core/builtins.h"
#include "frontend/core/walk.h"
#include "frontend/errors.h"
#include "frontend/language/language.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/walk/evaluate.h"

#include <assert.h>
#include <string.h>

static const char library_text[] =
#include "frontend/language/library.inc"
#include "frontend/language/python.inc"
    ;

static const char library_name[] = "<library>";

static AstFile *library_of(Walk *w) {
  Program *program = w->program;
  if (!program->library) {
    const Source source = {.name = library_name,
                           .text = library_text,
                           .length = sizeof library_text - 1};
    program->library = program_read_file(program, w->diags, &source);
  }
  return program->library;
}

static const AstFunction *find_function(Walk *w, const char *name, SrcLoc use) {
  AstFile *file = library_of(w);
  const Symbol symbol = program_lookup(w->program, w->diags, file, name, use);
  return symbol.kind == SYMBOL_FUNCTION ? symbol.function : NULL;
}

// Moves ops of the library to the location of the call, so that later passes
// report problems there.  The nesting of regions limits the recursion.
static void place_ops(const char *library, Op *first, SrcLoc loc) {
  for (Op *op = first; op; op = op->next) {
    if (op->loc.file == library) op->loc = loc;
    for (int r = 0; r < op->num_regions; r++)
      place_ops(library, op->regions[r]->first, loc);
  }
}

static const Object *call_in_library(Walk *w, const AstFunction *function,
                                     SrcLoc loc, const char *name,
                                     const Arguments *args) {
  assert(function && function->file == w->program->library); // I3
  const char *library = w->program->library->source.name;
  Diag **mark = w->diags->last;
  Block *block = w->function ? w->b.block : NULL;
  Op *before = block ? block->last : NULL;
  const Object *result = call_function(w, function, loc, args);
  if (!result) library_blame_call(w, mark, loc, name);
  assert(!result || !w->function || w->b.block == block ||
         w->frame->pending.count); // I3
  if (result && block && loc.file != library)
    place_ops(library, before ? before->next : block->first, loc);
  return result;
}

static const Object *call_library(Walk *w, const BuiltinCall *c,
                                  const char *name, Arguments *args) {
  const AstFunction *function = find_function(w, name, c->loc);
  if (function)
    return call_in_library(w, function, c->loc, c->info->name, args);
  return walk_error(w, c->loc, ERROR_function_not_supported_yet, c->info->name);
}

// After an omitted argument, the others are passed by name.
static void positional(Walk *w, const BuiltinCall *c, Arguments *args) {
  bool named = false;
  for (int i = 0; i < MAX_BUILTIN_PARAMS; i++) {
    if (!c->args[i]) {
      named = true;
      continue;
    }
    const char *name = named ? argument_name(w, c, i) : NULL;
    vec_push(w->arena, args,
             ((Argument){name, c->args[i], c->locs[i], c->locs[i]}));
  }
}

const Object *library_call(Walk *w, const BuiltinCall *c, const char *name) {
  Arguments args = {0};
  positional(w, c, &args);
  return call_library(w, c, name, &args);
}

const Object *library_call_with(Walk *w, const BuiltinCall *c, const char *name,
                                Arguments *args) {
  return call_library(w, c, name, args);
}

const Object *library_call_one(Walk *w, SrcLoc loc, const char *name,
                               const Object *x) {
  Argument arg = {NULL, x, loc, loc};
  const AstFunction *function = find_function(w, name, loc);
  return call_in_library(w, function, loc, name, &(Arguments){&arg, 1, 1});
}

const Object *library_call_two(Walk *w, SrcLoc loc, const char *name,
                               const Object *x, const Object *y) {
  Arguments args = {0};
  vec_push(w->arena, &args, ((Argument){NULL, x, loc, loc}));
  vec_push(w->arena, &args, ((Argument){NULL, y, loc, loc}));
  const AstFunction *function = find_function(w, name, loc);
  return call_in_library(w, function, loc, name, &args);
}

const Object *builtin_library(Walk *w, const BuiltinCall *c) {
  BuiltinCall checked = *c;
  if (!library_check(w, &checked, (LibraryTakes)c->info->data)) return NULL;
  return library_call(w, &checked, c->info->name);
}

const Object *library_call_python(Walk *w, const BuiltinCall *c) {
  const char *name = c->info->name;
  char *own = arena_printf(w->arena, "_%s", name);
  for (char *at = own; *at; at++)
    if (*at == '.') *at = '_';
  BuiltinCall call = *c;
  if (*c->info->params == '*')
    call.args[0] = object_tuple(w->arena, c->rest, c->num_rest);
  const Object *x = library_call(w, &call, own);
  return c->info->data == 'i' ? object_iterator(x) : x;
}

const Object *builtin_python_library(Walk *w, const BuiltinCall *c) {
  return call_is_of_host(w, c) ? library_call_python(w, c) : NULL;
}

// partial(function, 1, name=2)
const Object *call_partial(Walk *w, const BuiltinCall *c,
                           const Arguments *args) {
  Arguments keywords = {0};
  Vec(const Object *) values = {0};
  for (size_t i = 0; i < args->count; i++) {
    if (args->items[i].name)
      vec_push(w->arena, &keywords, args->items[i]);
    else
      vec_push(w->arena, &values, args->items[i].value);
  }
  if (!values.count)
    return walk_error(w, c->loc, ERROR_wants_values, c->info->name);
  BuiltinCall call = *c;
  call.args[0] = values.items[0];
  call.args[1] =
      object_tuple(w->arena, values.items + 1, (int)values.count - 1);
  call.args[2] = call_dict(w, &keywords);
  return call.args[2] ? builtin_python_library(w, &call) : NULL;
}

// The initial value is passed as a tuple, since it may be None.
const Object *builtin_python_reduce(Walk *w, const BuiltinCall *c) {
  BuiltinCall call = *c;
  if (c->args[2]) call.args[2] = object_tuple(w->arena, &c->args[2], 1);
  return builtin_python_library(w, &call);
}

static void add_string(Walk *w, const BuiltinCall *c, const char *text,
                       Arguments *args) {
  const Object *x = object_string(w->arena, text, strlen(text));
  vec_push(w->arena, args, ((Argument){NULL, x, c->loc, c->loc}));
}

// Calls `_add_way(x, y, "rd")` for `add_rd(x, y)`.
const Object *builtin_directed(Walk *w, const BuiltinCall *c) {
  const char *name = c->info->name, *way = strrchr(name, '_') + 1;
  const int length = (int)(way - name) - 1;
  BuiltinCall checked = *c;
  if (!library_check(w, &checked, (LibraryTakes)c->info->data)) return NULL;
  Arguments args = {0};
  positional(w, &checked, &args);
  add_string(w, c, way, &args);
  return call_library(w, c, arena_printf(w->arena, "_%.*s_way", length, name),
                      &args);
}

// Calls `_to_int_way(x, int32, "rd")` for `float2int_rd(x)`.  As in Triton, the
// result of `float2uint_rd(x)` is an int32 with the same bits.
const Object *builtin_convert_way(Walk *w, const BuiltinCall *c) {
  const Dtype dtype = dtype_of((DtypeId)c->info->data);
  const Object *type = object_dtype(w->arena, dtype);
  const bool to_int = dtype_is_int(dtype);
  const char *name = to_int ? "_to_int_way" : "_from_int_way";
  BuiltinCall checked = *c;
  if (!library_check(w, &checked, to_int ? TAKES_FLOATS : TAKES_INTS))
    return NULL;
  Arguments args = {0};
  positional(w, &checked, &args);
  vec_push(w->arena, &args, ((Argument){NULL, type, c->loc, c->loc}));
  add_string(w, c, strrchr(c->info->name, '_') + 1, &args);
  const Object *x = call_library(w, c, name, &args);
  if (!x || !to_int || dtype_is_signed(dtype)) return x;
  const bool wide = dtype_bits(dtype) == 64;
  return tensor_bitcast(w, c->loc, x,
                        dtype_of(wide ? DTYPE_INT64 : DTYPE_INT32));
}
