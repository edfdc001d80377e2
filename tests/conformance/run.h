// run.h -- running batches of cases on a device.
#ifndef TILE_TESTS_CONFORMANCE_RUN_H
#define TILE_TESTS_CONFORMANCE_RUN_H

#include "tests/conformance/conformance.h"

enum { BUFFERS = NUM_INPUTS + 1 };

typedef enum {
  BATCH_RAN,     // each case has passed or failed
  BATCH_WRONG,   // the test itself is wrong
  BATCH_REFUSED, // by the compiler
} Outcome;

typedef struct Conformance Conformance;
struct Conformance {
  const char *device;
  // `show`: also say why the compiler refuses it.
  Outcome (*batch)(Conformance *run, const Case *cases, int count, bool show);
  char *memory[BUFFERS]; // of the host
  int passed, failed;
  // By row of unsupported.def: cases, and those that were refused indeed.
  int met[MAX_UNSUPPORTED], excused[MAX_UNSUPPORTED];
};

// False after saying why it cannot be done here.
bool host_prepare(Conformance *run);
Outcome host_batch(Conformance *run, const Case *cases, int count, bool show);
bool ptx_prepare(Conformance *run);
Outcome ptx_batch(Conformance *run, const Case *cases, int count, bool show);

#endif
