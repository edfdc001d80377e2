// tilec_files.c -- arrays that `tilec run` reads from files and writes there.
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec_run.h"

#include "runtime/base/base.h"
#include "runtime/compile/compile.h"

#include <string.h>
#include <unistd.h>

static bool is_there(const char *path) {
  return access(path, F_OK) == 0;
}

// `FILE:TYPE`, if there is no file of that whole name.
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

int run_read_array(Tool *tool, const char *text, NpyWant want, NpyArray *out) {
  char why[512];
  size_t size;
  const char *path;
  TileDtype named;
  const int code = split_type(tool, text, &path, &named);
  if (code) return code;
  if (named) want.dtype = named;
  const char *bytes = file_read(&tool->arena, path, &size, why, sizeof why);
  if (!bytes) return tool_fail(tool, EXIT_FILES, "%s", why);
  if (npy_parse(bytes, size, want, out, why, sizeof why)) return EXIT_FINE;
  return tool_fail(tool, EXIT_FILES, ERROR_cannot_use_file, path, why);
}

int run_write_array(Tool *tool, const char *path, const NpyArray *array) {
  size_t size;
  const char *bytes = npy_format(&tool->arena, array, &size);
  return tool_write(tool, path, bytes, size);
}
