// obtain.c -- obtains code for a device: from the disk, or by compiling.
//
// Machine code that a GPU's driver makes of PTX is kept on the disk, too, so
// that a later process does not wait for the driver's compiler.
#include "runtime/obtain.h"

#include "runtime/base/threads.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const Report *report;
  const CompileRequest *request;
  Compilation *out;
  TileStatus status;
} Compiling;

static void compile_body(void *data) {
  Compiling *c = data;
  c->status = compile(c->report, c->request, c->out);
}

// Compiles on a stack of its own, since the recursion may be too deep for the
// caller's.
static TileStatus compile_apart(const Report *report,
                                const CompileRequest *request,
                                Compilation *out) {
  Compiling compiling = {report, request, out, TILE_OK};
  threads_call(ROOM_TO_COMPILE, compile_body, &compiling);
  return compiling.status;
}

// A full disk, or a folder that cannot be made, fails no launch.
static void keep(const TileContext *context, const Keeping *keeping,
                 Compilation *compiled) {
  char line[256];
  if (kept_put(keeping, compiled) || !context->log) return;
  snprintf(line, sizeof line, "cannot keep %s: %s",
           function_name(keeping->request->kernel), strerror(errno));
  context->log(context->log_ctx, line);
}

// Code that may be compiled again is not kept, but final code that was kept is
// used.
static TileStatus find_or_compile_quickly(const Report *report,
                                          const Keeping *keeping,
                                          Compilation *out, bool *found) {
  CodegenOptions codegen = *keeping->request->codegen;
  CompileRequest request = *keeping->request;
  Keeping final = *keeping;
  codegen.quick = false;
  request.codegen = &codegen;
  final.request = &request;
  const TileStatus status = kept_find(report, &final, out, found);
  if (status || *found) return status;
  return compile_apart(report, keeping->request, out);
}

static TileStatus find_or_compile(const Report *report,
                                  const TileContext *context,
                                  const Keeping *keeping, Compilation *out,
                                  bool *found) {
  TileStatus status = kept_find(report, keeping, out, found);
  if (status || *found) return status;
  status = compile_apart(report, keeping->request, out);
  if (!status) keep(context, keeping, out);
  return status;
}

// -- Machine code ------------------------------------------------------------

typedef struct {
  Compilation *out;
  const void *data;
  size_t size;
  bool ok;
} Taking;

static void copy_body(void *data) {
  const Taking *taking = data;
  CompiledCode *code = &taking->out->code;
  code->data = arena_strndup(&taking->out->arena, taking->data, taking->size);
  code->size = taking->size;
}

static void take(void *ctx, const void *data, size_t size) {
  Taking *taking = ctx;
  taking->data = data;
  taking->size = size;
  taking->ok = arena_protect(&taking->out->arena, copy_body, taking);
}

// If this fails, the driver loads the PTX, and reports its errors.
static void assemble(TileDevice *device, const Keeping *keeping,
                     Compilation *out) {
  Fault ignored;
  Taking taking = {.out = out};
  if (device->ops->assemble(device, &out->code, take, &taking, &ignored) &&
      taking.ok)
    keep(device->context, keeping, out);
}

TileStatus obtain_code(const Report *report, TileDevice *device,
                       const CompileRequest *request, const char *kernel,
                       Compilation *out, bool *found) {
  const Keeping plain = {device->context->disk, request, kernel, NULL};
  Keeping machine = plain;
  machine.assembler = device->assembler;
  const bool assembles = plain.disk && *device->assembler;
  if (assembles) {
    const TileStatus status = kept_find(report, &machine, out, found);
    if (status || *found) return status;
  }
  if (device->tier == TILE_TIER_AUTO)
    return find_or_compile_quickly(report, &plain, out, found);
  const TileStatus status =
      find_or_compile(report, device->context, &plain, out, found);
  if (!status && assembles) assemble(device, &machine, out);
  return status;
}
