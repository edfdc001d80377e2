// compile.h -- frontend, passes and code generation, joined.
//
// Everything runs under arena_protect(): running out of memory anywhere is
// TILE_OUT_OF_MEMORY.  Diagnostics are copied to the caller's report.
#ifndef TILE_RUNTIME_COMPILE_H
#define TILE_RUNTIME_COMPILE_H

#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "passes/pass.h"
#include "runtime/base/base.h"
#include "runtime/compile/cache.h"
#include "runtime/compile/element.h"
#include "runtime/disk/disk.h"

#include <pthread.h>

// A parsed source that any number of threads may compile from.
typedef struct {
  const Allocator *from;
  Arena arena;
  DiagList diags; // the messages of parsing; already reported
  Program *program;
  FileReads reads;      // files that `program` has read
  DiskInputs inputs;    // inputs of all its code, for the cache on disk
  pthread_mutex_t lock; // held during look-ups in `program`
} SourceUnit;

// `text` is copied.  `from` outlives the unit.  A source for which
// frontend_is_broken() is true is accepted, too: its errors are reported.
// `target` is the first target of the code; NULL: unknown.  The names that the
// source defines decide conditions of modules.
TileStatus unit_create(const Report *report, const TileSource *source,
                       const Target *target, SourceUnit **out);
// Gives the names that the source defines to the kernels, too.
TileStatus unit_define(const Report *report, SourceUnit *unit,
                       const TileSource *source);
// From now on it is no error if a kernel does not use the defined name.  Called
// within unit_protect().
void unit_spare(SourceUnit *unit, const char *name);
void unit_destroy(SourceUnit *unit);

// Runs body(data) with the lock held and the unit's arena protected.  False if
// memory ran out.
bool unit_protect(SourceUnit *unit, void (*body)(void *data), void *data);

// The same with another arena protected, too.
bool unit_protect_with(SourceUnit *unit, Arena *arena, void (*body)(void *data),
                       void *data);

// Receives the time that a stage took.
typedef void StageTimer(void *ctx, const char *stage, double seconds);

// A request to stop a compilation: asked(ctx) is true.
typedef struct {
  bool (*asked)(void *ctx); // NULL: never
  void *ctx;
} Cancel;

typedef enum {
  COMPILE_TO_IR,     // as the frontend made it
  COMPILE_TO_PASSES, // as the passes left it
  COMPILE_TO_CODE,
} CompileGoal;

typedef struct {
  SourceUnit *unit;
  const AstFunction *kernel;
  const Specialization *specialization;
  CompileGoal goal;
  EmitKind kind;                 // of the code
  const PassOptions *passes;     // may be NULL
  const CodegenOptions *codegen; // may be NULL
  const Cancel *cancel;          // may be NULL
  StageTimer *timed;             // may be NULL
  void *timed_ctx;
} CompileRequest;

typedef struct {
  Arena arena;
  DiagList diags;    // already reported
  Module *module;    // once the frontend was through
  CompiledCode code; // of COMPILE_TO_CODE
  // The arena's allocator, which fails once the compilation is cancelled.
  Allocator memory;
  const Allocator *from;
  const Cancel *cancel;
  bool is_cancelled;
} Compilation;

// Fills in the values that @heuristics gives this launch: for arguments that
// are ABSENT, and options that are 0.  Texts are in `arena`.  `reads`: see
// frontend_values().
TileStatus compile_heuristics(const Report *report, SourceUnit *unit,
                              const AstFunction *kernel, Arena *arena,
                              ArgSpec *args, bool *reads,
                              Specialization *specialization);

// The same for each argument that is a constant, without warnings, which the
// compilation repeats.
TileStatus compile_values(const Report *report, SourceUnit *unit,
                          const AstFunction *kernel, Arena *arena,
                          ArgSpec *args, Specialization *specialization);
// The same for the defaults of parameters; `others` is the `reads` of
// ParamValues.
TileStatus compile_defaults(const Report *report, SourceUnit *unit,
                            const AstFunction *kernel, Arena *arena,
                            ArgSpec *args, bool *others,
                            Specialization *specialization);

// Appends the text of a constant, of a string without quotes; false, with
// nothing appended: it is no single constant.
bool constant_print(const ArgSpec *constant, Str *out);

// For each configuration, in `arena`, the reason why `prune_configs_by` leaves
// it out for such a launch; see frontend_prune().
TileStatus compile_prune(const Report *report, SourceUnit *unit,
                         const AstFunction *kernel,
                         const Specialization *specialization, Arena *arena,
                         const char **why);

// The effects of a hook on the arguments of such a launch; see frontend_hook().
// Fills `out->effects`.
TileStatus compile_hook(const Report *report, SourceUnit *unit,
                        const AstFunction *kernel,
                        const Specialization *specialization, HookKind kind,
                        Arena *arena, HookAnswer *out);

// Changes a descriptor's specification to the block that the hook gives it, in
// `arena`; another argument stays as it is.
void hook_set_block(Arena *arena, const HookEffect *effect, ArgSpec *spec);

// Fills `out` with the configurations of @autotune for the kernel on that
// target, in `arena`; see frontend_tuning().
TileStatus compile_tuning(const Report *report, SourceUnit *unit,
                          const AstFunction *kernel, const Target *target,
                          Arena *arena, Tuning *out);

// After success and after failure the caller calls compilation_free() on `out`.
TileStatus compile(const Report *report, const CompileRequest *request,
                   Compilation *out);
void compilation_free(Compilation *compilation);

// -- Further errors in a source with syntax errors ---------------------------

// Whether the types of its arguments are known without a signature.
bool kernel_is_typed(const AstFunction *kernel);

// Reports the errors of a kernel without syntax errors, and takes them from
// the limit of `report`.
TileStatus kernel_check(Report *report, SourceUnit *unit,
                        const AstFunction *kernel,
                        const Specialization *specialization);

// The same for all kernels whose types are known.  False if memory ran out.
bool unit_check(const Report *report, SourceUnit *unit);

// -- Compilations that an earlier process has left on the disk ---------------

typedef struct {
  DiskCache *disk;               // NULL: none
  const CompileRequest *request; // compiles to code
  const char *kernel;            // name by which the caller requested the
                                 // kernel, or ""
  const char *assembler; // assembler that makes machine code; NULL: none
} Keeping;

// Fills `out` as compile() would, and sets `*found`, if the entry is there.  In
// any case `out` may be given to compilation_free().
TileStatus kept_find(const Report *report, const Keeping *keeping,
                     Compilation *out, bool *found);
// Whether an earlier process has found that no configuration of the kernel, by
// the name `asked`, has a hook on that target.  If not, a later process will
// get this process's answer.
TileStatus kept_hookless(const Report *report, DiskCache *disk,
                         SourceUnit *unit, const char *asked,
                         const Target *target, bool *out);
void kept_put_hookless(DiskCache *disk, const Allocator *from, SourceUnit *unit,
                       const char *asked, const Target *target);
// Writes a successful compilation to the disk for other processes; false: errno
// says why not.
bool kept_put(const Keeping *keeping, Compilation *compiled);

#endif
