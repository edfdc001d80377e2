// parse.c -- text to Module: names, operations, regions, kernels.
//
// op_info is the only description of an op.  Names are bound to values when
// they are defined, and unbound at the end of their region.
#include "ir/errors.h"
#include "ir/text/parser.h"

#include <assert.h>

static bool parse_region(IrParser *p, Op *parent, int index);

// -- Names -------------------------------------------------------------------

static BoundValue *find_binding(IrParser *p, Word name) {
  BoundValue *binding = map_get_text(&p->names, name.text, name.length);
  if (binding) return binding;
  binding = arena_new(p->m->arena, BoundValue);
  map_put_text(&p->names, p->m->arena, name.text, name.length, binding);
  return binding;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Names that begin with a digit come from the printer, and are not kept.
static const char *user_name(IrParser *p, Word name) {
  if (is_digit(*name.text)) return NULL;
  return arena_strndup(p->m->arena, name.text, name.length);
}

static bool bind(IrParser *p, Word name, Value *value) {
  BoundValue *binding = find_binding(p, name);
  if (binding->visible) {
    return diag_error(p->m->diags, name.loc, ERROR_value_defined_already,
                      (int)name.length, name.text);
  }
  *binding = (BoundValue){value, true};
  vec_push(p->m->arena, &p->visible, binding);
  value->name = user_name(p, name);
  return true;
}

static void unbind(IrParser *p, size_t until) {
  assert(until <= p->visible.count && "a name of an outer region ended"); // I1
  while (p->visible.count > until) {
    p->visible.items[--p->visible.count]->visible = false;
  }
}

static Value *parse_use(IrParser *p) {
  Word name;
  if (!parser_name(p, '%', &name)) return NULL;
  const BoundValue *binding = map_get_text(&p->names, name.text, name.length);
  if (binding && binding->visible) return binding->value;
  diag_error(p->m->diags, name.loc, ERROR_value_not_defined, (int)name.length,
             name.text);
  return NULL;
}

// -- Operations --------------------------------------------------------------

// The parts of an operation that were read so far.
typedef struct {
  OpKind kind;
  SrcLoc loc;
  Vec(Word) names; // of the results
  Vec(Value *) operands;
  int group_sizes[MAX_GROUPS];
  RawAttrs attrs;
  Vec(const Type *) types;
} OpDraft;

static bool parse_result_names(IrParser *p, OpDraft *d) {
  if (!parser_at(p, '%')) return true;
  do {
    Word name;
    if (!parser_name(p, '%', &name)) return false;
    vec_push(p->m->arena, &d->names, name);
  } while (parser_accept(p, ','));
  return parser_expect(p, '=');
}

static bool parse_kind(IrParser *p, OpDraft *d) {
  const Word word = parser_word(p);
  if (!word.length) return parser_expected(p, "an operation");
  if (!d->names.count) d->loc = word.loc;
  d->kind = op_kind_find(word.text, word.length);
  if (d->kind != OP_COUNT) return true;
  return diag_error(p->m->diags, word.loc, ERROR_unknown_operation,
                    word.length > 60 ? 60 : (int)word.length, word.text);
}

static bool parse_operand(IrParser *p, OpDraft *d, int group) {
  Value *value = parse_use(p);
  if (!value) return false;
  vec_push(p->m->arena, &d->operands, value);
  d->group_sizes[group]++;
  return true;
}

// Parses name(%a, %b), if present.
static bool parse_group(IrParser *p, OpDraft *d, int index) {
  const OperandGroup *group = &op_info[d->kind].groups[index];
  if (!parser_accept_call(p, group->name)) return true;
  do {
    const SrcLoc loc = parser_here(p);
    if (group->kind == GROUP_OPT && d->group_sizes[index]) {
      return diag_error(p->m->diags, loc, ERROR_one_value, group->name);
    }
    if (!parse_operand(p, d, index)) return false;
  } while (parser_accept(p, ','));
  return parser_expect(p, ')');
}

static bool parse_operands(IrParser *p, OpDraft *d) {
  const OpInfo *info = &op_info[d->kind];
  for (int i = 0; i < info->num_groups; i++) {
    const bool one = info->groups[i].kind == GROUP_ONE;
    if (!one && !parse_group(p, d, i)) return false;
    if (!one) continue;
    if (i && !parser_expect(p, ',')) return false;
    if (!parse_operand(p, d, i)) return false;
  }
  return true;
}

static bool parse_types(IrParser *p, OpDraft *d) {
  for (size_t i = 0; i < d->names.count; i++) {
    if (!parser_expect(p, i ? ',' : ':')) return false;
    const Type *type = parser_type(p);
    if (!type) return false;
    vec_push(p->m->arena, &d->types, type);
  }
  if (d->names.count || !parser_at(p, ':')) return true;
  return diag_error(p->m->diags, parser_here(p), ERROR_type_without_result,
                    op_info[d->kind].name);
}

static bool set_attrs(IrParser *p, const OpDraft *d, Op *op) {
  const Type *type = op->num_results ? op->results[0].type : NULL;
  for (size_t i = 0; i < d->attrs.count; i++) {
    if (!parser_finish_attr(p, &d->attrs.items[i], type)) return false;
    op_set_attr(p->m, op, d->attrs.items[i].attr);
  }
  return true;
}

static bool parse_draft(IrParser *p, OpDraft *d) {
  d->loc = parser_here(p);
  return parse_result_names(p, d) && parse_kind(p, d) && parse_operands(p, d) &&
         (!parser_at(p, '{') || parser_attrs(p, &d->attrs)) &&
         parse_types(p, d);
}

static bool parse_op(IrParser *p, Block *block) {
  OpDraft d = {0};
  if (!parse_draft(p, &d)) return false;
  assert(d.types.count == d.names.count && "a result without a type"); // I2
  Op *op =
      op_create(p->m, d.kind, d.loc, (int)d.operands.count, d.operands.items,
                d.group_sizes, (int)d.types.count, d.types.items);
  if (!set_attrs(p, &d, op)) return false;
  for (int i = 0; i < op->num_regions; i++) {
    if (!parse_region(p, op, i)) return false;
  }
  if (!parser_loc(p, &op->loc)) return false;
  op_append(block, op);
  for (int i = 0; i < op->num_results; i++) {
    if (!bind(p, d.names.items[i], &op->results[i])) return false;
  }
  return true;
}

// -- Regions and kernels -----------------------------------------------------

typedef struct {
  Vec(Word) names;
  Vec(const Type *) types;
  Vec(RawAttrs) attrs; // kernel parameters only
} Args;

static bool parse_arg(IrParser *p, Args *args, bool with_attrs) {
  Word name;
  RawAttrs attrs = {0};
  if (!parser_name(p, '%', &name) || !parser_expect(p, ':')) return false;
  const Type *type = parser_type(p);
  if (!type) return false;
  if (with_attrs && parser_at(p, '{') && !parser_attrs(p, &attrs)) {
    return false;
  }
  vec_push(p->m->arena, &args->names, name);
  vec_push(p->m->arena, &args->types, type);
  vec_push(p->m->arena, &args->attrs, attrs);
  return true;
}

static bool parse_args(IrParser *p, Args *args, bool with_attrs) {
  if (!parser_expect(p, '(')) return false;
  while (!parser_accept(p, ')')) {
    if (args->names.count && !parser_expect(p, ',')) return false;
    if (!parse_arg(p, args, with_attrs)) return false;
  }
  return true;
}

static bool bind_args(IrParser *p, const Args *args, Block *block) {
  for (int i = 0; i < block->num_args; i++) {
    if (!bind(p, args->names.items[i], &block->args[i])) return false;
  }
  return true;
}

// Parses ops up to the closing brace; names bound since `until` become unbound
// there.
static bool parse_ops(IrParser *p, Block *block, size_t until) {
  while (!parser_accept(p, '}')) {
    if (!parse_op(p, block)) return false;
  }
  unbind(p, until);
  return true;
}

static bool parse_region(IrParser *p, Op *parent, int index) {
  const size_t until = p->visible.count;
  Args args = {0};
  if (p->depth == MAX_NESTING) {
    return diag_error(p->m->diags, parser_here(p), ERROR_regions_too_deep,
                      MAX_NESTING);
  }
  if (!parse_args(p, &args, false)) return false;
  Block *block =
      block_create(p->function, (int)args.types.count, args.types.items);
  op_set_region(parent, index, block);
  p->depth++;
  const bool ok = bind_args(p, &args, block) && parser_expect(p, '{') &&
                  parse_ops(p, block, until);
  p->depth--;
  return ok;
}

static bool set_params(IrParser *p, Function *f, const Args *args) {
  for (int i = 0; i < f->body->num_args; i++) {
    const RawAttrs *attrs = &args->attrs.items[i];
    f->params[i].name = user_name(p, args->names.items[i]);
    for (size_t k = 0; k < attrs->count; k++) {
      if (!parser_finish_attr(p, &attrs->items[k], NULL)) return false;
      param_set_attr(p->m, &f->params[i], attrs->items[k].attr);
    }
  }
  return bind_args(p, args, f->body);
}

// A '{' opens attributes if `word =` follows it.
static bool at_function_attrs(IrParser *p) {
  const IrParser saved = *p;
  const bool is_word = parser_accept(p, '{') && parser_word(p).length;
  const bool answer = is_word && parser_at(p, '=');
  *p = saved;
  return answer;
}

static bool parse_function_attrs(IrParser *p, Function *f) {
  RawAttrs attrs = {0};
  if (!at_function_attrs(p)) return true;
  if (!parser_attrs(p, &attrs)) return false;
  for (size_t i = 0; i < attrs.count; i++) {
    if (!parser_finish_attr(p, &attrs.items[i], NULL)) return false;
    function_set_attr(f, attrs.items[i].attr);
  }
  return true;
}

static bool parse_function(IrParser *p) {
  Word name;
  Args args = {0};
  if (!parser_name(p, '@', &name) || !parse_args(p, &args, true)) return false;
  const char *text = arena_strndup(p->m->arena, name.text, name.length);
  Function *f = function_create(p->m, text, name.loc, (int)args.types.count,
                                args.types.items);
  p->function = f;
  return set_params(p, f, &args) && parse_function_attrs(p, f) &&
         parser_expect(p, '{') && parse_ops(p, f->body, 0) &&
         parser_loc(p, &f->loc);
}

static bool parse_module(IrParser *p) {
  while (!parser_at_end(p)) {
    const bool ok = parser_accept_word(p, "kernel") ? parse_function(p)
                                                    : parser_layout_alias(p);
    if (!ok) return false;
  }
  return true;
}

bool module_parse(Module *m, const Source *source) {
  IrParser p = {.m = m,
                .source = source,
                .at = source->text,
                .end = source->text + source->length,
                .line_start = source->text,
                .line = 1};
  Function **const last = m->last_function;
  if (parse_module(&p)) {
    assert(!p.visible.count && !p.depth && "a region was left open"); // I1
    return true;
  }
  // Removes the function with the error, which may be incomplete.
  *last = NULL;
  m->last_function = last;
  return false;
}
