// op.h -- the tile IR: values, operations, blocks, functions, modules.
//
// SSA with structured control flow.  A Function owns one Block; an Op may own
// regions, each a single Block with its own arguments.  A Value is visible in
// the blocks nested below its own.  Everything is in one Arena; erasing an Op
// unlinks it and never frees.
#ifndef TILE_IR_OP_H
#define TILE_IR_OP_H

#include "ir/base/base.h"
#include "ir/base/diag.h"
#include "ir/layout.h"
#include "ir/type.h"

#include <assert.h>

// Regions nest MAX_NESTING deep at most: the text parser, the verifier and the
// frontend check it, so that walks may recurse.
enum { VAR = -1, MAX_GROUPS = 6, MAX_NESTING = 200, MAX_BARRIERS = 32 };

// The number of blocks in a cluster that every chip with clusters supports.
enum { MAX_LOG2_CLUSTER = 3, MAX_CLUSTER = 1 << MAX_LOG2_CLUSTER };

typedef struct Value Value;
typedef struct Use Use;
typedef struct Op Op;
typedef struct Block Block;
typedef struct Function Function;
typedef struct Module Module;

// -- Vocabulary --------------------------------------------------------------

typedef enum {
#define OP(name, ...) OP_##name,
#include "ir/op/ops.def"
  OP_COUNT
} OpKind;

typedef enum {
#define ATTR(name, ...) ATTR_##name,
#include "ir/op/attrs.def"
  ATTR_COUNT
} AttrKey;

#define VALUE(type, name) type##_##name,
#define ENUM(name, ...)   typedef enum { __VA_ARGS__ } name;
#include "ir/op/enums.def"
#undef VALUE

typedef enum {
  ATTR_KIND_INT,
  ATTR_KIND_BOOL,
  ATTR_KIND_NUMBER,
  ATTR_KIND_STRING,
  ATTR_KIND_INTS,
#define ENUM(name, ...) ATTR_KIND_##name,
#include "ir/op/enums.def"
  ATTR_KIND_COUNT
} AttrKind;

typedef struct {
  const char *name;
  AttrKind kind;
  const char *summary;
} AttrInfo;

extern const AttrInfo attr_info[ATTR_COUNT];
// The words of an enum kind, NULL-terminated; NULL for the other kinds.
extern const char *const *const attr_words[ATTR_KIND_COUNT];

// The side effects of an op: {read, write, alloc, free} of each space.
#define EFFECT_BIT(act, space) (1u << (4 * (space) + (act)))
enum { ACT_READ, ACT_WRITE, ACT_ALLOC, ACT_FREE };
enum { EFFECT_GLOBAL, EFFECT_SHARED, EFFECT_BARRIER, EFFECT_ASYNC };
#define EFFECTS_READ                                                           \
  (EFFECT_BIT(ACT_READ, EFFECT_GLOBAL) | EFFECT_BIT(ACT_READ, EFFECT_SHARED))

enum {                         // traits
  TRAIT_SPECULATABLE = 1 << 0, // may run where the program would not run it
  TRAIT_CONVERGENT = 1 << 1,   // all threads must reach it together
  TRAIT_COMMUTE = 1 << 2,      // x op y = y op x
  TRAIT_ELEMENTWISE = 1 << 3,  // result element i from operand elements i
  TRAIT_TERMINATOR = 1 << 4,   // ends a block, and only it
  TRAIT_CONSTANT = 1 << 5,
  TRAIT_KEEP = 1 << 6, // not dead though unused, not merged with an equal op
};

// The relations of operand and result types; ir/verify/verify.c has one check
// for each.
typedef enum {
  RULE_NONE,
  RULE_ANY,
#define TYPE_RULE(name) RULE_##name,
#include "ir/op/rules.def"
  RULE_COUNT
} TypeRule;

typedef enum { GROUP_ONE, GROUP_OPT, GROUP_ANY } GroupKind;

typedef struct {
  const char *name; // optional and variadic groups print as name(...)
  GroupKind kind;
} OperandGroup;

typedef struct {
  const char *name;
  int num_operands; // VAR if any group is optional or variadic
  int num_groups;
  OperandGroup groups[MAX_GROUPS + 1]; // and a nameless one
  int num_results;                     // VAR: any number
  int num_regions;
  unsigned effects, traits;
  TypeRule rule;
  uint64_t required_attrs, optional_attrs; // bit per AttrKey
  const char *summary;
} OpInfo;

