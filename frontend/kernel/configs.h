// configs.h -- the contents of the decorators @autotune and @heuristics.
//
// @autotune(configs=[Config({"BLOCK": 64}, num_warps=4), ...], key=[...])
// @heuristics({"EVEN": lambda args: args["N"] % args["BLOCK"] == 0})
//
// Lists may be names, sums and comprehensions over constants.  A value that
// only host code knows is NULL.
#ifndef TILE_FRONTEND_CONFIGS_H
#define TILE_FRONTEND_CONFIGS_H

#include "frontend/core/walk.h"

typedef struct {
  const char *name;
  SrcLoc loc; // of the name
  const Expr *written;
  const Object *value; // NULL: computed by host code
} ConfigItem;
typedef Vec(ConfigItem) ConfigItems;

typedef struct {
  ConfigItems constants, options; // of parameters; num_warps and the like
  bool computed;                  // there may be more constants, which are
                                  // unknown
  const Expr *call;               // the call of Config; NULL: a function makes
                                  // it
  const Expr *hook;         // host code that runs before each launch; or NULL
  const Object *hook_value; // the hook; NULL: only host code knows it
} Config;

typedef struct {
  bool tuned;    // there is an @autotune
  bool computed; // there may be more configurations
  int steps;     // steps that the search for configurations took
  Vec(Config) configs;
} Configs;

// May a line of the file change the configurations of a tuned kernel, or remove
// its @autotune?
bool file_changes_configs(Program *program, AstFile *file);

// The configurations of the function.  `w` must have a function and a frame; no
// errors are reported.
Configs configs_of(Walk *w, const AstFunction *function);
// Has a configuration a hook?
bool configs_have_hook(const Configs *all);
// The constant value of a default, or NULL; errors are muted.
const Object *default_constant(Walk *w, const AstFunction *function,
                               const AstParam *param);
// The constant value of an argument of the outermost decorator of that name.
const Object *decorator_constant(Walk *w, const AstFunction *function,
                                 const char *decorator, const Expr *argument);
// The value of such an argument, constant or not; errors are reported.
const Object *decorator_value(Walk *w, const AstFunction *function,
                              const char *decorator, const Expr *argument);
// Adds the configuration or list of configurations `x`, which the expression
// `written` gives; false: `x` is something else.
bool add_config_objects(Walk *w, const Expr *written, const Object *x,
                        Configs *out);
// The value of a constant; NULL: the configuration has none, or it is unknown.
const Object *config_constant(const Config *config, const char *name);
// The option as written, also if its value is unknown; NULL: it is absent.
const ConfigItem *config_item(const Config *config, const char *name);
// The item of the configuration's dictionary, which has parameters and may have
// options.
const ConfigItem *config_parameter(const Config *config, const char *name);
int config_option(const Config *config, const char *name, int otherwise);

// The whole expression of that decorator; NULL: there is none, or it has
// errors.
const Expr *decorator_expression(const AstFunction *function,
                                 const char *decorator);

// The argument of the outermost @autotune for its parameter `name`; or NULL.
const Expr *autotune_argument(const AstFunction *function, const char *name);
// The same; NULL also if the argument is None.
const Expr *autotune_given(const AstFunction *function, const char *name);

typedef struct {
  const char *name; // of a parameter or option; NULL: only host code knows the
                    // name
  SrcLoc loc;       // of the name
  const Expr *written;
  const Expr *lambda;          // NULL: the value is no lambda
  const AstFunction *function; // gets the arguments; NULL: unknown
  const Object *value;         // a constant instead of a function; or NULL
} Heuristic;
typedef Vec(Heuristic) Heuristics;

// Adds the entries of the dictionary `x`, which the expression `written` gives;
// false: `x` is something else.
bool add_heuristic_objects(Walk *w, const Expr *written, const Object *x,
                           Heuristics *out);
// The heuristic for `name`, whose value `x` the expression `written` gives.
Heuristic function_object(Walk *w, const Expr *written, const char *name,
                          const Object *x);
// All heuristics, in the order in which they apply; also those in named
// dictionaries.
Heuristics heuristics_of(Walk *w, const AstFunction *function);
// The functions in the dictionary `dict`, an argument of the outermost
// decorator of that name.
Heuristics functions_in(Walk *w, const AstFunction *function,
                        const char *decorator, const Expr *dict);

// Looks up a name at `place`; errors are muted.
Symbol quiet_lookup(Walk *w, AstFile *file, AstPlace place, const Expr *name);
// May the value be another than the one on the line of the global?
bool global_is_changed(Walk *w, const Symbol *symbol);

#endif
