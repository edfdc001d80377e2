// safetensors.c -- eight bytes of length, a JSON object, the arrays' bytes.
//
//   {"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, ...}
#include "runtime/data/json.h"
#include "runtime/data/stored.h"

#include <string.h>

// How many elements so many bytes are; two F4 are one byte of ours.
static const struct {
  const char *name;
  TileDtype dtype;
  int block, bytes;
} types[] = {
    {"BOOL", TILE_BOOL, 1, 1},       {"U8", TILE_UINT8, 1, 1},
    {"I8", TILE_INT8, 1, 1},         {"U16", TILE_UINT16, 1, 2},
    {"I16", TILE_INT16, 1, 2},       {"U32", TILE_UINT32, 1, 4},
    {"I32", TILE_INT32, 1, 4},       {"U64", TILE_UINT64, 1, 8},
    {"I64", TILE_INT64, 1, 8},       {"F16", TILE_FP16, 1, 2},
    {"BF16", TILE_BF16, 1, 2},       {"F32", TILE_FP32, 1, 4},
    {"F64", TILE_FP64, 1, 8},        {"F8_E5M2", TILE_FP8E5, 1, 1},
    {"F8_E4M3", TILE_FP8E4NV, 1, 1}, {"F8_E8M0", TILE_UINT8, 1, 1},
    {"F4", TILE_UINT8, 2, 1},
};

static int find_type(const char *name) {
  const int count = sizeof types / sizeof *types;
  for (int i = 0; i < count; i++)
    if (!strcmp(types[i].name, name)) return i;
  return -1;
}

typedef struct {
  Stored stored;
  uint64_t begin, end;
  bool has_offsets, has_shape;
} HeaderEntry;

static bool read_shape(Json *json, HeaderEntry *entry) {
  Stored *stored = &entry->stored;
  entry->has_shape = true;
  if (!json_take(json, '[')) return false;
  if (json_take(json, ']')) return true;
  do {
    if (stored->rank == NPY_MAX_RANK) return false;
    if (!json_integer(json, &stored->shape[stored->rank++])) return false;
  } while (json_take(json, ','));
  return json_take(json, ']');
}

static bool read_offsets(Json *json, HeaderEntry *entry) {
  entry->has_offsets = true;
  return json_take(json, '[') && json_integer(json, &entry->begin) &&
         json_take(json, ',') && json_integer(json, &entry->end) &&
         json_take(json, ']');
}

static bool read_field(Json *json, HeaderEntry *entry) {
  const char *key = json_string(json);
  if (!key || !json_take(json, ':')) return false;
  if (!strcmp(key, "dtype"))
    return (entry->stored.type = json_string(json)) != NULL;
  if (!strcmp(key, "shape") && !entry->has_shape)
    return read_shape(json, entry);
  if (!strcmp(key, "data_offsets")) return read_offsets(json, entry);
  return false;
}

static bool read_entry(Json *json, HeaderEntry *entry) {
  if (!json_take(json, '{')) return false;
  do {
    if (!read_field(json, entry)) return false;
  } while (json_take(json, ','));
  return json_take(json, '}') && entry->stored.type && entry->has_shape &&
         entry->has_offsets;
}

// That the bytes are there, as many as the type and the shape want.
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
  if (type < 0) return true; // an error for whoever asks for it
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

static bool read_header(Arena *arena, Json *json, const ByteView *data,
                        StoredList *out, Why why) {
  const char *nonsense = "its header makes no sense";
  if (!json_take(json, '{')) return why_not(why, "%s", nonsense);
  if (json_take(json, '}')) return true;
  do {
    HeaderEntry entry = {.has_shape = false};
    entry.stored.name = json_string(json);
    if (!entry.stored.name || !json_take(json, ':'))
      return why_not(why, "%s", nonsense);
    const bool is_array = strcmp(entry.stored.name, "__metadata__") != 0;
    if (!(is_array ? read_entry(json, &entry) : json_skip(json)))
      return why_not(why, "%s", nonsense);
    if (!is_array) continue;
    if (!place(&entry, data, why)) return false;
    vec_push(arena, out, entry.stored);
  } while (json_take(json, ','));
  return json_take(json, '}') ? true : why_not(why, "%s", nonsense);
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
  Json json = {arena, {header, data.at}};
  return read_header(arena, &json, &data, out, why);
}
