// jit_log.c -- the log of the driver's compiler about a kernel.
//
// The log has the format of `ptxas -v`: a line that names the function, and
// then its stack and spills.  The log may be cut off anywhere, contain other
// functions, and name a function again without its spills.
#include "runtime/device/gpu.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The sum of two such numbers fits an int.
enum { MAX_DIGITS = 9 };

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether the character may be part of a function's name.
static bool is_of_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || c == '$';
}

// The number in front of `words`, which begin before `end`.
static int number_before(const char *text, const char *end, const char *words) {
  const char *found = strstr(text, words), *at = found;
  if (!found || found >= end) return -1;
  while (at > text && is_digit(at[-1])) at--;
  const bool is_number = at < found && found - at <= MAX_DIGITS;
  return is_number ? (int)strtol(at, NULL, 10) : -1;
}

// `text` begins behind the name of the function.
static int spills_of(const char *text, const char *end) {
  const int stores = number_before(text, end, " bytes spill stores");
  const int loads = number_before(text, end, " bytes spill loads");
  assert(stores < 1000000000 && loads < 1000000000); // I9
  return stores < 0 || loads < 0 ? -1 : stores + loads;
}

int jit_log_spills(const char *log, const char *kernel) {
  static const char head[] = "Function properties for ";
  const size_t length = strlen(kernel);
  int spills = -1;
  for (const char *at = strstr(log, head); at && spills < 0;) {
    at += sizeof head - 1;
    if (*at == '\'') at++;
    const bool ours = !strncmp(at, kernel, length) && !is_of_name(at[length]);
    const char *next = strstr(at, head);
    if (ours) spills = spills_of(at + length, next ? next : at + strlen(at));
    at = next;
  }
  return spills;
}
