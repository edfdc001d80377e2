// frontend.h -- from source text to a program, the one header others may see.
//
// A Program is one file and what it imports.  It lives in its arena; looking
// something up may read and parse more of it, so calls on one Program need a
// lock where threads share it, and its arena must be under arena_protect().
#ifndef TILE_FRONTEND_FRONTEND_H
#define TILE_FRONTEND_FRONTEND_H

#include "ir/op.h"
#include "ir/target.h"

typedef struct Program Program;
typedef struct AstFunction AstFunction;

// Input and output belong to the caller: how to get at an imported file.
typedef struct {
  void *ctx;
  // The text in `arena`, or NULL if there is no such file.
  const char *(*read)(void *ctx, const char *path, Arena *arena,
                      size_t *length);
} FileReader;

// A value for a name that host code computes; see frontend_define().
typedef struct {
  const char *name, *value;
} FrontendDefine;

typedef struct {
  const char *const *include_paths; // searched after the file's own folder
  int num_include_paths;
  FileReader reader; // read == NULL: no imported file is ever found
  bool keep_sound;   // return the program also where functions are left whole
  const Target *target; // what conditions of modules are told first; or NULL
  // Values for conditions of modules that no file decides; those that are not
  // well formed are ignored.
  const FrontendDefine *defines;
  int num_defines;
  int release; // of Triton, whose rules hold: 38 for 3.8; 0: the newest
} FrontendOptions;

// The number of a release by its name, 38 of "3.8"; 0: none whose rules are
// known.
int frontend_find_release(const char *name);
// The name of a release by its number, that of the newest for 0; NULL: there is
// no such release.
const char *frontend_release_name(int number);
// The names of all, for a message.
const char *frontend_releases(Arena *arena);

// NULL after errors, but see `keep_sound`.  `options` may be NULL; what it
// points to is copied.  `source` is copied except for its text, which must
// outlive the program.
Program *frontend_parse(Arena *arena, DiagList *diags, const Source *source,
                        const FrontendOptions *options);

// Memory ran out in a call about the program, and control has returned to
// arena_protect(): what the call was in the middle of is forgotten.
void frontend_abandon(Program *program);

// From now on what host code computes for a module's name, `WIDTH`,
// `config.WIDTH` or `Class.WIDTH`, is this value; see frontend_parse_value().
// `is_for_all`: kernels that do not read it are no reason for a warning.  False
// after a diagnostic.
bool frontend_define(Program *program, DiagList *diags, const char *name,
                     const char *value, bool is_for_all);

// Did it have syntax errors?  Then its sound functions may be specialized, to
// find more errors; where they meet others they fail in silence.
bool frontend_is_broken(const Program *program);
bool function_is_sound(const AstFunction *function);

// Lets `diags` draw carets into all files read so far.
void frontend_add_sources(const Program *program, DiagList *diags);

// The files read so far, the main one first (for -MD).
int frontend_num_files(const Program *program);
const char *frontend_file(const Program *program, int index);

// The functions marked jit, in the order of the main file.
int frontend_num_functions(const Program *program);
const AstFunction *frontend_function(const Program *program, int index);
const AstFunction *frontend_find_function(const Program *program,
                                          const char *name);
// The same, but an error with a suggestion if there is none.  `name` NULL:
// the only kernel, else an error that lists them.  `kernels[1]`,
// `kernels["add"]` and `Class.add` may be made by functions of the file, too.
const AstFunction *frontend_find_kernel(Program *program, DiagList *diags,
                                        const char *name);

const char *function_name(const AstFunction *function);
// Can it be launched?  Not if it returns a value or another one calls it.
bool function_is_kernel(const AstFunction *function);

typedef struct {
  const char *name;
  const char *annotation; // as written; NULL: none
  bool is_constexpr, has_default;
  SrcLoc loc;
  // @jit(do_not_specialize=..., do_not_specialize_on_alignment=...)
  bool do_not_specialize, do_not_specialize_on_alignment;
} FunctionParam;

int function_num_params(const AstFunction *function);
FunctionParam function_param(const AstFunction *function, int index);

