// choose.h -- which configuration of @autotune a launch runs that leaves it to
// the library.
#ifndef TILE_RUNTIME_CHOOSE_H
#define TILE_RUNTIME_CHOOSE_H

#include "runtime/program.h"
#include "runtime/tuned/tuned.h"

// A launch as the tuner sees it: those with one name and key are alike.
typedef struct {
  Tuning tuning;
  TunedName name;
  const char *key;
} Alike;

// Describes a launch with these arguments; texts are in `arena`.  `varies`
// marks the parameters of a search space, of which the key knows nothing, or is
// NULL.
TileStatus choose_describe(const Report *report, const TileDevice *device,
                           const TileKernel *kernel, const ArgSpec *args,
                           const bool *varies, Arena *arena, Alike *out);

// Has the launch run what was the best for such launches, else the first
// configuration: sets `config` of `spec`, or what a point of a search space
// says, in `args` and `spec`; texts are in `arena`.  `looked_at` gets the bits
// of the parameters at whose values that looks.
TileStatus choose_config(const Report *report, const TileDevice *device,
                         const TileKernel *kernel, Arena *arena, ArgSpec *args,
                         Specialization *spec, uint64_t *looked_at);

// -- A point of a search space, as text (choice.c) ---------------------------

// "BLOCK=64, num_warps=4": the values of the marked parameters, and the options
// that are not 0; NULL: one of them has no text.  Both are called under
// arena_protect(arena).
const char *choice_print(Arena *arena, const TileKernel *kernel,
                         const ArgSpec *args, const bool *marks, int num_warps,
                         int num_stages);
// Gives what the text says to parameters that are ABSENT and options that are
// 0.  False, with nothing changed: it is no such text, or the launch says
// something else.
bool choice_apply(Arena *arena, const TileKernel *kernel, const char *text,
                  ArgSpec *args, Specialization *spec);

#endif
