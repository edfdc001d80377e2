// test_cache_files -- files of a cache that are broken, not to be trusted, only
// read, or written by many processes at once.
#define _GNU_SOURCE // mkdtemp, nftw
#include "tests/runtime/cache_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -- Broken entries ----------------------------------------------------------

static void flip(const char *path, long at) {
  FILE *file = fopen(path, "r+");
  assert_non_null(file);
  fseek(file, at, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 0x10, file);
  fclose(file);
}

static void test_broken_entries_are_made_anew(void **state) {
  (void)state;
  struct stat info;
  const Job job = copy_job();
  run(&job);
  assert_int_equal(count_files(), 1);
  assert_int_equal(stat(files[0], &info), 0);
  const long size = (long)info.st_size;
  for (long at = 3; at < size; at += size / 12) {
    flip(files[0], at);
    const int before = num_compiled;
    assert_true(run(&job) == 2.0f);
    assert_int_equal(num_compiled, before + 1);
    assert_true(run(&job) == 2.0f);
    assert_int_equal(num_compiled, before + 1);
  }
  for (long left = 0; left < size; left += size / 3) {
    assert_int_equal(truncate(files[0], left), 0);
    const int before = num_compiled;
    assert_true(run(&job) == 2.0f);
    assert_int_equal(num_compiled, before + 1);
  }
  assert_int_equal(count_files(), 1);
}

static void test_a_folder_that_is_not_trusted(void **state) {
  (void)state;
  const Job job = copy_job();
  run(&job);
  assert_int_equal(chmod(cache, 0777), 0);
  assert_true(run(&job) == 2.0f);
  assert_int_equal(num_loaded, 0);
  assert_non_null(strstr(said, "warning: the folder '"));
  assert_int_equal(chmod(cache, 0700), 0);
  assert_true(run(&job) == 2.0f);
  assert_int_equal(num_loaded, 1);
  assert_string_equal(said, "");
}

static void test_read_only(void **state) {
  (void)state;
  Job job = copy_job();
  job.read_only = true;
  run(&job);
  assert_int_equal(count_files(), 0);
  job.read_only = false;
  run(&job);
  job.read_only = true;
  assert_false(compiles(&job));
}

// -- Processes ---------------------------------------------------------------

// All compile, or load the code that another one has written.
static void test_processes_that_race(void **state) {
  (void)state;
  enum { MOST = 200 };
  pid_t children[MOST];
  const int count = getenv("TILE_TEST_FULL") ? MOST : 20;
  const Job job = copy_job();
  for (int i = 0; i < count; i++) {
    children[i] = fork();
    assert_true(children[i] >= 0);
    if (!children[i]) _exit(run(&job) == 2.0f ? 0 : 1);
  }
  for (int i = 0; i < count; i++) expect_child(children[i]);
  assert_int_equal(count_files(), 1); // nothing was left aside
  assert_true(run(&job) == 2.0f);
  assert_int_equal(num_loaded, 1);
}

int main(void) {
  setenv("TILE_NUM_THREADS", "1", 1);
  const struct CMUnitTest tests[] = {
      TEST(test_broken_entries_are_made_anew),
      TEST(test_a_folder_that_is_not_trusted),
      TEST(test_read_only),
      TEST(test_processes_that_race),
  };
  return RUN_TESTS_WITH_FILES(tests);
}
