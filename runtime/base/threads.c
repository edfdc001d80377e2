// threads.c -- the number of threads that run programs, and starting a thread.
//
// A quota of a control group holds for the groups within it, too.  Each group's
// directory, up to the mount point of the hierarchy, has the quota in a file:
// cpu.max in version 2, cpu.cfs_quota_us and cpu.cfs_period_us in version 1.
#define _GNU_SOURCE // sched_getaffinity, CPU_COUNT_S, pthread_getattr_np
#include "runtime/base/threads.h"

#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 1024, PATH_BYTES = 2 * LINE_BYTES };

// -- Quotas ------------------------------------------------------------------

static bool read_text(const char *directory, const char *name, char *text,
                      size_t size) {
  char path[PATH_BYTES + 64];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  const bool ok = fgets(text, (int)size, file) != NULL;
  fclose(file);
  return ok;
}

// The number of processors that the group of a directory may use;
// MAX_RUN_THREADS: no limit.
static int quota_of(const char *directory) {
  char text[64];
  long long quota = 0, period = 0;
  if (read_text(directory, "cpu.max", text, sizeof text)) {
    sscanf(text, "%lld %lld", &quota, &period); // or "max"
  } else if (read_text(directory, "cpu.cfs_quota_us", text, sizeof text)) {
    quota = strtoll(text, NULL, 10); // -1: none
    if (read_text(directory, "cpu.cfs_period_us", text, sizeof text))
      period = strtoll(text, NULL, 10);
  }
  if (quota < 1 || period < 1 || quota / period >= MAX_RUN_THREADS)
    return MAX_RUN_THREADS;
  return (int)(quota / period) + (quota % period != 0);
}

// The smallest quota of a directory and those above it; the first `top` bytes
// of the path are the uppermost directory.
static int quota_up(char *directory, size_t top) {
  int least = MAX_RUN_THREADS;
  for (;;) {
    const int quota = quota_of(directory);
    if (quota < least) least = quota;
    char *slash = strrchr(directory + top, '/');
    if (!slash) return least;
    *slash = '\0';
  }
}

// -- Groups ------------------------------------------------------------------

// Whether "cpu" is among the words between commas.
static bool has_cpu(const char *list) {
  while (*list) {
    const size_t length = strcspn(list, ",:\n ");
    if (length == 3 && !memcmp(list, "cpu", length)) return true;
    list += length;
    if (*list != ',') return false;
    list++;
  }
  return false;
}

// Reads the next line, without its end; lines that are too long are left out.
static bool next_line(FILE *file, char line[LINE_BYTES]) {
  bool is_whole = false;
  while (!is_whole) {
    if (!fgets(line, LINE_BYTES, file)) return false;
    const size_t length = strlen(line);
    is_whole = length < LINE_BYTES - 1;
    if (length && line[length - 1] == '\n') {
      line[length - 1] = '\0';
      is_whole = true;
      continue;
    }
    for (int c = 0; !is_whole && c != '\n' && c != EOF;) c = getc(file);
  }
  return true;
}

static FILE *open_below(const char *root, const char *name) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s%s", root, name);
  return fopen(path, "r");
}

// Finds the process's group in a hierarchy: "0::/a/b", "4:cpu,cpuacct:/a/b".
static bool find_group(const char *root, bool is_v2, char group[LINE_BYTES]) {
  FILE *file = open_below(root, "/proc/self/cgroup");
  if (!file) return false;
  char line[LINE_BYTES];
  bool found = false;
  while (!found && next_line(file, line)) {
    const char *list = strchr(line, ':');
    const char *path = list ? strchr(list + 1, ':') : NULL;
    found = path && (is_v2 ? list + 1 == path : has_cpu(list + 1));
    if (found) snprintf(group, LINE_BYTES, "%s", path + 1);
  }
  fclose(file);
  return found;
}

// The mount may show only a part of the hierarchy; a process outside of it is
// taken to be at the top of that part.
static const char *below(const char *group, const char *part) {
  const size_t length = strcmp(part, "/") ? strlen(part) : 0;
  const bool is_inside =
      !strncmp(group, part, length) && (group[length] == '/' || !group[length]);
  const char *rest = is_inside ? group + length : "";
  return strcmp(rest, "/") ? rest : "";
}

