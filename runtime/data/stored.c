// stored.c -- shared by the readers of files with many arrays.
#include "runtime/data/stored.h"

#include "ir/base/base.h"
#include "ir/base/diag.h"
#include "runtime/compile/compile.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool why_not(Why why, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why.text, why.size, format, args);
  va_end(args);
  return false;
}

// -- Integers ----------------------------------------------------------------

bool view_skip(ByteView *bytes, uint64_t count) {
  assert(bytes->at <= bytes->end && "past the end of the file"); // I2
  if ((uint64_t)(bytes->end - bytes->at) < count) return false;
  bytes->at += count;
  return true;
}

static bool take(ByteView *bytes, size_t count, uint64_t *out) {
  const unsigned char *at = (const unsigned char *)bytes->at;
  if (!view_skip(bytes, count)) return false;
  *out = 0;
  for (size_t i = 0; i < count; i++) *out |= (uint64_t)at[i] << 8 * i;
  return true;
}

bool view_take_u16(ByteView *bytes, uint16_t *out) {
  uint64_t value = 0;
  const bool ok = take(bytes, 2, &value);
  *out = (uint16_t)value;
  return ok;
}

bool view_take_u32(ByteView *bytes, uint32_t *out) {
  uint64_t value = 0;
  const bool ok = take(bytes, 4, &value);
  *out = (uint32_t)value;
  return ok;
}

bool view_take_u64(ByteView *bytes, uint64_t *out) {
  return take(bytes, 8, out);
}

bool stored_count(Stored *stored, uint64_t block, uint64_t block_bytes) {
  uint64_t count = 1;
  for (int i = 0; i < stored->rank; i++) {
    const uint64_t size = stored->shape[i];
    if (size && count > UINT64_MAX / 1024 / size) return false;
    count *= size;
  }
  const uint64_t last = stored->rank ? stored->shape[stored->rank - 1] : 1;
  if (last % block) return false;
  stored->size = count / block * block_bytes;
  return true;
}

// -- Names -------------------------------------------------------------------

static const struct {
  const char *end;
  StoredReader *read;
} formats[] = {
    {".safetensors", safetensors_list},
    {".gguf", gguf_list},
    {".npz", npz_list},
};

StoredReader *stored_reader(const char *path) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (text_ends_with(path, formats[i].end)) return formats[i].read;
  return NULL;
}

static bool refuse_name(Arena *arena, const StoredList *list, const char *name,
                        Why why) {
  enum { SHOWN = 8 };
  const char **names = arena_array(arena, const char *, list->count + 1);
  for (size_t i = 0; i < list->count; i++) names[i] = list->items[i].name;
  const char *near = diag_nearest(name, names, list->count);
  if (near)
    return why_not(why, "it has no array '%s'; did you mean '%s'?", name, near);
  Str all = str_in(arena);
  for (size_t i = 0; i < list->count && i < SHOWN; i++)
    str_addf(&all, "%s%s", i ? ", " : "", names[i]);
  if (list->count > SHOWN) str_addf(&all, " and %zu more", list->count - SHOWN);
  if (!list->count) return why_not(why, "it has no arrays");
  if (!*name)
    return why_not(why, "which of its arrays? FILE:NAME; there are %s",
                   str_text(&all));
  return why_not(why, "it has no array '%s'; there are %s", name,
                 str_text(&all));
}

const Stored *stored_find(Arena *arena, const StoredList *list,
                          const char *name, Why why) {
  const Stored *found = NULL;
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->items[i].name, name)) continue;
    if (found) {
      why_not(why, "it has two arrays '%s'", name);
      return NULL;
    }
    found = &list->items[i];
  }
  if (!found) refuse_name(arena, list, name, why);
  return found;
}

// -- Elements ----------------------------------------------------------------

bool stored_read(Arena *arena, const Stored *stored, NpyWant want,
                 NpyArray *out, Why why) {
  if (!stored->type) return npz_read(arena, stored, want, out, why);
  *out = (NpyArray){.rank = stored->rank, .count = 1, .data = stored->data};
  memcpy(out->shape, stored->shape, sizeof out->shape);
  for (int i = 0; i < out->rank; i++) out->count *= out->shape[i];
  if (!stored->dtype)
    return why_not(why, "'%s' has elements of type %s, which no kernel has",
                   stored->name, stored->type);
  if (!npy_choose_dtype(stored->dtype, want, &out->dtype))
    return why_not(why, "the elements of '%s' are %s, but %s are needed",
                   stored->name, tile_dtype_name(stored->dtype),
                   tile_dtype_name(want.dtype));
  assert(npy_size(out) == stored->size &&
         "another size than was checked"); // I3
  return true;
}
