// cache.c -- compiled kernels on disk: `tilec cache list|clear|verify|stats`,
// and finding code there.
#define _DEFAULT_SOURCE // localtime_r
#include "runtime/compile/compile.h"
#include "runtime/disk/disk.h"
#include "runtime/disk/sweep.h"
#include "runtime/errors.h"
#include "runtime/tools/errors.h"
#include "runtime/tools/tilec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  Tool *tool;
  const char *path; // of the folder
  int folder;       // -1: no folder
  DiskFiles files;  // the most recently used last
} Shelf;

// -- Entries -----------------------------------------------------------------

static bool has_name(Bytes key, const char *wanted) {
  char name[ENTRY_NAME];
  bool found = false;
  for (int slot = 0; slot < ENTRY_SLOTS && !found; slot++) {
    entry_name(key, slot, name);
    found = !strcmp(name, wanted);
  }
  return found;
}

typedef struct {
  const Shelf *shelf;
  const DiskFile *file;
  Arena arena;
  Entry entry;
  DiskInputs inputs;
  bool is_whole;
  bool is_ours; // this build can read it
} CacheLook;

// An entry of another build is whole, but this build may be unable to read it.
static void look_body(void *data) {
  CacheLook *look = data;
  Arena *arena = &look->arena;
  const char *name = look->file->name;
  const Bytes bytes = folder_read(look->shelf->folder, name, false, arena);
  Bytes key;
  look->is_whole =
      bytes.data && entry_is_whole(bytes, &key) && has_name(key, name);
  look->is_ours = look->is_whole && entry_read(bytes, arena, &look->entry) &&
                  inputs_read(key, &look->inputs) &&
                  look->inputs.format == DISK_FORMAT;
}

// Reads the inputs of an entry into an arena, which the caller frees.
static bool look(const Shelf *shelf, const DiskFile *file, CacheLook *out) {
  *out = (CacheLook){.shelf = shelf, .file = file};
  arena_init(&out->arena, &system_allocator);
  return arena_protect(&out->arena, look_body, out) && out->is_whole;
}

static bool is_entry(const DiskFile *file) {
  return !file->is_stray && !file->is_writing;
}

// -- The limit ---------------------------------------------------------------

static uint64_t unit_of(const char *text) {
  static const char units[] = "KMGT";
  const char *unit = *text ? strchr(units, *text) : NULL;
  if (!*text) return 1;
  return unit && !text[1] ? (uint64_t)1 << 10 * (unit - units + 1) : 0;
}

int cache_read_size(Tool *tool, const char *option, const char *value) {
  char *end;
  errno = 0;
  const uint64_t number = strtoull(value, &end, 10), unit = unit_of(end);
  const bool is_number = *value >= '0' && *value <= '9' && !errno;
  tool->options.cache_size = number * unit;
  if (is_number && number && unit && number <= UINT64_MAX / unit)
    return EXIT_FINE;
  return tool_fail(tool, EXIT_USAGE, ERROR_bad_value, option,
                   "bytes, as in 500000, 500M or 2G", value);
}

int cache_size(Tool *tool, uint64_t *out) {
  const char *usual = getenv("TILE_CACHE_SIZE");
  int code = EXIT_FINE;
  if (!tool->options.cache_size && usual && *usual)
    code = cache_read_size(tool, "TILE_CACHE_SIZE", usual);
  *out = tool->options.cache_size;
  return code;
}

// -- Commands ----------------------------------------------------------------

static const char *text_of(Bytes block) {
  return block.size ? block.data : "?";
}

static void print_entry(const Shelf *shelf, const DiskFile *file) {
  const time_t used = (time_t)file->used;
  struct tm local;
  char when[32] = "?";
  CacheLook found;
  if (localtime_r(&used, &local))
    strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
  printf("%s %10" PRIu64, when, file->size);
  if (!look(shelf, file, &found)) {
    printf("  broken  %s\n", file->name);
  } else if (!found.is_ours) {
    printf("  ?       %s of another build\n", file->name);
  } else {
    const char *target = text_of(found.inputs.target);
    printf("  %-7s %s of %s\n", target,
           tool_symbol_name(found.entry.code.kernels[0].symbol,
                            target_find(target)),
           text_of(found.inputs.file));
  }
  arena_free(&found.arena);
}

