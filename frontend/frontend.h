// frontend.h -- from source text to a program: the header for other layers.
//
// A Program is one file with its imports, and lives in its arena.  Queries may
// read and parse more of it, so calls on one Program need a lock if threads
// share it, and its arena must be under arena_protect().
#ifndef TILE_FRONTEND_FRONTEND_H
#define TILE_FRONTEND_FRONTEND_H

#include "ir/op.h"
#include "ir/target.h"

typedef struct Program Program;
typedef struct AstFunction AstFunction;

// Reads imported files: the library itself opens none, so the caller provides
// this function.
typedef struct {
  void *ctx;
  // Returns the text, in `arena`, or NULL if there is no such file.
  const char *(*read)(void *ctx, const char *path, Arena *arena,
                      size_t *length);
  // Finds the length of a file that can be read; false: there is none.  NULL:
  // a file is read to find it.
  bool (*find)(void *ctx, const char *path, size_t *length);
} FileReader;

// A value for a name that host code computes; see frontend_define().
typedef struct {
  const char *name, *value;
} FrontendDefine;

typedef struct {
  const char *const *include_paths; // searched after the file's own folder
  int num_include_paths;
  FileReader reader;    // read == NULL: imported files are never found
  bool keep_sound;      // return the program even if some functions have errors
  const Target *target; // the first target of conditions of modules; or NULL
  // Values for conditions of modules that no file determines; malformed ones
  // are ignored.
  const FrontendDefine *defines;
  int num_defines;
  int release; // of Triton: 38 for 3.8; 0: the newest
} FrontendOptions;

// The number of a release by its name: 38 for "3.8"; 0 if it is not supported.
int frontend_find_release(const char *name);
// The name of a release by its number; for 0, the newest.  NULL: there is no
// such release.
const char *frontend_release_name(int number);
// The names of all releases, for a message.
const char *frontend_releases(Arena *arena);

// Returns NULL after errors, but see `keep_sound`.  `options` may be NULL; the
// data that it points to is copied.  `source` is copied except for its text,
// which must outlive the program.
Program *frontend_parse(Arena *arena, DiagList *diags, const Source *source,
                        const FrontendOptions *options);

// To be called if memory ran out in a call about the program, after control has
// returned to arena_protect(): resets the state of that call.
void frontend_abandon(Program *program);

// Sets the value of a module's name that host code computes, `WIDTH`,
// `config.WIDTH` or `Class.WIDTH`; see frontend_parse_value().  `is_for_all`:
// kernels that do not read it get no warning.  False after a diagnostic.
bool frontend_define(Program *program, DiagList *diags, const char *name,
                     const char *value, bool is_for_all);

// Marks the definition of `name` as spare: no error if no kernel and no file of
// the program has such a name.
void frontend_spare(Program *program, const char *name);

// Has the program syntax errors?  Its functions without errors may be
// specialized, to find more errors; one that reaches a syntax error fails
// without a message.
bool frontend_is_broken(const Program *program);
bool function_is_sound(const AstFunction *function);

// Adds all files read so far to `diags`, for source lines in messages.
void frontend_add_sources(const Program *program, DiagList *diags);

// The files read so far, the main one first (for -MD).
int frontend_num_files(const Program *program);
const char *frontend_file(const Program *program, int index);

// The functions marked jit, in the order of the main file.
int frontend_num_functions(const Program *program);
const AstFunction *frontend_function(const Program *program, int index);
const AstFunction *frontend_find_function(const Program *program,
                                          const char *name);
// The same, but reports an error with a suggestion if there is none.  `name`
// NULL: the only kernel, else an error that lists them.  Functions of the file
// may also make kernels: `kernels[1]`, `kernels["add"]` and `Class.add`.
const AstFunction *frontend_find_kernel(Program *program, DiagList *diags,
                                        const char *name);

const char *function_name(const AstFunction *function);
// Can the function be launched?  Not if it returns a value, or another one
// calls it.
bool function_is_kernel(const AstFunction *function);

