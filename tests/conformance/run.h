// run.h -- running batches of cases on a device.
#ifndef TILE_TESTS_CONFORMANCE_RUN_H
#define TILE_TESTS_CONFORMANCE_RUN_H

#include "codegen/codegen.h"
#include "tests/conformance/conformance.h"

#include <stdio.h>

enum { BUFFERS = NUM_INPUTS + 1 };

typedef enum {
  BATCH_RAN,     // each case has passed or failed
  BATCH_WRONG,   // the test itself is wrong
  BATCH_REFUSED, // by the compiler
} Outcome;

typedef struct Conformance Conformance;
struct Conformance {
  const char *device;
  int first, share; // one of `share` cases runs, beginning with `first`
  // `show`: also say why the compiler refuses it.
  Outcome (*batch)(Conformance *run, const Case *cases, int count, bool show);
  char *memory[BUFFERS]; // of the host
  bool is_gpu, has_ptxas;
  bool has_tf32; // matrix instructions for it
  FILE *reports; // of the simulator
  int passed, failed;
  // By row of unsupported.def: cases, and those that were refused.
  int met[MAX_UNSUPPORTED], excused[MAX_UNSUPPORTED];
};

// -- batch.c -----------------------------------------------------------------

typedef struct {
  Conformance *run;
  const Case *cases;
  int count;
  Arena *arena;
  DiagList diags;
  // Outputs; `flushed`: of inputs without denormals, where that is right too.
  char *want[MAX_BATCH], *magnitude[MAX_BATCH], *flushed[MAX_BATCH];
} Batch;

// Memory for inputs and output that ends at a page which cannot be touched.
bool batch_memory(Conformance *run);
// Has the interpreter run all cases; false after saying which is wrong.
bool batch_expect(Batch *b);
// The kernels of the cases, `case0` and so on.
Module *batch_kernels(Batch *b);
void batch_show_errors(const Batch *b, const char *what);

// Input or output i of a case, in the host's memory.
size_t batch_bytes(const Case *c, int i);
char *batch_buffer(const Conformance *run, const Case *c, int i);
void batch_fill(const Conformance *run, const Case *c);
// Is the output right?  If not, prints the first wrong element.
bool batch_check(const Batch *b, int index, const char *how);

// -- Devices -----------------------------------------------------------------

// False, after printing the reason, if it cannot run here.
bool host_prepare(Conformance *run);
Outcome host_batch(Conformance *run, const Case *cases, int count, bool show);
bool ptx_prepare(Conformance *run);
Outcome ptx_batch(Conformance *run, const Case *cases, int count, bool show);
// Loads the code into the simulator and runs every case, under several
// schedules.  False where it does not load.
bool sim_run(Batch *b, const CompiledCode *code);

#endif
