// tilec.h -- shared by the parts of tilec.
#ifndef TILE_TOOLS_TILEC_H
#define TILE_TOOLS_TILEC_H

#include "ir/base/base.h"
#include "runtime/compile/compile.h"
#include "runtime/context.h"
#include "runtime/pack/pack.h"

#include <stdio.h>

// Exit codes; users of the command line rely on them.
enum {
  EXIT_FINE = 0,
  EXIT_SOURCE = 1, // errors in the source
  EXIT_USAGE = 2,  // a refused option or value
  EXIT_FILES = 3,
  EXIT_DEVICE = 4,
  EXIT_MISMATCH = 5,
  EXIT_BUG = 70,
};

typedef struct {
  const char *name, *value;
} NameValue;

typedef Vec(const char *) Texts;
typedef Vec(NameValue) NameValues;

// The format of a report, if it is wanted.
typedef enum { UNTOLD, AS_TEXT, AS_JSON } Telling;

// The commands that an option, or a line of the help, belongs to.
typedef enum {
  COMPILE = 1,
  RUN = 2,
  CACHE = 4,
  TUNE = 8,
  BENCH = 16,
  PACK = 32,
  LAUNCH = RUN | TUNE | BENCH,
  BOTH = COMPILE | LAUNCH,
  ALL = BOTH | CACHE | PACK
} Commands;

typedef struct {
  Commands command; // one of them
  bool help, version;
  Telling print_targets;
  const char *name;      // of the last -D: "D" or "define"
  const char *file;      // of CACHE: its action
  const char *cache_dir; // as TileContextOptions has it
  uint64_t cache_size;   // in bytes; 0: not given
  Texts files;           // of PACK
  const char *variants, *header, *record;
  bool has_cubins; // of a pack
  const char *kernel, *signature;
  NameValues defines;
  int num_warps, num_stages, num_ctas, config;
  int maxnreg, persist;
  bool no_fp_fusion, no_hooks, debug;
  int triton; // release, 38 for 3.8; 0: the newest
  Texts include_paths;

  const char *output, *emit;
  Texts targets;
  bool save_temps, dependencies, line_info;
  const char *host_cpu; // of codegen, or "native"; NULL: not given
  TileTier tier;        // TILE_TIER_USUAL: not given
  int ptx_version;      // 83 for 8.3; 0: the target's
  const char *dependency_file, *dependency_target;

  const char *device;
  const char *grid; // as written
  bool launch_pdl;
  NameValues args, saves, references;
  Texts prints; // "NAME", "NAME:ROWS"
  uint64_t seed;
  double tolerance; // negative: not given
  int num_timed;    // 0: no timing
  bool time_json;   // printed as JSON
  bool require_written;
  bool best;         // the configuration that is best, as far as is known
  const char *tuned; // the folder of tuned kernels, as given; NULL: not given
  Texts merges;
  int num_rounds; // 0: not given
  NameValues sweeps, peers;
  Texts spares;        // names in `defines` that other kernels of a bench have
  NameValues tries;    // of TUNE: a search space
  Texts rules;         // conditions of the space
  const char *configs; // of BENCH, as given
  const char *bytes, *flops, *compare;
  const char *report; // NULL: none; "": the only one
  bool counts;        // bytes and flops, by the simulator
  const char *json_file, *csv_file, *plot_file;
  Telling stats;

  bool json, color, werror, verbose, time_passes;
  Telling resource_usage;
  int error_limit;
  PassOptions passes;
} Options;

typedef struct {
  Arena arena; // of all that follows
  int argc;
  char **argv;
  Options options;
  TileContext *context;
  TileDiagnostics *diagnostics; // of the current step, until shown
  Report report;                // adds to them
  const char *source_text;
  size_t source_length;
  ReplaceLists *outputs; // folders that were written to
  bool warned;           // with -Werror
} Tool;

// -- Options -----------------------------------------------------------------

