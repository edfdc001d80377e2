// own_folder.c -- a temporary folder of the process.
//
// A signal handler may call only the functions that POSIX allows there: so the
// handler finds the folder by its path, and the files by their names.
#define _DEFAULT_SOURCE // flock
#include "runtime/tools/parts/own_folder.h"

#include "runtime/base/base.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const usual_files[] = {"kernel.ptx", "kernel.cubin", "lines",
                                          "counts"};

// The folder that a handler removes; the path is set before the folder is made.
static struct {
  char path[PATH_MAX];
  volatile sig_atomic_t is_open;
  bool is_ready;        // handlers are set, and folders left behind are gone
  volatile pid_t child; // 0: none
} own;

// -- Signals -----------------------------------------------------------------

// Ends the child, which may write to the folder until then, and waits for it up
// to a second.
static void end_child(int signal) {
  const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
  enum { MOMENTS = 100 };
  const pid_t child = own.child;
  if (child <= 0) return;
  if (signal) kill(child, signal);
  for (int i = 0; i < MOMENTS && !waitpid(child, NULL, WNOHANG); i++)
    nanosleep(&moment, NULL);
}

void own_folder_leave(int signal) {
  if (!own.is_open) return;
  end_child(signal);
  const int folder = open(own.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  for (size_t i = 0; i < sizeof usual_files / sizeof *usual_files; i++)
    unlinkat(folder, usual_files[i], 0);
  rmdir(own.path);
}

// The parent process sees the signal that ended this process.  A terminal sends
// the signal to the child, too.
static void on_end(int signal, siginfo_t *info, void *context) {
  (void)context;
  own_folder_leave(info->si_code > 0 ? 0 : signal);
  raise(signal); // ends the process when this handler returns
}

// An ignored signal stays ignored, as under nohup.
static void catch_ends(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_end;
  action.sa_flags = (int)SA_RESETHAND | SA_SIGINFO;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
      sigaction(ends[i], &action, NULL);
  }
}

// -- Folders left behind -----------------------------------------------------

// The process that made "tile-tmp-30279-847658133", or 0.
static pid_t maker_of(const char *name) {
  if (!replace_is_marked(name, 2)) return 0;
  const long pid = strtol(name + strlen(REPLACE_MARK), NULL, 10);
  return pid > INT_MAX ? 0 : (pid_t)pid;
}

static bool is_gone(pid_t process) {
  return kill(process, 0) && errno == ESRCH;
}

// Whether the folder is this user's, and no other user may access it.
static bool is_ours(int folder) {
  struct stat info;
  return !fstat(folder, &info) && S_ISDIR(info.st_mode) &&
         info.st_uid == geteuid() && !(info.st_mode & 077);
}

// Removes the files; the folder has no subfolders.
static void empty(int folder) {
  const int other = dup(folder);
  DIR *stream = other < 0 ? NULL : fdopendir(other);
  if (!stream && other >= 0) close(other);
  for (struct dirent *at; stream && (at = readdir(stream));)
    unlinkat(folder, at->d_name, 0);
  if (stream) closedir(stream);
}

static void remove_left(int root, const char *name) {
  const int folder =
      openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  if (is_ours(folder) && !flock(folder, LOCK_EX | LOCK_NB)) {
    empty(folder);
    unlinkat(root, name, AT_REMOVEDIR);
  }
  close(folder);
}

static void sweep(const char *root) {
  DIR *stream = opendir(root);
  for (struct dirent *at; stream && (at = readdir(stream));) {
    const pid_t maker = maker_of(at->d_name);
    if (maker && is_gone(maker)) remove_left(dirfd(stream), at->d_name);
  }
  if (stream) closedir(stream);
}

// -- The own one -------------------------------------------------------------

// Runs once for each process, so that $TMPDIR is listed only once.
static void prepare(const char *root) {
  if (own.is_ready) return;
  own.is_ready = true;
  sweep(root);
  catch_ends();
}

static bool make(const char *root) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int length =
      snprintf(own.path, sizeof own.path, "%s/" REPLACE_MARK "%ld-%ld", root,
               (long)getpid(), now.tv_nsec);
  errno = ENAMETOOLONG;
  if (length < 0 || (size_t)length >= sizeof own.path) return false;
  own.is_open = true; // before the folder is there: a signal may come
  if (!mkdir(own.path, 0700)) return true;
  own.is_open = false;
  return false;
}

static void remove_own(void *data) {
  const OwnFolder *folder = data;
  if (folder->lock >= 0) {
    empty(folder->lock);
    close(folder->lock);
  }
  rmdir(folder->path);
  own.is_open = false;
}

bool own_folder_open(Arena *arena, OwnFolder *out) {
  assert(!own.is_open && "a second one"); // I4
  const char *named = getenv("TMPDIR");
  char root[PATH_MAX]; // absolute, for a child in another directory
  out->lock = -1;
  snprintf(out->path, sizeof out->path, "%s", named && *named ? named : "/tmp");
  if (!realpath(out->path, root)) return false;
  prepare(root);
  const bool ok = make(root);
  memcpy(out->path, own.path, sizeof out->path);
  if (!ok) return false;
  out->cleanup = arena_defer(arena, remove_own, out);
  out->lock = open(out->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  // Without locks on the file system, the process number alone protects it.
  if (out->lock >= 0) flock(out->lock, LOCK_EX | LOCK_NB);
  return true;
}

void own_folder_close(OwnFolder *folder) {
  arena_cleanup_now(folder->cleanup);
}

bool own_folder_write(const OwnFolder *folder, const char *name,
                      const void *bytes, size_t size) {
  const int file =
      openat(folder->lock, name,
             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  const bool ok = replace_write(file, bytes, size);
  return !close(file) && ok;
}

// -- The child in it ---------------------------------------------------------

pid_t own_folder_fork(void) {
  const pid_t child = fork();
  if (child > 0) own.child = child;
  return child;
}

void own_folder_has(pid_t child) {
  own.child = child;
}

int own_folder_wait(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  own.child = 0;
  return status;
}
