// gguf.c -- GGUF: metadata of the model, descriptions of the tensors, their
// bytes.
//
// Versions 2 and 3.  Only the alignment is read from the metadata.  The
// dimension of adjacent elements is stored first.
#include "runtime/data/stored.h"

#include "ir/base/base.h"

#include <string.h>

static const struct {
  uint32_t number;
  const char *name;
  TileDtype dtype;
  int block, bytes;
} types[] = {
#define TYPE(number, name, dtype, block, bytes)                                \
  {number, #name, dtype, block, bytes},
#include "runtime/data/gguf.def"
};

static int find_type(uint32_t number) {
  const int count = sizeof types / sizeof *types;
  for (int i = 0; i < count; i++)
    if (types[i].number == number) return i;
  return -1;
}

// NULL: the string is truncated, or has a NUL.
static const char *take_string(Arena *arena, ByteView *bytes) {
  uint64_t length;
  if (!view_take_u64(bytes, &length)) return NULL;
  const char *start = bytes->at;
  if (!view_skip(bytes, length)) return NULL;
  if (memchr(start, 0, (size_t)length)) return NULL;
  return arena_strndup(arena, start, (size_t)length);
}

static bool skip_string(ByteView *bytes) {
  uint64_t length;
  return view_take_u64(bytes, &length) && view_skip(bytes, length);
}

// -- Facts -------------------------------------------------------------------

enum { FACT_U32 = 4, FACT_STRING = 8, FACT_ARRAY = 9, NUM_FACTS = 13 };

static const uint8_t fact_sizes[NUM_FACTS] = {1, 1, 2, 2, 4, 4, 4,
                                              1, 0, 0, 8, 8, 8};

static bool skip_fact(ByteView *bytes, uint32_t type, int depth);

static bool skip_array(ByteView *bytes, int depth) {
  enum { MAX_DEPTH = 16 };
  uint32_t type;
  uint64_t count;
  if (depth == MAX_DEPTH || !view_take_u32(bytes, &type) ||
      !view_take_u64(bytes, &count) || type >= NUM_FACTS)
    return false;
  const uint64_t size = fact_sizes[type];
  if (size) return count <= UINT64_MAX / 8 && view_skip(bytes, count * size);
  for (; count; count--)
    if (!skip_fact(bytes, type, depth)) return false;
  return true;
}

static bool skip_fact(ByteView *bytes, uint32_t type, int depth) {
  if (type >= NUM_FACTS) return false;
  if (type == FACT_STRING) return skip_string(bytes);
  if (type == FACT_ARRAY) return skip_array(bytes, depth + 1);
  return view_skip(bytes, fact_sizes[type]);
}

// Reads a fact. If it is the alignment, sets `*alignment`.
static bool take_fact(Arena *arena, ByteView *bytes, uint32_t *alignment) {
  uint32_t type;
  const char *key = take_string(arena, bytes);
  if (!key || !view_take_u32(bytes, &type)) return false;
  if (strcmp(key, "general.alignment")) return skip_fact(bytes, type, 0);
  return type == FACT_U32 && view_take_u32(bytes, alignment) && *alignment &&
         !(*alignment & (*alignment - 1));
}

// -- Tensors -----------------------------------------------------------------

typedef struct {
  Stored stored;
  uint64_t offset;
} GgufTensor;

static bool take_shape(ByteView *bytes, Stored *stored) {
  uint32_t rank;
  if (!view_take_u32(bytes, &rank) || rank > NPY_MAX_RANK) return false;
  stored->rank = (int)rank;
  for (int i = stored->rank - 1; i >= 0; i--)
    if (!view_take_u64(bytes, &stored->shape[i])) return false;
  return true;
}

static bool take_tensor(Arena *arena, ByteView *bytes, GgufTensor *out) {
  uint32_t number;
  Stored *stored = &out->stored;
  stored->name = take_string(arena, bytes);
  if (!stored->name || !take_shape(bytes, stored) ||
      !view_take_u32(bytes, &number) || !view_take_u64(bytes, &out->offset))
    return false;
  const int type = find_type(number);
  stored->type =
      type < 0 ? arena_printf(arena, "number %u", number) : types[type].name;
  if (type < 0) return true; // an error when it is used
  const uint64_t block = (uint64_t)types[type].block;
  const uint64_t size = (uint64_t)types[type].bytes;
  stored->dtype = types[type].dtype;
  if (!stored_count(stored, block, size)) return false;
  if (!stored->rank || block == 1) return true;
  uint64_t *last = &stored->shape[stored->rank - 1];
  *last = *last / block * size;
  return true;
}

static bool place(GgufTensor *tensor, const ByteView *data, Why why) {
  const uint64_t have = (uint64_t)(data->end - data->at);
  Stored *stored = &tensor->stored;
  if (tensor->offset > have || stored->size > have - tensor->offset)
    return why_not(
        why, "it is truncated: '%s' is %llu bytes at byte %llu of %llu",
        stored->name, (unsigned long long)stored->size,
        (unsigned long long)tensor->offset, (unsigned long long)have);
  stored->data = data->at + tensor->offset;
  return true;
}

// -- The file ----------------------------------------------------------------

typedef struct {
  uint32_t version;
  uint64_t num_tensors, num_facts;
} GgufHeader;

static bool take_header(ByteView *bytes, GgufHeader *out, Why why) {
  if (bytes->end - bytes->at < 4 || memcmp(bytes->at, "GGUF", 4))
    return why_not(why, "it is not a GGUF file");
  bytes->at += 4;
  if (!view_take_u32(bytes, &out->version))
    return why_not(why, "it is truncated");
  if (out->version >= 1 << 24)
    return why_not(why, "its numbers are big-endian; only little-endian files "
                        "can be read");
  if (out->version != 2 && out->version != 3)
    return why_not(why, "version %u of GGUF is not known", out->version);
  return (view_take_u64(bytes, &out->num_tensors) &&
          view_take_u64(bytes, &out->num_facts)) ||
         why_not(why, "it is truncated");
}

bool gguf_list(Arena *arena, const char *file, size_t size, StoredList *out,
               Why why) {
  ByteView bytes = {file, file + size};
  GgufHeader header;
  Vec(GgufTensor) tensors = {0};
  uint32_t alignment = 32;
  if (!take_header(&bytes, &header, why)) return false;
  for (uint64_t i = 0; i < header.num_facts; i++)
    if (!take_fact(arena, &bytes, &alignment))
      return why_not(why, "fact %llu of its model makes no sense",
                     (unsigned long long)i);
  for (uint64_t i = 0; i < header.num_tensors; i++) {
    GgufTensor tensor = {.offset = 0};
    if (!take_tensor(arena, &bytes, &tensor))
      return why_not(why, "the description of its tensor %llu makes no sense",
                     (unsigned long long)i);
    vec_push(arena, &tensors, tensor);
  }
  const uint64_t at = (uint64_t)(bytes.at - file);
  view_skip(&bytes, -at & (alignment - 1)); // no data, no padding
  for (size_t i = 0; i < tensors.count; i++) {
    if (!place(&tensors.items[i], &bytes, why)) return false;
    vec_push(arena, out, tensors.items[i].stored);
  }
  return true;
}
