// files.c -- the arrays of `tilec run`: in files, and in buffers.
#include "runtime/tools/errors.h"
#include "runtime/tools/run.h"

#include "runtime/base/base.h"
#include "runtime/compile/compile.h"
#include "runtime/data/stored.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const char *path) {
  return access(path, F_OK) == 0;
}

// Splits `FILE:TYPE`, unless a file has the whole name.
static int split_type(Tool *tool, const char *text, const char **path,
                      TileDtype *out) {
  const char *colon = strrchr(text, ':');
  *path = text;
  *out = TILE_DTYPE_NONE;
  if (!colon || is_there(text)) return EXIT_FINE;
  const char *file = arena_strndup(&tool->arena, text, (size_t)(colon - text));
  *out = element_find(colon + 1, strlen(colon + 1));
  if (*out || is_there(file)) *path = file;
  if (*out || *path == text) return EXIT_FINE;
  return tool_fail(tool, EXIT_USAGE, ERROR_no_element_type, text, colon + 1);
}

static int fail_file(Tool *tool, const char *path, const char *why) {
  return tool_fail(tool, EXIT_FILES, ERROR_cannot_use_file, path, why);
}

static int read_npy(Tool *tool, const char *text, NpyWant want, NpyArray *out) {
  char why[512];
  size_t size;
  const char *path;
  TileDtype named;
  const int code = split_type(tool, text, &path, &named);
  if (code) return code;
  if (named) want.dtype = named;
  const char *bytes = file_map(&tool->arena, path, &size, why, sizeof why);
  if (!bytes) return tool_fail(tool, EXIT_FILES, "%s", why);
  if (npy_parse(bytes, size, want, out, why, sizeof why)) return EXIT_FINE;
  return fail_file(tool, path, why);
}

// -- Files of many arrays ----------------------------------------------------

// The file of `FILE:NAME`, if it has an extension of such files, or NULL;
// `name` gets the name of the array.
static const char *split_name(Arena *arena, const char *text,
                              const char **name) {
  for (size_t n = strcspn(text, ":");; n += 1 + strcspn(text + n + 1, ":")) {
    const char *path = arena_strndup(arena, text, n);
    *name = text[n] ? text + n + 1 : "";
    if (stored_reader(path)) return path;
    if (!text[n]) return NULL;
  }
}

static bool has_array(const StoredList *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->items[i].name, name)) return true;
  return false;
}

// Splits `NAME:TYPE`, unless an array has the whole name.
static void split_array_type(Arena *arena, const StoredList *list,
                             const char **name, NpyWant *want) {
  const char *colon = strrchr(*name, ':');
  if (!colon || has_array(list, *name)) return;
  const TileDtype dtype = element_find(colon + 1, strlen(colon + 1));
  if (!dtype) return;
  want->dtype = dtype;
  *name = arena_strndup(arena, *name, (size_t)(colon - *name));
}

static int read_stored(Tool *tool, const char *path, const char *name,
                       NpyWant want, NpyArray *out) {
  Arena *arena = &tool->arena;
  char text[512];
  const Why why = {text, sizeof text};
  size_t size;
  StoredList list = {0};
  StoredReader *reader = stored_reader(path);
  assert(reader && "a file of one array");
  const char *bytes = file_map(arena, path, &size, text, sizeof text);
  if (!bytes) return tool_fail(tool, EXIT_FILES, "%s", text);
  if (!reader(arena, bytes, size, &list, why))
    return fail_file(tool, path, text);
  split_array_type(arena, &list, &name, &want);
  const Stored *stored = stored_find(arena, &list, name, why);
  if (stored && stored_read(arena, stored, want, out, why)) return EXIT_FINE;
  return fail_file(tool, path, text);
}

int run_read_array(Tool *tool, const char *text, NpyWant want, NpyArray *out) {
  const char *name, *path = split_name(&tool->arena, text, &name);
  return path ? read_stored(tool, path, name, want, out)
              : read_npy(tool, text, want, out);
}

int run_write_array(Tool *tool, const char *path, const NpyArray *array) {
  size_t size;
  const char *bytes = npy_format(&tool->arena, array, &size);
  return tool_write(tool, path, bytes, size);
}

// -- Buffers -----------------------------------------------------------------

static void destroy_buffer(void *data) {
  tile_buffer_destroy(data);
}

static int make_buffer(Tool *tool, KernelRun *run, Tensor *tensor) {
  const NpyArray *array = &tensor->array;
  const size_t size = npy_size(array);
  TileStatus status = tile_buffer_create(run->device, size, &tensor->buffer);
  if (status)
    return tool_fail(tool, EXIT_DEVICE, ERROR_no_buffer, size, tensor->name,
                     tile_status_text(status));
  arena_defer(&tool->arena, destroy_buffer, tensor->buffer);
  tensor->given = array->data;
  status = tile_buffer_write(tensor->buffer, 0, array->data, size);
  if (!status) return EXIT_FINE;
  return tool_fail(tool, EXIT_DEVICE, ERROR_buffer_not_written, tensor->name,
                   tile_status_text(status));
}

int run_add_tensor(Tool *tool, KernelRun *run, const Tensor *tensor,
                   TileArg *out) {
  Tensor made = *tensor;
  const int code = make_buffer(tool, run, &made);
  if (code) return code;
  vec_push(&tool->arena, &run->tensors, made);
  *out = tile_buffer_arg(made.buffer, made.array.dtype);
  return EXIT_FINE;
}

Tensor *run_find_tensor(const KernelRun *run, const char *name) {
  for (size_t i = 0; i < run->tensors.count; i++) {
    if (!strcmp(run->tensors.items[i].name, name))
      return &run->tensors.items[i];
  }
  return NULL;
}
