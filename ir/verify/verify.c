// verify.c -- is this IR well formed?
//
// Counts, attributes and structure are checked by op_info, then types by the
// op's rule.  Values are numbered when they are defined (Value.id), so that a
// use can be compared with its value's position.
#include "ir/verify.h"

#include "ir/errors.h"
#include "ir/verify/rules.h"

#include <assert.h>
#include <string.h>

static const RuleFn rules[RULE_COUNT] = {
    [RULE_NONE] = rule_NONE,
    [RULE_ANY] = rule_ANY,
#define TYPE_RULE(name) [RULE_##name] = rule_##name,
#include "ir/op/rules.def"
};

typedef struct {
  DiagList *diags;
  const Function *function;
  Vec(const Value *) defined;
  int depth;
} Verifier;

static bool verify_block(Verifier *v, const Block *block, const Op *parent);

// -- Counts ------------------------------------------------------------------

static bool check_group(const Op *op, DiagList *diags, int index) {
  const OperandGroup *group = &op_info[op->kind].groups[index];
  const int size = op->group_sizes[index];
  if (size < 0 || (group->kind == GROUP_ONE && size != 1)) {
    return op_fail(op, diags, ERROR_op_wants_one, group->name);
  }
  return group->kind != GROUP_OPT || size <= 1 ||
         op_fail(op, diags, ERROR_op_wants_at_most_one, group->name);
}

static bool check_counts(const Op *op, DiagList *diags) {
  const OpInfo *info = &op_info[op->kind];
  int sum = 0;
  for (int i = 0; i < info->num_groups; i++) {
    if (!check_group(op, diags, i)) return false;
    sum += op->group_sizes[i];
  }
  if (sum != op->num_operands) {
    return op_fail(op, diags, ERROR_op_groups, op->num_operands, sum);
  }
  return info->num_results == VAR || info->num_results == op->num_results ||
         op_fail(op, diags, ERROR_op_results, info->num_results,
                 op->num_results);
}

// -- Attributes --------------------------------------------------------------

static int count_words(AttrKind kind) {
  int count = 0;
  while (attr_words[kind][count]) count++;
  return count;
}

static bool attr_is_possible(const Attr *attr) {
  const AttrKind kind = attr_info[attr->key].kind;
  switch (kind) {
  case ATTR_KIND_INT:
  case ATTR_KIND_NUMBER: return true;
  case ATTR_KIND_BOOL: return attr->as.i == 0 || attr->as.i == 1;
  case ATTR_KIND_STRING: return attr->as.s != NULL;
  case ATTR_KIND_INTS: return attr->as.ints.count >= 0;
  default: return attr->as.i >= 0 && attr->as.i < count_words(kind);
  }
}

// `owner` is 'op' or the kernel; attributes that are not in `allowed` are
// errors.
static bool check_attrs(DiagList *diags, SrcLoc loc, const char *owner,
                        const Attr *attrs, int count, uint64_t required,
                        uint64_t allowed) {
  uint64_t seen = 0;
  for (int i = 0; i < count; i++) {
    const uint64_t bit = UINT64_C(1) << attrs[i].key;
    const char *name = attr_info[attrs[i].key].name;
    if (!(bit & allowed)) {
      return diag_error(diags, loc, ERROR_no_such_attribute, owner, name);
    }
    if (seen >= bit || !attr_is_possible(&attrs[i])) {
      return diag_error(diags, loc, ERROR_attribute_broken, name, owner);
    }
    seen |= bit;
  }
  for (int key = 0; key < ATTR_COUNT; key++) {
    if (!((required & ~seen) >> key & 1)) continue;
    return diag_error(diags, loc, ERROR_attribute_missing, owner,
                      attr_info[key].name);
  }
  return true;
}

static bool check_op_attrs(const Op *op, DiagList *diags) {
  const OpInfo *info = &op_info[op->kind];
  return check_attrs(diags, op->loc, info->name, op->attrs, op->num_attrs,
                     info->required_attrs,
                     info->required_attrs | info->optional_attrs);
}

// -- Types -------------------------------------------------------------------

static bool is_power_of_two(int64_t n) {
  return n > 0 && !(n & (n - 1));
}

// "" or the problem of the shape.
static const char *shape_problem(const Type *type) {
  int64_t total = 1;
  for (int i = 0; i < type->rank; i++) {
    const bool stage = type->kind == TYPE_MEMDESC; // need not be a power of two
    if (!stage && !is_power_of_two(type->shape[i])) {
      return "a size is not a power of two";
    }
    if (type->shape[i] < 1 || type->shape[i] > MAX_TILE_ELEMENTS) {
      return "a size is too large";
    }
    total *= type->shape[i];
    if (total > MAX_TILE_ELEMENTS) return "more than 1048576 elements";
  }
  return type->rank ? "" : "no dimensions";
}

