// facts.c -- what host code stands for.
//
// What every machine with Triton answers is a constant: the release of Python,
// which modules there are.  Variables of the environment are taken as unset.
//
// `rsqrt = find_function("rsqrt")` and `backend.libdevice().tanh` are common in
// libraries that run under several releases.  What host code does is not known
// here, but a function of the language under that very name is what it finds.
#include "frontend/host/facts.h"

#include "frontend/core/builtins.h"
#include "frontend/core/releases.h"
#include "frontend/errors.h"
#include "frontend/host/guard.h"
#include "frontend/value/host_type.h"
#include "ir/base/names.h"

#include <string.h>

static Symbol symbol_of(Walk *w, AstFile *file, AstPlace place,
                        const Expr *expr) {
  const Symbol nothing = {.kind = SYMBOL_ABSENT};
  if (expr->kind == EXPR_NAME)
    return program_lookup_at(w->program, w->diags, file, place, expr->name,
                             expr->loc);
  if (expr->kind != EXPR_ATTRIBUTE) return nothing;
  const Symbol object = symbol_of(w, file, place, expr->attribute.object);
  if (object.kind == SYMBOL_ABSENT || object.kind == SYMBOL_ERROR)
    return object;
  return program_member(w->program, w->diags, object, expr->attribute.name,
                        expr->loc);
}

// `os.environ.get`
static bool is_of_fact(Walk *w, const char *dotted) {
  const char *dot = strrchr(dotted, '.');
  const size_t length = dot ? (size_t)(dot - dotted) : 0;
  return host_fact(w, arena_strndup(w->arena, dotted, length)) != NULL;
}

// `torch.finfo(x)` of a type that the host chooses.
static bool has_unknown_argument(Walk *w, const Symbol *symbol,
                                 const Expr *call) {
  if (call->call.num_args != 1) return false;
  HostRun run;
  host_run_begin(w, &run);
  const Object *x = value_of_line(w, symbol->file, symbol->global->place,
                                  call->call.args[0].value);
  host_run_end(w, &run);
  return !x || (x->kind == OBJECT_SYMBOL && x->as.symbol->kind == SYMBOL_HOST);
}

bool host_computes(Walk *w, const Symbol *symbol) {
  const Expr *value = symbol->global->value;
  if (!value || value->kind != EXPR_CALL) return false;
  const Symbol callee =
      symbol_of(w, symbol->file, symbol->global->place, value->call.callee);
  if (callee.kind == SYMBOL_EXTERNAL)
    return host_is_limits(callee.name)
               ? has_unknown_argument(w, symbol, value)
               : !host_math(w, callee.name) && !is_of_fact(w, callee.name);
  return callee.kind == SYMBOL_HOST;
}

// -- What every machine answers ----------------------------------------------

static const char version_class[] = "Version"; // of `packaging`

static const Object *release_of(Walk *w, const char *class, int count,
                                const Object *const *numbers) {
  static const char *const names[] = {"major", "minor", "micro", "fourth"};
  AstClass *named = arena_new(w->arena, AstClass);
  named->name = class;
  named->num_fields = count;
  named->fields = arena_array(w->arena, AstField, count);
  for (int i = 0; i < count; i++) named->fields[i].name = names[i];
  Object *release = arena_new(w->arena, Object);
  *release = *object_tuple(w->arena, numbers, count);
  release->as.tuple.class = named;
  return release;
}

const Object *host_attribute(Walk *w, const Object *x, const char *name) {
  const AstClass *class = x->kind == OBJECT_TUPLE ? x->as.tuple.class : NULL;
  if (!class || class->file || strcmp(class->name, version_class) != 0 ||
      strcmp(name, "release") != 0)
    return NULL;
  return object_tuple(w->arena, x->as.tuple.items, 3);
}

const Object *language_version(Walk *w) {
  const char *version = release_version(w->program);
  return object_string(w->arena, version, strlen(version));
}

const Object *host_version(Walk *w, int count, const Object *const *numbers) {
  return release_of(w, version_class, count, numbers);
}

static const Object *python_release(Walk *w) {
  const Object *numbers[] = {object_int(w->arena, 3), object_int(w->arena, 12),
                             object_int(w->arena, 0)};
  return release_of(w, "version_info", 3, numbers);
}

// No variable is set.
static const Object *environment(Walk *w) {
  Object *empty = arena_new(w->arena, Object);
  empty->kind = OBJECT_DICT;
  return empty;
}

const Object *host_fact(Walk *w, const char *dotted) {
  static const char *const texts[][2] = {{"sys.platform", "linux"},
                                         {"os.name", "posix"},
                                         {"torch.__version__", "2.12.0"},
                                         {"torch.version.cuda", "13.0"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!strcmp(dotted, texts[i][0]))
      return object_string(w->arena, texts[i][1], strlen(texts[i][1]));
  }
  if (!strcmp(dotted, "typing.TYPE_CHECKING")) return &object_false;
  if (!strcmp(dotted, "torch.version.hip")) return &object_none;
  if (!strcmp(dotted, "os.environ")) return environment(w);
  if (!strcmp(dotted, "sys.version_info")) return python_release(w);
  return NULL;
}

