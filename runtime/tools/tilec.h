// tilec.h -- shared by the parts of tilec.
#ifndef TILE_TOOLS_TILEC_H
#define TILE_TOOLS_TILEC_H

#include "ir/base/base.h"
#include "runtime/compile/compile.h"
#include "runtime/context.h"
#include "runtime/pack/pack.h"

#include <stdio.h>

// Exit codes; USERS of the command line rely on them.
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

// The form in which something is told, if at all.
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
  const char *name;      // of the option -D, as it was written last
  const char *file;      // of CACHE, what to do with it
  const char *cache_dir; // as TileContextOptions has it
  uint64_t cache_size;   // bytes; 0: it was not given
  Texts files;           // of PACK
  const char *variants, *header, *record;
  bool has_cubins; // of a pack
  const char *kernel, *signature;
  NameValues defines;
  int num_warps, num_stages, num_ctas, config;
  int maxnreg;
  bool no_fp_fusion, no_hooks, debug;
  int triton; // the release whose rules hold, 38 for 3.8; 0: the newest
  Texts include_paths;

  const char *output, *emit;
  Texts targets;
  bool save_temps, dependencies, line_info;
  const char *host_cpu; // of codegen, or "native"; NULL: nobody said
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
  bool time_json;   // told as JSON
  bool require_written;
  bool best;         // the configuration that is best, as far as is known
  const char *tuned; // where those are kept, as it was given; NULL: it was not
  Texts merges;
  int num_rounds; // 0: not given
  NameValues sweeps, peers;
  NameValues tries;    // of TUNE: a search space
  Texts rules;         // what is tried of it
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
  bool warned; // with -Werror
} Tool;

// -- Options -----------------------------------------------------------------

// EXIT_FINE or EXIT_USAGE, the reason shown.
int options_parse(Tool *tool);
// Is this what --emit names?
bool options_emit(const Options *options, const char *kind);
// Is one of the targets a GPU, or the CPU?
bool options_have_target(const Options *options, bool is_gpu);
// The kernel with these arguments, for the target, as the options want it.
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

// The option `name` as it is to be written.
const char *option_with_dashes(Tool *tool, const char *name);
// EXIT_FINE or EXIT_USAGE, the reason shown.
int option_apply(Tool *tool, int id, const char *value);
// $TILE_CPU stands for a `--cpu` that is not there.
int option_usual_cpu(Tool *tool);

// -- Telling -----------------------------------------------------------------

// Is standard error a terminal that shows colors, and wanted to?
bool tool_wants_color(void);
// Shows an error that has no place in the source; returns `code`.
__attribute__((format(printf, 3, 4))) int tool_fail(Tool *tool, int code,
                                                    const char *format, ...);
// The same for a warning, which -Werror makes an error.
__attribute__((format(printf, 2, 3))) void tool_warn(Tool *tool,
                                                     const char *format, ...);
// Shows the collected diagnostics, and forgets them; the exit code that the
// status means.
int tool_finish(Tool *tool, TileStatus status);
// The exit code of compiling or running, which -Werror changes at a warning.
int tool_exit_code(const Tool *tool, int code);

// -- Crashes -----------------------------------------------------------------

// From here on an abort or a bad access writes the source and the command line
// to a file and ends with EXIT_BUG.
void crash_prepare(Tool *tool);
// From here on a bad access is the kernel's, which runs in this process, and
// ends with EXIT_DEVICE; of an abort, it may be the reason.
void crash_is_of_kernel(void);
// The same for a bug that was noticed; says where the file is.
void crash_report(Tool *tool);

// -- The commands ------------------------------------------------------------

int command_compile(Tool *tool);
int command_run(Tool *tool);
int command_cache(Tool *tool);
int command_tune(Tool *tool);
int command_bench(Tool *tool);
// Sets where the context looks for tuned kernels; false without memory.
bool tool_open_tuned(Tool *tool);
int command_pack(Tool *tool);

typedef struct {
  Commands id; // one of them
  const char *name, *takes, *help;
} CommandInfo;

enum {
  NUM_COMMANDS = 1
#define COMMAND(...) +1
#define OPTION(...)
#define HEADING(...)
#define CONTINUED(...)
#include "runtime/tools/options.def"
};
// COMPILE first, whose name is "".
extern const CommandInfo command_table[NUM_COMMANDS];

const char *command_name(Commands command);
// The command of that name, COMPILE if there is none.
Commands command_find(const char *name);

// Is that a file to compile, rather than a command that there is not?
int command_check_file(Tool *tool, const char *file);

// "500M" to bytes; `option` is for the message.
int cache_read_size(Tool *tool, const char *option, const char *value);

