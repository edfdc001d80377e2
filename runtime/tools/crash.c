// crash.c -- a file that reproduces a bug of the compiler.
//
// The file is the source behind comments with the version and the command line,
// so that it can be compiled as it is.  Everything is prepared in advance: a
// signal handler may only write.
#define _XOPEN_SOURCE 700 // sigaltstack

#include "runtime/tools/tilec.h"

#include "runtime/tools/parts/parts.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  char path[64], other_path[64];
  const char *heading, *source;
  size_t heading_length, source_length;
  bool runs_kernel;
} Reproducer;

// Global, since a signal handler has no argument of ours.
static Reproducer reproducer;

static void put(int fd, const char *bytes, size_t size) {
  while (size) {
    const ssize_t done = write(fd, bytes, size);
    if (done <= 0) return;
    bytes += done;
    size -= (size_t)done;
  }
}

static void put_text(const char *text) {
  put(STDERR_FILENO, text, strlen(text));
}

static void write_reproducer(void) {
  const char *path = reproducer.path;
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) {
    path = reproducer.other_path;
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  }
  if (fd < 0) return;
  put(fd, reproducer.heading, reproducer.heading_length);
  put(fd, reproducer.source, reproducer.source_length);
  close(fd);
  put_text("tilec: this is a bug of tilec; ");
  put_text(path);
  put_text(" reproduces it\n");
}

// Whether the signal is from a wrong access of the kernel, which runs unchecked
// in this process.  A signal that another process sent is not.
static bool is_of_kernel(int signal, const siginfo_t *info) {
  const bool access = signal == SIGSEGV || signal == SIGBUS;
  return reproducer.runs_kernel && access && info->si_code > 0;
}

static void on_signal(int signal, siginfo_t *info, void *context) {
  (void)context;
  own_folder_leave(SIGTERM);
  if (is_of_kernel(signal, info)) {
    put_text("tilec: error: the kernel touches memory that is no argument's; "
             "--device=sim tells where\n");
    _exit(EXIT_DEVICE);
  }
  if (reproducer.runs_kernel && signal == SIGABRT)
    put_text("tilec: has the kernel written to memory that is no argument's?  "
             "--device=sim tells where; if it has not,\n");
  write_reproducer();
  _exit(EXIT_BUG);
}

static void catch_signals(void) {
  static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  struct sigaction action;
  // The handler runs on this stack, since the main stack may have overflowed.
  static char stack[64 * 1024];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, NULL);
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_SIGINFO;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    sigaction(signals[i], &action, NULL);
  }
}

void crash_prepare(Tool *tool) {
  Str heading = str_in(&tool->arena);
  str_addf(&heading, "# A bug of tilec %s.  The command line was:\n#  ",
           tile_version());
  for (int i = 0; i < tool->argc; i++) {
    str_add(&heading, " '");
    for (const char *c = tool->argv[i]; *c; c++) {
      str_add_char(&heading, *c == '\n' ? ' ' : *c);
    }
    str_add_char(&heading, '\'');
  }
  str_add_char(&heading, '\n');
  snprintf(reproducer.path, sizeof reproducer.path, "tilec-bug-%ld.tile",
           (long)getpid());
  snprintf(reproducer.other_path, sizeof reproducer.other_path,
           "/tmp/tilec-bug-%ld.tile", (long)getpid());
  reproducer.heading = str_text(&heading);
  reproducer.heading_length = heading.length;
  reproducer.source = tool->source_text ? tool->source_text : "";
  reproducer.source_length = tool->source_length;
  catch_signals();
}

void crash_is_of_kernel(void) {
  reproducer.runs_kernel = true;
}

void crash_report(Tool *tool) {
  (void)tool;
  write_reproducer();
}
