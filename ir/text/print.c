// print.c -- Module to text.  The grammar is in text.h.
//
// Values are named before anything is printed: each gets an index (Value.id)
// into `names`, and a user's name is made unique within its kernel.
#include "ir/text.h"

#include "ir/number.h"
#include "ir/text/letters.h"

#include <assert.h>
#include <inttypes.h>

typedef struct {
  const Value *value;
  const char *text;
} ValueName;

typedef struct {
  int next; // next suffix to try
} Taken;

typedef struct {
  const PrintOptions *options;
  Arena *arena;
  Str *out;
  int indent;
  Vec(ValueName) names;
  int num_unnamed;
  Map taken; // name to Taken
  bool full_layouts;
  Map layout_index; // Layout to its index
  Vec(const Layout *) layouts;
} IrPrinter;

static void print_block(IrPrinter *p, const Block *block);

// -- Names -------------------------------------------------------------------

// `name` as a word that does not begin with a digit.
static const char *as_word(IrPrinter *p, const char *name) {
  Str text = str_in(p->arena);
  if (*name >= '0' && *name <= '9') str_add_char(&text, '_');
  for (; *name; name++)
    str_add_char(&text, is_word_letter(*name) ? *name : '_');
  return str_text(&text);
}

static bool take(IrPrinter *p, Str *name) {
  if (map_get_text(&p->taken, name->data, name->length)) return false;
  Taken *taken = arena_new(p->arena, Taken);
  taken->next = 1;
  map_put_text(&p->taken, p->arena, name->data, name->length, taken);
  return true;
}

static const char *unique(IrPrinter *p, const char *word) {
  Str name = str_in(p->arena);
  str_add(&name, word);
  if (take(p, &name)) return name.data;
  Taken *taken = map_get_text(&p->taken, name.data, name.length);
  const size_t length = name.length;
  do {
    name.length = length;
    str_addf(&name, "_%d", taken->next++);
  } while (!take(p, &name));
  return name.data;
}

static void name_value(IrPrinter *p, Value *value, const char *given) {
  const char *text = given && *given
                         ? unique(p, as_word(p, given))
                         : arena_printf(p->arena, "%d", p->num_unnamed++);
  value->id = (int)p->names.count;
  assert((size_t)value->id == p->names.count && "numbers have gaps"); // I5
  vec_push(p->arena, &p->names, ((ValueName){value, text}));
}

static void name_block(IrPrinter *p, Block *block);

static void name_op(IrPrinter *p, Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    name_value(p, &op->results[i], op->results[i].name);
  }
  for (int i = 0; i < op->num_regions; i++) {
    if (op->regions[i]) name_block(p, op->regions[i]);
  }
}

static void name_block(IrPrinter *p, Block *block) {
  for (int i = 0; i < block->num_args; i++) {
    name_value(p, &block->args[i], block->args[i].name);
  }
  for (Op *op = block->first; op; op = op->next) name_op(p, op);
}

static void name_function(IrPrinter *p, const Function *f) {
  p->names.count = 0;
  p->num_unnamed = 0;
  p->taken = (Map){0};
  for (int i = 0; i < f->body->num_args; i++) {
    const char *name = f->params[i].name;
    Value *arg = &f->body->args[i];
    name_value(p, arg, name ? name : arg->name);
  }
  for (Op *op = f->body->first; op; op = op->next) name_op(p, op);
}

static void print_value(IrPrinter *p, const Value *value) {
  const bool known = value->id >= 0 && (size_t)value->id < p->names.count &&
                     p->names.items[value->id].value == value;
  str_add_char(p->out, '%');
  str_add(p->out, known ? p->names.items[value->id].text : "<elsewhere>");
}

static void print_values(IrPrinter *p, const Op *op, int first, int count) {
  for (int i = first; i < first + count; i++) {
    if (i > first) str_add(p->out, ", ");
    print_value(p, op_operand(op, i));
  }
}

