// gnuplot.c -- runs gnuplot on commands.
//
// If gnuplot is not installed, or ends before it has read all, writing to its
// pipe must not end this process.
#define _DEFAULT_SOURCE // popen
#include "runtime/tools/parts/figures.h"

#include <signal.h>
#include <sys/wait.h>

// The status of the shell; -1: the shell could not be run, or did not read all.
static int pipe_to(const char *program, const char *text) {
  FILE *to = popen(program, "w");
  if (!to) return -1;
  const bool is_taken = fputs(text, to) >= 0;
  const int status = pclose(to);
  return status || is_taken ? status : -1;
}

GnuplotEnd gnuplot_run(const char *commands) {
  enum { NOT_FOUND = 127 };
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction before;
  fflush(stdout); // the table is in its buffer
  sigaction(SIGPIPE, &ignore, &before);
  const int status = pipe_to("gnuplot 2>/dev/null", commands);
  sigaction(SIGPIPE, &before, NULL);
  if (!status) return GNUPLOT_FINE;
  return status > 0 && WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND
             ? GNUPLOT_MISSING
             : GNUPLOT_FAILED;
}
