// pass.h -- running named transformations over a Module.
#ifndef TILE_PASSES_PASS_H
#define TILE_PASSES_PASS_H

#include "ir/op.h"
#include "ir/target.h"

typedef struct {
  const char *name;
  bool (*run)(Module *m, const Target *target); // false after a diagnostic
  unsigned requires, provides, breaks, wants;   // Fact bits
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

// Names of passes are comma-separated, "*" means all; NULL means none.
typedef struct {
  const char *print_before, *print_after;
  const char *stop_after, *disable;
  bool overlap; // different parameters may lead to the same memory
  bool verify_each;
  bool interp_each; // interpret before and after each pass and compare
  uint64_t seed;    // for the inputs of interp_each
  // Gets the dumps, and the input of a pass that fails; may be NULL.
  void (*log)(void *ctx, const char *text);
  void *log_ctx;
  // Gets the time that each pass took; may be NULL.
  void (*timed)(void *ctx, const char *pass, double seconds);
  void *timed_ctx;
} PassOptions;

// Do all passes exist that `pipeline` and `options`, which may be NULL, name?
bool passes_check(DiagList *diags, const char *pipeline,
                  const PassOptions *options);

// Runs a comma-separated list of passes and pipelines, such as "cse,dce" or
// "host".  An unknown name is a diagnostic that lists the known ones; an error
// that only a wrong pass can cause is a diag_bug().  `target` may be NULL if no
// pass uses it; `options` may be NULL.
bool passes_run(Module *m, const Target *target, const char *pipeline,
                const PassOptions *options);

#define PASS(name, ...) bool pass_##name(Module *m, const Target *target);
#include "passes/passes.def"

#endif
