// kept.c -- compilations that an earlier process has left on the disk.
//
// An entry is found by its key, which is made here of all fields of a request,
// and by the files that the unit reads.  The frontend has no part in it.
#include "runtime/compile/compile.h"

#include "ir/number.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

// -- Keys --------------------------------------------------------------------

static void add_spec(Str *out, const ArgSpec *spec) {
  const bool has_i = spec->kind == ARG_INT || spec->kind == ARG_BOOL ||
                     spec->kind == ARG_DESCRIPTOR;
  const uint64_t bits = spec->kind == ARG_FLOAT ? double_bits(spec->f) : 0;
  bytes_add_number(out, spec->kind);
  bytes_add_text(out, spec->text);
  bytes_add_number(out, (uint64_t)spec->divisibility);
  bytes_add_number(out, has_i ? (uint64_t)spec->i : bits);
  bytes_add_number(out, (uint64_t)spec->num_items);
  bytes_add_number(out, spec->names != NULL);
  for (int i = 0; spec->names && i < spec->num_items; i++)
    bytes_add_text(out, spec->names[i]);
  for (int i = 0; i < spec->num_items; i++) add_spec(out, &spec->items[i]);
}

static Bytes args_of(const CompileRequest *request, Arena *arena) {
  Str args = str_in(arena);
  const int count = function_num_params(request->kernel);
  for (int i = 0; i < count; i++)
    add_spec(&args, &request->specialization->args[i]);
  return (Bytes){str_text(&args), args.length};
}

static void describe_codegen(const CodegenOptions *codegen, bool is_gpu,
                             DiskInputs *out) {
  if (!codegen) return;
  out->no_fp_fusion |= codegen->no_fp_fusion ? 2 : 0;
  out->line_info = codegen->line_info;
  out->ptx_version = codegen->ptx_version;
  out->counts = codegen->counts && !is_gpu;
  out->amx = codegen->amx && !is_gpu;
  out->quick = codegen->quick && !is_gpu;
  if (codegen->host_cpu && !is_gpu) out->cpu = bytes_of_text(codegen->host_cpu);
}

static Bytes key_of(const Keeping *keeping, Arena *arena) {
  const CompileRequest *request = keeping->request;
  const Specialization *spec = request->specialization;
  DiskInputs inputs = request->unit->inputs;
  assert(request->goal == COMPILE_TO_CODE && "only code is kept"); // I12
  disk_describe(keeping->disk, !spec->target->is_gpu, &inputs);
  inputs.kernel = bytes_of_text(keeping->kernel);
  inputs.assembler = bytes_of_text(keeping->assembler);
  inputs.args = args_of(request, arena);
  inputs.num_warps = spec->num_warps;
  inputs.num_stages = spec->num_stages;
  inputs.num_ctas = spec->num_ctas;
  inputs.config = spec->config;
  inputs.no_fp_fusion = spec->no_fp_fusion;
  inputs.maxnreg = spec->maxnreg;
  inputs.debug = spec->debug;
  inputs.persist = spec->persist;
  inputs.target = bytes_of_text(spec->target->name);
  inputs.code = request->kind;
  if (request->passes) {
    inputs.disabled = bytes_of_text(request->passes->disable);
    inputs.overlap = request->passes->overlap;
  }
  describe_codegen(request->codegen, spec->target->is_gpu, &inputs);
  return inputs_key(&inputs, arena);
}

// -- Finding -----------------------------------------------------------------

typedef struct {
  const Keeping *keeping;
  Compilation *out;
  Entry entry;
  bool found;
} KeptSearch;

static void search_body(void *data) {
  KeptSearch *search = data;
  Arena *arena = &search->out->arena;
  const Keeping *keeping = search->keeping;
  search->found =
      disk_find(keeping->disk, key_of(keeping, arena),
                &keeping->request->unit->reads, arena, &search->entry);
}

static TileStatus search_disk(const Report *report, KeptSearch *search) {
  const Keeping *keeping = search->keeping;
  Compilation *out = search->out;
  arena_init(&out->arena, report->from);
  if (!unit_protect_with(keeping->request->unit, &out->arena, search_body,
                         search))
    return TILE_OUT_OF_MEMORY;
  const TileStatus status = disk_tell(keeping->disk, report);
  if (status || !search->found) return status;
  out->diags = *search->entry.diags;
  out->code = search->entry.code;
  return report_list(report, &out->diags) ? TILE_OK : TILE_OUT_OF_MEMORY;
}

