// record.c -- records the variants that a program launches, as lines for the
// file of variants of `tilec pack`.
//
// $TILE_RECORD names a file.  Each new variant appends its line with one write,
// so that lines of several threads and processes stay whole.  Facts that the
// file cannot express are comments.
#define _DEFAULT_SOURCE
#include "runtime/program.h"

#include "runtime/compile/compile.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Whether the text between quotes is read back unchanged.
static bool is_plain_text(const char *text) {
  for (; *text; text++)
    if (strchr("\"\\\n\r", *text) || (unsigned char)*text < ' ') return false;
  return true;
}

static bool add_spec(const ArgSpec *spec, const char *annotation, Str *out);

// "(*fp32:16, i32)", "(i32,)", "(ptr=*fp32, n=i32)".
static bool add_items(const ArgSpec *tuple, Str *out) {
  bool ok = true;
  str_add_char(out, '(');
  for (int i = 0; i < tuple->num_items; i++) {
    const ArgSpec *item = &tuple->items[i];
    if (i) str_add(out, ", ");
    if (tuple->names) str_addf(out, "%s=", tuple->names[i]);
    ok = add_spec(item, "", out) && ok;
  }
  str_add(out, tuple->num_items == 1 && !tuple->names ? ",)" : ")");
  return ok;
}

static void add_descriptor(const ArgSpec *spec, Str *out) {
  str_addf(out, "tensordesc<%s", spec->text);
  for (int i = 0; i < spec->num_items; i++)
    str_addf(out, "%s%lld", i ? ", " : "[", (long long)spec->items[i].i);
  str_add(out, spec->i ? "], nan>" : "]>");
  if (spec->divisibility) str_addf(out, ":%d", spec->divisibility);
}

// False: the file of variants has no notation for it.
static bool add_spec(const ArgSpec *spec, const char *annotation, Str *out) {
  switch (spec->kind) {
  case ARG_RUNTIME: {
    const char *type = spec->text ? spec->text : annotation;
    str_add(out, type);
    if (spec->divisibility) str_addf(out, ":%d", spec->divisibility);
    return *type != '\0';
  }
  case ARG_FLOAT: return constant_print(spec, out) && isfinite(spec->f);
  case ARG_STRING:
    str_addf(out, "\"%s\"", spec->text);
    return is_plain_text(spec->text);
  case ARG_FUNCTION: str_add(out, spec->text); return true;
  case ARG_TUPLE: return add_items(spec, out);
  case ARG_DESCRIPTOR: add_descriptor(spec, out); return true;
  default: return constant_print(spec, out);
  }
}

// In a signature names are types, so a constant with a name cannot be there.
static bool has_name(const ArgSpec *spec) {
  bool found = spec->kind == ARG_DTYPE || spec->kind == ARG_FUNCTION;
  for (int i = 0; i < spec->num_items && spec->kind == ARG_TUPLE; i++)
    found = found || has_name(&spec->items[i]);
  return found;
}

// Arguments that are left out must be the last ones.
static bool add_signature(const TileKernel *kernel, const ArgSpec *args,
                          Str *out) {
  bool ok = true, ended = false, first = true;
  str_addf(out, "%s(", kernel->name);
  for (size_t i = 0; i < kernel->num_params; i++) {
    const KernelParamPlan *param = &kernel->params[i];
    const Annotation *type = &param->annotation;
    if (param->is_constexpr) continue;
    ok = ok && !(ended && args[i].kind != ARG_ABSENT);
    ended = ended || args[i].kind == ARG_ABSENT;
    if (ended) continue;
    if (!first) str_add(out, ", ");
    first = false;
    const char *text = !type->dtype       ? ""
                       : type->is_pointer ? element_pointer_name(type->dtype)
                                          : tile_dtype_name(type->dtype);
    ok = add_spec(&args[i], text, out) && !has_name(&args[i]) && ok;
  }
  str_add(out, ")");
  return ok;
}

static bool add_constants(const TileKernel *kernel, const ArgSpec *args,
                          Str *out) {
  bool ok = true;
  for (size_t i = 0; i < kernel->num_params; i++) {
    const KernelParamPlan *param = &kernel->params[i];
    if (!param->is_constexpr || args[i].kind == ARG_ABSENT) continue;
    str_addf(out, " %s=", param->name);
    ok = add_spec(&args[i], "", out) && ok;
  }
  return ok;
}

typedef struct {
  const TileKernel *kernel;
  const Specialization *specialization;
  const char *path;
  Arena arena;
} Recording;

static void record_body(void *data) {
  Recording *r = data;
  const Specialization *s = r->specialization;
  Str line = str_in(&r->arena), out = str_in(&r->arena);
  bool ok = add_signature(r->kernel, s->args, &line);
  ok = add_constants(r->kernel, s->args, &line) && ok;
  if (s->config) str_addf(&line, " --config=%d", s->config);
  if (s->num_warps) str_addf(&line, " --num-warps=%d", s->num_warps);
  if (s->num_stages) str_addf(&line, " --num-stages=%d", s->num_stages);
  if (s->num_ctas) str_addf(&line, " --num-ctas=%d", s->num_ctas);
  if (s->persist)
    str_addf(&line, " --persist=%s", s->persist > 0 ? "always" : "never");
  str_addf(&out, "%s%s\n", ok ? "" : "# not for packs: ", str_text(&line));
  const int file =
      open(r->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return;
  // If the disk is full, the file lacks a line.
  const ssize_t written = write(file, out.data, out.length);
  (void)written;
  close(file);
}

void launch_record(const TileKernel *kernel, const Specialization *s) {
  Recording r = {
      .kernel = kernel, .specialization = s, .path = getenv("TILE_RECORD")};
  if (!r.path || !*r.path) return;
  arena_init(&r.arena, &kernel->program->context->from);
  arena_protect(&r.arena, record_body, &r);
  arena_free(&r.arena);
}
