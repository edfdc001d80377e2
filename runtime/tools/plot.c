// plot.c -- the files of `tilec bench`: checked before anything is measured,
// which may take long, and the plot.
#include "runtime/tools/errors.h"
#include "runtime/tools/run.h"

#include <string.h>

// -- Checks ------------------------------------------------------------------

static int check_plot(Tool *tool, const Sweeps *sweeps) {
  const char *file = tool->options.plot_file;
  if (!file) return EXIT_FINE;
  if (!sweeps->count)
    return tool_fail(tool, EXIT_USAGE, ERROR_plot_without_sweep);
  if (plot_terminal(file)) return EXIT_FINE;
  return tool_fail(tool, EXIT_USAGE, ERROR_bad_value, "--plot",
                   "a file .svg, .png or .gp", file);
}

static int check_gnuplot(Tool *tool) {
  const char *file = tool->options.plot_file;
  if (!file || text_ends_with(file, ".gp")) return EXIT_FINE;
  if (gnuplot_run("") != GNUPLOT_MISSING) return EXIT_FINE;
  return tool_fail(tool, EXIT_FILES, ERROR_plot_no_gnuplot, file);
}

typedef struct {
  const char *option, *file;
} OutputFile;

static int check_one(Tool *tool, const OutputFile *all, int number) {
  const char *file = all[number].file;
  if (!file) return EXIT_FINE;
  for (int i = 0; i < number; i++)
    if (all[i].file && !strcmp(all[i].file, file))
      return tool_fail(tool, EXIT_USAGE, ERROR_file_twice, all[i].option,
                       all[number].option, file);
  return tool_check_writable(tool, file);
}

int bench_check_files(Tool *tool, const Sweeps *sweeps) {
  enum { NUM_FILES = 3 };
  const Options *o = &tool->options;
  const OutputFile all[NUM_FILES] = {{"--json", o->json_file},
                                     {"--csv", o->csv_file},
                                     {"--plot", o->plot_file}};
  int code = check_plot(tool, sweeps);
  for (int i = 0; !code && i < NUM_FILES; i++) code = check_one(tool, all, i);
  return code ? code : check_gnuplot(tool);
}

// -- The plot ----------------------------------------------------------------

int bench_plot(Tool *tool, const Figures *all) {
  const char *file = tool->options.plot_file;
  const char *commands = figures_plot(&tool->arena, all, file);
  if (text_ends_with(file, ".gp"))
    return tool_write(tool, file, commands, strlen(commands));
  switch (gnuplot_run(commands)) {
  case GNUPLOT_FINE: return EXIT_FINE;
  case GNUPLOT_MISSING:
    return tool_fail(tool, EXIT_FILES, ERROR_plot_no_gnuplot, file);
  case GNUPLOT_FAILED: break;
  }
  return tool_fail(tool, EXIT_FILES, ERROR_plot_failed, file);
}
