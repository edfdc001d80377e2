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
  FileReads reads;      // what `program` has read
  DiskInputs inputs;    // what all code of it depends on, to the cache on disk
  pthread_mutex_t lock; // held by whoever looks something up in `program`
} SourceUnit;

// `text` is copied.  `from` outlives the unit.  A source of which
// frontend_is_broken() is fine, too: its errors are reported.  `target` is what
// code is made for first; NULL: it is not known.  The names that the source
// defines decide conditions of modules.
TileStatus unit_create(const Report *report, const TileSource *source,
                       const Target *target, SourceUnit **out);
// Kernels are given it, too.
TileStatus unit_define(const Report *report, SourceUnit *unit,
                       const TileSource *source);
void unit_destroy(SourceUnit *unit);

// Runs body(data) with the lock held and the unit's arena protected.  False
// when memory ran out.
bool unit_protect(SourceUnit *unit, void (*body)(void *data), void *data);

// The same with another arena protected, too.
bool unit_protect_with(SourceUnit *unit, Arena *arena, void (*body)(void *data),
                       void *data);

// Told how long a stage took.
typedef void StageTimer(void *ctx, const char *stage, double seconds);

// Whether to go on: asked(ctx) is true when not.
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
  // The arena's memory, which is refused when the compilation is cancelled.
  Allocator memory;
  const Allocator *from;
  const Cancel *cancel;
  bool is_cancelled;
} Compilation;

// Fills in what @heuristics gives this launch: arguments that are ABSENT, and
// options that are 0.  Texts are in `arena`.  `reads`: see
// frontend_heuristics().
TileStatus compile_heuristics(const Report *report, SourceUnit *unit,
                              const AstFunction *kernel, Arena *arena,
                              ArgSpec *args, bool *reads,
                              Specialization *specialization);

// The same of each argument that is a constant, without warnings, which the
// compilation tells; see frontend_values().
TileStatus compile_values(const Report *report, SourceUnit *unit,
                          const AstFunction *kernel, Arena *arena,
                          ArgSpec *args, Specialization *specialization);
// The same of the defaults of parameters; see frontend_defaults().
TileStatus compile_defaults(const Report *report, SourceUnit *unit,
                            const AstFunction *kernel, Arena *arena,
                            ArgSpec *args, bool *others,
                            Specialization *specialization);

// Adds the text of a constant, of a string without quotes; false, with nothing
// added: it is no single constant.
bool constant_print(const ArgSpec *constant, Str *out);

// For each configuration, in `arena`, the reason why `prune_configs_by` leaves
// it out in such a launch; see frontend_prune().
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

// Makes the descriptor's specification one of the block that the hook gives it,
// in `arena`; another argument stays as it is.
void hook_set_block(Arena *arena, const HookEffect *effect, ArgSpec *spec);

// Fills `out` with what @autotune says of the kernel on that target, in
// `arena`; see frontend_tuning().
TileStatus compile_tuning(const Report *report, SourceUnit *unit,
                          const AstFunction *kernel, const Target *target,
                          Arena *arena, Tuning *out);

// On success and on failure `out` wants compilation_free().
TileStatus compile(const Report *report, const CompileRequest *request,
                   Compilation *out);
void compilation_free(Compilation *compilation);

// -- Further errors in a source with syntax errors ---------------------------

// Are the types of its arguments known without a signature?
bool kernel_is_typed(const AstFunction *kernel);

// Reports the errors of a kernel without syntax errors, and takes them from
// the limit of `report`.
TileStatus kernel_check(Report *report, SourceUnit *unit,
                        const AstFunction *kernel,
                        const Specialization *specialization);

// The same of all such kernels whose types are known.  False when memory ran
// out.
bool unit_check(const Report *report, SourceUnit *unit);

// -- Compilations that an earlier process has left on the disk ---------------

typedef struct {
  DiskCache *disk;               // NULL: none
  const CompileRequest *request; // to code
  const char *kernel;    // the name by which the caller has asked for it, or ""
  const char *assembler; // that makes machine code of the code; NULL: none
} Keeping;

// Fills `out` as compile() would, if the entry is there: then `*found`.  In any
// case `out` may be given to compilation_free().
TileStatus kept_find(const Report *report, const Keeping *keeping,
                     Compilation *out, bool *found);
// Has an earlier process found that no configuration of the kernel, by the name
// `asked`, has a hook on that target?  A later one will be told so.
TileStatus kept_hookless(const Report *report, DiskCache *disk,
                         SourceUnit *unit, const char *asked,
                         const Target *target, bool *out);
void kept_put_hookless(DiskCache *disk, const Allocator *from, SourceUnit *unit,
                       const char *asked, const Target *target);
// Leaves a compilation that works to other processes; false: errno says why
// not.
bool kept_put(const Keeping *keeping, Compilation *compiled);

#endif
