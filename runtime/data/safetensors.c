// safetensors.c -- eight bytes of length, a JSON object, the arrays' bytes.
//
//   {"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, ...}
#include "runtime/data/stored.h"

#include "runtime/base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// `block` elements take `bytes` bytes.
static const struct {
  const char *name;
  TileDtype dtype;
  int block, bytes;
} types[] = {
#define TYPE(name, dtype, block, bytes) {name, TILE_##dtype, block, bytes},
#include "runtime/data/safetensors.def"
};

static int find_type(const char *name) {
  const int count = sizeof types / sizeof *types;
  for (int i = 0; i < count; i++)
    if (!strcmp(types[i].name, name)) return i;
  return -1;
}

// -- The header --------------------------------------------------------------

typedef struct {
  Stored stored;
  uint64_t begin, end;
} HeaderEntry;

// A number without sign, point or exponent.
static bool read_integer(const JsonValue *value, uint64_t *out) {
  if (!value || value->kind != JSON_NUMBER ||
      value->text[strspn(value->text, "0123456789")])
    return false;
  errno = 0;
  *out = strtoull(value->text, NULL, 10);
  return !errno;
}

static bool read_shape(const JsonValue *shape, Stored *stored) {
  if (!shape || shape->kind != JSON_ARRAY) return false;
  for (const JsonValue *each = shape->items; each; each = each->next) {
    if (stored->rank == NPY_MAX_RANK ||
        !read_integer(each, &stored->shape[stored->rank++]))
      return false;
  }
  return true;
}

static bool read_offsets(const JsonValue *offsets, HeaderEntry *entry) {
  if (!offsets || offsets->kind != JSON_ARRAY) return false;
  const JsonValue *begin = offsets->items, *end = begin ? begin->next : NULL;
  return read_integer(begin, &entry->begin) && read_integer(end, &entry->end) &&
         !end->next;
}

// Reads an object with these three members and no other.
static bool read_entry(const JsonValue *object, HeaderEntry *entry) {
  const JsonValue *dtype = json_member(object, "dtype");
  size_t count = 0;
  if (!dtype || dtype->kind != JSON_STRING) return false;
  for (const JsonValue *each = object->items; each; each = each->next) count++;
  entry->stored.name = object->name;
  entry->stored.type = dtype->text;
  return count == 3 &&
         read_shape(json_member(object, "shape"), &entry->stored) &&
         read_offsets(json_member(object, "data_offsets"), entry);
}

// Points the entry at its bytes, whose number must fit its type and shape.
static bool place(HeaderEntry *entry, const ByteView *data, Why why) {
  Stored *stored = &entry->stored;
  const uint64_t have = (uint64_t)(data->end - data->at);
  const char *name = stored->name;
  if (entry->begin > entry->end)
    return why_not(why, "the array '%s' ends before it begins", name);
  const uint64_t length = entry->end - entry->begin;
  if (entry->end > have)
    return why_not(why, "it is truncated: '%s' ends at byte %llu of %llu", name,
                   (unsigned long long)entry->end, (unsigned long long)have);
  stored->data = data->at + entry->begin;
  stored->size = length;
  const int type = find_type(stored->type);
  if (type < 0) return true; // an error when it is used
  const uint64_t block = (uint64_t)types[type].block;
  stored->dtype = types[type].dtype;
  if (!stored_count(stored, block, (uint64_t)types[type].bytes) ||
      stored->size != length)
    return why_not(why,
                   "the array '%s' has %llu bytes, another number than "
                   "its shape and type say",
                   name, (unsigned long long)length);
  if (block > 1 && stored->rank) stored->shape[stored->rank - 1] /= block;
  return true;
}

static bool read_header(Arena *arena, const JsonValue *header,
                        const ByteView *data, StoredList *out, Why why) {
  if (!header) return why_not(why, "its header makes no sense");
  for (const JsonValue *each = header->items; each; each = each->next) {
    HeaderEntry entry = {.begin = 0};
    if (!strcmp(each->name, "__metadata__")) continue;
    if (!read_entry(each, &entry))
      return why_not(why, "its header makes no sense");
    if (!place(&entry, data, why)) return false;
    vec_push(arena, out, entry.stored);
  }
  return true;
}

bool safetensors_list(Arena *arena, const char *bytes, size_t size,
                      StoredList *out, Why why) {
  ByteView data = {bytes, bytes + size};
  uint64_t length;
  if (!view_take_u64(&data, &length) || data.at == data.end || *data.at != '{')
    return why_not(why, "it is not a safetensors file");
  const char *header = data.at;
  if (!view_skip(&data, length))
    return why_not(why, "it is truncated: the header is incomplete");
  const size_t size_of_header = (size_t)(data.at - header);
  return read_header(arena, json_parse(arena, header, size_of_header), &data,
                     out, why);
}
