// assembly.c -- single PTX instructions, as ops of the IR.
#include "frontend/language/assembly.h"

#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "ir/assembly.h"

#include <string.h>

// -- Text --------------------------------------------------------------------

static const char space[] = " \t\r\n";

// Skips white space and then `word`; false if another word follows.
static bool take(const char **text, const char *word) {
  const size_t length = strlen(word);
  *text += strspn(*text, space);
  if (strncmp(*text, word, length)) return false;
  *text += length;
  return true;
}

// Is the text `name operands;`, with any spacing?
static bool is_instruction(const char *text, const char *name, const char *to,
                           const char *from) {
  if (!take(&text, name) || !*text || !strchr(space, *text)) return false;
  if (!take(&text, to) || !take(&text, ",") || !take(&text, from)) return false;
  take(&text, ";");
  return !text[strspn(text, space)];
}

// -- Instructions ------------------------------------------------------------

typedef struct {
  const char *name;
  OpKind kind;
} AsmInstruction;

static const AsmInstruction instructions[] = {
#define INSTRUCTION(text, operation) {text, OP_##operation},
#include "frontend/language/assembly.def"
};

static const Object *reciprocal(Walk *w, SrcLoc loc, const Object *x) {
  return tensor_binary(w, loc, OPERATOR_DIV, object_float(w->arena, 1), x);
}

// Rounds to tf32, which has 10 fraction bits; ties go away from zero.
static const Object *to_tf32(Walk *w, SrcLoc loc, const Object *x) {
  const Dtype u32 = dtype_of(DTYPE_UINT32), f32 = dtype_of(DTYPE_FP32);
  const Object *bits = tensor_bitcast(w, loc, x, u32);
  bits = tensor_binary(w, loc, OPERATOR_ADD, bits, tensor_int(w, u32, 0x1000));
  bits =
      tensor_binary(w, loc, OPERATOR_AND, bits, tensor_int(w, u32, 0xffffe000));
  const Object *nan =
      tensor_bitcast(w, loc, tensor_int(w, u32, 0x7fffffff), f32);
  const Object *is_number = tensor_comparison(w, loc, COMPARE_EQ, x, x);
  return tensor_select(w, loc, is_number, tensor_bitcast(w, loc, bits, f32),
                       nan);
}

static const Object *of_number(Walk *w, SrcLoc loc, const Assembly *a) {
  const Object *x = a->args[0];
  static const char *const inverses[] = {"rcp.approx.f32", "rcp.approx.ftz.f32",
                                         "rcp.rn.f32"};
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
    if (is_instruction(a->assembly, instructions[i].name, "$0", "$1"))
      return tensor_op(w, instructions[i].kind, dtype_of(DTYPE_FP32), 1, &x);
  }
  for (size_t i = 0; i < sizeof inverses / sizeof *inverses; i++) {
    if (is_instruction(a->assembly, inverses[i], "$0", "$1"))
      return reciprocal(w, loc, x);
  }
  return is_instruction(a->assembly, "cvt.rna.tf32.f32", "$0", "$1")
             ? to_tf32(w, loc, x)
             : NULL;
}

// -- Registers ---------------------------------------------------------------

// The clock, or the number of the processor: a scalar, broadcast to the shape
// of the operands.
static const Object *read_register(Walk *w, SrcLoc loc, const Assembly *a) {
  const bool is_wide = dtype_bits(a->results[0]) == 64;
  const char *text = is_wide ? ASSEMBLY_CLOCK : ASSEMBLY_PROCESSOR;
  const char *name = is_wide ? "mov.u64" : "mov.u32";
  const char *from = is_wide ? "%globaltimer" : "%smid";
  if (dtype_is_float(a->results[0]) ||
      !is_instruction(a->assembly, name, "$0", from))
    return NULL;
  Assembly one = {
      .assembly = text, .constraints = "", .num_results = 1, .pack = 1};
  one.results[0] = a->results[0];
  const Object *x = assembly_build(w, &one)->as.tuple.items[0];
  const Type *shape = a->num_args ? object_type(a->args[0]) : NULL;
  return shape && shape->rank
             ? tensor_broadcast_to(w, loc, x, shape->rank, shape->shape)
             : x;
}

static bool is_fp32(Dtype dtype) {
  return dtype_is(dtype, DTYPE_FP32);
}

const Object *assembly_translate(Walk *w, const BuiltinCall *c,
                                 const Assembly *a) {
  const bool is_single = a->num_results == 1 && a->pack == 1;
  const Object *result = NULL;
  if (is_single && a->num_args == 1 && is_fp32(a->results[0]) &&
      is_fp32(a->args[0]->as.tensor.dtype))
    result = of_number(w, c->loc, a);
  if (is_single && !result) result = read_register(w, c->loc, a);
  if (result) return object_tuple(w->arena, &result, 1);
  return walk_error(w, c->loc, ERROR_assembly_of_gpu, c->info->name,
                    w->spec->target->name, a->assembly);
}
