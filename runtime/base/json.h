// json.h -- a small reader of JSON.
#ifndef TILE_RUNTIME_BASE_JSON_H
#define TILE_RUNTIME_BASE_JSON_H

#include "ir/base/base.h"

typedef enum {
  JSON_NULL,
  JSON_BOOL,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT,
} JsonKind;

typedef struct JsonValue JsonValue;
struct JsonValue {
  JsonKind kind;
  double number;         // NUMBER; BOOL: 0 or 1
  const char *text;      // STRING; NUMBER: as it was written
  const char *name;      // of a member of an object
  const JsonValue *next; // in its array or object
  const JsonValue *items;
};

// NULL: the text is no JSON, nests too deeply, or has a NUL in a string.
const JsonValue *json_parse(Arena *arena, const char *text, size_t length);
// A member of an object; NULL: there is none, or `object` is no object.
const JsonValue *json_member(const JsonValue *object, const char *name);
// The text or number of a member; "" or 0 if there is none.
const char *json_text(const JsonValue *object, const char *name);
double json_number(const JsonValue *object, const char *name);

#endif