extern const OpInfo op_info[OP_COUNT];

// OP_COUNT if there is no op of that name.
OpKind op_kind_find(const char *name, size_t length);
AttrKey attr_key_find(const char *name, size_t length); // or ATTR_COUNT

// -- Structure ---------------------------------------------------------------

typedef struct {
  AttrKey key;
  union {
    int64_t i;     // INT, BOOL, enums; NUMBER of an integer, sign-extended
    double f;      // NUMBER of a float, exactly the element's value
    const char *s; // STRING
    struct {
      const int64_t *items;
      int count;
    } ints; // INTS
  } as;
} Attr;

struct Use {
  Value *value;
  Op *user;
  int index; // index among the operands of the user
  Use *next;
  Use **link; // the pointer to this Use
};

struct Value {
  const Type *type;
  Op *def;      // NULL for a block argument
  Block *block; // of an argument; NULL for a result
  int index;    // index among the results or arguments
  Use *uses;
  const char *name; // as written by the user, or NULL
  int id;           // numbering used by the printer; scratch for passes
};

struct Op {
  OpKind kind;
  SrcLoc loc;
  Block *block; // NULL while not in a block
  Op *prev, *next;
  int num_operands, num_results, num_regions, num_attrs;
  Use *operands;
  int group_sizes[MAX_GROUPS];
  Value *results;
  Block **regions;
  Attr *attrs; // sorted by key
};

struct Block {
  Op *parent;         // NULL for a function body
  Function *function; // the function that contains the block, at any depth
  Op *first, *last;
  int num_args;
  Value *args;
};

typedef struct {
  const char *name; // of the kernel parameter
  int num_attrs;
  Attr *attrs; // divisibility, …
} Param;

struct Function {
  Function *next;
  Module *module;
  const char *name;
  SrcLoc loc;
  Block *body;   // its arguments are the kernel's parameters
  Param *params; // one for each argument
  int num_attrs;
  Attr *attrs; // num_warps, num_stages, target, …
};

struct Module {
  Arena *arena;
  DiagList *diags;
  TypeTable types;
  LayoutTable layouts;
  Function *functions, **last_function;
};

// `arena` and `diags` outlive the module.
Module *module_create(Arena *arena, DiagList *diags);
Function *function_create(Module *m, const char *name, SrcLoc loc,
                          int num_params, const Type *const *types);

Block *block_create(Function *f, int num_args, const Type *const *types);

// Creates an op in no block.  `group_sizes` may be NULL if every group is ONE
// or only the last group is not.  `types` are those of the results.
Op *op_create(Module *m, OpKind kind, SrcLoc loc, int num_operands,
              Value *const *operands, const int *group_sizes, int num_results,
              const Type *const *types);
void op_set_region(Op *op, int index, Block *block);
void op_append(Block *block, Op *op);
void op_insert_before(Op *at, Op *op);
void op_unlink(Op *op); // removes it from its block; it keeps its operands
// Unlinks the op and everything in its regions; no result may have a use left.
void op_erase(Op *op);
// A copy in no block, with its regions; `map` (Value* to Value*) renames
// operands, and gets the new results and arguments.
Op *op_clone(Module *m, const Op *op, Map *map);
Block *block_clone(Module *m, const Block *block, Map *map); // of no op
Block *block_copy(Module *m, const Block *block); // the same, without a map
// The value to which `map` maps `value`; `value` itself if it maps it to none.
Value *value_renamed(const Map *map, Value *value);

void op_set_operand(Op *op, int index, Value *value);
// Adds an operand to an empty group.
void op_add_operand(Module *m, Op *op, int group, Value *value);
void value_replace_uses(Value *from, Value *to);

// -- Queries -----------------------------------------------------------------

