// share.c -- parts that differ in constants alone become equal code.
//
// A constant that differs between parts becomes an argument.  One that is equal
// in all stays, and so does one for which LLVM needs a constant or makes better
// code.  The parts remain separate functions; LLVM compares and merges them
// (codegen/llvm/output.c), so the shape used here may be incomplete.
//
// For example, one part loads x[i + 64], a second one x[i + 128], and both
// divide by 3.  64 and 128 become the argument of the call; 3 stays in the
// code, where LLVM multiplies by its inverse.
#include "codegen/host/nest.h"

#include <string.h>

// A constant operand that could be an argument.
typedef struct {
  LLVMValueRef user;
  unsigned operand;
} Site;

typedef struct {
  Outlined *part;
  Vec(uint64_t) shape; // everything except the constants of its sites
  Vec(Site) sites;
} ShareMember;

// An argument of the shared function: its value in each member.
typedef LLVMValueRef *MemberValues;

typedef struct {
  Host *h;
  Vec(ShareMember *) members; // with one shape
  Vec(MemberValues) columns;
  Vec(int) chosen; // for each site: its column, or -1
} ShareGroup;

typedef struct {
  Host *h;
  Map numbers; // of instructions, arguments and blocks, each in its function
  Map groups;  // by shape
  Vec(ShareGroup *) order;
  unsigned immediate; // LLVM's attribute kind
} Share;

// -- Which constants ---------------------------------------------------------

static bool is_plain_constant(LLVMValueRef x) {
  return LLVMIsAConstantInt(x) || LLVMIsAConstantFP(x) ||
         LLVMIsAConstantDataVector(x) || LLVMIsAConstantVector(x) ||
         LLVMIsAConstantAggregateZero(x);
}

static bool is_immediate(const Share *s, LLVMValueRef call, unsigned operand) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  return !LLVMIsAFunction(callee) ||
         LLVMGetEnumAttributeAtIndex(callee, operand + 1, s->immediate);
}

// Divisors stay constant, since LLVM replaces such divisions by
// multiplications.
static bool may_vary(const Share *s, LLVMValueRef user, unsigned operand) {
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMCall: return !is_immediate(s, user, operand);
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem: return operand == 0;
  case LLVMInsertElement: return operand < 2;
  case LLVMGetElementPtr:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMStore: return true;
  default:
    return LLVMIsABinaryOperator(user) || LLVMIsACastInst(user) ||
           LLVMIsAUnaryOperator(user) || LLVMIsAFreezeInst(user);
  }
}

// -- Shapes ------------------------------------------------------------------

static void number(Share *s, const void *x, uintptr_t *last) {
  map_put(&s->numbers, s->h->e->arena, x, (void *)++*last);
}

static void number_all(Share *s, LLVMValueRef function) {
  uintptr_t last = 0;
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    number(s, LLVMGetParam(function, i), &last);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block)) {
    number(s, LLVMBasicBlockAsValue(block), &last);
    for (LLVMValueRef x = LLVMGetFirstInstruction(block); x;
         x = LLVMGetNextInstruction(x))
      number(s, x, &last);
  }
}

static void say(const Share *s, ShareMember *m, uintptr_t word) {
  vec_push(s->h->e->arena, &m->shape, word);
}

static void say_operand(const Share *s, ShareMember *m, LLVMValueRef user,
                        unsigned operand) {
  LLVMValueRef x = LLVMGetOperand(user, operand);
  if (is_plain_constant(x) && may_vary(s, user, operand)) {
    vec_push(s->h->e->arena, &m->sites, ((Site){user, operand}));
    say(s, m, (uintptr_t)LLVMTypeOf(x));
    return;
  }
  const uintptr_t own = (uintptr_t)map_get(&s->numbers, x);
  say(s, m, own ? own : (uintptr_t)x);
}

static uintptr_t predicate_of(LLVMValueRef x) {
  if (LLVMIsAICmpInst(x)) return LLVMGetICmpPredicate(x);
  return LLVMIsAFCmpInst(x) ? LLVMGetFCmpPredicate(x) : 0;
}

