// test_run_threads -- the number of threads that run programs, by affinity and
// by the quotas of control groups; a directory of the test stands for these.
//
// Backs I2 of runtime/base.
#define _GNU_SOURCE // sched_setaffinity, mkdtemp, nftw
#include "runtime/base/threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

static int remove_one(const char *path, const struct stat *about, int kind,
                      struct FTW *where) {
  (void)about, (void)kind, (void)where;
  return remove(path);
}

static int set_up(void **state) {
  (void)state;
  snprintf(root, sizeof root, "/tmp/run-threads-XXXXXX");
  return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

// Makes the directories on the way, too.
static void put(const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s%s", root, name);
  for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/'));) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash++ = '/';
  }
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int affinity(void) {
  cpu_set_t set;
  assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
  return CPU_COUNT(&set);
}

static void expect(int quota) {
  const int most = affinity();
  assert_int_equal(threads_processors(root), quota < most ? quota : most);
}

static void test_no_groups(void **state) {
  (void)state;
  expect(MAX_RUN_THREADS);
  put("/proc/self/cgroup", "nonsense\n");
  put("/proc/self/mountinfo", "1 2 3\n - cgroup2\n");
  expect(MAX_RUN_THREADS);
}

static void test_version_2(void **state) {
  (void)state;
  put("/proc/self/cgroup", "0::/outer/inner\n");
  put("/proc/self/mountinfo",
      "25 30 0:23 / /proc rw - proc proc rw\n"
      "42 32 0:39 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n");
  expect(MAX_RUN_THREADS);
  put("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  expect(MAX_RUN_THREADS);
  put("/sys/fs/cgroup/outer/inner/cpu.max", "150000 100000\n");
  expect(2);
  put("/sys/fs/cgroup/outer/cpu.max", "50000 100000\n");
  expect(1);
  put("/sys/fs/cgroup/outer/cpu.max", "max 100000\n");
  put("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  expect(1);
}

static void test_version_1(void **state) {
  (void)state;
  put("/proc/self/cgroup", "4:memory:/box\n3:cpu,cpuacct:/box/a\n0::/\n");
  put("/proc/self/mountinfo",
      "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "32 31 0:29 / /sys/fs/cgroup/both rw - cgroup cgroup rw,cpu,cpuacct\n");
  put("/sys/fs/cgroup/both/box/a/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/both/box/a/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpuset/box/a/cpu.cfs_quota_us", "1\n");
  put("/sys/fs/cgroup/cpuset/box/a/cpu.cfs_period_us", "100000\n");
  expect(MAX_RUN_THREADS);
  put("/sys/fs/cgroup/both/box/cpu.cfs_quota_us", "20000\n");
  put("/sys/fs/cgroup/both/box/cpu.cfs_period_us", "50000\n");
  expect(1);
}

// A container shows its own group as the whole hierarchy, but names it by the
// path outside of the container.
static void test_part_of_hierarchy(void **state) {
  (void)state;
  put("/proc/self/cgroup", "0::/pods/one/job\n");
  put("/proc/self/mountinfo",
      "42 32 0:39 /pods/one /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
  put("/sys/fs/cgroup/job/cpu.max", "90000 100000\n");
  expect(1);
  put("/proc/self/cgroup", "0::/elsewhere\n");
  expect(MAX_RUN_THREADS);
  put("/sys/fs/cgroup/cpu.max", "1000 100000\n");
  expect(1);
}

static void test_affinity(void **state) {
  (void)state;
  cpu_set_t before, one;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++) {
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  }
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(threads_processors(""), 1);
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void test_wanted(void **state) {
  (void)state;
  setenv("TILE_NUM_THREADS", "77", 1);
  assert_int_equal(threads_wanted(), 77);
  setenv("TILE_NUM_THREADS", "100000", 1);
  assert_int_equal(threads_wanted(), MAX_RUN_THREADS);
  setenv("TILE_NUM_THREADS", "many", 1);
  assert_int_equal(threads_wanted(), threads_processors(""));
  unsetenv("TILE_NUM_THREADS");
  assert_int_equal(threads_wanted(), threads_processors(""));
}

static void *note_mask(void *data) {
  pthread_sigmask(SIG_SETMASK, NULL, data);
  return NULL;
}

static void test_signals(void **state) {
  (void)state;
  pthread_t thread;
  sigset_t mask, own;
  assert_true(threads_start(&thread, (size_t)1 << 20, note_mask, &mask));
  pthread_join(thread, NULL);
  static const int blocked[] = {SIGINT, SIGTERM, SIGALRM, SIGPROF, SIGUSR1};
  for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++)
    assert_true(sigismember(&mask, blocked[i]));
  assert_false(sigismember(&mask, SIGSEGV));
  pthread_sigmask(SIG_SETMASK, NULL, &own);
  assert_false(sigismember(&own, SIGINT));
}

static void note_thread(void *data) {
  *(pthread_t *)data = pthread_self();
}

static void *call_deep(void *data) {
  static const struct {
    size_t room;
    bool is_here;
  } calls[] = {{16 << 10, true}, {1 << 20, false}, {16 << 10, true}};
  (void)data;
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    threads_call(calls[i].room, note_thread, &thread);
    if (!pthread_equal(thread, pthread_self()) == calls[i].is_here)
      return "on the wrong thread";
  }
  return NULL;
}

// A call with less stack than it needs runs on another thread.
static void test_deep_call(void **state) {
  (void)state;
  pthread_t thread;
  void *wrong = NULL;
  assert_true(threads_start(&thread, 512 << 10, call_deep, NULL));
  pthread_join(thread, &wrong);
  assert_null(wrong);
}

static void overflow(volatile char *outer) {
  volatile char frame[4096];
  frame[0] = *outer;
  if (!*outer) overflow(frame); // always
  *outer = frame[0];
}

static void go_deep(void *data) {
  overflow(data);
}

static void on_fault(int signal) {
  _exit(signal == SIGSEGV ? 42 : 43);
}

// A program that handles stack overflows gets the signal on the other thread.
static void test_overflow(void **state) {
  (void)state;
  const pid_t child = fork();
  if (!child) {
    static char bytes[64 * 1024], zero;
    const stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes};
    const struct sigaction action = {.sa_handler = on_fault,
                                     .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    threads_call(SIZE_MAX, go_deep, &zero);
    _exit(1);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 42);
}

#define IN_ROOT(function)                                                      \
  cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_ROOT(test_no_groups),         IN_ROOT(test_version_2),
      IN_ROOT(test_version_1),         IN_ROOT(test_part_of_hierarchy),
      cmocka_unit_test(test_affinity), cmocka_unit_test(test_wanted),
      cmocka_unit_test(test_signals),  cmocka_unit_test(test_deep_call),
      cmocka_unit_test(test_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