// The quota from a line of mountinfo: "32 31 0:29 / /sys/fs/cgroup/cpu rw -
// cgroup cgroup rw,cpu"
static int quota_of_mount(const char *root, const char *line) {
  char part[LINE_BYTES], place[LINE_BYTES], group[LINE_BYTES];
  const char *dash = strstr(line, " - cgroup");
  if (!dash || sscanf(line, "%*s %*s %*s %1023s %1023s", part, place) != 2)
    return MAX_RUN_THREADS;
  const bool is_v2 = !strncmp(dash, " - cgroup2 ", 11);
  const char *options = strrchr(line, ' ') + 1;
  if ((!is_v2 && !has_cpu(options)) || !find_group(root, is_v2, group))
    return MAX_RUN_THREADS;
  char directory[PATH_BYTES];
  const int top = snprintf(directory, sizeof directory, "%s%s", root, place);
  const int all = snprintf(directory, sizeof directory, "%s%s%s", root, place,
                           below(group, part));
  assert(top >= 0 && top <= all && "a path shorter than its start"); // I1
  if (all >= (int)sizeof directory) return MAX_RUN_THREADS;
  return quota_up(directory, (size_t)top);
}

static int smallest_quota(const char *root) {
  FILE *file = open_below(root, "/proc/self/mountinfo");
  if (!file) return MAX_RUN_THREADS;
  char line[LINE_BYTES];
  int least = MAX_RUN_THREADS;
  while (next_line(file, line)) {
    const int quota = quota_of_mount(root, line);
    if (quota < least) least = quota;
  }
  fclose(file);
  return least;
}

// -- How many ----------------------------------------------------------------

static int affinity(void) {
  cpu_set_t sets[8 * MAX_RUN_THREADS / CPU_SETSIZE];
  CPU_ZERO_S(sizeof sets, sets);
  if (!sched_getaffinity(0, sizeof sets, sets))
    return CPU_COUNT_S(sizeof sets, sets);
  return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int threads_processors(const char *root) {
  const int has = affinity(), may = smallest_quota(root);
  const int count = has < may ? has : may;
  assert(may >= 1 && may <= MAX_RUN_THREADS && "no such quota"); // I1
  return count < 1 ? 1 : count;
}

int threads_asked(void) {
  const char *text = getenv("TILE_NUM_THREADS");
  const long asked = text ? strtol(text, NULL, 10) : 0;
  if (asked < 1) return 0;
  return asked > MAX_RUN_THREADS ? MAX_RUN_THREADS : (int)asked;
}

int threads_wanted(void) {
  const int asked = threads_asked();
  return asked ? asked : threads_processors("");
}

// -- Starting one ------------------------------------------------------------

// Signals should go to threads of the program, which may not expect a handler
// to run on another stack.  Faults stay unblocked: a blocked fault would end
// the process without its handler.
static void block_signals(sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE,
                               SIGILL,  SIGTRAP, SIGSYS};
  sigset_t blocked;
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, before);
}

bool threads_start(pthread_t *thread, size_t stack, void *(*body)(void *),
                   void *data) {
  pthread_attr_t attributes;
  sigset_t before;
  if (pthread_attr_init(&attributes)) return false;
  bool ok = !stack || !pthread_attr_setstacksize(&attributes, stack);
  block_signals(&before);
  ok = ok && !pthread_create(thread, &attributes, body, data);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return ok;
}

// -- Deep calls --------------------------------------------------------------

// The address and size of the calling thread's stack.  For the first thread of
// a process, looking them up reads a file, so it is done only once.
static _Thread_local void *own_stack;
static _Thread_local size_t own_stack_size;

static void find_own_stack(void) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  pthread_attr_getstack(&attributes, &own_stack, &own_stack_size);
  pthread_attr_destroy(&attributes);
}

// Bytes below the caller's frame; 0 on a stack that is not the thread's, such
// as that of a coroutine.
static size_t stack_left(void) {
  if (!own_stack_size) find_own_stack();
  const size_t left =
      (uintptr_t)__builtin_frame_address(0) - (uintptr_t)own_stack;
  return left < own_stack_size ? left : 0;
}

typedef struct {
  void (*body)(void *data);
  void *data;
  bool handles_overflows; // the caller's thread has a stack for signals
} DeepCall;

static bool has_signal_stack(void) {
  stack_t now;
  return !sigaltstack(NULL, &now) && !(now.ss_flags & SS_DISABLE);
}

// If the thread has no stack for signals yet, it gets one in the first of its
// frames: an overflow happens at the other end of the stack.
static void call_with_signal_stack(const DeepCall *call) {
  char bytes[64 << 10];
  const stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes};
  const stack_t none = {.ss_flags = SS_DISABLE};
  const bool own = !has_signal_stack() && !sigaltstack(&stack, NULL);
  call->body(call->data);
  if (own) sigaltstack(&none, NULL);
}

static void *make_call(void *data) {
  const DeepCall *call = data;
  if (call->handles_overflows)
    call_with_signal_stack(call);
  else
    call->body(call->data);
  return NULL;
}

void threads_call(size_t room, void (*body)(void *data), void *data) {
  if (stack_left() < room) {
    DeepCall call = {body, data, has_signal_stack()};
    pthread_t thread;
    if (threads_start(&thread, ROOM_TO_COMPILE, make_call, &call)) {
      pthread_join(thread, NULL);
      return;
    }
  }
  body(data);
}
