// figures.h -- results of a benchmark, as a table, JSON, CSV or a plot.
#ifndef TILE_TOOLS_FIGURES_H
#define TILE_TOOLS_FIGURES_H

#include "runtime/tools/parts/sweep.h"

#include <stdio.h>

// The times of one series at one point.
typedef struct {
  double median, least, most; // in seconds; median 0: not measured
  size_t num_times;
  double bytes, flops; // of a launch; 0: unknown
  const char *why;     // a failed measurement: "fails with code 3"; else NULL
} Figure;

// The style of a series in the plot; NULL: gnuplot's choice.
typedef struct {
  const char *colour; // "blue"
  const char *stroke; // "-", "--", ":", "-."
} FigureStyle;

typedef enum { DRAW_MOST, DRAW_TIME, DRAW_BYTES, DRAW_FLOPS } FigureUnit;

typedef struct {
  const char *title; // "add.py on cpu: AMD EPYC, 2 threads"
  const Sweeps *sweeps;
  const char *const *names; // of the series
  size_t num_series;
  const Figure *figures; // of all series at the first point, then at the next
  bool has_bytes, has_flops;
  // Axes and lines of the plot:
  const char *x_label; // NULL: the name of `x`
  size_t x;            // the sweep along that axis
  bool x_is_linear, y_is_log;
  FigureUnit unit;           // MOST: operations, else bytes, else the time
  const FigureStyle *styles; // of each series; NULL: none
} Figures;

// The figure of these times, in seconds; sorts them.
Figure figure_of(double *times, size_t count);
// Runs the shell's command, whose last word of output is milliseconds, or "nan"
// or "inf" if it measured nothing.  Else returns why there is no figure.
const char *figure_of_command(Arena *arena, const char *command, Figure *out);

void figures_print(const Figures *figures, FILE *to);
const char *figures_json(Arena *arena, const Figures *figures);
const char *figures_csv(Arena *arena, const Figures *figures);
// gnuplot's terminal for a file of that extension, "svg" for .svg, or for .gp,
// the commands themselves; NULL: none is known.
const char *plot_terminal(const char *file);
// Commands of gnuplot that draw `file`, which has a terminal.
const char *figures_plot(Arena *arena, const Figures *figures,
                         const char *file);
typedef enum { GNUPLOT_FINE, GNUPLOT_MISSING, GNUPLOT_FAILED } GnuplotEnd;
// Has gnuplot run the commands.
GnuplotEnd gnuplot_run(const char *commands);

// Whether this is JSON from figures_json().
bool figures_are(Arena *arena, const char *json, size_t length);
// The figure of a series at the point of these values, in JSON from
// figures_json(); false: there is none.
bool figures_find(Arena *arena, const char *json, size_t length,
                  const Figures *like, const int64_t *values, size_t series,
                  Figure *out);

#endif