typedef struct {
  const char *name;
  const char *annotation; // as written; or NULL
  bool is_constexpr, has_default;
  SrcLoc loc;
  // @jit(do_not_specialize=..., do_not_specialize_on_alignment=...)
  bool do_not_specialize, do_not_specialize_on_alignment;
} FunctionParam;

int function_num_params(const AstFunction *function);
FunctionParam function_param(const AstFunction *function, int index);

// Prints one token or node on each line, for --emit=tokens and --emit=ast.
void frontend_print_tokens(Arena *arena, DiagList *diags, const Source *source,
                           Str *out);
void frontend_print_ast(const Program *program, Str *out);
// Prints a line for each name that the main file binds when it is run: `NAME =
// value`; `NAME: value so far` if a function may change it later; else its
// kind.
void frontend_print_module(Program *program, Str *out);

// -- Specialization ----------------------------------------------------------

typedef enum {
  ARG_ABSENT,  // omitted: from a heuristic, @autotune or the default; or an
               // error
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
  const char *text; // RUNTIME: type such as "*fp32", "i64"; NULL: from the
                    // annotation
  // RUNTIME: a power of two that divides the value; DESCRIPTOR: the same for
  // the last size; 0: unknown
  int divisibility;
  bool known;           // RUNTIME: the value in this launch is `i` or `f`
  int64_t i;            // INT, BOOL; DESCRIPTOR: 1 if it pads with NaN
  double f;             // FLOAT
  const ArgSpec *items; // of a TUPLE; of a DESCRIPTOR: the sizes of its block,
                        // each INT
  int num_items;
  const char *const *names; // TUPLE: names of a named tuple's items; or NULL
};

// The items of a tuple are parameters of the IR function, in order.  So are the
// parts of a descriptor: its address, sizes (i32) and strides (i64), except the
// last stride, which is 1.

typedef struct {
  const ArgSpec *args;       // one for each parameter of the kernel
  int num_warps, num_stages; // 0: from the decorators, else 4 and 3
  int num_ctas;              // 0: from the configuration, else 1
  int config;                // index of @autotune's configuration
  bool no_fp_fusion;         // like enable_fp_fusion=False of a configuration
  int maxnreg;               // 0: from the configuration, else no limit
  int debug;   // assertions and other checks: 1 on, -1 off, 0 as in @jit
  int persist; // blocks run several programs: 1 always, -1 never, 0 by a rule
  const Target *target; // for target_info queries; may be NULL
} Specialization;

// Types and walks the live code of a kernel, and adds it to the module as a
// function. Its parameters are the run-time arguments, each with `argument`
// (its index) and `divisibility`.  The function has num_warps, and num_stages
// if that was requested.  Helpers are inlined.  False after errors, with
// nothing added.
bool frontend_specialize(Program *program, const AstFunction *kernel,
                         const Specialization *specialization, Module *m);

// Does a specialization depend on more than the types of the arguments?
bool function_has_heuristics(const AstFunction *function);
// The parameters whose values are asked for.
typedef enum {
  // A heuristic gives the value; the parameter is ABSENT in the specialization.
  VALUES_OF_HEURISTICS,
  // A number, a text, a type, None, or a tuple of these, from any source in
  // that launch: an argument, a configuration, a heuristic, or the default.
  VALUES_OF_LAUNCH,
  // The default, a tuple, too, whether the launch uses it or not.
  VALUES_OF_DEFAULTS,
} ValueSource;

typedef struct {
  ArgSpec *args; // one entry for each parameter, ABSENT if not asked for
  // May be NULL; it has one zeroed entry for each parameter.  The entries of
  // parameters whose values a heuristic read are set: launches that differ only
  // in other values get the same result.  With VALUES_OF_DEFAULTS, an entry is
  // also set if the specialization's configuration or a heuristic may give the
  // parameter another value than its default in a launch that leaves it out.
  bool *reads;
  // The launch's numbers of warps and stages: from a heuristic where the
  // specialization has 0.
  int num_warps, num_stages;
  int num_ctas; // of VALUES_OF_LAUNCH: from the configuration or @jit likewise
} ParamValues;

