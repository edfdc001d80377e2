// test_replace -- files that are replaced at once, and files left behind by
// killed processes.
#define _GNU_SOURCE // mkdtemp, flock, syscall
#include "runtime/base/file.h"
#include "runtime/base/replace.h"
#include "tests/unit/runtime/no_locks.h"

#include "tests/tools/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
  char path[64];
  int folder;
} Place;

static Place make_place(void) {
  Place place = {.path = "/tmp/test_replace.XXXXXX"};
  assert_non_null(mkdtemp(place.path));
  place.folder = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true(place.folder >= 0);
  return place;
}

static int count_files(const Place *place) {
  int count = 0;
  DIR *stream = opendir(place->path);
  for (struct dirent *at; (at = readdir(stream));) count += *at->d_name != '.';
  closedir(stream);
  return count;
}

static void drop_place(Place *place) {
  DIR *stream = opendir(place->path);
  for (struct dirent *at; (at = readdir(stream));)
    unlinkat(place->folder, at->d_name, 0);
  closedir(stream);
  close(place->folder);
  assert_int_equal(rmdir(place->path), 0);
}

static void expect_text(const Place *place, const char *name,
                        const char *wanted) {
  char text[64] = "";
  const int file = openat(place->folder, name, O_RDONLY | O_CLOEXEC);
  assert_true(file >= 0);
  assert_true(read(file, text, sizeof text - 1) >= 0);
  close(file);
  assert_string_equal(text, wanted);
}

static bool put(const Place *place, const char *name, const char *text) {
  return replace_file(place->folder, "", name, 0600, text, strlen(text));
}

// -- One process -------------------------------------------------------------

static void test_a_file_is_replaced(void **state) {
  (void)state;
  Place place = make_place();
  assert_true(put(&place, "a", "one"));
  assert_true(put(&place, "a", "two"));
  expect_text(&place, "a", "two");
  assert_int_equal(count_files(&place), 1);
  drop_place(&place);
}

static void test_a_file_that_cannot_be(void **state) {
  (void)state;
  Place place = make_place();
  assert_false(put(&place, "no/a", "one"));
  assert_int_equal(errno, ENOENT);
  assert_int_equal(mkdirat(place.folder, "d", 0700), 0);
  assert_false(put(&place, "d", "one"));
  assert_int_equal(errno, EISDIR);
  assert_int_equal(unlinkat(place.folder, "d", AT_REMOVEDIR), 0);
  assert_int_equal(count_files(&place), 0);
  drop_place(&place);
}

// Both writes of a file reach the size limit; its signal has no effect.
static void test_no_room(void **state) {
  (void)state;
  Place place = make_place();
  char path[80], why[256];
  snprintf(path, sizeof path, "%s/out", place.path);
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){2, before.rlim_max});
  const bool plain = put(&place, "a", "one");
  const bool tools = file_write(NULL, path, "one", 3, why, sizeof why);
  setrlimit(RLIMIT_FSIZE, &before);
  assert_false(plain);
  assert_false(tools);
  assert_non_null(strstr(why, "too large"));
  assert_int_equal(count_files(&place), 0);
  drop_place(&place);
}

static void test_names(void **state) {
  (void)state;
  assert_true(replace_is_aside("", "tile-tmp-1-2-3"));
  assert_true(replace_is_aside("x.o.", "x.o.tile-tmp-1-2-3"));
  assert_false(replace_is_aside("", "x.o.tile-tmp-1-2-3"));
  assert_false(replace_is_aside("x.", "x.o.tile-tmp-1-2-3"));
  assert_false(replace_is_aside("", "tile-tmp-"));
  assert_false(replace_is_aside("", "tile-tmp-notes"));
  assert_false(replace_is_aside("", "tile-tmp"));
  assert_false(replace_is_aside("", "tile-tmp-1-2"));
  assert_false(replace_is_aside("", "tile-tmp-1-2-"));
  assert_false(replace_is_aside("", "tile-tmp-1-2-3-4"));
  assert_false(replace_is_aside("", "tile-tmp-1--3"));
  assert_false(replace_is_aside("", "tmp-2026-11-29"));
}

// -- Processes that are killed -----------------------------------------------

