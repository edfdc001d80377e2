// reports.c -- the arguments of perf_report(), triton.testing.Benchmark.
//
// A Benchmark lists the sizes for which a function is measured, and the names
// of its lines.  The measured function is host code, and is not read.
#include "frontend/errors.h"
#include "frontend/host/host.h"
#include "frontend/kernel/parameters.h"
#include "frontend/module/module.h"
#include "frontend/module/program.h"
#include "frontend/python/python.h"
#include "frontend/scan/scan.h"
#include "frontend/walk/evaluate.h"
#include "ir/base/base.h"

#include <string.h>

typedef Vec(PerfReport) ReportList;

typedef struct {
  Walk *w;
  SrcLoc loc; // of the argument of perf_report()
  const Object *const *fields;
  ReportList list;
} ReportReader;

static bool refuse(const ReportReader *r, const char *field, const char *wanted,
                   const Object *found) {
  return diag_error(r->w->diags, r->loc, ERROR_report_part, field, wanted,
                    text_of(r->w, found));
}

// -- Parts -------------------------------------------------------------------

static const char *text_in(const ReportReader *r, const Object *x) {
  if (x->kind == OBJECT_STRING) return x->as.string.text;
  Str out = str_in(r->w->arena);
  object_print(x, true, &out);
  return str_text(&out);
}

static const char *text_field(const ReportReader *r, int field) {
  const Object *x = r->fields[field];
  return x->kind == OBJECT_STRING ? x->as.string.text : "";
}

static bool true_field(const ReportReader *r, int field) {
  return r->fields[field]->kind == OBJECT_BOOL && r->fields[field]->as.truth;
}

// A list of texts; any other value counts as a list of one.
static const char *const *texts_of(const ReportReader *r, const Object *x,
                                   int *count) {
  const bool is_list = x->kind == OBJECT_TUPLE;
  *count = is_list ? x->as.tuple.count : x->kind != OBJECT_NONE;
  const char **texts = arena_array(r->w->arena, const char *, *count + 1);
  for (int i = 0; i < *count; i++)
    texts[i] = text_in(r, is_list ? x->as.tuple.items[i] : x);
  return texts;
}

// Reads a point; a single number is the value of all names.
static bool read_point(const ReportReader *r, const Object *x, int num_names,
                       int64_t *out) {
  const bool is_list = x->kind == OBJECT_TUPLE;
  if (is_list && x->as.tuple.count != num_names)
    return refuse(r, "x_vals",
                  "a list with a value for each of 'x_names' in its items", x);
  for (int i = 0; i < num_names; i++)
    if (!object_constant_int(is_list ? x->as.tuple.items[i] : x, &out[i]))
      return refuse(r, "x_vals", "a list of whole numbers", x);
  return true;
}

static bool read_points(const ReportReader *r, PerfReport *out) {
  const Object *all = r->fields[BENCHMARK_X_VALS];
  out->x_names = texts_of(r, r->fields[BENCHMARK_X_NAMES], &out->num_names);
  const Object *list = walk_iterable(r->w, all);
  if (!list || !list->as.tuple.count || !out->num_names)
    return refuse(r, "x_vals", "a list of sizes for 'x_names'", all);
  out->num_points = list->as.tuple.count;
  int64_t *values =
      arena_array(r->w->arena, int64_t, out->num_points * out->num_names);
  out->values = values;
  for (int i = 0; i < out->num_points; i++)
    if (!read_point(r, list->as.tuple.items[i], out->num_names,
                    &values[i * out->num_names]))
      return false;
  return true;
}

// A pair like `("green", "-")`.
static void read_style(const ReportReader *r, int index, ReportLine *out) {
  const Object *all = r->fields[BENCHMARK_STYLES];
  if (all->kind != OBJECT_TUPLE || index >= all->as.tuple.count) return;
  const Object *style = all->as.tuple.items[index];
  if (style->kind != OBJECT_TUPLE || style->as.tuple.count != 2) return;
  out->colour = text_in(r, style->as.tuple.items[0]);
  out->stroke = text_in(r, style->as.tuple.items[1]);
}

static bool read_lines(const ReportReader *r, PerfReport *out) {
  int num_names;
  const Object *all = r->fields[BENCHMARK_LINE_VALS];
  const char *const *values = texts_of(r, all, &out->num_lines);
  const char *const *names =
      texts_of(r, r->fields[BENCHMARK_LINE_NAMES], &num_names);
  ReportLine *lines = arena_array(r->w->arena, ReportLine, out->num_lines + 1);
  for (int i = 0; i < out->num_lines; i++) {
    lines[i].value = values[i];
    lines[i].name = i < num_names ? names[i] : values[i];
    read_style(r, i, &lines[i]);
  }
  out->lines = lines;
  return out->num_lines || refuse(r, "line_vals", "a list of lines", all);
}

