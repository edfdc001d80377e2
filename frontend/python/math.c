// math.c -- Python's module `math` on constants, and the numbers that this and
// similar modules define.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/python/python.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *name;
  double (*one)(double);
  double (*two)(double, double);
} MathFunction;

static const MathFunction functions[] = {
#define FUNCTION(name, one, two) {name, one, two},
#define NUMBER(dotted, value)
#include "frontend/python/math.def"
};

static const MathFunction *find(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (!strcmp(functions[i].name, name)) return &functions[i];
  }
  return NULL;
}

// Suggests the language's function, for `math.exp` of a tile.
static void note_language(Walk *w, const char *name, const Object *x) {
  const char *bare = strrchr(name, '.');
  if (!object_is_tensor(x) || x->as.tensor.dtype.is_pointer || !bare) return;
  const char *device = arena_printf(w->arena, "libdevice%s", bare);
  const bool ours = w->language->find(bare + 1) != NULL;
  if (!ours && !w->language->find(device)) return;
  diag_note(w->diags, (SrcLoc){0}, NOTE_math_of_values,
            ours ? arena_printf(w->arena, "tl%s", bare) : device);
}

static bool is_constant(Walk *w, const BuiltinCall *c, SrcLoc loc,
                        const Object *x) {
  if (object_is_number(x)) return true;
  diag_error(w->diags, loc, ERROR_math_wants_constant, c->info->name,
             text_of(w, x));
  note_language(w, c->info->name, x);
  return false;
}

static bool number(Walk *w, const BuiltinCall *c, int n, double *out) {
  const Object *x = c->args[n];
  if (!is_constant(w, c, c->locs[n], x)) return false;
  *out = constant_number(x);
  return true;
}

// A NaN from a number is a ValueError in Python; an infinity from finite
// numbers is an OverflowError, or, at a pole, a ValueError.
static const Object *result(Walk *w, const BuiltinCall *c, double x, double y,
                            double value) {
  if (isnan(value) && !isnan(x) && !isnan(y))
    return walk_error(w, c->loc, ERROR_math_domain, c->info->name);
  if (isinf(value) && isfinite(x) && isfinite(y))
    return walk_error(w, c->loc, ERROR_math_range, c->info->name);
  return object_float(w->arena, value);
}

const Object *builtin_host_math(Walk *w, const BuiltinCall *c) {
  double x = 0, y = 0;
  const MathFunction *f = find(strchr(c->info->name, '.') + 1);
  if (!number(w, c, 0, &x) || (f->two && !number(w, c, 1, &y))) return NULL;
  return result(w, c, x, y, f->two ? f->two(x, y) : f->one(x));
}

const Object *builtin_host_log(Walk *w, const BuiltinCall *c) {
  double x = 0, base = 0;
  const bool has_base = !argument_absent(c, 1);
  if (!number(w, c, 0, &x) || (has_base && !number(w, c, 1, &base)))
    return NULL;
  return result(w, c, x, base, has_base ? log(x) / log(base) : log(x));
}

// floor(), ceil() and trunc(), to an integer.
const Object *builtin_host_whole(Walk *w, const BuiltinCall *c) {
  double x = 0;
  if (constant_is_integer(c->args[0])) return c->args[0];
  if (!number(w, c, 0, &x)) return NULL;
  const double whole = c->info->data == 'f'   ? floor(x)
                       : c->info->data == 'c' ? ceil(x)
                                              : trunc(x);
  if (!(fabs(whole) < 0x1p100))
    return walk_error(w, c->loc, ERROR_math_domain, c->info->name);
  return object_int(w->arena, (Integer)whole);
}

const Object *builtin_host_classify(Walk *w, const BuiltinCall *c) {
  double x = 0;
  if (!number(w, c, 0, &x)) return NULL;
  switch (c->info->data) {
  case 'n': return object_bool(isnan(x));
  case 'i': return object_bool(isinf(x));
  default: return object_bool(isfinite(x));
  }
}

static bool are_constants(Walk *w, const BuiltinCall *c, SrcLoc loc,
                          const Object *const *items, int count) {
  for (int i = 0; i < count; i++) {
    if (!is_constant(w, c, loc, items[i])) return false;
  }
  return true;
}

// Is the argument a number, or a tuple of numbers?
static bool has_constants(Walk *w, const BuiltinCall *c, int n) {
  const Object *all = walk_iterable(w, c->args[n]);
  return all ? are_constants(w, c, c->locs[n], all->as.tuple.items,
                             all->as.tuple.count)
             : is_constant(w, c, c->locs[n], c->args[n]);
}

// Functions of `math` that python.tile defines.
const Object *builtin_library_math(Walk *w, const BuiltinCall *c) {
  bool ok = are_constants(w, c, c->loc, c->rest, c->num_rest);
  for (int i = 0; ok && i < MAX_BUILTIN_PARAMS && *c->info->params != '*'; i++)
    ok = argument_absent(c, i) || has_constants(w, c, i);
  return ok ? w->language->library_python(w, c) : NULL;
}

// "math.pi", "numpy.inf"
static const Object *module_number(Walk *w, const char *dotted) {
  static const struct {
    const char *name;
    double value;
  } values[] = {
#define FUNCTION(name, one, two)
#define NUMBER(dotted, value) {dotted, value},
#include "frontend/python/math.def"
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    if (!strcmp(values[i].name, dotted))
      return object_float(w->arena, values[i].value);
  }
  return NULL;
}

const Object *host_math(Walk *w, const char *dotted) {
  const Object *number = module_number(w, dotted);
  if (number) return number;
  if (!strcmp(dotted, "sys.maxsize")) return object_int(w->arena, INT64_MAX);
  const Builtin *info = w->language->find_host(dotted);
  return info ? object_builtin(w->arena, info, NULL) : NULL;
}
