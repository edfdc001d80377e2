// find.c -- finds NVIDIA's assembler.
#include "runtime/ptxas/ptxas.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The absolute path of ptxas, which will be run in another directory; NULL: not
// there.
static const char *if_there(Arena *arena, const char *folder, size_t length,
                            const char *rest) {
  char here[PATH_MAX];
  const char *path = arena_printf(arena, "%.*s%s", (int)length, folder, rest);
  if (access(path, X_OK)) return NULL;
  if (*path == '/') return path;
  return getcwd(here, sizeof here) ? arena_printf(arena, "%s/%s", here, path)
                                   : NULL;
}

static const char *find_on_path(Arena *arena) {
  const char *at = getenv("PATH");
  while (at && *at) {
    const size_t length = strcspn(at, ":");
    const char *found = length ? if_there(arena, at, length, "/ptxas") : NULL;
    if (found) return found;
    at += length + (at[length] == ':');
  }
  return NULL;
}

const char *ptxas_named(void) {
  const char *named = getenv("TILE_PTXAS");
  return named && *named ? named : NULL;
}

const char *ptxas_find(Arena *arena) {
  const char *named = ptxas_named();
  if (named) return if_there(arena, named, strlen(named), "");
  const char *found = find_on_path(arena);
  const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                               "/usr/local/cuda"};
  for (int i = 0; !found && i < 3; i++) {
    if (roots[i] && *roots[i])
      found = if_there(arena, roots[i], strlen(roots[i]), "/bin/ptxas");
  }
  return found;
}