static inline Value *op_operand(const Op *op, int index) {
  assert(index >= 0 && index < op->num_operands); // I1
  return op->operands[index].value;
}
enum { BARRIER_BYTES = 8 };             // of an mbarrier in shared memory
int64_t mbarrier_size(const Op *alloc); // the number of its barriers
// The mbarrier_alloc that defines a barrier, perhaps one of several.
const Op *mbarrier_alloc_of(const Value *barrier);
// First operand of a group; NULL if the group is empty.
Value *op_group(const Op *op, int group);
int op_group_start(const Op *op, int group);
static inline int op_group_size(const Op *op, int group) {
  return op->group_sizes[group];
}
static inline Value *op_result(const Op *op) {
  assert(op->num_results > 0 && "the op has no result"); // I1
  return &op->results[0];
}
static inline bool op_has(const Op *op, unsigned trait) {
  return (op_info[op->kind].traits & trait) != 0;
}
// The effects of the op and of everything in its regions.
unsigned op_effects(const Op *op);
// Has the op no effects and not TRAIT_KEEP, so that it may be removed if
// unused, merged and moved?
bool op_is_pure(const Op *op);
// Does a reduce or scan combine by one op that is commutative and associative,
// except for rounding?
bool op_combines_freely(const Op *op);
// Has the op a region that combines two elements to one?
static inline bool op_combines(const Op *op) {
  return op->kind == OP_reduce || op->kind == OP_scan;
}
// The op that ends a region.
static inline Op *block_end(const Block *block) {
  return block->last;
}
Function *op_function(const Op *op);
// Is the op in a loop?
bool op_is_in_loop(const Op *op);
// The block that has the op of the value, or has the value as an argument.
static inline Block *value_block(const Value *value) {
  return value->def ? value->def->block : value->block;
}
// Is `value` defined outside of `block`, but visible in it?
bool value_is_outside(const Value *value, const Block *block);
Op *value_def(const Value *value, OpKind kind); // its op, if of that kind; else
                                                // NULL

// The slots of a `for`: slot i is an initial value, an argument of the body, a
// value yielded and a result. In
//   %s = for %lo, %hi, %step init(%zero) : f32 (%i: i32, %a: f32) { yield %b }
// slot 0 is %zero, %a, %b and %s.
enum { FOR_LOWER, FOR_UPPER, FOR_STEP, FOR_INIT }; // operands
static inline int for_num_slots(const Op *op) {
  return op->num_results;
}
static inline Value *for_init(const Op *op, int slot) {
  return op_operand(op, FOR_INIT + slot);
}
static inline Value *for_counter(const Op *op) {
  return &op->regions[0]->args[0];
}
static inline Value *for_arg(const Op *op, int slot) {
  return &op->regions[0]->args[1 + slot];
}
// The value in slot `slot` of the terminator of region `region`: a `yield`, or
// a `condition`, where slots begin behind the condition itself.
Value *region_yield(const Op *op, int region, int slot);

// -- Attributes --------------------------------------------------------------

const Attr *attrs_find(const Attr *attrs, int num_attrs, AttrKey key);
const Attr *op_attr(const Op *op, AttrKey key); // NULL when absent
int64_t op_int(const Op *op, AttrKey key);      // 0 when absent; enums, bools
// Does an access through a block pointer or descriptor compare dimension d with
// its bound?  By a descriptor, always.
bool op_checks_bound(const Op *op, int d);
// Is the value a descriptor for which the launch, or the program, makes a
// tensor map?
bool value_has_map(const Value *value);
bool op_makes_map(const Op *op); // in the program
void op_set_attr(Module *m, Op *op, Attr attr);
void op_copy_attrs(Module *m, Op *to, const Op *from); // copies all attributes
void op_copy_attr(Module *m, Op *to, const Op *from,
                  AttrKey key); // does nothing without such an attribute
void op_set_int(Module *m, Op *op, AttrKey key, int64_t value);
void op_set_number(Module *m, Op *op, AttrKey key, double value);
void op_set_string(Module *m, Op *op, AttrKey key, const char *text);
void op_set_ints(Module *m, Op *op, AttrKey key, const int64_t *items,
                 int count);
void op_remove_attr(Op *op, AttrKey key);
bool attr_equal(const Attr *a, const Attr *b);
void function_set_attr(Function *f, Attr attr);
int64_t function_int(const Function *f, AttrKey key, int64_t otherwise);
static inline int function_num_warps(const Function *f) {
  return (int)function_int(f, ATTR_num_warps, 4);
}
// The number of blocks of threads that run one program.
static inline int function_cluster(const Function *f) {
  return (int)function_int(f, ATTR_cluster, 1);
}
void param_set_attr(Module *m, Param *param, Attr attr);

// Is the value a constant of scalar or tile type?
bool value_is_constant(const Value *value, const Attr **out);
bool value_constant_int(const Value *value, int64_t *out); // of an integer
// Is every element the constant 0; for floats, +0?
bool value_is_zero(const Value *value);
// NULL: no use, or several.
static inline const Use *value_only_use(const Value *value) {
  return value->uses && !value->uses->next ? value->uses : NULL;
}

#endif
