// guess.h -- an argument for each parameter of a kernel that nobody described.
//
// Most names tell: strides and lengths are integers, scales are floats, the
// rest are pointers.  The same seed makes the same guesses.
#ifndef TILE_TESTS_FUZZ_GUESS_H
#define TILE_TESTS_FUZZ_GUESS_H

#include "frontend/frontend.h"

#include <string.h>

enum { MAX_PARAMS = 64 };

static inline bool guess_among(const char *name, const char *const *words,
                               int count) {
  for (int i = 0; i < count; i++) {
    if (strlen(words[i]) > 1 ? strstr(name, words[i]) != NULL
                             : !strcmp(name, words[i]))
      return true;
  }
  return false;
}

static inline const char *guess_type(const char *name, uint32_t seed) {
  static const char *const ints[] = {
      "stride", "length", "columns", "rows", "CTX", "SEQ", "NUM", "BATCH",
      "n",      "N",      "K",       "Z",    "H",   "M",   "m"};
  static const char *const floats[] = {"scale", "eps", "p", "a"};
  static const char *const pointers[] = {"*fp32", "*fp16", "*fp16", "*bf16"};
  if (seed % 64 == 0) return "i32";
  if (guess_among(name, floats, 4)) return "fp32";
  if (guess_among(name, ints, 15) && !strstr(name, "ptr")) return "i32";
  return pointers[seed / 64 % 4];
}

// `args` has room for MAX_PARAMS; false: it has more.
static inline bool guess_arguments(const AstFunction *kernel, uint32_t seed,
                                   ArgSpec *args) {
  const int count = function_num_params(kernel);
  for (int i = 0; i < count && i < MAX_PARAMS; i++) {
    const FunctionParam param = function_param(kernel, i);
    args[i] = (ArgSpec){.kind = ARG_ABSENT};
    if (param.has_default || (param.annotation && !param.is_constexpr))
      continue;
    if (param.is_constexpr) {
      args[i] =
          (ArgSpec){.kind = ARG_INT, .i = strstr(param.name, "DIM") ? 32 : 16};
      continue;
    }
    args[i] = (ArgSpec){.kind = ARG_RUNTIME,
                        .text = guess_type(param.name, seed),
                        .divisibility = 16};
  }
  return count <= MAX_PARAMS;
}

#endif