static void read_args(const ReportReader *r, PerfReport *out) {
  const Object *all = r->fields[BENCHMARK_ARGS];
  if (all->kind != OBJECT_DICT) return;
  out->num_args = all->as.dict.count;
  const char **names =
      arena_array(r->w->arena, const char *, out->num_args + 1);
  const char **values =
      arena_array(r->w->arena, const char *, out->num_args + 1);
  for (int i = 0; i < out->num_args; i++) {
    names[i] = text_in(r, all->as.dict.keys[i]);
    values[i] = text_in(r, all->as.dict.items[i]);
  }
  out->arg_names = names;
  out->arg_values = values;
}

static bool read_report(ReportReader *r, const Object *x) {
  r->fields = x->as.tuple.items;
  PerfReport report = {.name = text_field(r, BENCHMARK_PLOT_NAME),
                       .x_label = text_field(r, BENCHMARK_XLABEL),
                       .y_label = text_field(r, BENCHMARK_YLABEL),
                       .x_log = true_field(r, BENCHMARK_X_LOG),
                       .y_log = true_field(r, BENCHMARK_Y_LOG)};
  if (!read_points(r, &report) || !read_lines(r, &report)) return false;
  read_args(r, &report);
  vec_push(r->w->arena, &r->list, report);
  return true;
}

// -- Calls of perf_report() --------------------------------------------------

// Reads a Benchmark, or a list of Benchmarks.
static bool read_all(ReportReader *r, const Object *x) {
  if (object_is_benchmark(x)) return read_report(r, x);
  bool ok = x->kind == OBJECT_TUPLE && x->as.tuple.count;
  for (int i = 0; ok && i < x->as.tuple.count; i++)
    ok = object_is_benchmark(x->as.tuple.items[i]);
  if (!ok)
    return diag_error(r->w->diags, r->loc, ERROR_report_unknown,
                      "it is no Benchmark");
  for (int i = 0; ok && i < x->as.tuple.count; i++)
    ok = read_report(r, x->as.tuple.items[i]);
  return ok;
}

typedef struct {
  AstFile *file;
  AstPlace place;
  const Expr *expr;
} ReportArgument;

static const void *argument_step(Walk *w, void *context) {
  const ReportArgument *x = context;
  return walk_expr_at(w, x->file, x->place, x->expr);
}

// Reads the argument of the call by the lines of the file, or else by a run of
// the modules.
static bool read_argument(ReportReader *r, AstFile *file, AstPlace place,
                          const Expr *call, const Expr *argument) {
  ReportArgument written = {file, place, argument};
  const char *why;
  r->loc = argument->loc;
  const Object *x = walk_heard(r->w, argument_step, &written, &why);
  if (!x) x = r->w->world->report(r->w->program, file, call->loc);
  if (x) return read_all(r, x);
  return diag_error(r->w->diags, r->loc, ERROR_report_unknown, why);
}

// The place of the decorators above the next function.
static AstPlace place_above(const Scanner *s, uint32_t i) {
  const uint32_t end = (uint32_t)s->file->list.tokens.count;
  while (i + 1 < end && scan_kind(s, i) != TOKEN_DEF) i++;
  const Definition *d =
      i + 1 < end ? file_find(s->file, scan_intern(s, "", i + 1)) : NULL;
  return (AstPlace){.order = d ? d->order : 0};
}

// Is the callee a function of the file, and not Triton's?
static bool is_own(const ReportReader *r, AstFile *file, const Expr *callee) {
  const AstPlace anywhere = {0};
  return callee->kind == EXPR_NAME &&
         quiet_lookup(r->w, file, anywhere, callee).kind == SYMBOL_HOST;
}

// Reads the call of the function whose name ends in `token`, `perf_report`.
static bool read_call(ReportReader *r, const Scanner *s, uint32_t token) {
  uint32_t begin = token;
  while (begin >= 2 && scan_is_member(s, begin)) begin -= 2;
  const uint32_t end = scan_after_brackets(s, token + 1);
  const Expr *call = program_parse_quietly(s->program, s->file, begin, end);
  if (!call || call->kind != EXPR_CALL) return true;
  if (is_own(r, s->file, call->call.callee)) return true;
  const Expr *argument = call_argument(call, "benchmarks", 0);
  return !argument ||
         read_argument(r, s->file, place_above(s, end), call, argument);
}

bool frontend_reports(Program *program, Arena *arena, DiagList *diags,
                      PerfReports *out) {
  const Specialization nothing = {.target = NULL};
  AstFile *file = program->files.items[0];
  Walk w = walk_of(program, module_create(arena, diags), &nothing);
  WalkScratch scratch;
  walk_make_scratch(&w, file, &scratch);
  const Scanner s = {.program = program, .file = file};
  ReportReader reader = {.w = &w};
  bool ok = true;
  for (uint32_t i = 0; i + 1 < file->list.tokens.count; i++) {
    if (scan_kind(&s, i) == TOKEN_NAME && scan_is_word(&s, i, "perf_report") &&
        scan_kind(&s, i + 1) == TOKEN_LPAREN &&
        (!i || scan_kind(&s, i - 1) != TOKEN_DEF))
      ok = read_call(&reader, &s, i) && ok;
  }
  *out = (PerfReports){reader.list.items, (int)reader.list.count};
  return ok;
}
