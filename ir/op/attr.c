// attr.c -- attributes: lists of typed values, sorted by key.
#include "ir/op.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const AttrInfo attr_info[ATTR_COUNT] = {
#define ATTR(name, kind, summary)                                              \
  [ATTR_##name] = {#name, ATTR_KIND_##kind, summary},
#include "ir/op/attrs.def"
};

#define VALUE(type, name) #name,
#define ENUM(name, ...)                                                        \
  static const char *const words_##name[] = {__VA_ARGS__ NULL};
#include "ir/op/enums.def"
#undef VALUE

const char *const *const attr_words[ATTR_KIND_COUNT] = {
#define ENUM(name, ...) [ATTR_KIND_##name] = words_##name,
#include "ir/op/enums.def"
};

AttrKey attr_key_find(const char *name, size_t length) {
  int key = 0;
  while (key < ATTR_COUNT && (strlen(attr_info[key].name) != length ||
                              memcmp(attr_info[key].name, name, length))) {
    key++;
  }
  return (AttrKey)key;
}

const Attr *attrs_find(const Attr *attrs, int num_attrs, AttrKey key) {
  for (int i = 0; i < num_attrs; i++) {
    if (attrs[i].key == key) return &attrs[i];
  }
  return NULL;
}

const Attr *op_attr(const Op *op, AttrKey key) {
  return attrs_find(op->attrs, op->num_attrs, key);
}

int64_t op_int(const Op *op, AttrKey key) {
  const Attr *attr = op_attr(op, key);
  return attr ? attr->as.i : 0;
}

bool op_checks_bound(const Op *op, int d) {
  if (op_operand(op, 0)->type->kind == TYPE_DESCRIPTOR) return true;
  const Attr *dims = op_attr(op, ATTR_boundary);
  for (int i = 0; dims && i < dims->as.ints.count; i++) {
    if (dims->as.ints.items[i] == d) return true;
  }
  return false;
}

bool value_has_map(const Value *value) {
  const Op *op = value_def(value, OP_make_desc);
  return op && (op_attr(op, ATTR_map) || op_attr(op, ATTR_made));
}

bool op_makes_map(const Op *op) {
  return op->kind == OP_make_desc && op_attr(op, ATTR_made);
}

// Replaces the attribute of that key, or inserts it.
static void set(Module *m, Attr **attrs, int *num_attrs, Attr attr) {
  int at = 0;
  while (at < *num_attrs && (*attrs)[at].key < attr.key) at++;
  if (at < *num_attrs && (*attrs)[at].key == attr.key) {
    (*attrs)[at] = attr;
    return;
  }
  Attr *longer = arena_array(m->arena, Attr, *num_attrs + 1);
  for (int i = 0; i < at; i++) longer[i] = (*attrs)[i];
  longer[at] = attr;
  for (int i = at; i < *num_attrs; i++) longer[i + 1] = (*attrs)[i];
  assert((!at || longer[at - 1].key < attr.key) &&
         (at == *num_attrs || longer[at + 1].key > attr.key)); // I6
  *attrs = longer;
  ++*num_attrs;
}

void op_set_attr(Module *m, Op *op, Attr attr) {
  set(m, &op->attrs, &op->num_attrs, attr);
}

void op_copy_attrs(Module *m, Op *to, const Op *from) {
  for (int i = 0; i < from->num_attrs; i++) op_set_attr(m, to, from->attrs[i]);
}

void op_copy_attr(Module *m, Op *to, const Op *from, AttrKey key) {
  const Attr *attr = op_attr(from, key);
  if (attr) op_set_attr(m, to, *attr);
}

void op_set_int(Module *m, Op *op, AttrKey key, int64_t value) {
  op_set_attr(m, op, (Attr){.key = key, .as.i = value});
}

void op_set_number(Module *m, Op *op, AttrKey key, double value) {
  op_set_attr(m, op, (Attr){.key = key, .as.f = value});
}

void op_set_string(Module *m, Op *op, AttrKey key, const char *text) {
  const char *copy = arena_strdup(m->arena, text);
  op_set_attr(m, op, (Attr){.key = key, .as.s = copy});
}

void op_set_ints(Module *m, Op *op, AttrKey key, const int64_t *items,
                 int count) {
  int64_t *copy = arena_array(m->arena, int64_t, count);
  for (int i = 0; i < count; i++) copy[i] = items[i];
  op_set_attr(m, op, (Attr){.key = key, .as.ints = {copy, count}});
}

void op_remove_attr(Op *op, AttrKey key) {
  int kept = 0;
  for (int i = 0; i < op->num_attrs; i++) {
    if (op->attrs[i].key != key) op->attrs[kept++] = op->attrs[i];
  }
  op->num_attrs = kept;
}

bool attr_equal(const Attr *a, const Attr *b) {
  if (a->key != b->key) return false;
  switch (attr_info[a->key].kind) {
  case ATTR_KIND_STRING: return !strcmp(a->as.s, b->as.s);
  case ATTR_KIND_INTS:
    return a->as.ints.count == b->as.ints.count &&
           !memcmp(a->as.ints.items, b->as.ints.items,
                   sizeof(int64_t) * (size_t)a->as.ints.count);
  default: return a->as.i == b->as.i; // doubles by their bits: -0 is not +0
  }
}

void function_set_attr(Function *f, Attr attr) {
  set(f->module, &f->attrs, &f->num_attrs, attr);
}

int64_t function_int(const Function *f, AttrKey key, int64_t otherwise) {
  const Attr *attr = attrs_find(f->attrs, f->num_attrs, key);
  return attr ? attr->as.i : otherwise;
}

void param_set_attr(Module *m, Param *param, Attr attr) {
  set(m, &param->attrs, &param->num_attrs, attr);
}

bool value_is_constant(const Value *value, const Attr **out) {
  const Op *op = value_def(value, OP_constant);
  if (!op) return false;
  *out = op_attr(op, ATTR_value);
  return *out != NULL;
}

bool value_constant_int(const Value *value, int64_t *out) {
  const Attr *attr;
  if (!type_is_int(value->type) || !value_is_constant(value, &attr)) {
    return false;
  }
  *out = attr->as.i;
  return true;
}

bool value_is_zero(const Value *value) {
  const Attr *constant;
  if (!value_is_constant(value, &constant)) return false;
  if (!type_is_float(value->type)) return constant->as.i == 0;
  return constant->as.f == 0 && !signbit(constant->as.f);
}
