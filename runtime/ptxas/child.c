// child.c -- runs a program, reads its output, and waits for it.
//
// posix_spawn() runs none of the program's code in the child, and other threads
// may run.  The child gets no signals blocked, and the usual actions for those
// that libraries ignore: the program's own signals are not touched.
#define _GNU_SOURCE // pipe2, posix_spawn_file_actions_addchdir_np
#include "runtime/ptxas/child.h"

#include "runtime/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct {
  pid_t pid;
  int output; // its end of a pipe; -1: closed
  int status;
  bool is_running;
  bool is_known; // `status` is its own
} Child;

// -- Start -------------------------------------------------------------------

// Standard input comes last: the pipe may have the number 0, if the program has
// closed its standard input.
static int set_files(posix_spawn_file_actions_t *files, const char *folder,
                     int output) {
  int failed = posix_spawn_file_actions_addchdir_np(files, folder);
  if (!failed)
    failed = posix_spawn_file_actions_adddup2(files, output, STDOUT_FILENO);
  if (!failed)
    failed =
        posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO);
  if (!failed)
    failed = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null",
                                              O_RDONLY, 0);
  return failed;
}

static int set_signals(posix_spawnattr_t *attributes) {
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGCHLD);
  sigaddset(&usual, SIGPIPE);
  int failed = posix_spawnattr_setsigmask(attributes, &none);
  if (!failed) failed = posix_spawnattr_setsigdefault(attributes, &usual);
  if (!failed)
    failed = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
                                                      POSIX_SPAWN_SETSIGDEF);
  return failed;
}

static int spawn(pid_t *out, const char *const *arguments, const char *folder,
                 int output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int failed = posix_spawn_file_actions_init(&files);
  if (failed) return failed;
  failed = posix_spawnattr_init(&attributes);
  if (!failed) {
    failed = set_files(&files, folder, output);
    if (!failed) failed = set_signals(&attributes);
    if (!failed)
      failed = posix_spawn(out, arguments[0], &files, &attributes,
                           (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

static bool start(Child *child, const char *const *arguments,
                  const char *folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return false;
  child->output = ends[0];
  errno = spawn(&child->pid, arguments, folder, ends[1]);
  child->is_running = !errno;
  const int why = errno;
  close(ends[1]);
  errno = why;
  return child->is_running;
}

// -- End ---------------------------------------------------------------------

static void take_end(Child *child, int options) {
  pid_t got;
  do got = waitpid(child->pid, &child->status, options);
  while (got < 0 && errno == EINTR);
  if (!got) return;
  child->is_running = false;
  child->is_known = got > 0;
}

static void close_output(Child *child) {
  if (child->output >= 0) close(child->output);
  child->output = -1;
}

static void end(void *data) {
  Child *child = data;
  close_output(child);
  if (!child->is_running) return;
  kill(child->pid, SIGKILL);
  take_end(child, 0);
}

// -- Meanwhile ---------------------------------------------------------------

enum { MOMENT_MS = 20, LOG_BYTES = 1 << 20 };

// Waits a moment for output; whether there was some.
static bool read_some(Child *child, Str *log) {
  char part[4096];
  struct pollfd at = {.fd = child->output, .events = POLLIN};
  if (poll(&at, 1, child->output < 0 ? 1 : MOMENT_MS) <= 0) return false;
  const ssize_t got = read(child->output, part, sizeof part);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) {
    close_output(child);
  } else if (log->length < LOG_BYTES) {
    str_add_bytes(log, part, (size_t)got);
  }
  return got > 0;
}

// Waits for the end of the child, not of the pipe, which a child of the child
// may hold open longer.
static ChildEnd attend(Child *child, const PtxasInput *input, double seconds,
                       Str *log) {
  const double last = clock_seconds() + seconds;
  for (;;) {
    const bool is_busy = read_some(child, log);
    if (child->is_running) take_end(child, WNOHANG);
    if (!child->is_running && !is_busy)
      return child->is_known ? CHILD_ENDED : CHILD_UNKNOWN;
    if (input->cancelled && input->cancelled(input->cancelled_ctx))
      return CHILD_CANCELLED;
    if (clock_seconds() > last) return CHILD_LATE;
  }
}

ChildEnd child_run(Arena *arena, const char *const *arguments,
                   const char *folder, const PtxasInput *input, double seconds,
                   Str *log, int *status) {
  Child *child = arena_new(arena, Child);
  *child = (Child){.output = -1};
  ArenaCleanup *cleanup = arena_defer(arena, end, child);
  if (!start(child, arguments, folder)) {
    const int why = errno;
    arena_cleanup_now(cleanup);
    errno = why;
    return CHILD_NOT_RUN;
  }
  if (input->started) input->started(child->pid);
  const ChildEnd how = attend(child, input, seconds, log);
  arena_cleanup_now(cleanup);
  if (input->started) input->started(0);
  *status = child->status;
  return how;
}