// Fills in `out`, with texts in `arena`.
bool frontend_values(Program *program, const AstFunction *kernel,
                     const Specialization *specialization, ValueSource source,
                     Arena *arena, DiagList *diags, ParamValues *out);

// The arguments of a kernel's @autotune.
typedef struct {
  int num_configs;            // 0: none, or only host code knows them
  const char *const *configs; // as text: "BLOCK=64, num_warps=4"
  // One entry for each parameter of the kernel: is it in the list `key`,
  // `reset_to_zero`, or `restore_value`?  The last two count only without a
  // hook.
  const bool *key, *reset, *restore;
  bool has_hooks; // @autotune or a configuration has a hook
} Tuning;

// Has the function an @autotune?
bool function_is_tuned(const AstFunction *function);
// Fills `out`, whose texts and arrays are in `arena`, for that target; false
// after an error.
bool frontend_tuning(Program *program, const AstFunction *kernel,
                     const Target *target, Arena *arena, DiagList *diags,
                     Tuning *out);

// Evaluates a kernel's `prune_configs_by` for a launch.  `why`, zeroed and with
// one entry for each configuration, gets the reason for each removed
// configuration, in `arena`.  If the evaluation fails, that is a warning, and
// no configuration is removed.  False after an error.
bool frontend_prune(Program *program, const AstFunction *kernel,
                    const Specialization *specialization, Arena *arena,
                    DiagList *diags, const char **why);

// The hooks of an @autotune: a configuration's, before each launch that runs
// it; the decorator's, before and after each launch that is measured.
typedef enum { HOOK_OF_CONFIG, HOOK_BEFORE, HOOK_AFTER } HookKind;
// A hook's change of the argument of a parameter.
typedef struct {
  bool fills; // fills the tensor with `value`
  double value;
  const int64_t *block; // new block shape of a descriptor; NULL: unchanged
} HookEffect;
typedef struct {
  // Zeroed, with one entry for each parameter; `reads` may be NULL, see
  // frontend_values().
  HookEffect *effects;
  bool *reads;
  bool any;     // a configuration has a hook
  bool unknown; // there is a hook that cannot be evaluated
} HookAnswer;
// Evaluates a hook for a launch.  One that cannot be evaluated has no effect,
// and causes a warning.  False after an error.
bool frontend_hook(Program *program, const AstFunction *kernel,
                   const Specialization *specialization, HookKind kind,
                   Arena *arena, DiagList *diags, HookAnswer *out);

// A line of a plot; a style is NULL if any will do.
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
  const ReportLine *lines;
  int num_lines;
  const char *const *arg_names, *const *arg_values; // of `args`
  int num_args;
} PerfReport;
typedef struct {
  const PerfReport *items;
  int count;
} PerfReports;

// The Benchmarks given to perf_report() in the main file.  False after an
// error: only host code knows a part of one, which is omitted.
bool frontend_reports(Program *program, Arena *arena, DiagList *diags,
                      PerfReports *out);

// The decorators' metadata as JSON, of `kernel`, or of all kernels if NULL.
void frontend_reflect(Program *program, const AstFunction *kernel, Arena *arena,
                      Str *out);

// Reads Triton's notation, "*fp32:16, *fp32, i32:16, 1024, i32": one entry for
// each parameter; constexpr ones, or the last ones with defaults, may be
// omitted.  `out` has one entry for each parameter, ARG_ABSENT for an omitted
// one.
bool frontend_parse_signature(Arena *arena, DiagList *diags,
                              const AstFunction *kernel, const char *text,
                              ArgSpec *out);
// The value of -D NAME=VALUE: 64, 0.5, True, None, "text", fp16, (1, 2).
// Messages call it `where`.
bool frontend_parse_value(Arena *arena, DiagList *diags, const char *where,
                          const char *text, ArgSpec *out);

#endif
