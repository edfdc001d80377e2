// messages.c -- the messages of a compilation, as bytes.
#include "runtime/disk/messages.h"

#include <assert.h>
#include <string.h>

enum { MAX_RANGES = sizeof((Diag *)0)->ranges / sizeof(SrcLoc) };

// -- Places ------------------------------------------------------------------

static void write_loc(SrcLoc loc, Str *out) {
  bytes_add_text(out, loc.file);
  bytes_add_number(out, (uint64_t)loc.line);
  bytes_add_number(out, (uint64_t)loc.column);
  bytes_add_number(out, (uint64_t)loc.span);
}

static SrcLoc read_loc(ByteReader *from) {
  SrcLoc loc;
  loc.file = bytes_read_text(from);
  loc.line = (int)bytes_read_number(from);
  loc.column = (int)bytes_read_number(from);
  loc.span = (int)bytes_read_number(from);
  return loc;
}

// -- Sources -----------------------------------------------------------------

static bool is_about(const DiagList *diags, const Source *source) {
  for (const Diag *d = diags->first; d; d = d->next) {
    if (d->loc.file && !strcmp(d->loc.file, source->name)) return true;
  }
  return false;
}

static void write_sources(const DiagList *diags, Str *out) {
  size_t count = 0;
  for (const Source *s = diags->sources; s; s = s->next)
    count += is_about(diags, s);
  bytes_add_number(out, count);
  for (const Source *s = diags->sources; s; s = s->next) {
    if (!is_about(diags, s)) continue;
    bytes_add_block(out, bytes_of_text(s->name));
    bytes_add_block(out, (Bytes){s->text, s->length});
    bytes_add_number(out, s->is_recoded);
  }
}

static void read_sources(ByteReader *from, DiagList *out) {
  const size_t count = bytes_read_count(from, sizeof(uint64_t));
  for (size_t i = 0; i < count; i++) {
    const char *name = bytes_read_block(from).data;
    const Bytes text = bytes_read_block(from);
    Source *source = source_create(out->arena, name, text.data, text.size);
    source->is_recoded = bytes_read_number(from) != 0;
    diag_add_source(out, source);
  }
}

// -- Messages ----------------------------------------------------------------

static void write_diag(const Diag *diag, Str *out) {
  assert(diag->num_ranges >= 0 && diag->num_ranges <= MAX_RANGES); // I8
  bytes_add_number(out, diag->severity);
  write_loc(diag->loc, out);
  bytes_add_block(out, bytes_of_text(diag->text));
  bytes_add_text(out, diag->format);
  bytes_add_text(out, diag->fix);
  write_loc(diag->fix_loc, out);
  bytes_add_number(out, (uint64_t)diag->num_ranges);
  for (int i = 0; i < diag->num_ranges; i++) write_loc(diag->ranges[i], out);
}

static Diag *read_diag(ByteReader *from, Arena *arena) {
  Diag *diag = arena_new(arena, Diag);
  diag->severity = (Severity)bytes_read_number(from);
  diag->loc = read_loc(from);
  diag->text = bytes_read_block(from).data;
  diag->format = bytes_read_text(from);
  diag->fix = bytes_read_text(from);
  diag->fix_loc = read_loc(from);
  const size_t count = bytes_read_count(from, sizeof(uint64_t));
  if (count > MAX_RANGES) from->bad = true;
  for (; !from->bad && (size_t)diag->num_ranges < count; diag->num_ranges++)
    diag->ranges[diag->num_ranges] = read_loc(from);
  return diag;
}

void messages_write(const DiagList *diags, Str *out) {
  size_t count = 0;
  for (const Diag *d = diags->first; d; d = d->next) count++;
  bytes_add_number(out, count);
  for (const Diag *d = diags->first; d; d = d->next) write_diag(d, out);
  write_sources(diags, out);
}

void messages_read(ByteReader *from, DiagList *out) {
  const size_t count = bytes_read_count(from, sizeof(uint64_t));
  for (size_t i = 0; i < count && !from->bad; i++) {
    Diag *diag = read_diag(from, out->arena);
    *out->last = diag;
    out->last = &diag->next;
    out->num_warnings += diag->severity == DIAG_WARNING;
  }
  read_sources(from, out);
}
