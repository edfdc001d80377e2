// show.c -- the parameters of a variant, and an argument, as text.
#include "runtime/rt/value.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const RtDtype dtypes[] = {
    [TILE_DTYPE_NONE] = {"none", "*none", 0},
#define DTYPE(dtype, name, size, elem) [TILE_##dtype] = {name, "*" name, size},
#define DTYPE_ALIAS(name, dtype)
#include "runtime/compile/elements.def"
};
enum { NUM_DTYPES = sizeof dtypes / sizeof *dtypes };

const RtDtype *rt_dtype(TileDtype dtype) {
  return &dtypes[(size_t)dtype < NUM_DTYPES ? dtype : TILE_DTYPE_NONE];
}

void rt_add(RtText *text, const char *format, ...) {
  assert(text->used < text->size && "written past its room"); // I7
  va_list args;
  va_start(args, format);
  const size_t left = text->size - text->used;
  const int length = vsnprintf(text->out + text->used, left, format, args);
  va_end(args);
  text->used += (size_t)length < left ? (size_t)length : left - 1;
}

static void add_hint(RtText *text, int divisibility) {
  if (divisibility) rt_add(text, ":%d", divisibility);
}

// The least number of digits from which the same number is read back.
static int digits_of(double value) {
  enum { LEAST = 6, ENOUGH = 17 };
  char digits[32];
  int count = LEAST;
  for (; count < ENOUGH; count++) {
    snprintf(digits, sizeof digits, "%.*g", count, value);
    if (strtod(digits, NULL) == value) break;
  }
  return count;
}

// Numbers and truth values as in Python: "3.0" and "True" show their type.
static void add_float(RtText *text, double value) {
  const char *begin = text->out + text->used;
  rt_add(text, "%.*g", digits_of(value), value);
  if (!begin[strspn(begin, "-0123456789")]) rt_add(text, ".0");
}

static void add_bool(RtText *text, bool value) {
  rt_add(text, value ? "True" : "False");
}

static void add_string(RtText *text, const char *value) {
  rt_add(text, value ? "\"%s\"" : "NULL", value);
}

// Adds the default of a value that the caller left out; NULL: it is unknown.
static void add_default(RtText *text, const PackSpec *value) {
  if (value) rt_show_spec(text, value);
  rt_add(text, value ? " by default" : "left out");
}

// -- Variants ----------------------------------------------------------------

// "(*fp32, i32)", "(ptr=*fp32, n=i32)".
static void add_items(RtText *text, const PackSpec *spec) {
  rt_add(text, "(");
  for (int i = 0; i < spec->num_items; i++) {
    if (i) rt_add(text, ", ");
    if (spec->names) rt_add(text, "%s=", spec->names[i]);
    rt_show_spec(text, &spec->items[i]);
  }
  rt_add(text, spec->num_items == 1 && !spec->names ? ",)" : ")");
}

static void add_block(RtText *text, const PackSpec *spec) {
  rt_add(text, "tensordesc<%s", rt_dtype(spec->dtype)->name);
  for (int i = 0; i < spec->num_items; i++)
    rt_add(text, "%s%lld", i ? ", " : "[", (long long)spec->items[i].i);
  rt_add(text, spec->i ? "], nan>" : "]>");
  add_hint(text, spec->divisibility);
}

void rt_show_spec(RtText *text, const PackSpec *spec) {
  const RtDtype *info = rt_dtype(spec->dtype);
  switch (spec->kind) {
  case PACK_ABSENT:
    add_default(text, spec->num_items ? spec->items : NULL);
    return;
  case PACK_POINTER:
  case PACK_NUMBER:
    rt_add(text, "%s",
           spec->kind == PACK_POINTER ? info->pointer_name : info->name);
    add_hint(text, spec->divisibility);
    return;
  case PACK_NONE: rt_add(text, "None"); return;
  case PACK_BOOL: add_bool(text, spec->i); return;
  case PACK_INT: rt_add(text, "%lld", (long long)spec->i); return;
  case PACK_FLOAT: add_float(text, spec->f); return;
  case PACK_STRING: add_string(text, spec->text); return;
  case PACK_DTYPE:
  case PACK_FUNCTION: rt_add(text, "%s", spec->text); return;
  case PACK_TUPLE: add_items(text, spec); return;
  case PACK_DESCRIPTOR: add_block(text, spec); return;
  }
}

