// folder.c -- a folder of tuned files.
//
// A store has an arena of its own, which grows with each file that is read
// and each entry that is kept.
#include "runtime/tuned/lock.h"
#include "runtime/tuned/tuned.h"

#include "ir/base/base.h"
#include "runtime/base/base.h"
#include "runtime/disk/disk.h"
#include "runtime/disk/sweep.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct TunedStore {
  const Allocator *from;
  char *folder;
  pthread_mutex_t lock;
  Arena arena; // used under the lock, as are the other fields
  Vec(TunedFile *) files;
  bool is_tidied;      // files of killed processes are removed
  FolderState refused; // why the folder is not used; FINE: it is used
  bool is_told;
};

// -- The store ---------------------------------------------------------------

static char *join_path(const Allocator *from, const char *folder,
                       const char *rest) {
  const size_t size = strlen(folder) + strlen(rest) + 1;
  char *path = from->alloc(from->ctx, size);
  if (path) snprintf(path, size, "%s%s", folder, rest);
  return path;
}

// NULL with `*failed` false: no folder is wanted.
static char *folder_of(const Allocator *from, const char *asked, bool *failed) {
  char *folder = disk_folder(from, asked, failed);
  if (!folder || *asked) return folder;
  char *inner = join_path(from, folder, "/tuned");
  from->free(from->ctx, folder);
  *failed = !inner;
  return inner;
}

bool tuned_open(const Allocator *from, const char *folder, TunedStore **out) {
  bool failed;
  *out = NULL;
  char *path = folder_of(from, folder, &failed);
  if (!path) return !failed;
  TunedStore *store = from->alloc(from->ctx, sizeof *store);
  if (!store) {
    from->free(from->ctx, path);
    return false;
  }
  *store = (TunedStore){.from = from, .folder = path};
  pthread_mutex_init(&store->lock, NULL);
  arena_init(&store->arena, from);
  *out = store;
  return true;
}

void tuned_close(TunedStore *store) {
  if (!store) return;
  const Allocator *from = store->from;
  arena_free(&store->arena);
  pthread_mutex_destroy(&store->lock);
  from->free(from->ctx, store->folder);
  from->free(from->ctx, store);
}

const char *tuned_folder(const TunedStore *store) {
  return store->folder;
}

// -- Files -------------------------------------------------------------------

static bool same_name(const TunedName *a, const TunedName *b) {
  return !strcmp(a->kernel, b->kernel) && !strcmp(a->source, b->source) &&
         !strcmp(a->device, b->device);
}

// Removes files of killed processes, once for each store: a look-up of another
// kernel need not list the folder.
static void tidy(TunedStore *store, int folder) {
  if (!store->is_tidied) replace_sweep(folder, "");
  store->is_tidied = true;
}

// NULL: there is no file, or the folder is not to be trusted.
static Bytes read_bytes(TunedStore *store, const TunedName *name) {
  Arena *arena = &store->arena;
  Bytes bytes = {NULL, 0};
  FolderState state;
  int *folder = arena_new(arena, int);
  *folder = -1; // opened behind arena_defer(), which may fail
  ArenaCleanup *cleanup = arena_defer(arena, folder_close, folder);
  *folder = folder_open(store->folder, &state);
  if (*folder < 0 && state != FOLDER_MISSING) store->refused = state;
  if (*folder >= 0) tidy(store, *folder);
  if (*folder >= 0)
    bytes = folder_read(*folder, tuned_file_name(arena, name), false, arena);
  arena_cleanup_now(cleanup);
  return bytes;
}

static bool read_file(TunedStore *store, const TunedName *name,
                      TunedFile *out) {
  const Bytes bytes = read_bytes(store, name);
  return bytes.data && tuned_read(&store->arena, bytes.data, bytes.size, out) &&
         same_name(&out->name, name);
}

static TunedName copy_name(Arena *arena, const TunedName *name) {
  return (TunedName){arena_strdup(arena, name->kernel),
                     arena_strdup(arena, name->source),
                     arena_strdup(arena, name->device)};
}

static TunedFile *file_of(TunedStore *store, const TunedName *name) {
  Arena *arena = &store->arena;
  for (size_t i = 0; i < store->files.count; i++) {
    if (same_name(&store->files.items[i]->name, name))
      return store->files.items[i];
  }
  TunedFile *file = arena_new(arena, TunedFile);
  if (!read_file(store, name, file))
    *file = (TunedFile){.name = copy_name(arena, name)};
  vec_push(arena, &store->files, file);
  return file;
}

// -- Entries -----------------------------------------------------------------

typedef struct {
  TunedStore *store;
  const TunedName *name;
  const char *key;
  TunedEntry found;        // a copy of the store's; choice NULL: none
  const TunedEntry *entry; // the entry to keep; or
  const TunedFile *file;   // the file to join
  TunedLock lock;
  char *why;
  size_t why_size;
  bool is_kept;
  size_t num_added; // entries of `file` that are new, or quicker
} FolderWork;