// One token or node a line, for --emit=tokens and --emit=ast.
void frontend_print_tokens(Arena *arena, DiagList *diags, const Source *source,
                           Str *out);
void frontend_print_ast(const Program *program, Str *out);
// A line for each name that the main file binds when it is run: `NAME = value`;
// where that is known, but a function may change it later, `NAME: value so
// far`; else what it is.
void frontend_print_module(Program *program, Str *out);

// -- Specialization ----------------------------------------------------------

typedef enum {
  ARG_ABSENT,  // @heuristics', @autotune's or the parameter's own, or an error
  ARG_RUNTIME, // a value known at launch, of type `type`
  ARG_NONE,
  ARG_BOOL,
  ARG_INT,
  ARG_FLOAT,
  ARG_STRING,
  ARG_DTYPE,    // `text` is "fp16", "i32", "*fp32", …
  ARG_FUNCTION, // or another global: `text` is its name in the kernel's file,
                // or `module.name`
  ARG_TUPLE,
  ARG_DESCRIPTOR, // a tensor descriptor, of elements `text`
} ArgKind;

// The type or the value of one argument, as known before the launch.
typedef struct ArgSpec ArgSpec;
struct ArgSpec {
  ArgKind kind;
  const char *text; // RUNTIME: type such as "*fp32", "i64"; NULL: annotation's
  // RUNTIME: a power of two dividing the value; DESCRIPTOR: the last size;
  // 0: unknown
  int divisibility;
  bool known;           // RUNTIME: `i` or `f` is what this launch has for it
  int64_t i;            // INT, BOOL; DESCRIPTOR: pads with NaN
  double f;             // FLOAT
  const ArgSpec *items; // TUPLE; DESCRIPTOR: the sizes of a block, INT
  int num_items;
  const char *const *names; // TUPLE: of a named tuple's items; or NULL
};

// A tuple's items are parameters of the function, in order.  So are the parts
// of a descriptor: its address, sizes (i32) and strides (i64) but the last,
// which is 1.

typedef struct {
  const ArgSpec *args;       // one per parameter of the kernel
  int num_warps, num_stages; // 0: from the decorators, else 4 and 3
  int num_ctas;              // 0: from the configuration, else 1
  int config;                // which of @autotune's configurations
  bool no_fp_fusion;         // as enable_fp_fusion=False of a configuration
  int maxnreg;               // 0: as the configuration says, else no limit
  int debug; // assertions and other checks: 1: on, -1: off, 0: as @jit says
  const Target *target; // answers target_info queries; may be NULL
} Specialization;

// Types and walks the live code of one kernel and adds it to the module as a
// function: its parameters are the run-time arguments, each with `argument`
// (its position) and `divisibility`; it has num_warps, and num_stages where
// they were asked for.  Helpers are inlined.  False after errors, with nothing
// added.
bool frontend_specialize(Program *program, const AstFunction *kernel,
                         const Specialization *specialization, Module *m);

// May it take more than the types of the arguments to specialize it?
bool function_has_heuristics(const AstFunction *function);
// For each parameter that is ABSENT in `specialization` and to which a
// heuristic gives a value, that value; for others ABSENT.  Also the options
// that heuristics give, where `specialization` has 0.  `out` has an entry per
// parameter; texts are in `arena`.  `reads`, zeroed and with an entry per
// parameter, or NULL, is told at whose values heuristics looked: a launch that
// differs in others gets the same.
bool frontend_heuristics(Program *program, const AstFunction *kernel,
                         const Specialization *specialization, Arena *arena,
                         DiagList *diags, ArgSpec *out, bool *reads,
                         int *num_warps, int *num_stages);

// The same for each parameter that is a number, a text, a type or None in that
// launch, whoever says so: an argument, a configuration, a heuristic, or the
// parameter's default.
bool frontend_values(Program *program, const AstFunction *kernel,
                     const Specialization *specialization, Arena *arena,
                     DiagList *diags, ArgSpec *out, bool *reads, int *num_warps,
                     int *num_stages);

// The same for each parameter's default, a tuple, too, whether the launch uses
// it or not.  `others`, zeroed, or NULL, is told which a launch may have
// another value for that leaves them out: a configuration's, or a heuristic's.
bool frontend_defaults(Program *program, const AstFunction *kernel,
                       const Specialization *specialization, Arena *arena,
                       DiagList *diags, ArgSpec *out, bool *others,
                       int *num_warps, int *num_stages);

