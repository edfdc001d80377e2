// test_disk_folder -- the folder of the cache on disk: its owner, its size, the
// order of removal, and many processes that write.
//
// Backs I4 and I5 of runtime/disk.
#define _GNU_SOURCE // mkdtemp, nftw, flock
#include "tests/unit/runtime/desk.h"

#include "tests/tools/open_files.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

// -- The folder --------------------------------------------------------------

static void expect_warning(Desk *d, const char *wanted) {
  TileDiagnostics *why = NULL;
  const Report report = {&system_allocator, &why, 0};
  assert_int_equal(disk_tell(d->disk, &report), TILE_OK);
  if (!strstr(tile_diagnostics_text(why), wanted))
    fail_msg("'%s' lacks '%s'", tile_diagnostics_text(why), wanted);
  tile_diagnostics_destroy(why);
  why = NULL;
  assert_int_equal(disk_tell(d->disk, &report), TILE_OK);
  assert_null(why); // once
}

static void test_a_folder_that_others_may_write_in(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  keep(d, key);
  assert_int_equal(chmod(d->cache, 0770), 0);
  assert_false(is_found(d, key));
  expect_warning(d, "other users may write");
  assert_int_equal(chmod(d->cache, 0755), 0);
  assert_true(is_found(d, key));
}

static void test_a_folder_of_another_user(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  if (geteuid()) skip();
  keep(d, key);
  assert_int_equal(chown(d->cache, 12345, 12345), 0);
  assert_false(is_found(d, key));
  expect_warning(d, "another user's");
  assert_true(disk_keep(d->disk, key, file_of(d, key), &d->arena));
}

static void entry_path(Desk *d, Bytes key, char *path, size_t size) {
  char name[ENTRY_NAME];
  entry_name(key, 0, name);
  snprintf(path, size, "%s/%s", d->cache, name);
}

static void test_a_file_of_another_kind(void **state) {
  Desk *d = *state;
  char path[256], target[256];
  const Bytes key = some_key(d);
  keep(d, key);
  entry_path(d, key, path, sizeof path);
  assert_int_equal(chmod(path, 0602), 0);
  assert_false(is_found(d, key));
  assert_int_equal(chmod(path, 0600), 0);
  assert_true(is_found(d, key));
  snprintf(target, sizeof target, "%s/elsewhere", d->folder);
  assert_int_equal(rename(path, target), 0);
  assert_int_equal(symlink(target, path), 0);
  assert_false(is_found(d, key));
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_false(is_found(d, key)); // does not wait
}

static void test_a_folder_that_cannot_be_made(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  write_file(d, "cache", ""); // a file is in its place
  assert_false(is_found(d, key));
  expect_warning(d, "cannot be opened");
  assert_true(disk_keep(d->disk, key, file_of(d, key), &d->arena));
}

static void test_a_cache_that_is_read_only(void **state) {
  Desk *d = *state;
  struct stat before, after;
  char path[256];
  const Bytes key = some_key(d);
  open_disk(d, 0, true);
  keep(d, key);
  assert_int_equal(access(d->cache, F_OK), -1);
  open_disk(d, 0, false);
  keep(d, key);
  entry_path(d, key, path, sizeof path);
  const struct timespec old[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, path, old, 0);
  open_disk(d, 0, true);
  assert_int_equal(stat(path, &before), 0);
  assert_true(is_found(d, key));
  assert_int_equal(stat(path, &after), 0);
  assert_int_equal(before.st_mtime, after.st_mtime);
}

// -- A disk that is full -----------------------------------------------------