// The size that an option gave, else $TILE_CACHE_SIZE, else 0.
int cache_size(Tool *tool, uint64_t *out);

// Reads the source file; EXIT_FINE or EXIT_FILES.
int tool_read_source(Tool *tool, TileSource *out);
// Parses it and shows what is wrong: after syntax errors, which are a failure,
// also what is in the functions that have none.  The unit lives as the tool.
int tool_parse(Tool *tool, const TileSource *source, SourceUnit **out);
// The number of the parameter of that name, -1 if there is none.
int kernel_find_param(const AstFunction *kernel, const char *name);
// Does it leave the value to --arg: a type, or a tuple that has one?
bool spec_is_type(const ArgSpec *spec);
// Are they one constant, which is no tuple?
bool spec_same_value(const ArgSpec *a, const ArgSpec *b);
// An ArgSpec for each parameter, from --signature and -D.
int tool_read_signature(Tool *tool, SourceUnit *unit, const AstFunction *kernel,
                        ArgSpec **out);
// Code on its way to a file.
typedef struct {
  const Target *target;
  const CompiledCode *code;
  const char *bytes; // to write
  size_t size;
} GpuCode;

// Makes the cubin of PTX, by NVIDIA's ptxas; EXIT_FINE or the reason shown.
int gpu_assemble(Tool *tool, GpuCode *gpu);
// Print the report of --resource-usage, by ptxas's word where it is installed.
int gpu_print_resources(Tool *tool, const GpuCode *gpu);
int host_print_resources(const Tool *tool, const Target *target,
                         const CompiledCode *code);
// The kernel's name that its symbol has in it.
const char *tool_symbol_name(const char *symbol, const Target *target);
// The kernel that --kernel names, or the only one.
int tool_find_kernel(Tool *tool, SourceUnit *unit, const AstFunction **out);
typedef struct {
  const char *fills; // a parameter whose tensor it fills; NULL: none
  bool is_unknown;   // it cannot be evaluated, as was told
} ToolHook;
// Asks for the hook of the configuration, whose blocks the arguments get.
TileStatus tool_hook(Tool *tool, SourceUnit *unit, const AstFunction *kernel,
                     Specialization *specialization, ToolHook *out);
// The same as compile(), but for code that the cache on disk has.
TileStatus tool_compile(Tool *tool, const CompileRequest *asked,
                        Compilation *out);
// Up to the ending of a path: 3 for "a/b.c".
size_t tool_stem_length(const char *path);
// Writes the rule of -MD: `output` is made of the files.  EXIT_FINE or
// EXIT_FILES.
int tool_write_rule(Tool *tool, const char *output, const Texts *files);
// Writes a file, "-" being standard output; EXIT_FINE or EXIT_FILES.
int tool_write(Tool *tool, const char *path, const void *bytes, size_t size);

// -- Packs -------------------------------------------------------------------

// A line of the file of variants: a kernel, and what it is compiled for.
typedef struct {
  SrcLoc loc;       // of the name
  const char *name; // of the kernel
  SourceUnit *unit;
  const AstFunction *kernel;
  ArgSpec *specs; // one for each parameter
  int num_warps, num_stages, config;
} Asked;

typedef Vec(SourceUnit *) Units;
typedef Vec(Asked) AskedList;

typedef struct {
  Tool *tool;
  Units units;
  Source *source; // the file of variants
  DiagList diags; // of it
  AskedList asked;
  // --cubin, where there is no ptxas: whose driver makes them; NULL: none.
  TileDevice *gpu;
  bool has_looked; // for it
} Packing;

enum { PACK_LEVELS = 4 };
// "x86-64-v3" for 3.
const char *pack_level_name(int level);

// A variant to be compiled.
typedef struct {
  const Asked *line;
  const Target *target;
  bool without_maps; // it makes no tensor maps
} PackAsk;

// Fills in what the compiler says: `out` has its level.  EXIT_FINE or the
// reasons shown.
int pack_compile(Packing *packing, const PackAsk *ask, PackVariant *out);
// The values of the defaults, for an entry a parameter.  EXIT_FINE or the
// reasons shown.
int pack_find_defaults(Packing *packing, const PackAsk *ask, bool is_first,
                       PackParam *params);

// Reads the file of --variants; EXIT_FINE or the reasons shown.
int pack_read_variants(Packing *packing);
// Runs the command of --record, and writes such a file of what it launches.
int pack_record(Tool *tool);
// Ends the messages of a failure with the line that asked for it.
int pack_fail_at(Packing *packing, const Asked *asked, TileStatus status);
// Makes of a parameter's specification what a loader is told; false: packs do
// not have such.
bool pack_spec(Arena *arena, const char *annotation, const ArgSpec *from,
               PackSpec *out);

#endif