// EXIT_FINE; or EXIT_USAGE after showing the reason.
int options_parse(Tool *tool);
// Whether --emit names this kind.
bool options_emit(const Options *options, const char *kind);
// Whether one of the targets is a GPU, or the CPU.
bool options_have_target(const Options *options, bool is_gpu);
// -1: "never", 0: "auto", 1: "always"; less: neither.
int options_wish(const char *value);
// The specialization of a kernel with these arguments, by the options.
Specialization options_specialization(const Options *options,
                                      const ArgSpec *args,
                                      const Target *target);
void print_help(Commands command, FILE *to);

typedef enum {
  FIRST_ID = 255,
#define OPTION(id, ...) OPTION_##id,
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
} OptionId;

// The option `name` with its dashes.
const char *option_with_dashes(Tool *tool, const char *name);
// EXIT_FINE; or EXIT_USAGE after showing the reason.
int option_apply(Tool *tool, int id, const char *value);
// Uses $TILE_CPU and $TILE_CPU_TIER if `--cpu` or `--tier` is not given.
int option_usual_cpu(Tool *tool);

// -- Telling -----------------------------------------------------------------

// Whether standard error is a terminal with colours, and the user has not
// refused colours.
bool tool_wants_color(void);
// Shows an error without a place in the source; returns `code`.
__attribute__((format(printf, 3, 4))) int tool_fail(Tool *tool, int code,
                                                    const char *format, ...);
// The same for a warning, which is an error with -Werror.
__attribute__((format(printf, 2, 3))) void tool_warn(Tool *tool,
                                                     const char *format, ...);
// Shows and removes the collected diagnostics; returns the exit code for the
// status.
int tool_finish(Tool *tool, TileStatus status);
// The exit code of compiling or running; with -Werror a warning changes it.
int tool_exit_code(const Tool *tool, int code);

// -- Crashes -----------------------------------------------------------------

// From here on an abort or a bad access writes the source and the command line
// to a file, and exits with EXIT_BUG.
void crash_prepare(Tool *tool);
// From here on a bad access counts as the kernel's, which runs in this process,
// and exits with EXIT_DEVICE; for an abort the message says that the kernel may
// be the reason.
void crash_is_of_kernel(void);
// The same for a detected bug; prints the path of the file.
void crash_report(Tool *tool);

// -- The commands ------------------------------------------------------------

int command_compile(Tool *tool);
int command_run(Tool *tool);
int command_cache(Tool *tool);
int command_tune(Tool *tool);
int command_bench(Tool *tool);
// Sets the context's folder of tuned kernels; false without memory.
bool tool_open_tuned(Tool *tool);
int command_pack(Tool *tool);

typedef struct {
  Commands id; // one of them
  const char *name, *takes, *help, *about;
} CommandInfo;

enum {
  NUM_COMMANDS = 1
#define COMMAND(...) +1
#define OPTION(...)
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
};
// COMPILE is first; its name is "".
extern const CommandInfo command_table[NUM_COMMANDS];

const char *command_name(Commands command);
// The command of that name, COMPILE if there is none.
Commands command_find(const char *name);

// Checks that `file` is a source, not a mistyped command.
int command_check_file(Tool *tool, const char *file);

// Reads a size such as "500M" in bytes; `option` is for the message.
int cache_read_size(Tool *tool, const char *option, const char *value);

// The size from the option, else from $TILE_CACHE_SIZE, else 0.
int cache_size(Tool *tool, uint64_t *out);

// Reads the source file; EXIT_FINE or EXIT_FILES.
int tool_read_source(Tool *tool, TileSource *out);
// Parses the source and shows all errors: after syntax errors, which are a
// failure, also those of functions without them.  The unit lives as long as the
// tool.
int tool_parse(Tool *tool, const TileSource *source, SourceUnit **out);
// The number of the parameter of that name, -1 if there is none.
int kernel_find_param(const AstFunction *kernel, const char *name);
// Whether --arg gives the value: the spec is a type, or a tuple with one.
bool spec_is_type(const ArgSpec *spec);
// Whether both are the same constant, and no tuple.
bool spec_same_value(const ArgSpec *a, const ArgSpec *b);
// An ArgSpec for each parameter, from --signature and -D.
int tool_read_signature(Tool *tool, SourceUnit *unit, const AstFunction *kernel,
                        ArgSpec **out);