static void say_instruction(const Share *s, ShareMember *m, LLVMValueRef x) {
  say(s, m, LLVMGetInstructionOpcode(x));
  say(s, m, (uintptr_t)LLVMTypeOf(x));
  say(s, m, predicate_of(x));
  if (LLVMIsAGetElementPtrInst(x))
    say(s, m, (uintptr_t)LLVMGetGEPSourceElementType(x));
  const int count = LLVMGetNumOperands(x);
  for (int k = 0; k < count; k++) say_operand(s, m, x, (unsigned)k);
}

static ShareMember *describe(Share *s, Outlined *part) {
  ShareMember *m = arena_new(s->h->e->arena, ShareMember);
  m->part = part;
  number_all(s, part->function);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(part->function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef x = LLVMGetFirstInstruction(block); x;
         x = LLVMGetNextInstruction(x))
      say_instruction(s, m, x);
  return m;
}

static void add_member(Share *s, ShareMember *m) {
  Arena *arena = s->h->e->arena;
  const char *key = (const char *)m->shape.items;
  const size_t size = m->shape.count * sizeof *m->shape.items;
  ShareGroup *group = map_get_text(&s->groups, key, size);
  if (!group) {
    group = arena_new(arena, ShareGroup);
    group->h = s->h;
    map_put_text(&s->groups, arena, key, size, group);
    vec_push(arena, &s->order, group);
  }
  vec_push(arena, &group->members, m);
}

// -- Columns -----------------------------------------------------------------

static LLVMValueRef constant_at(const ShareGroup *group, size_t member,
                                size_t site) {
  const Site *at = &group->members.items[member]->sites.items[site];
  return LLVMGetOperand(at->user, at->operand);
}

static bool differs(const ShareGroup *group, size_t site) {
  for (size_t i = 1; i < group->members.count; i++)
    if (constant_at(group, i, site) != constant_at(group, 0, site)) return true;
  return false;
}

// The value of all lanes; NULL if they differ, or it is no vector.
static LLVMValueRef lane_of(LLVMValueRef constant) {
  const int lanes = type_lanes(LLVMTypeOf(constant));
  LLVMValueRef first = lanes ? LLVMGetAggregateElement(constant, 0) : NULL;
  for (int i = 1; i < lanes; i++)
    if (LLVMGetAggregateElement(constant, (unsigned)i) != first) return NULL;
  return first;
}

static bool is_mask(Emit *e, LLVMTypeRef type) {
  return type_lanes(type) && LLVMGetElementType(type) == int_type(e, 1);
}

// A mask as an integer with one bit for each lane: an immediate operand instead
// of a vector that lives from call to call.
static LLVMValueRef mask_bits(Emit *e, LLVMValueRef mask) {
  const int lanes = type_lanes(LLVMTypeOf(mask));
  uint64_t bits = 0;
  for (int i = 0; i < lanes; i++) {
    LLVMValueRef lane = LLVMGetAggregateElement(mask, (unsigned)i);
    bits |= (uint64_t)LLVMConstIntGetZExtValue(lane) << i;
  }
  return LLVMConstInt(int_type(e, lanes), bits, false);
}

// For a vector of equal lanes the argument is one lane, which the part repeats.
static MemberValues column_at(const ShareGroup *group, size_t site) {
  Emit *e = group->h->e;
  const size_t count = group->members.count;
  MemberValues column = arena_array(e->arena, LLVMValueRef, count);
  size_t splats = 0;
  while (splats < count &&
         (column[splats] = lane_of(constant_at(group, splats, site))))
    splats++;
  if (splats == count) return column;
  for (size_t i = 0; i < count; i++) {
    LLVMValueRef x = constant_at(group, i, site);
    column[i] = is_mask(e, LLVMTypeOf(x)) ? mask_bits(e, x) : x;
  }
  return column;
}

static int add_column(ShareGroup *group, MemberValues column) {
  const size_t size = group->members.count * sizeof *column;
  for (size_t i = 0; i < group->columns.count; i++)
    if (!memcmp(group->columns.items[i], column, size)) return (int)i;
  vec_push(group->h->e->arena, &group->columns, column);
  return (int)group->columns.count - 1;
}