TileStatus kept_find(const Report *report, const Keeping *keeping,
                     Compilation *out, bool *found) {
  KeptSearch search = {.keeping = keeping, .out = out};
  *found = false;
  *out = (Compilation){0};
  if (!keeping->disk) return TILE_OK;
  const TileStatus status = search_disk(report, &search);
  *found = !status && search.found;
  if (!*found) {
    compilation_free(out);
    *out = (Compilation){0};
  }
  return status;
}

// -- Keeping -----------------------------------------------------------------

typedef struct {
  const Keeping *keeping;
  Compilation *compiled;
  Bytes key, file;
} Writing;

static void write_body(void *data) {
  Writing *writing = data;
  Arena *arena = &writing->compiled->arena;
  writing->key = key_of(writing->keeping, arena);
  const Entry entry = {.key = writing->key,
                       .diags = &writing->compiled->diags,
                       .code = writing->compiled->code};
  writing->file =
      entry_write(&entry, &writing->keeping->request->unit->reads, arena);
}

bool kept_put(const Keeping *keeping, Compilation *compiled) {
  Writing writing = {.keeping = keeping, .compiled = compiled};
  Arena *arena = &compiled->arena;
  if (!keeping->disk) return true;
  if (unit_protect_with(keeping->request->unit, arena, write_body, &writing))
    return disk_keep(keeping->disk, writing.key, writing.file, arena);
  errno = ENOMEM;
  return false;
}

// -- Kernels without hooks ---------------------------------------------------

typedef struct {
  DiskCache *disk;
  SourceUnit *unit;
  const char *kernel;
  const Target *target;
  Arena arena;
  Bytes key, file;
  bool found;
} Hookless;

static Bytes hookless_key(Hookless *h) {
  DiskInputs inputs = h->unit->inputs;
  disk_describe(h->disk, false, &inputs);
  inputs.kernel = bytes_of_text(h->kernel);
  inputs.target = bytes_of_text(h->target->name);
  inputs.code = -2;
  return inputs_key(&inputs, &h->arena);
}

static void hookless_search(void *data) {
  Hookless *h = data;
  Entry entry;
  h->found =
      disk_find(h->disk, hookless_key(h), &h->unit->reads, &h->arena, &entry);
}

TileStatus kept_hookless(const Report *report, DiskCache *disk,
                         SourceUnit *unit, const char *asked,
                         const Target *target, bool *out) {
  Hookless h = {.disk = disk, .unit = unit, .kernel = asked, .target = target};
  *out = false;
  if (!disk) return TILE_OK;
  arena_init(&h.arena, report->from);
  const bool ok = unit_protect_with(unit, &h.arena, hookless_search, &h);
  const TileStatus status = ok ? disk_tell(disk, report) : TILE_OUT_OF_MEMORY;
  arena_free(&h.arena);
  *out = !status && h.found;
  return status;
}

// Every entry has a kernel; the kernel of this entry is empty.
static void hookless_write(void *data) {
  Hookless *h = data;
  const KernelInfo nothing = {.symbol = arena_printf(&h->arena, "%s%sno hooks",
                                                     h->kernel,
                                                     *h->kernel ? ", " : "")};
  DiagList none;
  diag_init(&none, &h->arena);
  h->key = hookless_key(h);
  const Entry entry = {
      .key = h->key, .diags = &none, .code = {"", 0, &nothing, 1}};
  h->file = entry_write(&entry, &h->unit->reads, &h->arena);
}

// If the answer cannot be kept, the next process asks again.
void kept_put_hookless(DiskCache *disk, const Allocator *from, SourceUnit *unit,
                       const char *asked, const Target *target) {
  Hookless h = {.disk = disk, .unit = unit, .kernel = asked, .target = target};
  if (!disk) return;
  arena_init(&h.arena, from);
  if (unit_protect_with(unit, &h.arena, hookless_write, &h))
    disk_keep(disk, h.key, h.file, &h.arena);
  arena_free(&h.arena);
}