// -- Launches ----------------------------------------------------------------

static void add_tuple(RtText *text, const TileArg *a) {
  const size_t count = a->as.tuple.count;
  const char *const *names = a->as.tuple.names;
  const PackParam item = {.dtype = TILE_DTYPE_NONE};
  rt_add(text, "(");
  for (size_t i = 0; i < count && text->used + 1 < text->size; i++) {
    if (i) rt_add(text, ", ");
    if (names) rt_add(text, "%s=", names[i]);
    rt_show_argument(text, &item, NULL, &a->as.tuple.items[i]);
  }
  rt_add(text, count == 1 && !names ? ",)" : ")");
}

static void add_descriptor(RtText *text, const TileTensorDescriptor *from) {
  TileTensorDescriptor d;
  sized_copy(&sized_descriptor, from, &d);
  rt_add(text, "tensordesc<%s", rt_dtype(d.dtype)->name);
  for (int i = 0; i < d.rank; i++)
    rt_add(text, "%s%d", i ? ", " : "[", (int)d.block[i]);
  rt_add(text, d.pads_with_nan ? "], nan>" : "]>");
  add_hint(text, d.shape[d.rank - 1] % 16 ? 0 : 16);
}

static void add_number(RtText *text, const PackParam *param, const TileArg *a) {
  switch (a->kind) {
  case TILE_ARG_INT: rt_add(text, "%lld", (long long)a->as.i); break;
  case TILE_ARG_BOOL: add_bool(text, a->as.i); break;
  case TILE_ARG_UINT: rt_add(text, "%llu", (unsigned long long)a->as.u); break;
  default: add_float(text, a->as.f); break;
  }
  if (!param->is_constexpr)
    rt_add(text, " as %s", rt_dtype(rt_usual_type(param, a))->name);
}

static void add_value(RtText *text, const PackParam *param, const TileArg *a) {
  const char *name = rt_dtype(a->dtype)->name;
  switch (a->kind) {
  case TILE_ARG_POINTER:
    rt_add(text, "*%s", name);
    add_hint(text, (uintptr_t)a->as.pointer % 16 ? 0 : 16);
    return;
  case TILE_ARG_INT:
  case TILE_ARG_BOOL:
  case TILE_ARG_UINT:
  case TILE_ARG_FLOAT: add_number(text, param, a); return;
  case TILE_ARG_NONE: rt_add(text, "None"); return;
  case TILE_ARG_STRING: add_string(text, a->as.string); return;
  case TILE_ARG_FUNCTION:
    rt_add(text, "%s", a->as.string ? a->as.string : "NULL");
    return;
  case TILE_ARG_DTYPE: rt_add(text, "%s", name); return;
  case TILE_ARG_POINTER_DTYPE: rt_add(text, "*%s", name); return;
  case TILE_ARG_TUPLE: add_tuple(text, a); return;
  case TILE_ARG_DESCRIPTOR: add_descriptor(text, a->as.descriptor); return;
  default: rt_add(text, "what no pack takes"); return;
  }
}

// Shows an address by its divisibility, a number by its value and type, a
// constant by its value.
void rt_show_argument(RtText *text, const PackParam *param, const PackSpec *own,
                      const TileArg *a) {
  PackParam constant = *param;
  if (!a || a->kind == TILE_ARG_DEFAULT) {
    add_default(text, own);
  } else if (a->kind == TILE_ARG_CONSTANT) {
    constant.is_constexpr = true;
    add_value(text, &constant, a->as.constant);
  } else {
    add_value(text, param, a);
  }
}
