// sweep.c -- the values of a benchmark's sizes.
#include "runtime/tools/parts/sweep.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 10000 };

typedef Vec(int64_t) Values;

// -- Numbers -----------------------------------------------------------------

static bool read_digits(const char **text, int64_t *out) {
  char *end;
  if (**text < '0' || **text > '9') return false;
  errno = 0;
  const long long value = strtoll(*text, &end, 10);
  *text = end;
  *out = value;
  return !errno;
}

// "4096" or "2^12", which sets `*base`.
static bool read_number(const char **text, int64_t *out, int64_t *base) {
  int64_t exponent;
  if (!read_digits(text, out)) return false;
  if (**text != '^') return true;
  ++*text;
  if (!read_digits(text, &exponent)) return false;
  *base = *out;
  *out = 1;
  while (exponent-- > 0) {
    if (__builtin_mul_overflow(*out, *base, out)) return false;
    if (*base < 2) return true;
  }
  return true;
}

// -- Values ------------------------------------------------------------------

static const char *read_list(Arena *arena, const char *text, Values *out) {
  int64_t value, base = 2;
  do {
    if (!read_number(&text, &value, &base))
      return "a number is wanted, such as 4096 or 2^12";
    vec_push(arena, out, value);
  } while (*text == ',' && text++);
  return *text ? "numbers are parted by ','" : NULL;
}

typedef struct {
  int64_t first, last, step;
  bool adds;
} SweepRange;

// Reads the step behind the end: ":*4", ":+100"; by default values are
// multiplied, by the base of the powers or 2.
static const char *read_step(const char *text, int64_t base, SweepRange *out) {
  int64_t ignored;
  out->step = base;
  out->adds = false;
  if (!*text) return NULL;
  if (strncmp(text, ":*", 2) && strncmp(text, ":+", 2))
    return "a step is ':*FACTOR' or ':+DIFFERENCE'";
  out->adds = text[1] == '+';
  text += 2;
  return read_number(&text, &out->step, &ignored) && !*text
             ? NULL
             : "a step is ':*FACTOR' or ':+DIFFERENCE'";
}

static const char *add_range(Arena *arena, const SweepRange *range,
                             Values *out) {
  int64_t value = range->first;
  if (range->step < (range->adds ? 1 : 2) || (!range->adds && value < 1))
    return "the values must grow";
  while (value <= range->last) {
    if (out->count == MAX_VALUES) return "these are more than 10000 values";
    vec_push(arena, out, value);
    if (range->adds ? __builtin_add_overflow(value, range->step, &value)
                    : __builtin_mul_overflow(value, range->step, &value))
      break;
  }
  return out->count ? NULL : "the end is before the start";
}

static const char *read_range(Arena *arena, const char *text, Values *out) {
  SweepRange range;
  int64_t base = 2;
  if (!read_number(&text, &range.first, &base) || *text++ != ':' ||
      !read_number(&text, &range.last, &base))
    return "a range is FROM:TO, such as 2^10:2^26";
  const char *why = read_step(text, base, &range);
  return why ? why : add_range(arena, &range, out);
}

bool sweep_read(Arena *arena, const char *text, Sweep *out, const char **why) {
  Values values = {0};
  *why = strchr(text, ':') ? read_range(arena, text, &values)
                           : read_list(arena, text, &values);
  out->values = values.items;
  out->count = values.count;
  return !*why;
}

// -- Points ------------------------------------------------------------------

bool sweeps_have(const Sweeps *sweeps, const char *name) {
  for (size_t i = 0; i < sweeps->count; i++)
    if (!strcmp(sweeps->items[i].name, name)) return true;
  return false;
}

void sweeps_at(const Sweeps *sweeps, size_t point, int64_t *values) {
  for (size_t i = sweeps->count; i-- > 0;) {
    const Sweep *sweep = &sweeps->items[i];
    values[i] = sweep->values[point % sweep->count];
    if (!sweeps->are_together) point /= sweep->count;
  }
  if (sweeps->are_together) point /= sweeps->num_points;
  assert(!point && "a point that no sweep has"); // I1
}

// The index of the sweep in "{NAME}"; the number of sweeps: none.
static size_t named(const Sweeps *sweeps, const char *brace) {
  const size_t length = strcspn(brace + 1, "}");
  size_t i = 0;
  if (brace[length + 1] != '}') return sweeps->count;
  while (i < sweeps->count &&
         (strlen(sweeps->items[i].name) != length ||
          strncmp(sweeps->items[i].name, brace + 1, length)))
    i++;
  return i;
}

const char *sweeps_fill(Arena *arena, const Sweeps *sweeps,
                        const int64_t *values, const char *text) {
  Str out = str_in(arena);
  while (*text) {
    const size_t i = *text == '{' ? named(sweeps, text) : sweeps->count;
    if (i == sweeps->count) {
      str_add_char(&out, *text++);
      continue;
    }
    str_addf(&out, "%" PRId64, values[i]);
    text += strlen(sweeps->items[i].name) + 2;
  }
  return str_text(&out);
}

static bool is_in_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

bool sweep_is_word(const char *text, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = text; at && (at = strstr(at, name)); at++) {
    const bool begins = at == text || !is_in_name(at[-1]);
    if (begins && !is_in_name(at[length])) return true;
  }
  return false;
}