static bool protect(FolderWork *work, void (*body)(void *data)) {
  pthread_mutex_lock(&work->store->lock);
  const bool ok = arena_protect(&work->store->arena, body, work);
  pthread_mutex_unlock(&work->store->lock);
  return ok;
}

static void find_body(void *data) {
  FolderWork *work = data;
  const TunedFile *file = file_of(work->store, work->name);
  for (size_t i = 0; i < file->entries.count; i++) {
    if (!strcmp(file->entries.items[i].key, work->key))
      work->found = file->entries.items[i];
  }
}

const char *tuned_find(TunedStore *store, const TunedName *name,
                       const char *key, Arena *arena, bool *is_point) {
  FolderWork work = {.store = store, .name = name, .key = key};
  if (!protect(&work, find_body) || !work.found.choice) return NULL;
  *is_point = work.found.is_point;
  return arena_strdup(arena, work.found.choice); // the store's
}

TileStatus tuned_tell(TunedStore *store, const Report *report) {
  pthread_mutex_lock(&store->lock);
  const FolderState refused = store->is_told ? FOLDER_FINE : store->refused;
  store->is_told = store->is_told || refused;
  pthread_mutex_unlock(&store->lock);
  if (!refused) return TILE_OK;
  return report_warning(report, folder_warning(refused), store->folder);
}

static bool fail(const FolderWork *work, const char *reason) {
  snprintf(work->why, work->why_size, "cannot write into %s: %s",
           work->store->folder, reason);
  return false;
}

static const char *reason_of(FolderState state) {
  return state == FOLDER_FOREIGN  ? "it belongs to another user"
         : state == FOLDER_SHARED ? "other users may write in it"
                                  : strerror(errno);
}

// Notes the results in this process, whether they were written or not.
static void note(FolderWork *work, TunedFile *file) {
  Arena *arena = &work->store->arena;
  if (work->file) work->num_added += tuned_join(arena, file, work->file);
  if (work->entry) tuned_set(arena, file, work->entry);
}

// Joins the entries that other processes have left there.  Only the user may
// write the file, whatever the umask is: files of other users are not read.
static bool write_joined(FolderWork *work, TunedFile *file) {
  TunedStore *store = work->store;
  Arena *arena = &store->arena;
  TunedFile now;
  if (read_file(store, work->name, &now)) tuned_join(arena, file, &now);
  note(work, file);
  assert(same_name(&file->name, work->name) && "another file"); // I3
  const char *name = tuned_file_name(arena, &file->name);
  const Bytes bytes = bytes_of_text(tuned_write(arena, file));
  return folder_write_plain(work->lock.folder, name, bytes) ||
         fail(work, strerror(errno));
}

static void note_body(void *data) {
  FolderWork *work = data;
  note(work, file_of(work->store, work->name));
}

static void write_body(void *data) {
  FolderWork *work = data;
  work->is_kept = write_joined(work, file_of(work->store, work->name));
}

// Makes the folder if there is an entry to keep.  The store is unlocked
// meanwhile: a look-up does not wait for other writers.
static bool lock_folder(FolderWork *work) {
  const char *path = work->store->folder;
  FolderState state;
  if (!folder_make(path)) return fail(work, strerror(errno));
  work->lock.folder = folder_open(path, &state);
  if (work->lock.folder < 0) return fail(work, reason_of(state));
  return tuned_lock(&work->lock) ||
         fail(work, "another process is writing there and does not end");
}

// If memory runs out, the folder is closed and unlocked, too.
static TunedResult keep(FolderWork *work) {
  assert(!work->entry != !work->file && "one of both is kept"); // I4
  work->lock = (TunedLock){-1, -1};
  bool ok = protect(work, note_body);
  if (ok && lock_folder(work)) ok = protect(work, write_body);
  tuned_unlock(&work->lock);
  if (work->lock.folder >= 0) close(work->lock.folder);
  if (!ok) return TUNED_NO_MEMORY;
  return work->is_kept ? TUNED_KEPT : TUNED_NOT_KEPT;
}

TunedResult tuned_keep(TunedStore *store, const TunedName *name,
                       const TunedEntry *entry, char *why, size_t why_size) {
  FolderWork work = {.store = store,
                     .name = name,
                     .entry = entry,
                     .why = why,
                     .why_size = why_size};
  return keep(&work);
}

TunedResult tuned_merge(TunedStore *store, const TunedFile *file,
                        size_t *num_added, char *why, size_t why_size) {
  FolderWork work = {.store = store,
                     .name = &file->name,
                     .file = file,
                     .why = why,
                     .why_size = why_size};
  const TunedResult result = keep(&work);
  *num_added += work.num_added;
  return result;
}
