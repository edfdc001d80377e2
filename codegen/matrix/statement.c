// statement.c -- statements of assembly with many results, for wgmma.
//
// Sums are tied operands, so that they stay in their registers.  A wait for
// products is such a statement, too.
#include "codegen/matrix/product.h"

int statement_add(WgmmaStatement *x, LLVMValueRef value,
                  const char *constraint) {
  str_addf(&x->constraints, ",%s", constraint);
  x->args[x->num_args++] = value;
  return x->num_operands++;
}

WgmmaStatement statement_start(Simt *s, int count, bool tied,
                               LLVMValueRef const *values, int more) {
  Arena *arena = s->e->arena;
  WgmmaStatement x = {.text = str_in(arena),
                      .constraints = str_in(arena),
                      .args = arena_array(arena, LLVMValueRef, count + more),
                      .num_operands = count};
  for (int i = 0; i < count; i++) {
    const bool is_int =
        LLVMGetTypeKind(LLVMTypeOf(values[i])) == LLVMIntegerTypeKind;
    str_addf(&x.constraints, "%s=%c", i ? "," : "", is_int ? 'r' : 'f');
  }
  for (int i = 0; tied && i < count; i++)
    statement_add(&x, values[i], arena_printf(arena, "%d", i));
  return x;
}

void statement_run(Simt *s, WgmmaStatement *x, int count,
                   LLVMValueRef *values) {
  LLVMContextRef c = s->e->llvm.context;
  LLVMTypeRef *types = arena_array(s->e->arena, LLVMTypeRef, count);
  for (int i = 0; i < count; i++) types[i] = LLVMTypeOf(values[i]);
  LLVMTypeRef all = count
                        ? LLVMStructTypeInContext(c, types, (unsigned)count, 0)
                        : LLVMVoidTypeInContext(c);
  str_add(&x->constraints, x->num_operands ? ",~{memory}" : "~{memory}");
  LLVMValueRef out =
      nvptx_warp_asm(s, str_text(&x->text), str_text(&x->constraints), all,
                     x->num_args, x->args);
  for (int i = 0; i < count; i++)
    values[i] = LLVMBuildExtractValue(s->b, out, (unsigned)i, "");
}

// -- Waits -------------------------------------------------------------------

void statement_wait(Simt *s, int pending, int count, LLVMValueRef *values) {
  WgmmaStatement x = statement_start(s, count, true, values, 0);
  str_addf(&x.text, "wgmma.wait_group.sync.aligned %d;", pending);
  statement_run(s, &x, count, values);
}

static int count_results(const Op *op) {
  int count = 0;
  for (int i = 0; i < op->num_results; i++)
    count += simt_count(op->results[i].type);
  return count;
}

// ptxas moves a wait forward past independent instructions, but not out of its
// basic block.  So the block ends here, with a branch that is never taken;
// ptxas does not know that.
static void end_block(Simt *s) {
  LLVMValueRef never =
      LLVMBuildICmp(s->b, LLVMIntNE, s->hidden_zero, simt_i32(s, 0), "");
  nvptx_asm(s,
            "{\n\t@!$0 bra.uni go${:uid};\n\tstay${:uid}:\n\t"
            "nanosleep.u32 0;\n\tbra.uni stay${:uid};\n\tgo${:uid}:\n\t}",
            "b", LLVMVoidTypeInContext(s->e->llvm.context), 1, &never, true);
}

// Passes the sums on, tied: so they are not read before.
bool simt_emit_dot_wait(Simt *s, const Op *op) {
  const int count = count_results(op);
  LLVMValueRef *values = simt_new(s, count);
  int n = 0;
  if (s->num_wgmma && op_int(op, ATTR_late)) end_block(s);
  for (int i = 0; i < op->num_results; i++) {
    const Value *x = op_operand(op, op_group_start(op, 1) + i);
    for (int r = 0; r < simt_count(x->type); r++)
      values[n++] = simt_get(s, x)[r];
  }
  statement_wait(s, (int)op_int(op, ATTR_count), count, values);
  n = 0;
  for (int i = 0; i < op->num_results; i++) {
    simt_set(s, &op->results[i], values + n);
    n += simt_count(op->results[i].type);
  }
  return true;
}
