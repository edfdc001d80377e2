// place.c -- the path of the cache's folder.
#include "runtime/disk/disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const Allocator *from, const char *folder, const char *rest,
                  bool *failed) {
  const size_t size = strlen(folder) + strlen(rest) + 1;
  char *path = from->alloc(from->ctx, size);
  *failed = !path;
  if (path) snprintf(path, size, "%s%s", folder, rest);
  return path;
}

// Makes the path absolute: the process may change its directory later.
static char *absolute(const Allocator *from, const char *path, bool *failed) {
  char here[4096];
  if (*path == '/') return join(from, path, "", failed);
  if (!getcwd(here, sizeof here - 1)) return NULL;
  memcpy(here + strlen(here), "/", sizeof "/");
  return join(from, here, path, failed);
}

// The folder by the XDG Base Directory Specification, which ignores a relative
// path.
static char *usual(const Allocator *from, bool *failed) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && *cache == '/') return join(from, cache, "/tile", failed);
  if (home && *home == '/') return join(from, home, "/.cache/tile", failed);
  return NULL;
}

char *disk_folder(const Allocator *from, const char *asked, bool *failed) {
  *failed = false;
  if (!asked) return NULL;
  if (!*asked) asked = getenv("TILE_CACHE_DIR");
  if (!asked || !*asked) return usual(from, failed);
  return strcmp(asked, "off") ? absolute(from, asked, failed) : NULL;
}
