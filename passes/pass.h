// pass.h -- running named transformations over a Module.
#ifndef TILE_PASSES_PASS_H
#define TILE_PASSES_PASS_H

#include "ir/op.h"
#include "ir/target.h"
#include "passes/facts.h"

typedef struct {
  const char *name;
  bool (*run)(Module *m, const Target *target); // false: a diagnostic says why
  unsigned requires, provides, breaks;          // Fact bits
  const char *summary;
} Pass;

typedef struct {
  const char *name, *text, *summary;
} Pipeline;

extern const Pass pass_table[];
extern const int pass_count;
extern const Pipeline pipeline_table[];
extern const int pipeline_count;

const Pass *pass_find(const char *name, size_t length);

typedef struct {
  const char *print_before, *print_after; // pass name, "*" for all, or NULL
  const char *stop_after;                 // pass name or NULL
  const char *disable;                    // comma-separated pass names or NULL
  bool verify_each;
  bool interp_each; // interpret before and after each pass and compare
  uint64_t seed;    // of the inputs that interp_each makes
  // Gets the dumps; may be NULL.
  void (*log)(void *ctx, const char *text);
  void *log_ctx;
  // Told how long each pass took; may be NULL.
  void (*timed)(void *ctx, const char *pass, double seconds);
  void *timed_ctx;
} PassOptions;

// Runs a comma-separated list of passes and pipelines, such as "cse,dce" or
// "host".  An unknown name is a diagnostic that lists what there is.  `target`
// may be NULL where no pass asks for one; `options` may be NULL.
bool passes_run(Module *m, const Target *target, const char *pipeline,
                const PassOptions *options);

#define PASS(name, ...) bool pass_##name(Module *m, const Target *target);
#include "passes/passes.def"

#endif
