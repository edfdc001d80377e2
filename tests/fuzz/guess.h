// guess.h -- guesses an argument for each parameter of an unknown kernel.
//
// Most names are a hint: strides and lengths are integers, scales are floats,
// the rest are pointers.  With a quarter of the seeds, some parameters get
// another kind.  The same seed makes the same guesses.
//
// A first line `#:WORDS` decides: the words are a signature, for the kernels
// that it fits, and make the seed.  Then other lines can change, and the
// guesses stay.
#ifndef TILE_TESTS_FUZZ_GUESS_H
#define TILE_TESTS_FUZZ_GUESS_H

#include "frontend/frontend.h"
#include "tests/tools/fnv.h"

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

static inline bool guess_by_name(const AstFunction *kernel, uint32_t seed,
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

// The types that a parameter may have, in the notation of signatures.
static inline const char *guess_wildly(uint32_t seed) {
  static const char *const words[] = {"*fp32:16",
                                      "*fp16",
                                      "i32",
                                      "i64:16",
                                      "fp32",
                                      "fp64",
                                      "u8",
                                      "*i8",
                                      "*u8:16",
                                      "*fp8e5:16",
                                      "*fp8e4nv",
                                      "*fp8e4b15",
                                      "*bf16",
                                      "*i1",
                                      "i1",
                                      "1",
                                      "0",
                                      "-1",
                                      "16",
                                      "64",
                                      "3",
                                      "None",
                                      "True",
                                      "0.5",
                                      "\"ieee\"",
                                      "fp16",
                                      "(i32, 2)",
                                      "(*fp32)",
                                      "()",
                                      "*i64",
                                      "u64",
                                      "bf16",
                                      "4096",
                                      "*fp64:16",
                                      "9223372036854775807",
                                      "tensordesc<fp16[16, 16]>",
                                      "tensordesc<fp32[32]>"};
  return words[seed % (sizeof words / sizeof *words)];
}

static inline bool guess_from_text(Arena *arena, const AstFunction *kernel,
                                   uint32_t seed, ArgSpec *args) {
  Str text = str_in(arena);
  DiagList ignored;
  diag_init(&ignored, arena);
  for (int i = 0; i < function_num_params(kernel); i++) {
    const FunctionParam param = function_param(kernel, i);
    seed = seed * 1664525u + 1013904223u;
    if (i) str_add(&text, ", ");
    str_add(&text, seed >> 30 == 0      ? guess_wildly(seed >> 8)
                   : param.is_constexpr ? "16"
                                        : guess_type(param.name, seed >> 8));
  }
  return frontend_parse_signature(arena, &ignored, kernel, str_text(&text),
                                  args);
}

// The words of a first line of guesses; false: there is no such line.
static inline bool guess_line(const char *text, size_t length,
                              const char **words, size_t *num_chars) {
  if (length < 2 || memcmp(text, "#:", 2) != 0) return false;
  const char *end = memchr(text, '\n', length);
  *words = text + 2;
  *num_chars = end ? (size_t)(end - *words) : length - 2;
  return true;
}

static inline bool guess_as_given(Arena *arena, const AstFunction *kernel,
                                  const char *text, size_t length,
                                  ArgSpec *args) {
  const char *words;
  size_t num_chars;
  DiagList ignored;
  diag_init(&ignored, arena);
  return guess_line(text, length, &words, &num_chars) &&
         frontend_parse_signature(arena, &ignored, kernel,
                                  arena_strndup(arena, words, num_chars), args);
}

// `args` has room for MAX_PARAMS; false: it has more.
static inline bool guess_arguments(Arena *arena, const AstFunction *kernel,
                                   const char *text, size_t length,
                                   uint32_t seed, ArgSpec *args) {
  if (function_num_params(kernel) > MAX_PARAMS) return false;
  if (guess_as_given(arena, kernel, text, length, args)) return true;
  if (seed % 4 == 1 && guess_from_text(arena, kernel, seed, args)) return true;
  return guess_by_name(kernel, seed, args);
}

static inline int guess_num_warps(uint32_t seed) {
  return seed % 8 == 1 ? 1 << seed / 8 % 4 : 0;
}

static inline int guess_num_stages(uint32_t seed) {
  return seed % 8 == 1 ? (int)(seed / 32 % 6) : 0;
}

static inline int guess_debug(uint32_t seed) {
  return (int)(seed / 4 % 3) - 1;
}

// A seed made from a text.
static inline uint32_t guess_seed(const char *text, size_t length) {
  const char *words = text;
  size_t num_chars = length;
  guess_line(text, length, &words, &num_chars);
  return fnv_bytes(FNV_SEED, words, num_chars) >> 8;
}

#endif