static void test_a_full_disk(void **state) {
  Desk *d = *state;
  const Bytes key = some_key(d);
  const Bytes file = file_of(d, key);
  for (size_t room = 0; room < file.size; room += file.size / 7) {
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit now = {room, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
    const bool ok = disk_keep(d->disk, key, file, &d->arena);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(ok);
    assert_false(is_found(d, key));
    assert_int_equal(count_files(d), 0); // nothing is left
  }
  keep(d, key);
  assert_true(is_found(d, key));
}

// -- Order of removal --------------------------------------------------------

static Bytes numbered_key(Desk *d, int number) {
  DiskInputs inputs = some_inputs(d);
  inputs.config = number;
  return inputs_key(&inputs, &d->arena);
}

static void use_at(Desk *d, Bytes key, time_t when) {
  char path[256];
  entry_path(d, key, path, sizeof path);
  const struct timespec times[2] = {{when, 0}, {when, 0}};
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_what_was_not_used_goes_first(void **state) {
  Desk *d = *state;
  const time_t day = 86400, now = time(NULL);
  const size_t size = file_of(d, numbered_key(d, 0)).size;
  for (int i = 0; i < 10; i++) {
    keep(d, numbered_key(d, i));
    use_at(d, numbered_key(d, i), now - (10 - i) * day);
  }
  assert_true(is_found(d, numbered_key(d, 0))); // counts as a use
  open_disk(d, 10 * size, false);
  keep(d, numbered_key(d, 10));
  assert_int_equal(count_files(d), 8); // four fifths
  assert_true(is_found(d, numbered_key(d, 0)));
  for (int i = 1; i < 4; i++) assert_false(is_found(d, numbered_key(d, i)));
  for (int i = 4; i < 11; i++) assert_true(is_found(d, numbered_key(d, i)));
}

// A file that was used before the clock was set back counts as not used since.
static void test_the_clock_is_set_back(void **state) {
  Desk *d = *state;
  const time_t year = 365 * 86400, now = time(NULL);
  const size_t size = file_of(d, numbered_key(d, 0)).size;
  for (int i = 0; i < 10; i++) {
    keep(d, numbered_key(d, i));
    use_at(d, numbered_key(d, i), i < 5 ? now + year : now - 3 * 3600);
  }
  assert_true(is_found(d, numbered_key(d, 0))); // found now
  open_disk(d, 10 * size, false);
  keep(d, numbered_key(d, 10));
  assert_true(is_found(d, numbered_key(d, 0)));
  int left = 0;
  for (int i = 1; i < 5; i++) left += is_found(d, numbered_key(d, i));
  assert_int_equal(left, 1);
  for (int i = 5; i < 11; i++) assert_true(is_found(d, numbered_key(d, i)));
}

static void test_an_entry_larger_than_all(void **state) {
  Desk *d = *state;
  keep(d, numbered_key(d, 0));
  open_disk(d, 10, false);
  keep(d, numbered_key(d, 1));
  assert_int_equal(count_files(d), 1);
}

static int make_aside(Desk *d, const char *name) {
  const char *path = arena_printf(&d->arena, "%s/%s", d->cache, name);
  const int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  assert_true(file >= 0);
  return file;
}

static void expect_there(Desk *d, const char *name, bool is_there) {
  const char *path = arena_printf(&d->arena, "%s/%s", d->cache, name);
  assert_int_equal(access(path, F_OK), is_there ? 0 : -1);
}

// Files of a process that was killed, of one that is writing, and files that
// are not the cache's.
static void test_what_was_left_behind(void **state) {
  Desk *d = *state;
  keep(d, numbered_key(d, 0));
  close(make_aside(d, "tile-tmp-1-2-3"));
  const int written = make_aside(d, "tile-tmp-4-5-6");
  close(make_aside(d, "tile-tmp-notes"));
  assert_int_equal(flock(written, LOCK_EX), 0);
  assert_int_equal(count_files(d), 3); // "tile-tmp-notes" is not its own
  assert_true(is_found(d, numbered_key(d, 0)));
  expect_there(d, "tile-tmp-1-2-3", true); // this process has looked before
  open_disk(d, 0, true);
  assert_true(is_found(d, numbered_key(d, 0)));
  expect_there(d, "tile-tmp-1-2-3", true); // the file is only read
  open_disk(d, 0, false);
  assert_true(is_found(d, numbered_key(d, 0)));
  expect_there(d, "tile-tmp-1-2-3", false);
  expect_there(d, "tile-tmp-4-5-6", true);
  expect_there(d, "tile-tmp-notes", true);
  FolderState folder_state;
  const int folder = folder_open(d->cache, &folder_state);
  assert_int_equal(sweep_clear(folder, &d->arena).removed, 2);
  close(folder);
  close(written);
  assert_int_equal(count_files(d), 0);
  expect_there(d, "tile-tmp-notes", true);
}

// -- Processes ---------------------------------------------------------------

enum { NUM_WRITERS = 8, NUM_KEYS = 5 };

static void write_for_ever(Desk *d) {
  for (int i = 0;; i++) {
    const Bytes key = numbered_key(d, i % NUM_KEYS);
    disk_keep(d->disk, key, file_of(d, key), &d->arena);
  }
}

static void expect_sound(Desk *d) {
  FolderState state;
  DiskFiles files = {0};
  Entry entry;
  const int folder = folder_open(d->cache, &state);
  assert_true(folder >= 0);
  sweep_list(folder, &d->arena, &files);
  for (size_t i = 0; i < files.count; i++) {
    if (files.items[i].is_writing || files.items[i].is_stray) continue;
    const Bytes file =
        folder_read(folder, files.items[i].name, false, &d->arena);
    assert_true(file.data && entry_read(file, &d->arena, &entry));
  }
  close(folder);
}

// At any time at which a writer is killed, each entry is complete.
static void test_writers_that_are_killed(void **state) {
  Desk *d = *state;
  keep(d, numbered_key(d, 0)); // the folder is there, however early they end
  for (int round = 0; round < 10; round++) {
    pid_t writers[NUM_WRITERS];
    for (int i = 0; i < NUM_WRITERS; i++) {
      writers[i] = fork();
      if (!writers[i]) write_for_ever(d);
    }
    nanosleep(&(struct timespec){0, 5000000 + 700000 * round}, NULL);
    for (int i = 0; i < NUM_WRITERS; i++) {
      kill(writers[i], SIGKILL);
      waitpid(writers[i], NULL, 0);
    }
    expect_sound(d);
  }
  open_disk(d, 0, false);
  for (int i = 0; i < NUM_KEYS; i++)
    assert_true(is_found(d, numbered_key(d, i)));
  assert_int_equal(count_files(d), NUM_KEYS); // nothing is left behind
}

// -- The folder's place ------------------------------------------------------

static void expect_place(const char *asked, const char *wanted) {
  bool failed;
  char *place = disk_folder(&system_allocator, asked, &failed);
  assert_false(failed);
  if (wanted)
    assert_string_equal(place, wanted);
  else
    assert_null(place);
  free(place);
}

static void test_where_it_is(void **state) {
  Desk *d = *state;
  char here[4096];
  setenv("HOME", "/home/someone", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("TILE_CACHE_DIR");
  expect_place(NULL, NULL);
  expect_place("off", NULL);
  expect_place("/a/b", "/a/b");
  expect_place("", "/home/someone/.cache/tile");
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  expect_place("", "/home/someone/.cache/tile");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  expect_place("", "/xdg/tile");
  setenv("TILE_CACHE_DIR", "", 1);
  expect_place("", "/xdg/tile");
  setenv("TILE_CACHE_DIR", "/mine", 1);
  expect_place("", "/mine");
  expect_place("/a/b", "/a/b");
  setenv("TILE_CACHE_DIR", "off", 1);
  expect_place("", NULL);
  unsetenv("TILE_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  expect_place("", NULL);
  assert_non_null(getcwd(here, sizeof here));
  expect_place("here", arena_printf(&d->arena, "%s/here", here));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_a_folder_that_others_may_write_in),
      TEST(test_a_folder_of_another_user),
      TEST(test_a_file_of_another_kind),
      TEST(test_a_folder_that_cannot_be_made),
      TEST(test_a_cache_that_is_read_only),
      TEST(test_a_full_disk),
      TEST(test_what_was_not_used_goes_first),
      TEST(test_the_clock_is_set_back),
      TEST(test_an_entry_larger_than_all),
      TEST(test_what_was_left_behind),
      TEST(test_writers_that_are_killed),
      TEST(test_where_it_is),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
