// report.c -- reports, as a line on stderr and as JSON.
//
// The first report of a launch decides the driver's error.  Each place of the
// program is told once a kind and launch, and twenty of them at most.
#include "runtime/simulator/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  int error;
  bool fatal;
} KindInfo;

static const KindInfo kinds[NUM_KINDS] = {
#define KIND(id, spelling, error, fatal, text) {spelling, error, fatal},
#include "runtime/simulator/kinds.def"
};

typedef struct {
  const Warp *warp;
  const Inst *inst;
  int lane;
  const char *kind, *detail;
} Finding;

static void write_line(const Finding *f) {
  const Cta *cta = f->warp->cta;
  const Launch *launch = cta->launch;
  char source[300] = "";
  const char *path = program_file(launch->program, f->inst->file);
  if (path)
    snprintf(source, sizeof source, ", %s:%u", path, f->inst->source_line);
  fprintf(
      stderr, "tilesim: %s: %s, CTA %u,%u,%u, warp %u, lane %d, PTX:%u%s: %s\n",
      f->kind, launch->code->name, cta->index[0], cta->index[1], cta->index[2],
      f->warp->index, f->lane, f->inst->line, source, f->detail);
}

static void write_escaped(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    if ((unsigned char)*text >= ' ') fputc(*text, out);
  }
}

static void write_json(const Finding *f) {
  const char *path = getenv("TILE_SIM_REPORT");
  FILE *out = path && *path ? fopen(path, "a") : NULL;
  if (!out) return;
  const Cta *cta = f->warp->cta;
  const char *source = program_file(cta->launch->program, f->inst->file);
  fprintf(out, "{\"kind\":\"%s\",\"kernel\":\"", f->kind);
  write_escaped(out, cta->launch->code->name);
  fprintf(out, "\",\"cta\":[%u,%u,%u],\"warp\":%u,\"lane\":%d,\"ptx_line\":%u",
          cta->index[0], cta->index[1], cta->index[2], f->warp->index, f->lane,
          f->inst->line);
  if (source) {
    fputs(",\"file\":\"", out);
    write_escaped(out, source);
    fprintf(out, "\",\"line\":%u", f->inst->source_line);
  }
  fputs(",\"text\":\"", out);
  write_escaped(out, f->detail);
  fputs("\"}\n", out);
  fclose(out);
}

static bool is_new(Launch *launch, Kind kind, const Inst *inst) {
  const int count = launch->num_reports;
  for (int i = 0; i < count; i++) {
    if (launch->reported[i].inst == inst &&
        launch->reported[i].kind == (int)kind)
      return false;
  }
  if (count == MAX_REPORTS) return false;
  launch->reported[count] = (Reported){inst, (int)kind};
  launch->num_reports++;
  return true;
}

Step report(const Warp *warp, const Inst *inst, int lane, Kind kind,
            const char *format, ...) {
  Launch *launch = warp->cta->launch;
  char detail[256];
  va_list args;
  va_start(args, format);
  vsnprintf(detail, sizeof detail, format, args);
  va_end(args);
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