// -- Types, attributes, locations --------------------------------------------

static void print_layout(void *ctx, const Layout *layout, Str *out) {
  IrPrinter *p = ctx;
  if (p->full_layouts) {
    layout_print(layout, out);
    return;
  }
  size_t *index = map_get(&p->layout_index, layout);
  if (!index) {
    index = arena_new(p->arena, size_t);
    *index = p->layouts.count;
    map_put(&p->layout_index, p->arena, layout, index);
    vec_push(p->arena, &p->layouts, layout);
  }
  str_addf(out, "#%zu", *index);
}

static void print_type(IrPrinter *p, const Type *type) {
  type_print_with(type, print_layout, p, p->out);
}

static void print_string(Str *out, const char *text) {
  str_add_char(out, '"');
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      str_addf(out, "\\%c", c);
    } else if (c == '\n' || c == '\t') {
      str_add(out, c == '\n' ? "\\n" : "\\t");
    } else if (c < 0x20 || c == 0x7f) {
      str_addf(out, "\\x%02x", c);
    } else {
      str_add_char(out, *text);
    }
  }
  str_add_char(out, '"');
}

static void print_ints(Str *out, const Attr *attr) {
  str_add_char(out, '[');
  for (int i = 0; i < attr->as.ints.count; i++) {
    str_addf(out, i ? ", %" PRId64 : "%" PRId64, attr->as.ints.items[i]);
  }
  str_add_char(out, ']');
}

static void print_number(Str *out, const Attr *attr, const Type *type) {
  if (type && elem_info[type->elem].is_float) {
    float_print(attr->as.f, type->elem, out);
  } else {
    int_print(attr->as.i, type ? type->elem : ELEM_i64, out);
  }
}

static void print_attr(Str *out, const Attr *attr, const Type *type) {
  const AttrKind kind = attr_info[attr->key].kind;
  str_addf(out, "%s = ", attr_info[attr->key].name);
  switch (kind) {
  case ATTR_KIND_INT: str_addf(out, "%" PRId64, attr->as.i); break;
  case ATTR_KIND_BOOL: str_add(out, attr->as.i ? "true" : "false"); break;
  case ATTR_KIND_NUMBER: print_number(out, attr, type); break;
  case ATTR_KIND_STRING: print_string(out, attr->as.s); break;
  case ATTR_KIND_INTS: print_ints(out, attr); break;
  default: str_add(out, attr_words[kind][attr->as.i]); break;
  }
}

static void print_attrs(Str *out, const Attr *attrs, int count,
                        const Type *type) {
  for (int i = 0; i < count; i++) {
    str_add(out, i ? ", " : " {");
    print_attr(out, &attrs[i], type);
  }
  if (count) str_add_char(out, '}');
}

static void print_loc(IrPrinter *p, SrcLoc loc) {
  if (!p->options || !p->options->locations) return;
  if (!loc.file || loc.line < 1 || loc.column < 1) {
    str_add(p->out, " loc(unknown)");
    return;
  }
  str_add(p->out, " loc(");
  print_string(p->out, loc.file);
  str_addf(p->out, ":%d:%d)", loc.line, loc.column);
}

// -- Operations --------------------------------------------------------------

static void print_operands(IrPrinter *p, const Op *op) {
  const OpInfo *info = &op_info[op->kind];
  int start = 0;
  for (int i = 0; i < info->num_groups; i++) {
    const int size = op->group_sizes[i];
    const bool one = info->groups[i].kind == GROUP_ONE;
    if (one) str_add(p->out, i ? ", " : " ");
    if (!one && size) str_addf(p->out, " %s(", info->groups[i].name);
    print_values(p, op, start, size);
    if (!one && size) str_add_char(p->out, ')');
    start += size;
  }
}

static void print_results(IrPrinter *p, const Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    if (i) str_add(p->out, ", ");
    print_value(p, &op->results[i]);
  }
  if (op->num_results) str_add(p->out, " = ");
}

