// benchmark.c -- triton.testing.Benchmark, as a value of host code.
//
// A named tuple, as configurations are; an argument that a call omits has its
// default.
#include "frontend/python/python.h"

#include "ir/base/base.h"

#include <assert.h>
#include <string.h>

static const char class_name[] = "Benchmark";

static const char *const fields[] = {
#define BENCHMARK_FIELD(id, name, otherwise) name,
#include "frontend/python/fields.def"
};

static const Object object_no_text = {.kind = OBJECT_STRING,
                                      .as.string.text = ""};

const char *benchmark_field(int position) {
  return position < NUM_BENCHMARK_FIELDS ? fields[position] : NULL;
}

const Object *benchmark_default(int position) {
  static const Object *const defaults[] = {
#define BENCHMARK_FIELD(id, name, otherwise) &otherwise,
#include "frontend/python/fields.def"
  };
  assert(position < NUM_BENCHMARK_FIELDS && "a field of Python's class");
  return defaults[position];
}

bool symbol_is_benchmark(const Symbol *symbol) {
  return symbol->kind == SYMBOL_BUILTIN &&
         !strcmp(symbol->name, "triton.testing.Benchmark");
}

bool object_is_benchmark(const Object *x) {
  const AstClass *class = x->kind == OBJECT_TUPLE ? x->as.tuple.class : NULL;
  return class && class->name == class_name;
}

static const AstClass *benchmark_class(Arena *arena) {
  AstClass *class = arena_new(arena, AstClass);
  class->name = class_name;
  class->num_fields = NUM_BENCHMARK_FIELDS;
  class->fields = arena_array(arena, AstField, NUM_BENCHMARK_FIELDS);
  for (int i = 0; i < NUM_BENCHMARK_FIELDS; i++)
    class->fields[i].name = fields[i];
  return class;
}

static int field_of(const Argument *arg, int position) {
  if (!arg->name) return position;
  int i = 0;
  while (i < NUM_BENCHMARK_FIELDS && strcmp(fields[i], arg->name) != 0) i++;
  return i;
}

const Object *call_benchmark(Walk *w, SrcLoc loc, const Arguments *args) {
  (void)loc;
  const Object *items[NUM_BENCHMARK_FIELDS];
  for (int i = 0; i < NUM_BENCHMARK_FIELDS; i++)
    items[i] = benchmark_default(i);
  for (int i = 0; i < (int)args->count; i++) {
    const int field = field_of(&args->items[i], i);
    if (field < NUM_BENCHMARK_FIELDS) items[field] = args->items[i].value;
  }
  Object *made = arena_new(w->arena, Object);
  *made = *object_tuple(w->arena, items, NUM_BENCHMARK_FIELDS);
  made->as.tuple.class = benchmark_class(w->arena);
  assert(made->as.tuple.count == made->as.tuple.class->num_fields); // I2
  return made;
}