// Lists the most recently used entries first.
static int list(const Shelf *shelf) {
  for (size_t i = shelf->files.count; i-- > 0;) {
    if (is_entry(&shelf->files.items[i]))
      print_entry(shelf, &shelf->files.items[i]);
  }
  return EXIT_FINE;
}

static int tell_left(const Shelf *shelf, const SweepResult *result) {
  fflush(stdout);
  return tool_fail(shelf->tool, EXIT_FILES, ERROR_cache_not_removed,
                   result->left, shelf->path, strerror(result->error));
}

static int clear(const Shelf *shelf) {
  SweepResult result = {0};
  if (shelf->folder >= 0)
    result = sweep_clear(shelf->folder, &shelf->tool->arena);
  printf("%zu file%s removed from %s\n", result.removed,
         result.removed == 1 ? "" : "s", shelf->path);
  return result.left ? tell_left(shelf, &result) : EXIT_FINE;
}

static bool is_broken(const Shelf *shelf, const DiskFile *file) {
  CacheLook entry;
  const bool is_whole = look(shelf, file, &entry);
  arena_free(&entry.arena);
  return !is_whole;
}

// Removes broken entries, and files left behind.
static int verify(const Shelf *shelf) {
  size_t entries = 0, broken = 0, strays = 0;
  SweepResult result = {0};
  for (size_t i = 0; i < shelf->files.count; i++) {
    const DiskFile *file = &shelf->files.items[i];
    const bool is_bad = is_entry(file) && is_broken(shelf, file);
    entries += is_entry(file);
    broken += is_bad;
    strays += file->is_stray;
    if (is_bad || file->is_stray) sweep_remove(shelf->folder, file, &result);
  }
  printf("%zu %s, %zu broken", entries, entries == 1 ? "entry" : "entries",
         broken);
  if (strays) printf(", %zu unfinished", strays);
  printf("\n");
  if (result.left) return tell_left(shelf, &result);
  if (!broken) return EXIT_FINE;
  fflush(stdout);
  return tool_fail(shelf->tool, EXIT_FILES, ERROR_cache_broken, broken);
}

static int stats(const Shelf *shelf) {
  uint64_t limit;
  const int code = cache_size(shelf->tool, &limit);
  if (code) return code;
  uint64_t size = 0;
  size_t entries = 0, strays = 0;
  for (size_t i = 0; i < shelf->files.count; i++) {
    const DiskFile *file = &shelf->files.items[i];
    size += file->size;
    entries += is_entry(file);
    strays += file->is_stray;
  }
  printf("folder   %s\nentries  %zu\nstrays   %zu\nbytes    %" PRIu64
         "\nlimit    %" PRIu64 "\n",
         shelf->path, entries, strays, size, limit ? limit : DISK_LIMIT);
  return EXIT_FINE;
}

// -- The command -------------------------------------------------------------

static const struct {
  const char *name;
  int (*run)(const Shelf *shelf);
} actions[] = {
    {"list", list}, {"clear", clear}, {"verify", verify}, {"stats", stats}};
enum { NUM_ACTIONS = sizeof actions / sizeof *actions };

static int refuse_action(Tool *tool, const char *name) {
  const char *names[NUM_ACTIONS];
  for (int i = 0; i < NUM_ACTIONS; i++) names[i] = actions[i].name;
  const char *near = diag_nearest(name, names, NUM_ACTIONS);
  if (near)
    return tool_fail(tool, EXIT_USAGE, ERROR_no_cache_command_near, name, near);
  return tool_fail(tool, EXIT_USAGE, ERROR_no_cache_command, name);
}

static int refuse_folder(Tool *tool, const char *path, FolderState state) {
  return tool_fail(tool, EXIT_FILES, "%s",
                   arena_printf(&tool->arena, folder_warning(state), path));
}

static void free_path(void *data) {
  system_allocator.free(system_allocator.ctx, data);
}

