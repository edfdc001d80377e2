// run.h -- the arguments of `tilec run`.
#ifndef TILE_TOOLS_TILEC_RUN_H
#define TILE_TOOLS_TILEC_RUN_H

#include "runtime/program.h"
#include "runtime/tools/array.h"
#include "runtime/tools/parts/parts.h"
#include "runtime/tools/tilec.h"

// An argument with a buffer.
typedef struct {
  const char *name;
  NpyArray array;    // after the launch, the device's results
  const void *given; // the elements before
  TileBuffer *buffer;
  bool is_empty; // poisoned
  bool is_told;  // reported as unwritten
} Tensor;

typedef Vec(Tensor) Tensors;

typedef struct {
  TileDevice *device;
  TileKernel *kernel;
  TileLaunch launch;
  Tensors tensors;
  const Sweeps *sweeps;  // their names stand in formulas, too; NULL: none
  const int64_t *values; // of these, at the point of this launch
} KernelRun;

// Opens the device, the kernel and its arguments, from the options.
int run_open(Tool *tool, KernelRun *run);
// The two halves of run_open().  An open device is reused.
int run_open_kernel(Tool *tool, KernelRun *run);
int run_open_arguments(Tool *tool, KernelRun *run);
// Reads the values of --sweep or --try.
int run_read_sweeps(Tool *tool, const char *option, const NameValues *given,
                    Sweeps *out);
// Finds the report for `tilec bench --report`, and makes sweeps of its sizes;
// EXIT_FINE, or an error that was shown.  The report lives as long as the tool.
int bench_read_report(Tool *tool, Sweeps *sweeps, const PerfReport **out);
// Checks the files that `tilec bench` writes at its end, and gnuplot.
int bench_check_files(Tool *tool, const Sweeps *sweeps);
// Writes or draws the file of --plot.
int bench_plot(Tool *tool, const Figures *all);
// The line with that value; NULL: there is none, or `report` is NULL.
const ReportLine *report_line(const PerfReport *report, const char *value);
// Splits at commas; a single NULL if there are no names.
Texts texts_split(Arena *arena, const char *text);
bool pairs_have(const NameValues *pairs, const char *name);
bool kernel_has_param(const TileKernel *kernel, const char *name);
// Labels, axes and lines of the report's plot.
void report_describe(Arena *arena, const PerfReport *report, Figures *out);
// The line of a kernel: with its name, "triton", or the only one.
const ReportLine *report_kernel_line(const PerfReport *report,
                                     const char *kernel);
// Launches once in the simulator and waits; the figure has its bytes and
// operations.
int run_count(Tool *tool, const KernelRun *run, Figure *out);
// Warns if no best configuration is known.
int run_check_best(Tool *tool, KernelRun *run);
// Checks that the names of these pairs are parameters.
int run_check_names(Tool *tool, const KernelRun *run, const char *option,
                    const NameValues *pairs);
// Fills `launch` from --signature, -D and --arg, and makes the buffers.
int run_read_arguments(Tool *tool, KernelRun *run);
// Fills the grid of `launch`, whose other fields are set.
int run_read_grid(Tool *tool, KernelRun *run);
// Evaluates an expression, as in --grid, for the launch; `option` is for
// messages.
int run_evaluate(Tool *tool, KernelRun *run, const char *option,
                 const char *text, int64_t *out);
// Evaluates a condition for the launch: an expression, or a comparison.
int run_holds(Tool *tool, KernelRun *run, const char *option, const char *text,
              bool *out);
// Reads a .npy file, or an array `FILE:NAME` of a file of several; `:TYPE`
// behind either gives the type of its elements.
int run_read_array(Tool *tool, const char *text, NpyWant want, NpyArray *out);
int run_write_array(Tool *tool, const char *path, const NpyArray *array);
// Reports the elements of each `empty:` that were never written; EXIT_FINE, or
// with --require-written EXIT_MISMATCH.  May launch once more, so it must be
// the last use of the buffers.
int run_check_written(Tool *tool, KernelRun *run);
// Makes the buffer of an array, and its argument.
int run_add_tensor(Tool *tool, KernelRun *run, const Tensor *tensor,
                   TileArg *out);
Tensor *run_find_tensor(const KernelRun *run, const char *name);

#endif
