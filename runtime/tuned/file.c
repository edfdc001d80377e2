// file.c -- a file of entries, as JSON.
#include "runtime/base/base.h"
#include "runtime/disk/disk.h"
#include "runtime/tuned/tuned.h"

#include "ir/base/base.h"
#include "ir/number.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

enum { TUNED_FORMAT = 1, MAX_NAME_PART = 60, DIGITS_IN_NAME = 16 };

// -- Sums --------------------------------------------------------------------

// A point of a search space has a checksum of its texts, since no list can be
// asked whether it has the choice: "0123456789abcdef".
static const char *sum_of(Arena *arena, const TunedEntry *entry) {
  char digits[DIGEST_TEXT];
  Str all = str_in(arena);
  str_add_json(&all, entry->key);
  str_add_json(&all, entry->choice);
  const Digest digest = digest_of(str_text(&all), all.length);
  digest_print(&digest, digits);
  return arena_strndup(arena, digits, DIGITS_IN_NAME);
}

// -- Reading -----------------------------------------------------------------

static bool read_entry(Arena *arena, const JsonValue *value, TunedFile *out) {
  const char *sum = json_text(value, "sum");
  const TunedEntry entry = {json_text(value, "key"), json_text(value, "choice"),
                            json_number(value, "seconds"), *sum != '\0'};
  if (value->kind != JSON_OBJECT || !isfinite(entry.seconds) ||
      entry.seconds < 0)
    return false;
  if (entry.is_point && strcmp(sum, sum_of(arena, &entry)) != 0) return false;
  vec_push(arena, &out->entries, entry);
  return true;
}

bool tuned_read(Arena *arena, const char *text, size_t length, TunedFile *out) {
  const JsonValue *file = json_parse(arena, text, length);
  const JsonValue *entries = json_member(file, "entries");
  const double format = json_number(file, "format");
  if (!entries || entries->kind != JSON_ARRAY || format < TUNED_FORMAT ||
      format > TUNED_FORMAT)
    return false;
  *out =
      (TunedFile){.name = {json_text(file, "kernel"), json_text(file, "source"),
                           json_text(file, "device")}};
  const JsonValue *entry = entries->items;
  while (entry && read_entry(arena, entry, out)) entry = entry->next;
  return !entry;
}

// -- Writing -----------------------------------------------------------------

static void put_member(Str *out, const char *name, const char *text) {
  str_addf(out, "\"%s\": ", name);
  str_add_json(out, text);
}

const char *tuned_write(Arena *arena, const TunedFile *file) {
  Str out = str_in(arena);
  str_addf(&out, "{\"format\": %d,\n ", TUNED_FORMAT);
  put_member(&out, "kernel", file->name.kernel);
  str_add(&out, ",\n ");
  put_member(&out, "source", file->name.source);
  str_add(&out, ",\n ");
  put_member(&out, "device", file->name.device);
  str_add(&out, ",\n \"entries\": [");
  for (size_t i = 0; i < file->entries.count; i++) {
    const TunedEntry *entry = &file->entries.items[i];
    str_add(&out, i ? ",\n  {" : "\n  {");
    put_member(&out, "key", entry->key);
    str_add(&out, ", ");
    put_member(&out, "choice", entry->choice);
    str_add(&out, ", \"seconds\": ");
    float_print(entry->seconds, ELEM_f64, &out);
    if (entry->is_point)
      str_addf(&out, ", \"sum\": \"%s\"", sum_of(arena, entry));
    str_add_char(&out, '}');
  }
  str_add(&out, "\n]}\n");
  return str_text(&out);
}

// Characters other than letters, digits and '_' become '-', so that no name is
// a path.
static void add_part(Str *out, const char *text, size_t most) {
  for (size_t i = 0; text[i] && i < most; i++)
    str_add_char(
        out, isalnum((unsigned char)text[i]) || text[i] == '_' ? text[i] : '-');
}

const char *tuned_file_name(Arena *arena, const TunedName *name) {
  Str out = str_in(arena);
  add_part(&out, name->kernel, MAX_NAME_PART);
  str_add_char(&out, '.');
  add_part(&out, name->device, MAX_NAME_PART);
  str_add_char(&out, '.');
  add_part(&out, name->source, DIGITS_IN_NAME);
  str_add(&out, ".json");
  return str_text(&out);
}

// -- Changes -----------------------------------------------------------------

static TunedEntry *find_entry(TunedFile *file, const char *key) {
  for (size_t i = 0; i < file->entries.count; i++) {
    if (!strcmp(file->entries.items[i].key, key))
      return &file->entries.items[i];
  }
  return NULL;
}

void tuned_set(Arena *arena, TunedFile *file, const TunedEntry *entry) {
  const TunedEntry own = {arena_strdup(arena, entry->key),
                          arena_strdup(arena, entry->choice), entry->seconds,
                          entry->is_point};
  assert(entry->seconds >= 0 && "a time that no file may have"); // I3
  TunedEntry *known = find_entry(file, own.key);
  if (known)
    *known = own;
  else
    vec_push(arena, &file->entries, own);
}

size_t tuned_join(Arena *arena, TunedFile *to, const TunedFile *from) {
  size_t num_added = 0;
  assert(to != from && "a file grows while it is read"); // I3
  for (size_t i = 0; i < from->entries.count; i++) {
    const TunedEntry *entry = &from->entries.items[i];
    const TunedEntry *known = find_entry(to, entry->key);
    if (known && entry->seconds >= known->seconds) continue;
    tuned_set(arena, to, entry);
    num_added++;
  }
  return num_added;
}