static void print_result_types(IrPrinter *p, const Op *op) {
  for (int i = 0; i < op->num_results; i++) {
    str_add(p->out, i ? ", " : " : ");
    print_type(p, op->results[i].type);
  }
}

// Prints everything in front of the regions.
static void print_head(IrPrinter *p, const Op *op) {
  print_results(p, op);
  str_add(p->out, op_info[op->kind].name);
  print_operands(p, op);
  print_attrs(p->out, op->attrs, op->num_attrs,
              op->num_results ? op->results[0].type : NULL);
  print_result_types(p, op);
}

static void print_args(IrPrinter *p, const Block *block) {
  str_add(p->out, " (");
  for (int i = 0; i < block->num_args; i++) {
    if (i) str_add(p->out, ", ");
    print_value(p, &block->args[i]);
    str_add(p->out, ": ");
    print_type(p, block->args[i].type);
  }
  str_add_char(p->out, ')');
}

static void print_op(IrPrinter *p, const Op *op) {
  str_add_repeat(p->out, ' ', (size_t)p->indent);
  print_head(p, op);
  for (int i = 0; i < op->num_regions; i++) {
    if (!op->regions[i]) continue; // under construction
    print_args(p, op->regions[i]);
    print_block(p, op->regions[i]);
  }
  print_loc(p, op->loc);
  str_add_char(p->out, '\n');
}

static void print_block(IrPrinter *p, const Block *block) {
  str_add(p->out, " {\n");
  p->indent += 2;
  for (const Op *op = block->first; op; op = op->next) print_op(p, op);
  p->indent -= 2;
  assert(p->indent >= 0 && "more blocks end than begin"); // I4
  str_add_repeat(p->out, ' ', (size_t)p->indent);
  str_add_char(p->out, '}');
}

// -- Kernels and modules -----------------------------------------------------

static void print_params(IrPrinter *p, const Function *f) {
  str_add_char(p->out, '(');
  for (int i = 0; i < f->body->num_args; i++) {
    if (i) str_add(p->out, ", ");
    print_value(p, &f->body->args[i]);
    str_add(p->out, ": ");
    print_type(p, f->body->args[i].type);
    print_attrs(p->out, f->params[i].attrs, f->params[i].num_attrs, NULL);
  }
  str_add_char(p->out, ')');
}

static void print_function(IrPrinter *p, const Function *f) {
  name_function(p, f);
  str_addf(p->out, "kernel @%s", as_word(p, f->name));
  print_params(p, f);
  print_attrs(p->out, f->attrs, f->num_attrs, NULL);
  print_block(p, f->body);
  print_loc(p, f->loc);
  str_add_char(p->out, '\n');
}

// Prints the layouts that `body` uses, then the body.
static void finish(IrPrinter *p, const Str *body, Str *out) {
  for (size_t i = 0; i < p->layouts.count; i++) {
    str_addf(out, "#%zu = ", i);
    layout_print(p->layouts.items[i], out);
    str_add_char(out, '\n');
  }
  str_add(out, str_text(body));
}

void module_print(const Module *m, const PrintOptions *options, Str *out) {
  Str body = str_in(out->arena);
  IrPrinter p = {.options = options, .arena = out->arena, .out = &body};
  for (const Function *f = m->functions; f; f = f->next) {
    print_function(&p, f);
  }
  finish(&p, &body, out);
}

void function_print(const Function *f, const PrintOptions *options, Str *out) {
  Str body = str_in(out->arena);
  IrPrinter p = {.options = options, .arena = out->arena, .out = &body};
  print_function(&p, f);
  finish(&p, &body, out);
}

void op_print(const Op *op, Str *out) {
  IrPrinter p = {.arena = out->arena, .out = out, .full_layouts = true};
  if (op->block) name_function(&p, op_function(op));
  print_head(&p, op);
}