static int make_aside(const Place *place, const char *name) {
  const int file =
      openat(place->folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  assert_true(file >= 0);
  return file;
}

static void test_what_is_left(void **state) {
  (void)state;
  Place place = make_place();
  close(make_aside(&place, "tile-tmp-1-1-0"));
  const int other = make_aside(&place, "tile-tmp-2-2-0");
  assert_int_equal(flock(other, LOCK_EX), 0);
  assert_int_equal(mkfifoat(place.folder, "tile-tmp-3-3-0", 0600), 0);
  assert_int_equal(symlinkat("/dev/null", place.folder, "tile-tmp-4-4-0"), 0);
  close(make_aside(&place, "x.tile-tmp-5-5-0"));
  assert_true(replace_is_left(place.folder, "tile-tmp-1-1-0"));
  assert_false(replace_is_left(place.folder, "tile-tmp-2-2-0"));
  assert_int_equal(replace_sweep(place.folder, ""), 1);
  assert_int_equal(replace_sweep(place.folder, "x."), 1);
  assert_int_equal(count_files(&place), 3);
  close(other);
  assert_int_equal(replace_sweep(place.folder, ""), 1);
  assert_int_equal(replace_sweep(place.folder, "none/x."), 0);
  drop_place(&place);
}

static void set_age(const Place *place, const char *name, time_t age) {
  const time_t when = time(NULL) - age;
  const struct timespec times[2] = {{when, 0}, {when, 0}};
  assert_int_equal(utimensat(place->folder, name, times, 0), 0);
}

// Without locks the age decides, by the clock of the file system.
static void test_left_without_locks(void **state) {
  (void)state;
  Place place = make_place();
  const char *const names[] = {"tile-tmp-1-1-0", "tile-tmp-2-2-0",
                               "tile-tmp-3-3-0"};
  has_no_locks = true;
  assert_true(put(&place, "a", "one"));
  for (int i = 0; i < 3; i++) {
    close(make_aside(&place, names[i]));
    set_age(&place, names[i], (i - 1) * 7200);
  }
  assert_false(replace_is_left(place.folder, names[1]));
  assert_int_equal(replace_sweep(place.folder, ""), 2);
  has_no_locks = false;
  assert_int_equal(replace_sweep(place.folder, ""), 1);
  assert_int_equal(count_files(&place), 1);
  drop_place(&place);
}

// A file that a killed tool left beside its output is removed by the next tool.
static void test_an_output(void **state) {
  (void)state;
  Place place = make_place();
  char path[80], why[256];
  snprintf(path, sizeof path, "%s/out", place.path);
  close(make_aside(&place, "out.tile-tmp-1-1-0"));
  close(make_aside(&place, "out2.tile-tmp-1-1-0"));
  assert_true(file_write(NULL, path, "one", 3, why, sizeof why));
  expect_text(&place, "out", "one");
  assert_int_equal(count_files(&place), 2);
  drop_place(&place);
}

// A process lists a folder once, for all files that it writes there.
static void test_listed_once(void **state) {
  (void)state;
  Place place = make_place();
  Arena arena;
  char path[80], why[256];
  arena_init(&arena, &system_allocator);
  ReplaceLists lists = {.arena = &arena};
  static const char *const names[] = {"out", "out2", "out"};
  static const int left[] = {2, 2, 3}; // files, with files left by others
  close(make_aside(&place, "out.tile-tmp-1-1-0"));
  close(make_aside(&place, "out2.tile-tmp-1-1-0"));
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", place.path, names[i]);
    assert_true(file_write(&lists, path, "one", 3, why, sizeof why));
    assert_int_equal(count_files(&place), left[i]);
    if (i == 1) close(make_aside(&place, "out.tile-tmp-2-2-0"));
  }
  assert_int_equal(lists.folders.count, 1);
  arena_free(&arena);
  drop_place(&place);
}

static void test_a_long_name(void **state) {
  (void)state;
  Place place = make_place();
  char path[400], why[512];
  snprintf(path, sizeof path, "%s/%0255d", place.path, 7);
  assert_true(file_write(NULL, path, "one", 3, why, sizeof why));
  assert_int_equal(count_files(&place), 1);
  drop_place(&place);
}

enum { NUM_WRITERS = 6, NUM_ROUNDS = 10 };

// One process writes, and another removes files that were left behind: neither
// fails.
static void write_and_sweep(const Place *place) {
  for (int i = 0;; i++) {
    if (!put(place, "a", "one")) _exit(1);
    if (i % 2) replace_sweep(place->folder, "");
  }
}

static void test_writers_that_are_killed(void **state) {
  (void)state;
  Place place = make_place();
  for (int round = 0; round < NUM_ROUNDS; round++) {
    pid_t writers[NUM_WRITERS];
    for (int i = 0; i < NUM_WRITERS; i++) {
      writers[i] = fork();
      if (!writers[i]) write_and_sweep(&place);
    }
    nanosleep(&(struct timespec){0, 5000000 + 700000 * round}, NULL);
    for (int i = 0; i < NUM_WRITERS; i++) {
      int status;
      kill(writers[i], SIGKILL);
      assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
      assert_true(WIFSIGNALED(status)); // no write failed
    }
  }
  replace_sweep(place.folder, "");
  assert_int_equal(count_files(&place), 1);
  expect_text(&place, "a", "one");
  drop_place(&place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_file_is_replaced),
      cmocka_unit_test(test_a_file_that_cannot_be),
      cmocka_unit_test(test_no_room),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_what_is_left),
      cmocka_unit_test(test_left_without_locks),
      cmocka_unit_test(test_an_output),
      cmocka_unit_test(test_listed_once),
      cmocka_unit_test(test_a_long_name),
      cmocka_unit_test(test_writers_that_are_killed),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
