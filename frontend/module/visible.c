// visible.c -- the definition that a name refers to at a place of a file.
//
// A line sees the definitions of the lines above.  Members of classes and
// functions have qualified names, `Class.name`.  Within the body of a class, or
// of a function that is not run, they hide the names of the module.
//
// Example: `A = 1`, then `class C:` with `A = 2` and `B = A`, then `D = A`.  In
// `B = A` the name refers to `C.A`, in `D = A` to the first line.
#include "frontend/module/program.h"

#include <string.h>

bool file_is_python(const AstFile *file) {
  const char *ending = strrchr(file->source.name, '.');
  return ending && !strcmp(ending, ".py");
}

const Definition *file_find(const AstFile *file, const char *name) {
  return map_get_text(&file->definitions, name, strlen(name));
}

const char *file_nearest(const AstFile *file, const char *name) {
  return diag_nearest(name, file->names.items, file->names.count);
}

static Definition *find_span(const AstFile *file, const char *name,
                             size_t length, uint32_t order);

// Is the class or function of this member hidden by a later one of the same
// name?
static bool is_hidden(const AstFile *file, const Definition *d,
                      uint32_t order) {
  const char *dot = strrchr(d->name, '.');
  if (!dot) return false;
  const Definition *of =
      find_span(file, d->name, (size_t)(dot - d->name), order);
  return of && of->kind != DEFINES_GLOBAL && of->kind != DEFINES_IMPORT &&
         of->order > d->order && !of->uncertain;
}

static Definition *find_span(const AstFile *file, const char *name,
                             size_t length, uint32_t order) {
  Definition *d = map_get_text(&file->definitions, name, length);
  while (d && order && d->order >= order) d = d->before;
  return d && !is_hidden(file, d, order) ? d : NULL;
}

Definition *file_find_at(const AstFile *file, const char *name,
                         uint32_t order) {
  return find_span(file, name, strlen(name), order);
}

// Does a line of the scope with that prefix bind the name?  A line `Class.name
// = value` outside the class does not count.
static bool binds(const Definition *d, const char *prefix) {
  while (d && d->kind == DEFINES_GLOBAL &&
         strcmp(d->global->place.prefix, prefix) != 0)
    d = d->before;
  return d;
}

AstGlobal *global_unknown(Arena *arena, const char *name, SrcLoc loc) {
  AstGlobal *global = arena_new(arena, AstGlobal);
  *global = (AstGlobal){
      .name = name, .loc = loc, .op = OPERATOR_COUNT, .place = {.prefix = ""}};
  return global;
}

// A local name of a function, before its first value.
static Definition *unbound(Arena *arena, const Definition *below) {
  Definition *d = arena_new(arena, Definition);
  *d = (Definition){.kind = DEFINES_GLOBAL,
                    .file = below->file,
                    .name = below->name,
                    .loc = below->loc,
                    .global = global_unknown(arena, below->name, below->loc),
                    .parsed = true};
  return d;
}

// In the body of a class, the class's own name has its earlier meaning.
static Definition *above_own(Definition *d, AstPlace place) {
  const size_t n = d ? strlen(d->name) : 0;
  const bool own = d && d->before && place.order && place.prefix &&
                   definition_is_class(d) &&
                   !strncmp(place.prefix, d->name, n) && place.prefix[n] == '.';
  return own ? d->before : d;
}

// Is `d` a member of an earlier class with the same name as the one whose body
// is `front`?
static bool is_of_earlier(Arena *arena, const AstFile *file,
                          const Definition *d, const char *front,
                          uint32_t order) {
  const char *class = arena_strndup(arena, front, strlen(front) - 1);
  const Definition *of = file_find_at(file, class, order);
  return order && of && definition_is_class(of) && d->order < of->order;
}

// The prefix of names in the function around the scope with prefix `front`;
// NULL: there is none.  Classes are skipped: only the body of a class sees its
// names.
static const char *around(Arena *arena, const AstFile *file,
                          const char *front) {
  char *outer = arena_strndup(arena, front, strlen(front) - 1);
  for (char *dot; (dot = strrchr(outer, '.'));) {
    *dot = 0;
    const Definition *d = file_find(file, outer);
    if (d && !definition_is_class(d)) return arena_printf(arena, "%s.", outer);
  }
  return NULL;
}

// The definition in a function around the scope `within`.
static Definition *find_around(Arena *arena, const AstFile *file,
                               const char *within, const char *name) {
  Definition *d = NULL;
  while (!d && within && (within = around(arena, file, within)))
    d = file_find_at(file, arena_printf(arena, "%s%s", within, name), 0);
  return d;
}

// A name that a function binds anywhere is local in all of it.  A name that the
// body of a class binds refers to the module's before that line.
Definition *file_find_visible(Arena *arena, const AstFile *file, AstPlace place,
                              const char *name) {
  const char *const fronts[] = {place.prefix, place.within};
  for (int i = 0; i < 2; i++) {
    if (!fronts[i] || !*fronts[i] || (!i && place.is_nested)) continue;
    const char *own = arena_printf(arena, "%s%s", fronts[i], name);
    Definition *d = file_find_at(file, own, place.order);
    if (d && !is_of_earlier(arena, file, d, fronts[i], place.order))
      return above_own(d, place);
    d = file_find_at(file, own, 0);
    if (!d || !place.within || !binds(d, fronts[i])) continue;
    if (!strcmp(fronts[i], place.within)) return unbound(arena, d);
    return above_own(file_find_at(file, name, place.order), place);
  }
  Definition *outer = find_around(arena, file, place.within, name);
  if (outer) return outer;
  return above_own(file_find_at(file, name, place.order), place);
}