// Generated code and its file.
typedef struct {
  const Target *target;
  const CompiledCode *code;
  const char *bytes; // contents of the file
  size_t size;
} GpuCode;

// Makes the cubin of PTX by NVIDIA's ptxas; EXIT_FINE, or an error that was
// shown.
int gpu_assemble(Tool *tool, GpuCode *gpu);
// Print the report of --resource-usage, with numbers of ptxas if it is
// installed.
int gpu_print_resources(Tool *tool, const GpuCode *gpu);
int host_print_resources(const Tool *tool, const Target *target,
                         const CompiledCode *code);
// The kernel's name in its symbol.
const char *tool_symbol_name(const char *symbol, const Target *target);
// The kernel of --kernel, or the only one.
int tool_find_kernel(Tool *tool, SourceUnit *unit, const AstFunction **out);
typedef struct {
  const char *fills; // a parameter whose tensor it fills; NULL: none
  bool is_unknown;   // it cannot be evaluated; reported
} ToolHook;
// Evaluates the hook of the configuration; the arguments get its blocks.
TileStatus tool_hook(Tool *tool, SourceUnit *unit, const AstFunction *kernel,
                     Specialization *specialization, ToolHook *out);
// The same as compile(), but uses the cache on disk.
TileStatus tool_compile(Tool *tool, const CompileRequest *asked,
                        Compilation *out);
// The length of a path without its extension: 3 for "a/b.c".
size_t tool_stem_length(const char *path);
// Writes the rule of -MD: `output` depends on the files.  EXIT_FINE or
// EXIT_FILES.
int tool_write_rule(Tool *tool, const char *output, const Texts *files);
// Writes a file; "-" is standard output.  EXIT_FINE or EXIT_FILES.
int tool_write(Tool *tool, const char *path, const void *bytes, size_t size);
// EXIT_FINE if a file can be written there, as far as its folder tells; else
// EXIT_FILES after a message.
int tool_check_writable(Tool *tool, const char *path);

// -- Packs -------------------------------------------------------------------

// A line of the file of variants: a kernel, and its specialization.
typedef struct {
  SrcLoc loc;       // of the name
  const char *name; // of the kernel
  SourceUnit *unit;
  const AstFunction *kernel;
  ArgSpec *specs; // one for each parameter
  int num_warps, num_stages, num_ctas, config;
  int persist; // as in TileLaunch
} Asked;

typedef Vec(SourceUnit *) Units;
typedef Vec(Asked) AskedList;

typedef struct {
  Tool *tool;
  Units units;
  Source *source; // the file of variants
  DiagList diags; // of it
  AskedList asked;
  // The device whose driver makes cubins for --cubin without ptxas; NULL: none.
  TileDevice *gpu;
  bool has_looked; // for the device
} Packing;

enum { PACK_LEVELS = 4 };

// A request for a variant.
typedef struct {
  const Asked *line;
  const Target *target;
  TensorFit fit; // of the launch's tensors
} PackAsk;

// Compiles a variant; `out` has its level already.  EXIT_FINE, or an error that
// was shown.
int pack_compile(Packing *packing, const PackAsk *ask, PackVariant *out);
// Finds the values of the defaults, an entry for each parameter, and which of
// them the configuration of `out` replaces.  EXIT_FINE, or an error that was
// shown.
int pack_find_defaults(Packing *packing, const PackAsk *ask, bool is_first,
                       PackParam *params, PackVariant *out);

// Reads the file of --variants; EXIT_FINE, or an error that was shown.
int pack_read_variants(Packing *packing);
// Runs the command of --record, and writes a file of variants of its launches.
int pack_record(Tool *tool);
// Adds to the messages of a failure the line of the file of variants.
int pack_fail_at(Packing *packing, const Asked *asked, TileStatus status);
// Converts a parameter's specification for a loader; false: packs cannot have
// it.
bool pack_spec(Arena *arena, const char *annotation, const ArgSpec *from,
               PackSpec *out);

#endif
