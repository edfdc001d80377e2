// op_table.c -- the tables of docs/ir.md, from ops.def and attrs.def.
//
//   op_table ops | attributes
//   op_table --check FILE    0 if FILE contains both tables as printed
//
// A table stands between lines `<!-- ops -->` and `<!-- end -->`.
#include "ir/op.h"
#include "tests/tools/doc_tables.h"

#include <stdio.h>

static void add_operands(const OpInfo *info, Str *out) {
  for (int i = 0; i < info->num_groups; i++) {
    const OperandGroup *group = &info->groups[i];
    static const char *const format[] = {"%s", "%s?", "%s..."};
    if (i) str_add(out, ", ");
    str_addf(out, format[group->kind], group->name);
  }
}

static void add_attributes(const OpInfo *info, Str *out) {
  const char *separator = "";
  for (int key = 0; key < ATTR_COUNT; key++) {
    const bool required = info->required_attrs >> key & 1;
    if (!required && !(info->optional_attrs >> key & 1)) continue;
    str_addf(out, required ? "%s%s" : "%s%s?", separator, attr_info[key].name);
    separator = ", ";
  }
}

static void add_effects(const OpInfo *info, Str *out) {
  static const char *const acts[] = {"read", "write", "alloc", "free"};
  static const char *const spaces[] = {"global", "shared", "barrier", "async"};
  const char *separator = "";
  for (int act = 0; act < 4; act++) {
    for (int space = 0; space < 4; space++) {
      if (!(info->effects & EFFECT_BIT(act, space))) continue;
      str_addf(out, "%s%s %s", separator, acts[act], spaces[space]);
      separator = ", ";
    }
  }
}

static void add_traits(const OpInfo *info, Str *out) {
  static const struct {
    unsigned trait;
    char letter;
  } letters[] = {{TRAIT_SPECULATABLE, 'S'}, {TRAIT_ELEMENTWISE, 'E'},
                 {TRAIT_COMMUTE, 'M'},      {TRAIT_CONVERGENT, 'C'},
                 {TRAIT_TERMINATOR, 'T'},   {TRAIT_KEEP, 'K'}};
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
    if (info->traits & letters[i].trait) str_add_char(out, letters[i].letter);
  }
}

// Escapes '|', which would end the cell.
static void add_text(const char *text, Str *out) {
  for (; *text; text++) {
    if (*text == '|') str_add_char(out, '\\');
    str_add_char(out, *text);
  }
}

static void add_op(const OpInfo *info, Str *out) {
  str_addf(out, "| `%s` | ", info->name);
  add_operands(info, out);
  str_addf(out, info->num_results < 0 ? " | any | " : " | %d | ",
           info->num_results);
  add_attributes(info, out);
  str_add(out, " | ");
  add_traits(info, out);
  str_add(out, " | ");
  add_effects(info, out);
  str_add(out, " | ");
  add_text(info->summary, out);
  str_add(out, " |\n");
}

static void add_ops(Str *out) {
  str_add(out, "| op | operands | results | attributes | traits | effects | "
               "meaning |\n|---|---|---|---|---|---|---|\n");
  for (int kind = 0; kind < OP_COUNT; kind++) add_op(&op_info[kind], out);
}

static void add_kind(AttrKind kind, Str *out) {
  static const char *const names[] = {[ATTR_KIND_INT] = "integer",
                                      [ATTR_KIND_BOOL] = "true, false",
                                      [ATTR_KIND_NUMBER] =
                                          "number of the result's type",
                                      [ATTR_KIND_STRING] = "string",
                                      [ATTR_KIND_INTS] = "[integers]"};
  if (!attr_words[kind]) {
    str_add(out, names[kind]);
    return;
  }
  for (int i = 0; attr_words[kind][i]; i++) {
    str_addf(out, i ? ", `%s`" : "`%s`", attr_words[kind][i]);
  }
}

static void add_attribute_table(Str *out) {
  str_add(out, "| attribute | values | meaning |\n|---|---|---|\n");
  for (int key = 0; key < ATTR_COUNT; key++) {
    str_addf(out, "| `%s` | ", attr_info[key].name);
    add_kind(attr_info[key].kind, out);
    str_add(out, " | ");
    add_text(attr_info[key].summary, out);
    str_add(out, " |\n");
  }
}

int main(int argc, char **argv) {
  static const DocTable tables[] = {{"ops", add_ops},
                                    {"attributes", add_attribute_table}};
  return doc_tables_main(argc, argv, tables, 2);
}
