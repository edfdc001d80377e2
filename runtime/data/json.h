// json.h -- JSON, taken piece by piece from the bytes of a file.
//
// Each function skips white space first.  What it does not find it leaves; the
// caller then gives up.
#ifndef TILE_DATA_JSON_H
#define TILE_DATA_JSON_H

#include "runtime/data/stored.h"

typedef struct {
  Arena *arena; // of the strings
  ByteView text;
} Json;

// One of "{}[]:,"; false: something else is next.
bool json_take(Json *json, char c);
// NULL: no string, or one with a NUL, which no name has.
const char *json_string(Json *json);
// A number without sign, point or exponent.
bool json_integer(Json *json, uint64_t *out);
// Any value.
bool json_skip(Json *json);

#endif
