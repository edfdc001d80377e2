// gnuplot.c -- runs gnuplot on commands.
//
// If it is not installed, or ends before it has read all, writing to it must
// not end this process.
#define _DEFAULT_SOURCE // popen
#include "runtime/tools/parts/figures.h"

#include <signal.h>

static bool pipe_to(const char *program, const char *text) {
  FILE *to = popen(program, "w");
  if (!to) return false;
  const bool is_taken = fputs(text, to) >= 0;
  return !pclose(to) && is_taken;
}

bool gnuplot_run(const char *commands) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction before;
  fflush(stdout); // it has the table
  sigaction(SIGPIPE, &ignore, &before);
  const bool ok = pipe_to("gnuplot 2>/dev/null", commands);
  sigaction(SIGPIPE, &before, NULL);
  return ok;
}
