// open_files.h -- the number of files that the process has open: it is the same
// before and after a group of tests.
#ifndef TILE_TESTS_OPEN_FILES_H
#define TILE_TESTS_OPEN_FILES_H

#include <dirent.h>
#include <stdio.h>

static inline int num_open_files(void) {
  DIR *dir = opendir("/proc/self/fd");
  int count = 0;
  while (dir && readdir(dir)) count++;
  if (dir) closedir(dir);
  return count;
}

static int open_files_before;

static inline int count_open_files(void **state) {
  (void)state;
  open_files_before = num_open_files();
  return 0;
}

// The result of a group of tests; cmocka forgets that of a group's teardown.
static inline int same_open_files(int failed) {
  const int more = num_open_files() - open_files_before;
  if (more) fprintf(stderr, "%d files more are open than before\n", more);
  return failed ? failed : more;
}

#define RUN_TESTS_WITH_FILES(tests)                                            \
  same_open_files(cmocka_run_group_tests(tests, count_open_files, NULL))

#endif
