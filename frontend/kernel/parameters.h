// parameters.h -- the values to which a kernel's parameters are bound.
//
// A known value becomes a constant; other parameters are run-time parameters,
// numbered in order.
#ifndef TILE_FRONTEND_PARAMETERS_H
#define TILE_FRONTEND_PARAMETERS_H

#include "frontend/kernel/configs.h"

typedef struct {
  const AstParam *param;
  const Type *type;
  Dtype dtype;
  int argument, divisibility;
  const char *name;
  const ArgSpec *spec;
} RuntimeParam;

// The binding of one parameter, before the function exists.
typedef struct ParamTree ParamTree;
struct ParamTree {
  const Object *constant; // NULL: a run-time parameter, or a tuple
  int runtime;            // number of the run-time parameter; -1: none
  bool is_number;         // a number that becomes a run-time scalar
  bool awaits_heuristic;  // a heuristic gives the constant later
  Dtype dtype;            // of that scalar; VOID: by the number's size
  ParamTree *items;       // of a tuple or a descriptor; else NULL
  int num_items;
  const char *const *names;  // of a named tuple's items; else NULL
  const ArgSpec *descriptor; // or NULL
};

typedef struct {
  Walk *w;
  const AstFunction *kernel;
  Vec(RuntimeParam) runtime;
  ParamTree *trees; // one for each parameter
  Configs configs;
  const Config *config; // the selected one, or NULL
  Heuristics heuristics;
  int num_warps, num_stages;
  bool default_stages; // num_stages is not set
  bool *reads; // for each parameter: a heuristic read its value; or NULL
} Parameters;

// A walk of a kernel that answers a query without generating code.
typedef struct {
  Walk walk;
  WalkScratch scratch;
  Parameters params; // of the kernel for the target; not read yet
} KernelWalk;

// Initializes `out`, which must not be moved, with a walk for `spec`.  Objects
// are allocated in `arena`.  False after an error.
bool kernel_walk(Program *program, const AstFunction *kernel,
                 const Specialization *spec, Arena *arena, DiagList *diags,
                 KernelWalk *out);

// Options beside warps and stages (options.c).  The caller's precede the
// configuration's, and these precede those of @jit.  The first function sets
// options of the walk, the second those of the IR function; false after a
// diagnostic.
void kernel_options_read(Parameters *p);
// The number of blocks of threads a program, at least 1.
bool options_ctas(const Parameters *p, int *out);
bool kernel_options_set(const Parameters *p);

// Fills the rest of `p`; reports the errors of all parameters.
bool parameters_read(Parameters *p);
// Binds the parameter to a default, or to the value of a configuration or
// heuristic.
bool parameter_set_value(Parameters *p, const AstParam *param,
                         const Object *value, ParamTree *out);

// Computes the values of heuristics, in their order; heuristics.c.
bool heuristics_apply(Parameters *p);
// The arguments by name, as host code gets them: first those of the parameters,
// in their order.
const Object *launch_arguments(const Parameters *p);
// The same as walk_hosted(); after NULL, `*why` is the first error.
const Object *walk_heard(Walk *w, WalkStep *step, void *context,
                         const char **why);
// The result of a host function for `args`; NULL: it cannot be evaluated, and
// `*why` is the first error.
const Object *launch_call(Walk *w, const AstFunction *function, SrcLoc loc,
                          const Arguments *args, const char **why);
// The same as parameters_read(), with errors muted.
bool parameters_read_quietly(Parameters *p);

// Warns about names in decorators that have no meaning; decorator_names.c.
void decorators_check(const Parameters *p);

#endif
