// choose.h -- chooses the configuration of @autotune for a launch that gives
// none.
#ifndef TILE_RUNTIME_CHOOSE_H
#define TILE_RUNTIME_CHOOSE_H

#include "runtime/program.h"
#include "runtime/tuned/tuned.h"

// The tuner's description of a launch: launches with the same name and key
// share a choice.
typedef struct {
  Tuning tuning;
  TunedName name;
  const char *key;
} Alike;

// Describes a launch with these arguments; texts are in `arena`.  `varies`
// marks the parameters of a search space, which are not in the key, or is NULL.
TileStatus choose_describe(const Report *report, const TileDevice *device,
                           const TileKernel *kernel, const ArgSpec *args,
                           const bool *varies, Arena *arena, Alike *out);

// Chooses the best known configuration for such launches, else the first: sets
// `config` of `spec`, or, for a point of a search space, values in `args` and
// `spec`; texts are in `arena`.  `looked_at` gets the bits of the parameters
// whose values the choice depends on.
TileStatus choose_config(const Report *report, const TileDevice *device,
                         const TileKernel *kernel, Arena *arena, ArgSpec *args,
                         Specialization *spec, uint64_t *looked_at);

// -- A point of a search space, as text (choice.c) ---------------------------

// "BLOCK=64, num_warps=4": the values of the marked parameters, and the options
// that are not 0; NULL: one of them has no text.  Both functions are called
// under arena_protect(arena).
const char *choice_print(Arena *arena, const TileKernel *kernel,
                         const ArgSpec *args, const bool *marks, int num_warps,
                         int num_stages);
// Sets parameters that are ABSENT and options that are 0 to the values of the
// text.  False, with nothing changed: the text is invalid, or the launch has
// other values.
bool choice_apply(Arena *arena, const TileKernel *kernel, const char *text,
                  ArgSpec *args, Specialization *spec);

#endif
