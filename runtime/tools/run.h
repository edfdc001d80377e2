// run.h -- the arguments of `tilec run`.
#ifndef TILE_TOOLS_TILEC_RUN_H
#define TILE_TOOLS_TILEC_RUN_H

#include "runtime/program.h"
#include "runtime/tools/array.h"
#include "runtime/tools/parts/parts.h"
#include "runtime/tools/tilec.h"

// An argument that is a buffer.
typedef struct {
  const char *name;
  NpyArray array;    // its memory becomes what the device made of it
  const void *given; // the elements as they were before
  TileBuffer *buffer;
  bool is_empty; // poisoned
  bool is_told;  // that elements were never written
} Tensor;

typedef Vec(Tensor) Tensors;

typedef struct {
  TileDevice *device;
  TileKernel *kernel;
  TileLaunch launch;
  Tensors tensors;
} Run;

// The device, the kernel and its arguments, as the options say.
int run_open(Tool *tool, Run *run);
// Its two halves.  A device that is there is taken.
int run_open_kernel(Tool *tool, Run *run);
int run_open_arguments(Tool *tool, Run *run);
// Reads the values of --sweep or --try.
int run_read_sweeps(Tool *tool, const char *option, const NameValues *given,
                    Sweeps *out);
// Finds the report that `tilec bench --report` asks for, and makes sweeps of
// its sizes; EXIT_FINE or the reasons shown.  The report lives as long as the
// tool.
int bench_read_report(Tool *tool, Sweeps *sweeps, const PerfReport **out);
// The line of that value; NULL: there is none, or `report` is NULL.
const ReportLine *report_line(const PerfReport *report, const char *value);
// The line that a kernel is: of its name, "triton", or the only one.
const ReportLine *report_kernel_line(const PerfReport *report,
                                     const char *kernel);
// Launches once and waits, with the simulator counting as $TILE_SIM_STATS would
// have it for `request`, "json:FILE"; the user's own is there again afterwards.
TileStatus run_counted(Tool *tool, const Run *run, const char *request);
// Warns where nobody knows which configuration is best.
int run_check_best(Tool *tool, Run *run);
// Are the names of these pairs parameters?
int run_check_names(Tool *tool, const Run *run, const char *option,
                    const NameValues *pairs);
// Fills `launch` from --signature, -D and --arg, and makes the buffers.
int run_read_arguments(Tool *tool, Run *run);
// Fills the grid of `launch`, of which the rest is there.
int run_read_grid(Tool *tool, Run *run);
// Computes an expression, as in --grid, of the launch; `option` is for
// messages.
int run_evaluate(Tool *tool, Run *run, const char *option, const char *text,
                 int64_t *out);
// Finds whether a rule holds for the launch: an expression, or two that are
// compared.
int run_holds(Tool *tool, Run *run, const char *option, const char *text,
              bool *out);
// Reads a .npy file, or an array `FILE:NAME` of a file of many; behind either
// `:TYPE` may say what its elements are.
int run_read_array(Tool *tool, const char *text, NpyWant want, NpyArray *out);
int run_write_array(Tool *tool, const char *path, const NpyArray *array);
// Tells which elements of each `empty:` were never written; EXIT_FINE, or with
// --require-written EXIT_MISMATCH.  May launch once more: the last use of the
// buffers.
int run_check_written(Tool *tool, Run *run);
// Makes the buffer of an array, and the argument that is it.
int run_add_tensor(Tool *tool, Run *run, const Tensor *tensor, TileArg *out);
Tensor *run_find_tensor(const Run *run, const char *name);

#endif