static void choose(ShareGroup *group) {
  const size_t count = group->members.items[0]->sites.count;
  for (size_t i = 0; i < count; i++) {
    const int column =
        differs(group, i) ? add_column(group, column_at(group, i)) : -1;
    vec_push(group->h->e->arena, &group->chosen, column);
  }
}

// -- New functions -----------------------------------------------------------

static LLVMValueRef widen(const ShareGroup *group, LLVMValueRef old) {
  const unsigned params = LLVMCountParams(old);
  const size_t count = params + group->columns.count;
  LLVMTypeRef *types = arena_array(group->h->e->arena, LLVMTypeRef, count);
  LLVMTypeRef type = LLVMGlobalGetValueType(old);
  LLVMGetParamTypes(type, types);
  for (size_t i = params; i < count; i++)
    types[i] = LLVMTypeOf(group->columns.items[i - params][0]);
  LLVMValueRef function =
      host_part_function(group->h, LLVMGetReturnType(type), types, (int)count);
  for (LLVMBasicBlockRef block; (block = LLVMGetFirstBasicBlock(old));) {
    LLVMRemoveBasicBlockFromParent(block);
    LLVMAppendExistingBasicBlock(function, block);
  }
  for (unsigned i = 0; i < params; i++)
    LLVMReplaceAllUsesWith(LLVMGetParam(old, i), LLVMGetParam(function, i));
  return function;
}

// The argument as an operand of that type.
static LLVMValueRef unpack(Emit *e, LLVMValueRef x, LLVMTypeRef type) {
  const bool is_bits = is_mask(e, type) && LLVMTypeOf(x) != int_type(e, 1);
  return is_bits ? LLVMBuildBitCast(e->b, x, type, "")
                 : splat(e, x, type_lanes(type));
}

static void use_arguments(const ShareGroup *group, const ShareMember *m,
                          LLVMValueRef function, unsigned first) {
  Emit *e = group->h->e;
  LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(function);
  LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(entry));
  for (size_t i = 0; i < m->sites.count; i++) {
    const Site *at = &m->sites.items[i];
    if (group->chosen.items[i] < 0) continue;
    LLVMValueRef x =
        LLVMGetParam(function, first + (unsigned)group->chosen.items[i]);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(at->user, at->operand));
    LLVMSetOperand(at->user, at->operand, unpack(e, x, type));
  }
}

static LLVMValueRef call_with(const ShareGroup *group, size_t member,
                              LLVMValueRef function) {
  Host *h = group->h;
  LLVMValueRef old = group->members.items[member]->part->call;
  const size_t passed = LLVMGetNumArgOperands(old);
  const size_t count = passed + group->columns.count;
  LLVMValueRef *args = arena_array(h->e->arena, LLVMValueRef, count);
  for (size_t i = 0; i < passed; i++)
    args[i] = LLVMGetOperand(old, (unsigned)i);
  for (size_t i = passed; i < count; i++)
    args[i] = group->columns.items[i - passed][member];
  LLVMPositionBuilderBefore(h->b, old);
  LLVMValueRef call = host_part_call(h, function, args, (int)count);
  LLVMReplaceAllUsesWith(old, call);
  LLVMInstructionEraseFromParent(old);
  return call;
}

static void lift(const ShareGroup *group, size_t member) {
  const ShareMember *m = group->members.items[member];
  LLVMValueRef old = m->part->function, function = widen(group, old);
  use_arguments(group, m, function, LLVMCountParams(old));
  m->part->call = call_with(group, member, function);
  m->part->function = function;
  LLVMDeleteFunction(old);
}

void host_share_parts(Host *h) {
  Share s = {.h = h};
  s.immediate = LLVMGetEnumAttributeKindForName("immarg", strlen("immarg"));
  for (size_t i = 0; i < h->parts.count; i++)
    add_member(&s, describe(&s, &h->parts.items[i]));
  for (size_t i = 0; i < s.order.count; i++) {
    ShareGroup *group = s.order.items[i];
    choose(group);
    if (!group->columns.count) continue;
    for (size_t k = 0; k < group->members.count; k++) lift(group, k);
  }
}