static int open_shelf(Tool *tool, Shelf *out) {
  bool failed;
  FolderState state;
  char *path = disk_folder(&system_allocator, tool->options.cache_dir, &failed);
  if (failed) return tool_finish(tool, TILE_OUT_OF_MEMORY);
  if (!path) return tool_fail(tool, EXIT_USAGE, ERROR_cache_off);
  arena_defer(&tool->arena, free_path, path);
  *out = (Shelf){.tool = tool, .path = path};
  out->folder = folder_open(path, &state);
  if (state == FOLDER_MISSING) return EXIT_FINE;
  if (state != FOLDER_FINE) return refuse_folder(tool, path, state);
  arena_defer(&tool->arena, folder_close, &out->folder);
  sweep_list(out->folder, &tool->arena, &out->files);
  return EXIT_FINE;
}

int command_cache(Tool *tool) {
  const char *name = tool->options.file;
  Shelf *shelf = arena_new(&tool->arena, Shelf);
  for (int i = 0; i < NUM_ACTIONS; i++) {
    if (strcmp(actions[i].name, name)) continue;
    const int code = open_shelf(tool, shelf);
    return code ? code : actions[i].run(shelf);
  }
  return refuse_action(tool, name);
}

// -- Taking code -------------------------------------------------------------

// Whether the code is needed without further output of the compiler.  A make
// rule lists the files that were read, so it needs the frontend.
static bool is_plain(const Options *options, const CompileRequest *request) {
  const PassOptions none = {0}, *passes = &options->passes;
  return request->goal == COMPILE_TO_CODE && !options->time_passes &&
         !options->dependencies && !memcmp(passes, &none, sizeof none);
}

static TileStatus take(Tool *tool, const CompileRequest *asked,
                       Compilation *out) {
  if (!is_plain(&tool->options, asked))
    return compile(&tool->report, asked, out);
  CompileRequest request = *asked;
  request.passes = NULL;
  const char *kernel = tool->options.kernel;
  const Keeping keeping = {tool->context->disk, &request, kernel ? kernel : "",
                           NULL};
  bool found;
  TileStatus status = kept_find(&tool->report, &keeping, out, &found);
  if (found && tool->options.verbose)
    fprintf(stderr, "tilec: it is in the cache\n");
  if (status || found) return status;
  status = compile(&tool->report, &request, out);
  if (!status) kept_put(&keeping, out);
  return status;
}

// The blocks that a hook gives to tensor descriptors become part of the code.
// A tensor that the hook fills is named in `out`: the launcher of the code has
// to fill it.
TileStatus tool_hook(Tool *tool, SourceUnit *unit, const AstFunction *kernel,
                     Specialization *specialization, ToolHook *out) {
  const int count = function_num_params(kernel);
  HookAnswer answer = {.any = false};
  *out = (ToolHook){.fills = NULL};
  if (!function_is_tuned(kernel) || tool->options.no_hooks) return TILE_OK;
  const TileStatus status =
      compile_hook(&tool->report, unit, kernel, specialization, HOOK_OF_CONFIG,
                   &tool->arena, &answer);
  if (status) return status;
  ArgSpec *args = arena_array(&tool->arena, ArgSpec, count + 1);
  for (int i = 0; i < count; i++) {
    args[i] = specialization->args[i];
    hook_set_block(&tool->arena, &answer.effects[i], &args[i]);
    if (answer.effects[i].fills) out->fills = function_param(kernel, i).name;
  }
  out->is_unknown = answer.unknown;
  specialization->args = args;
  return TILE_OK;
}

TileStatus tool_compile(Tool *tool, const CompileRequest *asked,
                        Compilation *out) {
  Specialization specialization = *asked->specialization;
  CompileRequest request = *asked;
  request.specialization = &specialization;
  ToolHook hook;
  const TileStatus status =
      tool_hook(tool, asked->unit, asked->kernel, &specialization, &hook);
  if (status) return status;
  if (hook.fills)
    tool_warn(tool, WARNING_hook_fills, function_name(asked->kernel),
              hook.fills);
  return take(tool, &request, out);
}
