// configs.h -- the contents of the decorators @autotune and @heuristics.
//
// @autotune(configs=[Config({"BLOCK": 64}, num_warps=4), ...], key=[...])
// @heuristics({"EVEN": lambda args: args["N"] % args["BLOCK"] == 0})
//
// Lists may be names, sums and comprehensions over constants.  A value that
// only host code could compute is NULL.
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
  bool computed;                  // there may be more constants
  const Expr *call;               // that makes it; NULL: a function does
  const Expr *hook; // host code that runs before each launch; NULL: none
  const Object *hook_value; // the hook; NULL: host code computes it
} Config;

typedef struct {
  bool tuned;    // there is an @autotune
  bool computed; // there may be more configurations
  int steps;     // taken to find them
  Vec(Config) configs;
} Configs;

// May a line of the file change the configurations of a tuned kernel, or take
// them from it?
bool file_changes_configs(Program *program, AstFile *file);

// The walk needs a function and a frame; nothing is reported.
Configs configs_of(Walk *w, const AstFunction *function);
// Has any of the configurations a hook?
bool configs_have_hook(const Configs *all);
// The constant that a default is, or NULL; nobody hears of errors.
const Object *default_constant(Walk *w, const AstFunction *function,
                               const AstParam *param);
// The same of an argument of the outermost decorator of that name.
const Object *decorator_constant(Walk *w, const AstFunction *function,
                                 const char *decorator, const Expr *argument);
// The value of such an argument, constant or not; errors are told.
const Object *decorator_value(Walk *w, const AstFunction *function,
                              const char *decorator, const Expr *argument);
// Adds what `x` is, one or a list of them, as `written` gives it; false: it is
// something else.
bool add_config_objects(Walk *w, const Expr *written, const Object *x,
                        Configs *out);
// NULL: it says nothing, or nothing known.
const Object *config_constant(const Config *config, const char *name);
// The option as it was written, known or not; NULL: it was not.
const ConfigItem *config_item(const Config *config, const char *name);
// The item of its dictionary, which has parameters and may have options, too.
const ConfigItem *config_parameter(const Config *config, const char *name);
int config_option(const Config *config, const char *name, int otherwise);

// The whole of that decorator; NULL: there is none, or it cannot be parsed.
const Expr *decorator_expression(const AstFunction *function,
                                 const char *decorator);

// The argument of the outermost @autotune for its parameter `name`; NULL: none.
const Expr *autotune_argument(const AstFunction *function, const char *name);
// The same; NULL, too, for None.
const Expr *autotune_given(const AstFunction *function, const char *name);

typedef struct {
  const char *name; // of a parameter, or of an option; NULL: of any, as host
                    // code computes them all
  SrcLoc loc;       // of the name
  const Expr *written;
  const Expr *lambda;          // NULL: it is none
  const AstFunction *function; // of the arguments; NULL: computed by host code
  const Object *value;         // a constant in its place; NULL: none
} Heuristic;
typedef Vec(Heuristic) Heuristics;

// Adds what the dictionary `x` has, as `written` gives it; false: it is
// something else.
bool add_heuristic_objects(Walk *w, const Expr *written, const Object *x,
                           Heuristics *out);
// The expression that the name `x` stands for.
Heuristic function_object(Walk *w, const Expr *written, const char *name,
                          const Object *x);
// In the order in which they apply; those of dictionaries with a name, too.
Heuristics heuristics_of(Walk *w, const AstFunction *function);
// The functions in the dictionary `dict` of the outermost decorator of that
// name.
Heuristics functions_in(Walk *w, const AstFunction *function,
                        const char *decorator, const Expr *dict);

// The value of an expression, or of a name, there; errors are not told.
const Object *quiet_value_at(Walk *w, AstFile *file, AstPlace place,
                             const Expr *expr);
Symbol quiet_lookup(Walk *w, AstFile *file, AstPlace place, const Expr *name);
// The global's value as it was first written.
const Expr *first_value(const AstGlobal *global);
bool global_is_changed(const AstGlobal *global);

#endif
