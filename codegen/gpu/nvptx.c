// nvptx.c -- properties of PTX: kernels, their attributes, assembly.
//
// Pointer parameters are in address space 1, so that every access is an
// ld.global.  Shared memory is one array whose size the launch determines.
#include "codegen/gpu/simt.h"
#include "codegen/llvm/output.h"
#include "ir/roles.h"
#include "ir/wgmma.h"

#include <string.h>

enum {
  PTX_KERNEL = 71, // LLVM's number of the calling convention ptx_kernel
  SPACE_SHARED_PTX = 3,
};

// -- Kernels -----------------------------------------------------------------

// A map is a parameter by value.
static LLVMTypeRef kernel_type(Simt *s, const KernelInfo *info) {
  const Block *body = s->f->body;
  LLVMContextRef c = s->e->llvm.context;
  LLVMTypeRef *types = arena_array(s->e->arena, LLVMTypeRef, info->num_params);
  for (int i = 0; i < info->num_params; i++) {
    types[i] = i < body->num_args ? emit_memory_type(s->e, body->args[i].type)
               : info->params[i].rule == PARAM_PROGRAMS
                   ? int_type(s->e, 32)
                   : LLVMPointerTypeInContext(c, 0);
  }
  return LLVMFunctionType(LLVMVoidTypeInContext(c), types,
                          (unsigned)info->num_params, 0);
}

// A bulk copy refers to the parameter itself.  The parameter is passed by value
// and marked constant, since LLVM would otherwise copy it to local memory.
static void pass_maps_by_value(Simt *s, const KernelInfo *info) {
  LLVMContextRef c = s->e->llvm.context;
  const int first = info->num_params - info->num_maps;
  LLVMAttributeRef by_value = LLVMCreateTypeAttribute(
      c, llvm_attribute_kind("byval"),
      LLVMArrayType2(int_type(s->e, 8), TENSOR_MAP_SIZE));
  LLVMAttributeRef align = LLVMCreateEnumAttribute(
      c, llvm_attribute_kind("align"), TENSOR_MAP_ALIGNMENT);
  for (int i = 0; i < info->num_maps; i++) {
    const int place = first + i + 1; // 0 is the result
    LLVMAddAttributeAtIndex(s->function, (unsigned)place, by_value);
    LLVMAddAttributeAtIndex(s->function, (unsigned)place, align);
  }
  llvm_keep_constant(&s->e->llvm, s->e->arena, s->function, first,
                     info->num_maps);
}

static LLVMValueRef shared_array(Emit *e) {
  LLVMValueRef array = LLVMGetNamedGlobal(e->llvm.module, "tile_shared");
  if (array) return array;
  LLVMTypeRef type = LLVMArrayType2(int_type(e, 8), 0);
  array = LLVMAddGlobalInAddressSpace(e->llvm.module, type, "tile_shared",
                                      SPACE_SHARED_PTX);
  LLVMSetAlignment(array, 16);
  return array;
}

// Should the kernel get all registers, for one program on an SM?  If spills are
// unavoidable, ptxas may choose 32 registers and thousands of spills, unless
// the number of programs on an SM is given.  A kernel that fits is arranged
// better without this; with matrix instructions, also one that needs less than
// twice as many registers as there are.
static bool wants_all_registers(const Simt *s, int num_warps) {
  const int most = target_thread_registers(s->e->target, num_warps);
  return s->pressure.most >= (s->has_mma ? 2 * most : most);
}

void nvptx_begin(Simt *s, const KernelInfo *info) {
  Emit *e = s->e;
  s->function =
      LLVMAddFunction(e->llvm.module, info->symbol, kernel_type(s, info));
  LLVMSetFunctionCallConv(s->function, PTX_KERNEL);
  pass_maps_by_value(s, info);
  lines_enter(e, s->function, s->f);
  const int num_threads = info->num_warps * e->target->warp_size;
  llvm_limit_kernel(&e->llvm, s->function, LIMIT_THREADS, num_threads);
  if (info->log2_cluster)
    vec_push(e->arena, &e->clusters,
             ((EmitCluster){info->symbol, 1 << info->log2_cluster}));
  const int64_t most = function_int(s->f, ATTR_maxnreg, TARGET_MAX_REGISTERS);
  RoleShare share;
  if (function_roles(s->f) && role_share(e->target, s->group.num_warps, &share))
    llvm_limit_kernel(&e->llvm, s->function, LIMIT_BLOCKS, share.programs);
  else if (most < TARGET_MAX_REGISTERS)
    llvm_limit_kernel(&e->llvm, s->function, LIMIT_REGISTERS, (int)most);
  else if (wants_all_registers(s, info->num_warps))
    llvm_limit_kernel(&e->llvm, s->function, LIMIT_BLOCKS, 1);
  s->shared = shared_array(e);
  if (s->num_wgmma || s->has_boxes) LLVMSetAlignment(s->shared, WGMMA_ALIGN);
  LLVMPositionBuilderAtEnd(s->b, simt_add_block(s, "entry"));
  const Block *body = s->f->body;
  for (int i = 0; i < body->num_args; i++) {
    LLVMValueRef x = LLVMGetParam(s->function, (unsigned)i);
    simt_set_scalar(s, &body->args[i], convert_load(e, body->args[i].type, x));
  }
}

// -- Assembly ----------------------------------------------------------------

static LLVMValueRef call_asm(Simt *s, const char *text, const char *constraints,
                             LLVMTypeRef result, int num_args,
                             LLVMValueRef const *args, bool effects) {
  LLVMTypeRef *types = arena_array(s->e->arena, LLVMTypeRef, num_args);
  LLVMValueRef *copy = simt_new(s, num_args);
  for (int i = 0; i < num_args; i++) {
    copy[i] = args[i];
    types[i] = LLVMTypeOf(args[i]);
  }
  LLVMTypeRef type = LLVMFunctionType(result, types, (unsigned)num_args, 0);
  LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints,
                                       strlen(constraints), effects, false,
                                       LLVMInlineAsmDialectATT, false);
  return LLVMBuildCall2(s->b, type, code, copy, (unsigned)num_args, "");
}

LLVMValueRef nvptx_asm(Simt *s, const char *text, const char *constraints,
                       LLVMTypeRef result, int num_args,
                       LLVMValueRef const *args, bool effects) {
  const char *clobbers = effects ? "~{memory}" : "";
  const char *comma = *constraints && effects ? "," : "";
  const char *all =
      arena_printf(s->e->arena, "%s%s%s", constraints, comma, clobbers);
  return call_asm(s, text, all, result, num_args, args, effects);
}

LLVMValueRef nvptx_warp_asm(Simt *s, const char *text, const char *constraints,
                            LLVMTypeRef result, int num_args,
                            LLVMValueRef const *args) {
  LLVMValueRef call =
      call_asm(s, text, constraints, result, num_args, args, true);
  emit_call_attribute(s->e, call, "convergent");
  return call;
}
