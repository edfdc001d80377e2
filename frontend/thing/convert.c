// convert.c -- functions of Python that convert values.
#include "frontend/thing/builtins.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_number(const Thing *x) {
  return x->kind == THING_CONSTANT && object_is_number(x->as.constant);
}

// 1: int() makes `*out` of the text; -1: it raises; 0: unknown.
static int integer_text(const char *s, Integer *out) {
  Integer value = 0;
  int digits = 0;
  for (; isspace((unsigned char)*s); s++) continue;
  const bool negative = *s == '-';
  if (*s == '-' || *s == '+') s++;
  for (; isdigit((unsigned char)*s) && digits < 18; s++, digits++)
    value = value * 10 + (*s - '0');
  for (; isspace((unsigned char)*s); s++) continue;
  *out = negative ? -value : value;
  if (!*s && digits) return 1;
  if (digits >= 18 || (*s == '_' && digits)) return 0;
  return *s & 0x80 ? 0 : -1;
}

static Thing *int_of(Machine *m, Thing *self, Things *args, ArgNames names,
                     int data) {
  (void)self;
  (void)data;
  Integer value = 0;
  if (!args->count) return thing_int(m, 0);
  if (!args_are_plain(args, names, 1, 1)) {
    Thing *x = call_constant(m, "int", args, names);
    return x ? x : run_call_unseen(m, NULL, args);
  }
  Thing *x = record_plain(m, args->items[0]);
  if (thing_is_integer(x, &value)) return thing_int(m, value);
  if (thing_is_text(x)) {
    const int found = integer_text(x->as.constant->as.string.text, &value);
    return found > 0   ? thing_int(m, value)
           : found < 0 ? run_raise(m, "ValueError")
                       : run_call_unseen(m, NULL, args);
  }
  if (is_number(x) && fabs(x->as.constant->as.number) < 1e18)
    return thing_int(m, (Integer)x->as.constant->as.number);
  if (x == &thing_none || x->kind == THING_LIST || x->kind == THING_DICT ||
      x->kind == THING_TUPLE)
    return run_raise(m, "TypeError");
  return run_call_unseen(m, NULL, args);
}

static Thing *float_of(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  (void)self;
  (void)data;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = args->items[0];
  if (is_number(x))
    return thing_constant(
        m, object_float(m->arena, constant_number(x->as.constant)));
  x = call_constant(m, "float", args, names);
  return x ? x : run_call_unseen(m, NULL, args);
}

static Thing *bool_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)self;
  (void)data;
  bool alive = true;
  if (!args->count) return &thing_false;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  const Known truth = run_truth(m, args->items[0], &alive);
  if (!alive) return NULL;
  return truth == KNOWN_NOT ? &thing_unknown : thing_bool(truth == KNOWN_TRUE);
}

// str(), for which `data` is 's', and repr().
static Thing *text_of(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)self;
  Str out = str_in(m->arena);
  if (!args->count && data == 's') return thing_text(m, "", 0);
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = args->items[0];
  if (data == 's' && thing_is_text(x)) return x;
  return thing_print(m, x, false, &out)
             ? thing_text(m, str_text(&out), out.length)
             : run_call_unseen(m, NULL, args);
}

static Thing *abs_of(Machine *m, Thing *self, Things *args, ArgNames names,
                     int data) {
  (void)self;
  (void)data;
  Integer value;
  if (!args_are_plain(args, names, 1, 1)) return run_call_unseen(m, NULL, args);
  Thing *x = args->items[0];
  if (thing_is_integer(x, &value))
    return thing_int(m, value < 0 ? -value : value);
  if (!is_number(x)) return run_call_unseen(m, NULL, args);
  return thing_constant(
      m, object_float(m->arena, fabs(x->as.constant->as.number)));
}

static Thing *divmod_of(Machine *m, Thing *self, Things *args, ArgNames names,
                        int data) {
  (void)self;
  (void)data;
  if (!args_are_plain(args, names, 2, 2)) return run_call_unseen(m, NULL, args);
  Thing *both[2] = {
      run_binary(m, OPERATOR_FLOORDIV, args->items[0], args->items[1], false)};
  if (!both[0]) return NULL;
  both[1] = run_binary(m, OPERATOR_MOD, args->items[0], args->items[1], false);
  return both[1] ? thing_tuple(m, both, 2) : NULL;
}

static Thing *pow_of(Machine *m, Thing *self, Things *args, ArgNames names,
                     int data) {
  (void)self;
  (void)data;
  if (args_are_plain(args, names, 2, 2))
    return run_binary(m, OPERATOR_POW, args->items[0], args->items[1], false);
  Thing *x = call_constant(m, "pow", args, names);
  return x ? x : run_call_unseen(m, NULL, args);
}

enum {
#define BY_WALK(id, name) BY_WALK_##id,
#include "frontend/thing/by_walk.def"
};

static Thing *by_walk(Machine *m, Thing *self, Things *args, ArgNames names,
                      int data) {
  (void)self;
  static const char *const functions[] = {
#define BY_WALK(id, name) name,
#include "frontend/thing/by_walk.def"
  };
  Thing *x = call_constant(m, functions[data], args, names);
  return x ? x : run_call_unseen(m, NULL, args);
}

static Thing *print_to(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  (void)self;
  (void)names;
  (void)data;
  for (size_t i = 0; i < args->count; i++) {
    Str text = str_in(m->arena);
    if (!thing_print(m, args->items[i], true, &text))
      run_unknown(m, args->items[i], NULL); // may run its `__repr__`
  }
  return &thing_none;
}

static Thing *slice_of(Machine *m, Thing *self, Things *args, ArgNames names,
                       int data) {
  (void)self;
  (void)data;
  Thing *parts[3] = {0};
  if (!args_are_plain(args, names, 1, 3)) return run_call_unseen(m, NULL, args);
  for (size_t i = 0; i < args->count; i++)
    if (args->items[i] != &thing_none)
      parts[args->count == 1 ? 1 : i] = args->items[i];
  Thing *x = thing_tuple(m, parts, 3);
  x->kind = THING_SLICE;
  return x;
}

static const BuiltinRow rows[] = {
#define BY_WALK(id, name) {name, by_walk, BY_WALK_##id},
#include "frontend/thing/by_walk.def"
#define OF_VALUES(name, function, data) {name, function, data},
#include "frontend/thing/builtins.def"
    {NULL, NULL, 0},
};

const BuiltinRow *value_row(const char *name) {
  const BuiltinRow *row = row_named(rows, name);
  return row ? row : object_row(name);
}