static const char *string_of(const Object *x) {
  return x->kind == OBJECT_STRING ? x->as.string.text : "";
}

// A release as a tuple of numbers, up to what is no number: "3.7.0+git" is
// (3, 7, 0, 0).  Those that are missing are 0, so that 3.7 is 3.7.0.
const Object *builtin_version(Walk *w, const BuiltinCall *c) {
  enum { NUM_PARTS = 4 };
  if (c->args[0]->kind != OBJECT_STRING)
    return walk_error(w, c->locs[0], ERROR_string_method_wants_strings,
                      c->info->name, text_of(w, c->args[0]));
  const Object *parts[NUM_PARTS];
  const char *at = c->args[0]->as.string.text;
  for (int i = 0; i < NUM_PARTS; i++) {
    Integer value = 0;
    for (; *at >= '0' && *at <= '9' && value < 1000000; at++)
      value = value * 10 + (*at - '0');
    parts[i] = object_int(w->arena, value);
    at = *at == '.' ? at + 1 : "";
  }
  return host_version(w, NUM_PARTS, parts);
}

// Of what is there, its name: something that is not None.
const Object *builtin_find_spec(Walk *w, const BuiltinCall *c) {
  const char *name = string_of(c->args[0]);
  return guard_has_module(w->program, w->frame->file, name) ? c->args[0]
                                                            : &object_none;
}

const Object *builtin_getenv(Walk *w, const BuiltinCall *c) {
  (void)w;
  return c->args[1] ? c->args[1] : &object_none;
}

const Object *builtin_platform(Walk *w, const BuiltinCall *c) {
  (void)c;
  return object_string(w->arena, "Linux", 5);
}

const Object *builtin_package_version(Walk *w, const BuiltinCall *c) {
  const char *name = string_of(c->args[0]);
  const Object *version = NULL;
  if (!strcmp(name, "triton")) version = language_version(w);
  if (!strcmp(name, "torch")) version = host_fact(w, "torch.__version__");
  return version ? version
                 : walk_error(w, c->locs[0], ERROR_computed_by_host,
                              text_of(w, c->args[0]));
}

// -- Host code that no kernel calls ------------------------------------------

bool host_is_library(const char *dotted) {
  static const char *const names[] = {
      "argparse",  "collections", "copy",      "ctypes",   "datetime",
      "functools", "glob",        "importlib", "inspect",  "io",
      "itertools", "json",        "logging",   "os",       "pathlib",
      "pickle",    "platform",    "random",    "re",       "shutil",
      "string",    "subprocess",  "sys",       "tempfile", "threading",
      "time",      "traceback",   "warnings"};
  return names_have_span(names, sizeof names / sizeof *names, dotted,
                         strcspn(dotted, "."));
}

bool host_is_package(const char *dotted) {
  static const char *const names[] = {"cupy",  "jax",   "math",
                                      "numpy", "scipy", "torch"};
  return names_have_span(names, sizeof names / sizeof *names, dotted,
                         strcspn(dotted, "."));
}

bool host_has_builtin(const char *name) {
  static const char *const names[] = {
      "ascii",       "breakpoint", "bytearray", "bytes",      "callable",
      "compile",     "complex",    "delattr",   "dir",        "eval",
      "exec",        "exit",       "format",    "globals",    "hash",
      "help",        "id",         "input",     "issubclass", "locals",
      "map",         "memoryview", "object",    "open",       "quit",
      "setattr",     "slice",      "super",     "vars",       "property",
      "classmethod", "__import__"};
  return names_have(names, sizeof names / sizeof *names, name);
}

bool host_has_math(const char *name) {
  static const char *const names[] = {
      "acos",  "acosh",   "asin",    "asinh",    "atan",      "atan2",
      "atanh", "cbrt",    "ceil",    "comb",     "copysign",  "cos",
      "cosh",  "degrees", "dist",    "e",        "erf",       "erfc",
      "exp",   "exp2",    "expm1",   "fabs",     "factorial", "floor",
      "fma",   "fmod",    "frexp",   "fsum",     "gamma",     "gcd",
      "hypot", "inf",     "isclose", "isfinite", "isinf",     "isnan",
      "isqrt", "lcm",     "ldexp",   "lgamma",   "log",       "log10",
      "log1p", "log2",    "modf",    "nan",      "nextafter", "perm",
      "pi",    "pow",     "prod",    "radians",  "remainder", "sin",
      "sinh",  "sqrt",    "sumprod", "tan",      "tanh",      "tau",
      "trunc", "ulp"};
  return names_have(names, sizeof names / sizeof *names, name);
}

// -- Functions that host code chose ------------------------------------------

const Object *host_function(Walk *w, const char *name, SrcLoc use) {
  const char *last = strrchr(name, '.');
  const char *bare = last ? last + 1 : name;
  const char *dotted = arena_printf(w->arena, "libdevice.%s", bare);
  const Builtin *info = builtin_find(dotted); // finds those of `tl`, too
  if (!info || !info->run) return NULL;
  if (!w->trial) diag_warning(w->diags, use, WARNING_host_function, name, bare);
  return object_builtin(w->arena, info, NULL);
}
