// report.c -- reports, as a line on stderr and as JSON.
//
// The first report of a launch decides the driver's error.  Each instruction is
// reported once for each kind and launch, and at most twenty reports are made.
#include "runtime/simulator/state/report.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/base/settings.h"
#include "runtime/simulator/tensor/box.h"

typedef struct {
  const char *name;
  int error;
  bool fatal;
} KindInfo;

static const KindInfo kinds[NUM_KINDS] = {
#define KIND(id, spelling, error, fatal, text) {spelling, error, fatal},
#include "runtime/simulator/base/kinds.def"
};

typedef struct {
  const Warp *warp;
  const Inst *inst;
  int lane;
  const char *kind, *detail;
} Finding;

// The end of a long path.
static const char *short_path(const char *path) {
  enum { MOST = 110 };
  const size_t length = path ? strlen(path) : 0;
  return length > MOST ? path + length - MOST : path;
}

void report_place(const Launch *launch, const Inst *inst, char *out,
                  size_t room) {
  const PtxProgram *program = launch->program;
  const char *path = short_path(program_file(program, inst->file));
  const char *caller = short_path(program_file(program, inst->caller_file));
  const char *name = short_path(program->file_name);
  if (!path)
    snprintf(out, room, "%s:%u", name, inst->line);
  else if (!caller || !inst->caller_line)
    snprintf(out, room, "%s:%u, %s:%u", name, inst->line, path,
             inst->source_line);
  else
    snprintf(out, room, "%s:%u, %s:%u, inlined at %s:%u", name, inst->line,
             path, inst->source_line, caller, inst->caller_line);
}

// "-": JSON on stderr, instead of text.
static bool is_text_wanted(void) {
  const char *path = getenv("TILE_SIM_REPORT");
  return !path || strcmp(path, "-") != 0;
}

static void write_line(const Finding *f) {
  if (!is_text_wanted()) return;
  const Cta *cta = f->warp->cta;
  const Launch *launch = cta->launch;
  char place[400];
  report_place(launch, f->inst, place, sizeof place);
  fprintf(stderr, "tilesim: %s: %s, CTA %u,%u,%u, warp %u, lane %d, %s: %s\n",
          f->kind, launch->code->name, cta->index[0], cta->index[1],
          cta->index[2], f->warp->index, f->lane, place, f->detail);
}

static void write_escaped(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    if ((unsigned char)*text >= ' ') fputc(*text, out);
  }
}

static FILE *open_json(const char *kind) {
  const char *path = getenv("TILE_SIM_REPORT");
  FILE *out = path && *path ? settings_open("TILE_SIM_REPORT", path) : NULL;
  if (out) fprintf(out, "{\"kind\":\"%s\"", kind);
  return out;
}

static void write_member(FILE *out, const char *name, const char *text) {
  fprintf(out, ",\"%s\":\"", name);
  write_escaped(out, text);
  fputc('"', out);
}

static void close_json(FILE *out, const char *detail) {
  write_member(out, "text", detail);
  fputs("}\n", out);
  if (out != stderr) fclose(out);
}

static void write_json(const Finding *f) {
  FILE *out = open_json(f->kind);
  if (!out) return;
  const Cta *cta = f->warp->cta;
  const char *source = program_file(cta->launch->program, f->inst->file);
  const char *caller = program_file(cta->launch->program, f->inst->caller_file);
  write_member(out, "kernel", cta->launch->code->name);
  fprintf(out, ",\"cta\":[%u,%u,%u],\"warp\":%u,\"lane\":%d", cta->index[0],
          cta->index[1], cta->index[2], f->warp->index, f->lane);
  write_member(out, "ptx_file", cta->launch->program->file_name);
  fprintf(out, ",\"ptx_line\":%u", f->inst->line);
  if (source) {
    write_member(out, "file", source);
    fprintf(out, ",\"line\":%u", f->inst->source_line);
  }
  if (source && caller && f->inst->caller_line) {
    write_member(out, "inlined_at_file", caller);
    fprintf(out, ",\"inlined_at_line\":%u", f->inst->caller_line);
  }
  close_json(out, f->detail);
}

void report_host(Kind kind, const char *format, ...) {
  char detail[200];
  va_list args;
  va_start(args, format);
  vsnprintf(detail, sizeof detail, format, args);
  va_end(args);
  if (is_text_wanted())
    fprintf(stderr, "tilesim: %s: %s\n", kinds[kind].name, detail);
  FILE *out = open_json(kinds[kind].name);
  if (out) close_json(out, detail);
}

// Entries are added under the lock and never change, so entries up to the count
// may be read without it.
static bool is_known(const Launch *launch, Kind kind, const Inst *inst) {
  const int count = launch->num_reports;
  for (int i = 0; i < count; i++) {
    if (launch->reported[i].inst == inst &&
        launch->reported[i].kind == (int)kind)
      return true;
  }
  return false;
}

bool report_is_moot(const Launch *launch, Kind kind, const Inst *inst) {
  const bool is_full = launch->num_reports == MAX_REPORTS;
  return (is_full && !kinds[kind].error) || is_known(launch, kind, inst);
}

static bool is_new(Launch *launch, Kind kind, const Inst *inst) {
  const int count = launch->num_reports;
  assert(count <= MAX_REPORTS && "more reports than are kept"); // I3
  if (count == MAX_REPORTS || is_known(launch, kind, inst)) return false;
  launch->reported[count] = (Reported){inst, (int)kind};
  launch->num_reports = count + 1;
  return true;
}

static void add_box(const CopiedBox *box, char *detail, size_t room) {
  const size_t used = strlen(detail);
  if (used + 2 >= room) return;
  memcpy(detail + used, "; ", 3);
  tensor_box_describe(box, detail + used + 2, room - used - 2);
}

Step report(const Warp *warp, const Inst *inst, int lane, Kind kind,
            const char *format, ...) {
  Launch *launch = warp->cta->launch;
  char detail[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(detail, sizeof detail, format, args);
  va_end(args);
  if (warp->touched) add_box(warp->touched, detail, sizeof detail);
  const Finding finding = {warp, inst, lane, kinds[kind].name, detail};
  pthread_mutex_lock(&launch->lock);
  if (is_new(launch, kind, inst)) {
    write_line(&finding);
    write_json(&finding);
  }
  if (!launch->error) launch->error = kinds[kind].error;
  if (kinds[kind].fatal) launch->stop = true;
  pthread_mutex_unlock(&launch->lock);
  return kinds[kind].fatal ? STEP_FAULT : STEP_NEXT;
}