// A buffer's layout is that of its last dimensions; a view may be smaller.
static bool covers(const Layout *layout, const Type *type) {
  const int skipped = type->rank - layout->rank;
  if (!layout->shared || skipped < 0) return false;
  for (int i = 0; i < layout->rank; i++) {
    if (layout_size(layout, i) < type->shape[skipped + i]) return false;
  }
  return true;
}

static const char *type_problem(const Type *type) {
  const bool shaped = type->kind >= TYPE_TILE && type->kind <= TYPE_MEMDESC;
  if (!shaped) return "";
  const char *problem = shape_problem(type);
  if (*problem) return problem;
  const TypeKind element = type->element->kind;
  if (element != TYPE_SCALAR &&
      !(element == TYPE_POINTER && type->kind == TYPE_TILE)) {
    return "its elements";
  }
  if (type->kind == TYPE_MEMDESC && type->space != SPACE_SHARED) {
    return "buffers are in shared memory";
  }
  if (!type->layout) return "";
  if (type->kind == TYPE_MEMDESC) {
    return covers(type->layout, type) ? "" : "its layout does not fit";
  }
  const bool fits = !type->layout->shared &&
                    layout_has_shape(type->layout, type->rank, type->shape);
  return fits ? "" : "its layout does not fit";
}

static bool check_type(DiagList *diags, SrcLoc loc, const Type *type) {
  const char *problem = type_problem(type);
  return !*problem || diag_error(diags, loc, ERROR_no_type_of_value,
                                 type_text(type, diags->arena), problem);
}

static bool check_result_types(const Op *op, DiagList *diags) {
  for (int i = 0; i < op->num_results; i++) {
    if (!check_type(diags, op->loc, op->results[i].type)) return false;
  }
  return true;
}

// -- Visibility --------------------------------------------------------------

static void define(Verifier *v, Value *value) {
  assert(v->depth > 0 && v->depth <= MAX_NESTING + 1); // I3
  value->id = (int)v->defined.count;
  vec_push(v->diags->arena, &v->defined, value);
}

static bool is_visible(const Verifier *v, const Value *value, const Op *user) {
  const bool before = value->id >= 0 && (size_t)value->id < v->defined.count &&
                      v->defined.items[value->id] == value;
  if (!before) return false;
  const Block *home = value_block(value);
  return home == user->block || value_is_outside(value, user->block);
}

static bool check_operands(Verifier *v, const Op *op) {
  for (int i = 0; i < op->num_operands; i++) {
    const Use *use = &op->operands[i];
    if (!use->value || use->user != op || use->index != i ||
        *use->link != use) {
      return op_fail(op, v->diags, ERROR_op_broken_link, i);
    }
    if (!is_visible(v, use->value, op)) {
      return op_fail(op, v->diags, ERROR_op_not_defined_before, i);
    }
  }
  return true;
}

// -- Structure ---------------------------------------------------------------

static bool check_links(const Op *op, const Block *block, DiagList *diags) {
  const Op *after = op->prev ? op->prev->next : block->first;
  const bool ok = op->block == block && after == op &&
                  (op->next ? op->next->prev : block->last) == op;
  return ok || op_fail(op, diags, ERROR_op_not_in_block);
}

static bool check_place(const Op *op, DiagList *diags) {
  const bool ends = op_has(op, TRAIT_TERMINATOR);
  if (ends == !op->next) return true;
  return ends ? op_fail(op, diags, ERROR_op_not_last)
              : op_fail(op, diags, ERROR_op_last);
}

static bool verify_regions(Verifier *v, const Op *op) {
  bool ok = true;
  for (int i = 0; i < op->num_regions; i++) {
    if (!op->regions[i]) return op_fail(op, v->diags, ERROR_op_lacks_region, i);
    ok &= verify_block(v, op->regions[i], op);
  }
  return ok;
}

static bool verify_op(Verifier *v, const Op *op, const Block *block) {
  DiagList *diags = v->diags;
  if (!check_links(op, block, diags)) return false;
  bool ok = check_counts(op, diags) && check_op_attrs(op, diags) &&
            check_place(op, diags) && check_operands(v, op) &&
            check_result_types(op, diags) && verify_regions(v, op) &&
            rules[op_info[op->kind].rule](op, diags);
  for (int i = 0; i < op->num_results; i++) define(v, &op->results[i]);
  return ok;
}

static bool check_arg(Verifier *v, Value *arg, const Block *block, int index,
                      SrcLoc loc) {
  const TypeKind kind = arg->type->kind;
  define(v, arg);
  if (arg->block != block || arg->index != index || arg->def) {
    return diag_error(v->diags, loc, ERROR_argument_broken_link);
  }
  if (kind == TYPE_MEMDESC || kind == TYPE_MBARRIER) {
    return diag_error(v->diags, loc, ERROR_no_block_argument,
                      type_text(arg->type, v->diags->arena));
  }
  return check_type(v->diags, loc, arg->type);
}