// The arguments of a kernel's @autotune.
typedef struct {
  int num_configs;            // 0: none, or host code computes them
  const char *const *configs; // as text: "BLOCK=64, num_warps=4"
  // An entry per parameter of the kernel: whether `key` names it, and whether
  // `reset_to_zero` or `restore_value` does, in whose place no hook is.
  const bool *key, *reset, *restore;
  bool has_hooks; // of @autotune itself, or of a configuration
} Tuning;

// Is there an @autotune?
bool function_is_tuned(const AstFunction *function);
// Fills `out`, whose texts and arrays are in `arena`, for that target; false
// after an error.
bool frontend_tuning(Program *program, const AstFunction *kernel,
                     const Target *target, Arena *arena, DiagList *diags,
                     Tuning *out);

// Evaluates a kernel's `prune_configs_by` for a launch: `why`, zeroed and with
// an entry for each configuration, says of those that are left out why, in
// `arena`. Where it cannot be evaluated that is a warning, and none is.  False
// after an error.
bool frontend_prune(Program *program, const AstFunction *kernel,
                    const Specialization *specialization, Arena *arena,
                    DiagList *diags, const char **why);

// The hooks of an @autotune: of a configuration, before each launch that runs
// it, and of the decorator, before and after each that is measured.
typedef enum { HOOK_OF_CONFIG, HOOK_BEFORE, HOOK_AFTER } HookKind;
// A hook's change of the argument of a parameter.
typedef struct {
  bool fills; // the tensor, with `value`
  double value;
  const int64_t *block; // of a descriptor, from there on; NULL: as it is
} HookEffect;
typedef struct {
  // Zeroed, with an entry per parameter; `reads` may be NULL, see
  // frontend_heuristics().
  HookEffect *effects;
  bool *reads;
  bool any;     // has any configuration a hook?
  bool unknown; // the hook is there, and cannot be evaluated
} HookAnswer;
// Evaluates a hook for a launch.  One that cannot be evaluated has no effect,
// and is a warning.  False after an error.
bool frontend_hook(Program *program, const AstFunction *kernel,
                   const Specialization *specialization, HookKind kind,
                   Arena *arena, DiagList *diags, HookAnswer *out);

// A line of a plot; a style that is NULL: any.
typedef struct {
  const char *value, *name;    // the function's argument; the legend
  const char *colour, *stroke; // "green", "--"
} ReportLine;

// A triton.testing.Benchmark.
typedef struct {
  const char *name, *x_label, *y_label; // "": none
  bool x_log, y_log;
  const char *const *x_names;
  int num_names;
  const int64_t *values; // of each name at the first point, then at the next
  int num_points;
  const char *line_arg;
  const ReportLine *lines;
  int num_lines;
  const char *const *arg_names, *const *arg_values; // of `args`
  int num_args;
} PerfReport;
typedef struct {
  const PerfReport *items;
  int count;
} PerfReports;

// The Benchmarks that perf_report() is given in the main file.  False after an
// error: host code computes a part of one, which is left out.
bool frontend_reports(Program *program, Arena *arena, DiagList *diags,
                      PerfReports *out);

// The decorators' metadata as JSON: of `kernel`, or of all if NULL.
void frontend_reflect(Program *program, const AstFunction *kernel, Arena *arena,
                      Str *out);

// Reads Triton's notation, "*fp32:16, *fp32, i32:16, 1024, i32": an entry per
// parameter, or the constexpr ones left out, or the last ones that have
// defaults.  `out` has one per parameter, with ARG_ABSENT where nothing was
// said.
bool frontend_parse_signature(Arena *arena, DiagList *diags,
                              const AstFunction *kernel, const char *text,
                              ArgSpec *out);
// The value of -D NAME=VALUE: 64, 0.5, True, None, "text", fp16, (1, 2).
// Messages call it `where`.
bool frontend_parse_value(Arena *arena, DiagList *diags, const char *where,
                          const char *text, ArgSpec *out);

#endif
