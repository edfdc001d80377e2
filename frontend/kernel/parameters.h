// parameters.h -- the values that a kernel's parameters are bound to.
//
// A known value becomes a constant, the others run-time parameters, numbered in
// order.
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
  const Object *constant; // NULL: run-time, or a tuple
  int runtime;            // which one; -1: none
  bool is_number;         // becomes a run-time scalar
  bool awaits_heuristic;  // gives the constant, in the end
  Dtype dtype;            // of that scalar; VOID: as the number says
  ParamTree *items;       // of a tuple or a descriptor, else NULL
  int num_items;
  const char *const *names;  // of a named tuple's items, else NULL
  const ArgSpec *descriptor; // NULL: none
};

typedef struct {
  Walk *w;
  const AstFunction *kernel;
  Vec(RuntimeParam) runtime;
  ParamTree *trees; // one per parameter
  Configs configs;
  const Config *config; // the chosen one, or NULL
  Heuristics heuristics;
  int num_warps, num_stages;
  bool default_stages; // nobody has asked for num_stages
  bool *reads; // whose value heuristics look at, a parameter each; or NULL
} Parameters;

// A walk of a kernel that answers a question without making code.
typedef struct {
  Walk walk;
  WalkScratch scratch;
  Parameters params; // of the kernel for the target; not read yet
} KernelWalk;

// Puts a walk for `spec` into `out`, which must stay where it is; what it makes
// is in `arena`.  False after an error.
bool kernel_walk(Program *program, const AstFunction *kernel,
                 const Specialization *spec, Arena *arena, DiagList *diags,
                 KernelWalk *out);

// Options besides warps and stages (options.c): the caller's come before
// the configuration's, those before @jit's.  The first function sets those of
// the walk, the second those of the function; false after a diagnostic.
void kernel_options_read(Parameters *p);
bool kernel_options_set(const Parameters *p);

// Fills the rest of `p`; errors are reported for all parameters.
bool parameters_read(Parameters *p);
// A default, or what a configuration or a heuristic gives: an argument's value.
bool parameter_set_value(Parameters *p, const AstParam *param,
                         const Object *value, ParamTree *out);

// Computes what awaits a heuristic, in their order; heuristics.c.
bool heuristics_apply(Parameters *p);
// The arguments by name, as host code sees them: those of the parameters first,
// in their order.
const Object *launch_arguments(const Parameters *p);
// walk_hosted(); where that is NULL, `*why` has the first of its errors.
const Object *walk_heard(Walk *w, WalkStep *step, void *context,
                         const char **why);
// The result of a host function for `args`; NULL: it cannot be evaluated, and
// `*why` has the first of its errors.
const Object *launch_call(Walk *w, const AstFunction *function, SrcLoc loc,
                          const Arguments *args, const char **why);
// parameters_read(), whose errors are dropped.
bool parameters_read_quietly(Parameters *p);

// Warns of names in decorators that stand for nothing; decorator_names.c.
void decorators_check(const Parameters *p);

#endif