static bool verify_block(Verifier *v, const Block *block, const Op *parent) {
  const SrcLoc loc = parent ? parent->loc : v->function->loc;
  if (v->depth == MAX_NESTING + 1) {
    return diag_error(v->diags, loc, ERROR_regions_too_deep, MAX_NESTING);
  }
  if (block->parent != parent || block->function != v->function) {
    return diag_error(v->diags, loc, ERROR_block_not_linked);
  }
  bool ok = true;
  v->depth++;
  for (int i = 0; i < block->num_args; i++) {
    ok &= check_arg(v, &block->args[i], block, i, loc);
  }
  for (const Op *op = block->first; op; op = op->next) {
    ok &= verify_op(v, op, block);
  }
  v->depth--;
  return block->first ? ok : diag_error(v->diags, loc, ERROR_block_empty);
}

// -- Kernels -----------------------------------------------------------------

#define A(key) (UINT64_C(1) << ATTR_##key)

static const uint64_t function_attrs =
    A(cluster) | A(maxnreg) | A(most_stages) | A(name) | A(no_fp_fusion) |
    A(num_ctas) | A(num_stages) | A(num_warps) | A(overlap) | A(persist) |
    A(target);
static const uint64_t param_attrs =
    A(argument) | A(constancy) | A(contiguity) | A(divisibility) | A(name);

static bool are_hints(const Attr *attr, int rank) {
  bool ok = attr->as.ints.count == (rank ? rank : 1);
  for (int i = 0; ok && i < attr->as.ints.count; i++) {
    ok = attr->as.ints.items[i] > 0;
  }
  return ok;
}

static bool check_hints(Verifier *v, const Param *param, const Type *type) {
  for (int i = 0; i < param->num_attrs; i++) {
    const Attr *attr = &param->attrs[i];
    if (attr_info[attr->key].kind != ATTR_KIND_INTS) continue;
    if (are_hints(attr, type->rank)) continue;
    return diag_error(v->diags, v->function->loc,
                      ERROR_parameter_wants_positive,
                      attr_info[attr->key].name);
  }
  return true;
}

static bool check_param(Verifier *v, const Function *f, int index) {
  const Param *param = &f->params[index];
  const Type *type = f->body->args[index].type;
  const TypeKind kind = type->kind;
  if (kind != TYPE_SCALAR && kind != TYPE_POINTER && kind != TYPE_DESCRIPTOR) {
    return diag_error(v->diags, f->loc, ERROR_no_kernel_parameter,
                      type_text(type, v->diags->arena));
  }
  const char *name = param->name ? param->name : "parameter";
  return check_attrs(v->diags, f->loc, name, param->attrs, param->num_attrs, 0,
                     param_attrs) &&
         check_hints(v, param, type);
}

static bool is_cluster(int64_t num_blocks) {
  return is_power_of_two(num_blocks) && num_blocks <= MAX_CLUSTER;
}

static bool check_function(Verifier *v, const Function *f) {
  const int64_t num_warps = function_int(f, ATTR_num_warps, 1);
  if (!is_power_of_two(num_warps) || num_warps > 32) {
    return diag_error(v->diags, f->loc, ERROR_num_warps_wrong);
  }
  const int64_t num_stages = function_int(f, ATTR_num_stages, 0);
  if (num_stages < 0 || num_stages > MAX_LOOP_COPIES) {
    return diag_error(v->diags, f->loc, ERROR_num_stages_wrong,
                      MAX_LOOP_COPIES);
  }
  if (!is_cluster(function_int(f, ATTR_num_ctas, 1)) ||
      !is_cluster(function_int(f, ATTR_cluster, 1)))
    return diag_error(v->diags, f->loc, ERROR_num_ctas_wrong, MAX_CLUSTER);
  if (function_int(f, ATTR_maxnreg, 1) < 1)
    return diag_error(v->diags, f->loc, ERROR_maxnreg_wrong);
  bool ok = check_attrs(v->diags, f->loc, f->name, f->attrs, f->num_attrs, 0,
                        function_attrs);
  for (int i = 0; i < f->body->num_args; i++) ok &= check_param(v, f, i);
  return ok;
}

bool function_verify(const Function *f) {
  Verifier v = {.diags = f->module->diags, .function = f};
  const bool ok = check_function(&v, f);
  const bool body = verify_block(&v, f->body, NULL);
  assert(!v.depth && "a block was left without being counted"); // I3
  assert((body && ok) || diag_failed(v.diags));                 // I4
  return body && ok;
}

bool module_verify(const Module *m) {
  bool ok = true;
  Map names = {0};
  for (Function *f = m->functions; f; f = f->next) {
    const size_t length = strlen(f->name);
    if (map_get_text(&names, f->name, length)) {
      ok = diag_error(m->diags, f->loc, ERROR_two_kernels, f->name);
    }
    map_put_text(&names, m->arena, f->name, length, f);
    ok &= function_verify(f);
  }
  return ok;
}
