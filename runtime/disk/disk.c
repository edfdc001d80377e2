// disk.c -- the cache on disk.
//
// Each call opens the folder and checks it: the folder may be made, removed or
// given away while the process runs, and a child of fork() has nothing to
// renew.
#include "runtime/disk/disk.h"

#include "codegen/codegen.h"
#include "runtime/base/base.h"
#include "runtime/disk/build_id.h"
#include "runtime/disk/folder.h"
#include "runtime/disk/sweep.h"
#include "runtime/errors.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct DiskCache {
  const Allocator *from;
  char *folder;
  uint64_t limit;
  bool read_only;
  atomic_int refused; // a FolderState that was not reported yet; 0: none
  atomic_bool told;
  atomic_bool tidied; // files of killed processes are removed
  char build[280], llvm[32], cpu[160];
};

// -- Opening -----------------------------------------------------------------

// The processor's name, and the digest of its features.
static void find_cpu(char *out, size_t size) {
  char text[8192], digits[DIGEST_TEXT];
  codegen_host_cpu(text, sizeof text);
  const Digest digest = digest_of(text, strlen(text));
  digest_print(&digest, digits);
  snprintf(out, size, "%.*s %s", (int)strcspn(text, " "), text, digits);
}

static bool start(DiskCache *cache, const DiskOptions *options, char *folder) {
  cache->folder = folder;
  cache->limit = options->limit ? options->limit : DISK_LIMIT;
  cache->read_only = options->read_only;
  build_id_find(cache->build, sizeof cache->build);
  codegen_llvm_version(cache->llvm, sizeof cache->llvm);
  find_cpu(cache->cpu, sizeof cache->cpu);
  return cache->build[0] != '\0';
}

bool disk_open(const Allocator *from, const DiskOptions *options,
               DiskCache **out) {
  bool failed = false;
  char *folder = disk_folder(from, options->folder, &failed);
  *out = NULL;
  if (!folder) return !failed;
  DiskCache *cache = from->alloc(from->ctx, sizeof *cache);
  if (!cache) {
    from->free(from->ctx, folder);
    return false;
  }
  memset(cache, 0, sizeof *cache);
  cache->from = from;
  if (start(cache, options, folder)) {
    *out = cache;
  } else {
    disk_close(cache); // without build IDs, entries could not be told apart
  }
  return true;
}

void disk_close(DiskCache *cache) {
  if (!cache) return;
  const Allocator *from = cache->from;
  from->free(from->ctx, cache->folder);
  from->free(from->ctx, cache);
}

void disk_describe(const DiskCache *cache, bool is_host, DiskInputs *out) {
  out->format = DISK_FORMAT;
  out->build = bytes_of_text(cache->build);
  out->llvm = bytes_of_text(cache->llvm);
  out->cpu = bytes_of_text(is_host ? cache->cpu : NULL);
}

// -- Finding -----------------------------------------------------------------

static int open_folder(DiskCache *cache) {
  FolderState state;
  const int folder = folder_open(cache->folder, &state);
  if (folder < 0 && state != FOLDER_MISSING)
    atomic_store(&cache->refused, (int)state);
  if (folder >= 0 && !cache->read_only &&
      !atomic_exchange(&cache->tidied, true))
    replace_sweep(folder, "");
  return folder;
}

// Reads the entry of a key from a slot.
static bool read_slot(int folder, Bytes key, int slot, bool marks, Arena *arena,
                      Entry *out) {
  char name[ENTRY_NAME];
  entry_name(key, slot, name);
  const Bytes file = folder_read(folder, name, marks, arena);
  return file.data && entry_read(file, arena, out) && bytes_same(out->key, key);
}

static bool is_current(const Entry *entry, FileReads *reads, Arena *arena) {
  for (size_t i = 0; i < entry->num_files; i++) {
    if (!reads_match(reads, &entry->files[i], arena)) return false;
  }
  return true;
}

bool disk_find(DiskCache *cache, Bytes key, FileReads *reads, Arena *arena,
               Entry *out) {
  int *folder = arena_new(arena, int);
  *folder = -1; // opened behind arena_defer(), which may fail
  ArenaCleanup *cleanup = arena_defer(arena, folder_close, folder);
  *folder = open_folder(cache);
  bool found = false;
  for (int slot = 0; *folder >= 0 && slot < ENTRY_SLOTS && !found; slot++)
    found = read_slot(*folder, key, slot, !cache->read_only, arena, out) &&
            is_current(out, reads, arena);
  arena_cleanup_now(cleanup);
  return found;
}

// -- Keeping -----------------------------------------------------------------

// Entries are spread evenly over the shards. So all shards are read only if
// this one is larger than its share of the limit.
static void make_room(const DiskCache *cache, int folder, const char *name,
                      Arena *arena) {
  if (sweep_shard_size(folder, name, arena) > cache->limit / NUM_SHARDS)
    sweep_evict(folder, cache->limit, name, arena);
}

// Chooses an empty slot, or a slot whose entry the new entry replaces; if all
// slots hold entries for other texts of the imports, any slot.
static int choose_slot(int folder, Bytes key, Bytes file, Arena *arena) {
  Entry entry, other;
  if (!entry_read(file, arena, &entry)) return 0;
  for (int slot = 0; slot < ENTRY_SLOTS; slot++) {
    if (!read_slot(folder, key, slot, false, arena, &other) ||
        entry_same_files(&entry, &other))
      return slot;
  }
  return digest_of(file.data, file.size).bytes[0] % ENTRY_SLOTS;
}

typedef struct {
  const DiskCache *cache;
  Bytes key, file;
  int folder;
  Arena *arena;
  bool ok;
} Put;

static void put_body(void *data) {
  Put *put = data;
  char name[ENTRY_NAME];
  const int slot = choose_slot(put->folder, put->key, put->file, put->arena);
  entry_name(put->key, slot, name);
  put->ok = folder_write(put->folder, name, put->file);
  const int error = errno;
  if (put->ok) make_room(put->cache, put->folder, name, put->arena);
  errno = error;
}

bool disk_keep(DiskCache *cache, Bytes key, Bytes file, Arena *arena) {
  if (cache->read_only || file.size > cache->limit) return true;
  int folder = open_folder(cache);
  if (folder < 0 && !atomic_load(&cache->refused)) {
    if (!folder_make(cache->folder)) return false;
    folder = open_folder(cache);
  }
  if (folder < 0) return true;
  Put put = {cache, key, file, folder, arena, false};
  arena_protect(arena, put_body, &put);
  const int error = errno;
  close(folder);
  errno = error;
  return put.ok;
}

TileStatus disk_tell(DiskCache *cache, const Report *report) {
  const int refused = atomic_load(&cache->refused);
  if (!refused || atomic_exchange(&cache->told, true)) return TILE_OK;
  return report_warning(report, folder_warning((FolderState)refused),
                        cache->folder);
}
