// call_key.h -- what tells a launch from those that run another variant.
//
// The same launch, but for the values of its run-time arguments, has the same
// words; bind_arguments() says what they amount to, call_key_make() only what
// they are, so it is quick.
#ifndef TILE_RUNTIME_CALL_KEY_H
#define TILE_RUNTIME_CALL_KEY_H

#include "runtime/program.h"

enum {
  MAX_KEY_PARAMS = 64,
  MAX_KEY_WORDS = 192,
  MAX_KEY_VALUES = 96,
};

// Not initialized: only as many as the counts say are set.
typedef struct {
  uint64_t hash;
  uint32_t num_words, num_values;
  uint64_t words[MAX_KEY_WORDS];
  // What machine parameters may get, in the order of the arguments: one of an
  // address or a number that is no constant, those of its leaves of a tuple or
  // a descriptor.
  uint64_t values[MAX_KEY_VALUES];
  uint8_t first_value[MAX_KEY_PARAMS]; // of each parameter
} CallKey;

// The words have the values of those parameters, too, that are bits of
// `looked_at`.  False if the launch is wrong, as bind_arguments() tells, or so
// large that it is not worth the room.
bool call_key_make(const TileDevice *device, const TileLaunch *launch,
                   uint64_t looked_at, CallKey *key);

#endif
