// simt.h -- lowering for GPUs: a tile is the fragment that one thread owns.
//
// A value is an array of LLVM values in compute form, one for each register of
// its layout; scalars and pointers have one.  Every thread of a role runs
// the same code; control flow is uniform over the program.
#ifndef TILE_CODEGEN_SIMT_H
#define TILE_CODEGEN_SIMT_H

#include "codegen/emit.h"

enum {
  SIMT_MANY_REGISTERS = 512, // elements a thread from which on to warn
  SIMT_MAX_REGISTERS = 2048, // and above which to refuse
  SIMT_MAX_INPUTS = 17,      // of a reduction: 16 and what it asserts
  SIMT_MAX_VECTOR = 16,      // elements that an instruction moves
  SIMT_WORD_BYTES = 4,
  SIMT_WORD_BITS = 32,
};

// The threads that run the code being emitted, and the barrier they meet at.
typedef struct {
  int num_warps;
  int barrier;  // its number; 0 is that of the block
  int launched; // warps of the block, which all read numbers of threads
} ThreadGroup;

// The start of the shared memory that an exchange between threads goes through.
typedef struct {
  int start;
} Scratch;

typedef struct {
  SrcLoc loc;
  const Value *value;
  int count; // elements a thread
} LargeTile;

// Words of a thread's tiles, about.
typedef struct {
  int most;    // that live at once
  int64_t all; // that are made
} Pressure;

typedef struct Simt {
  Emit *e;
  LLVMBuilderRef b;
  const Function *f;
  LLVMValueRef function, shared;
  ThreadGroup group;
  LLVMValueRef **values; // by Value.id
  // For numbers of 8 bits, by type: their bits as they came from memory.
  Map loaded[ELEM_COUNT];
  Map bytes;                    // of gpu/bytes.c
  Map flipped, offsets, halves; // of gpu/pairs.c
  int log2_cluster;             // of the blocks that run one program
  int num_values;
  int shared_bytes;
  const Op *scratch_op; // the last one that used its scratch
  bool has_mma;         // a dot by matrix instructions
  int num_wgmma;        // dots by those of groups of warps
  bool has_boxes;       // copies of blocks, or barriers for them
  // By OpKind; NULL: elementwise, or none.
  bool (*const *emitters)(struct Simt *s, const Op *op);
  bool is_fenced;       // what was written before the last barrier, for those
  Vec(Op *) maps;       // descriptors with tensor maps, by their numbers
  LargeTile largest[2]; // of all, and of those whose elements take registers
  Pressure pressure;
  LLVMValueRef first_thread;    // i1: starts copies; NULL: no has_boxes
  LLVMValueRef elected;         // i1: of a warp; NULL likewise
  LLVMValueRef hidden_zero;     // i32: 0, which compilers do not know
  int num_zeros;                // made of it so far
  LLVMValueRef warp_group;      // i32: its number; NULL: there is no wgmma
  LLVMValueRef telling_thread;  // i1: of a group of warps; NULL: no roles
  LLVMValueRef telling_threads; // i1: likewise, one a block of a cluster
  LLVMValueRef told_block;      // i32: that this thread tells; NULL: no cluster
  LLVMValueRef print_list;      // memory for what is printed, once it is needed
} Simt;

// -- Registers (gpu/pressure.c) ---------------------------------------------

// The values must be numbered.
Pressure simt_pressure(const Simt *s);
// Not what is constant, the same in many elements, or an index or address.
bool simt_takes_registers(const Value *value);

// -- Values (gpu/simt.c) -----------------------------------------------------

int simt_count(const Type *type); // registers of a value
LLVMValueRef *simt_get(const Simt *s, const Value *value);
LLVMValueRef simt_scalar(const Simt *s, const Value *value);
void simt_set(Simt *s, const Value *value, LLVMValueRef *registers);
void simt_set_scalar(Simt *s, const Value *value, LLVMValueRef x);
LLVMValueRef *simt_new(Simt *s, int count);
LLVMTypeRef simt_type(Simt *s, const Type *type); // of each register
LLVMValueRef simt_i32(Simt *s, int64_t value);
// x | y where no bit is set in both.
LLVMValueRef simt_join_bits(Simt *s, LLVMValueRef x, LLVMValueRef y);

// A block of the kernel, behind those that it has.
LLVMBasicBlockRef simt_add_block(Simt *s, const char *name);
// A variable of the thread, which LLVM keeps in registers if it can.
LLVMValueRef simt_variable(Simt *s, LLVMTypeRef type);
// Ops of the block but for its terminator.  False after a diagnostic.
bool simt_emit_block(Simt *s, const Block *block);
bool simt_unsupported(Simt *s, const Op *op, const char *what);

// Bits of a register's number that matter: the others lead to elements that are
// equal, by what the pass axis_info left on the op.
int simt_differing_bits(const Op *op);
// Each register by its own: what has no emitter below.
bool simt_emit_elementwise(Simt *s, const Op *op);

// Is the comparison emitted where it decides a choice (gpu/limits.c)?  Then its
// result has no registers that mean something.
bool simt_skip_limit(Simt *s, const Op *compare);

typedef bool SimtEmitter(Simt *s, const Op *op);
#define SIMT_OP(name) SimtEmitter simt_emit_##name;
#include "codegen/gpu/simt.def"

// -- Threads (gpu/thread.c) -------------------------------------------------

// A special register, which is known to be in start .. end-1.
LLVMValueRef simt_special(Simt *s, const char *name, int64_t start,
                          int64_t end);
LLVMValueRef simt_thread(Simt *s);       // number of the thread in its block
LLVMValueRef simt_cluster_rank(Simt *s); // number of the block in its cluster
LLVMValueRef simt_barrier(Simt *s);      // between threads of the group
// Between those of all blocks of the cluster; does it order what they wrote?
void simt_barrier_of_cluster(Simt *s, bool orders);
// Before or after the group's threads meet others at a word in global memory.
LLVMValueRef simt_barrier_outside(Simt *s);
// A map applied to the thread's number, which starts at its input bit `first`.
// `*bits` is what can be set in the result.
LLVMValueRef simt_linear(Simt *s, const LinearMap *map, int first,
                         uint32_t *bits);
// The value of that, XORed with a constant.
LLVMValueRef simt_xor(Simt *s, LLVMValueRef x, uint32_t bits, uint32_t y);
// Is an odd number of the thread number's bits in `mask` set?
LLVMValueRef simt_parity(Simt *s, uint32_t mask);
// Are none of them set?  NULL: surely.
LLVMValueRef simt_none_set(Simt *s, uint32_t mask);
// x of the lane that differs in the bits `flip`, or of lane `lane`.
LLVMValueRef simt_shuffle_xor(Simt *s, LLVMValueRef x, int flip);
LLVMValueRef simt_shuffle(Simt *s, LLVMValueRef x, LLVMValueRef lane);

// -- Shared memory as scratch (gpu/scratch.c) -------------------------------

// The scratch of `op`, of which it needs `bytes` now: they may be written from
// here on, and scratch_publish() ends the writing.  False after a diagnostic.
bool scratch_open(Simt *s, const Op *op, int64_t bytes, Scratch *out);
void scratch_publish(Simt *s);
// The address of `offset`, an i32 in bytes.
LLVMValueRef scratch_address(Simt *s, const Scratch *scratch,
                             LLVMValueRef offset);
// Notes that the program has so many bytes of shared memory at least.
bool simt_need_shared(Simt *s, const Op *op, int64_t bytes);

// -- Tiles in shared memory (gpu/shared.c) ----------------------------------

// Byte offsets from an address, by thread.
typedef struct {
  LLVMValueRef base;   // the address
  LLVMValueRef thread; // bytes from it
  uint32_t bits;       // that may be set in `thread`
} SharedPlace;

// The map's result counts elements of 2^log2_bytes; its input bits from `first`
// on are the thread's number.
SharedPlace simt_place(Simt *s, LLVMValueRef base, LinearMap map, int first,
                       int log2_bytes);
// XORed with `bytes`.
LLVMValueRef simt_place_address(Simt *s, const SharedPlace *place,
                                uint32_t bytes);
// The address of `offset`, an i32 in bytes.
LLVMValueRef simt_shared_at(Simt *s, LLVMValueRef base, LLVMValueRef offset);

typedef struct {
  LLVMValueRef base;
  const Type *element;
  const Layout *layout;
} SharedTile;

// The fragment of a distributed layout.  `mask`: of the threads that write;
// NULL: one warp of those that hold the same.  False if the layouts are of
// different tiles.
bool simt_shared_read(Simt *s, const SharedTile *from, const Layout *layout,
                      LLVMValueRef *out);
bool simt_shared_write(Simt *s, const SharedTile *to, const Layout *layout,
                       LLVMValueRef mask, LLVMValueRef const *x);

// -- Memory (gpu/access.c) --------------------------------------------------

// 2^log2_width neighbours of a thread, moved by one instruction.
typedef struct {
  const Type *element;
  int log2_width;
  bool shared;      // else global
  const char *mode; // ".cg" and the like
  bool is_volatile;
} SimtAccess;

// `mask` may be NULL; `other`, too: zeros.
void simt_access_load(Simt *s, const SimtAccess *access, LLVMValueRef address,
                      LLVMValueRef mask, LLVMValueRef const *other,
                      LLVMValueRef *out);
void simt_access_store(Simt *s, const SimtAccess *access, LLVMValueRef address,
                       LLVMValueRef mask, LLVMValueRef const *values);
// An element in its form in memory, and back.  An 8-bit float keeps the bits
// that it came with: to widen and narrow it again for a dot or a store would
// take dozens of instructions, and loses a NaN's.
LLVMValueRef simt_to_memory(Simt *s, const Type *element, LLVMValueRef x);
LLVMValueRef simt_from_memory(Simt *s, const Type *element,
                              LLVMValueRef memory);
// The elements of a 32-bit word, and back.
LLVMValueRef simt_pack(Simt *s, const Type *element, LLVMValueRef const *x);
void simt_unpack(Simt *s, const Type *element, LLVMValueRef word,
                 LLVMValueRef *out);

// -- Bytes (gpu/bytes.c) -----------------------------------------------------

// An i8 of a word, the lowest first; and a word of `count` of them, 2 or 4.
LLVMValueRef simt_byte_of_word(Simt *s, LLVMValueRef word, int index);
LLVMValueRef simt_word_of_bytes(Simt *s, int count, LLVMValueRef const *bytes);
// False if the byte is not known to have come in a 32-bit word.
bool simt_find_byte(Simt *s, LLVMValueRef x, LLVMValueRef *word, int *index);

// -- Pairs (gpu/pairs.c) -----------------------------------------------------

// The word of two f16 or bf16 where it is there, or both are computed at once;
// NULL: they are not.
LLVMValueRef simt_pair_at_once(Simt *s, Elem elem, LLVMValueRef const *x);
// Two f16 or bf16 are these halves of a word.
void simt_note_pair(Simt *s, Elem elem, LLVMValueRef word,
                    LLVMValueRef const *x);

// Sums and products of f16 and bf16 that the chip computes in that format.
bool simt_takes_pairs(const Simt *s, const Op *op);
bool simt_emit_pairs(Simt *s, const Op *op);

// Roundings to fp8e5 of which two take one sequence of instructions.
bool simt_rounds_pairs(const Simt *s, const Op *op);
void simt_round_pairs(Simt *s, const Op *op);

// -- Addresses (gpu/address.c) ----------------------------------------------

// Addresses that a loop carries and moves, and that lie at regular distances:
// a thread's are computed from its first.
void simt_relate_addresses(Simt *s, const Op *loop);
// The registers of addresses that a loop moves and that lie at no regular
// distances (gpu/moved.c).  NULL: each register is best moved by itself.
LLVMValueRef *simt_moved(Simt *s, const Op *op);
// The address less a constant that the instruction can add, in bytes.
LLVMValueRef simt_split_address(Simt *s, LLVMValueRef address, int64_t *offset);
const char *simt_plus(Simt *s, int64_t offset); // "+16"; of 0 nothing

// -- Layouts (gpu/convert.c) ------------------------------------------------

// The fragment of the same tile in another layout; false after a diagnostic.
bool simt_convert(Simt *s, const Op *op, const Type *element,
                  const Layout *from, LLVMValueRef const *x, const Layout *to,
                  LLVMValueRef *out);
// For each register: the first one that holds the same element.
int *simt_first_copies(Simt *s, const Layout *layout);
static inline uint32_t simt_free_threads(const Layout *layout) {
  return layout_free_bits(layout) >> layout->num_bits[LAYOUT_REGISTER];
}

// Gives threads that hold copies the values of the thread whose copy bits are
// 0, which alone has computed them.
bool simt_share_copies(Simt *s, const Op *op, const Type *element,
                       const Layout *layout, LLVMValueRef *values);
// The region of a reduce or scan: one value an operand of the op.
bool simt_combine(Simt *s, const Op *op, LLVMValueRef const *left,
                  LLVMValueRef const *right, LLVMValueRef *out);

// Would the region give something else if left and right changed places?
bool simt_has_sides(const Op *op);

// -- Tensor maps (gpu/tensor_map.c) -----------------------------------------

void simt_find_maps(Simt *s);
// The machine parameters behind the arguments, and how a launch makes each.
// False after a diagnostic.
bool simt_describe_maps(Simt *s, KernelInfo *out);

// -- Assembly of the user's (gpu/asm_check.c) -------------------------------

typedef struct {
  LLVMTypeRef const *results;
  int num_results;
  LLVMValueRef const *operands;
  int num_operands;
  // The type that each word holds; NULL: several that are narrower.
  const Type *const *result_elements, *const *operand_elements;
} SimtAsmWords;

// False after a diagnostic if the op's assembly or its constraints do not fit.
bool simt_check_asm(Simt *s, const Op *op, const SimtAsmWords *words);

// -- Bulk copies (gpu/tma.c) -------------------------------------------------

// At the start of the kernel.
void simt_find_first_thread(Simt *s);
void simt_find_warp_group(Simt *s);
void simt_find_roles(Simt *s);
// A zero that compilers take for another than those that they have seen, in a
// kernel with products by groups of warps.
LLVMValueRef simt_other_zero(Simt *s);
// One thread asks for a tensor map, at that address, before its first copy.
void simt_prefetch_map(Simt *s, LLVMValueRef map);

// -- PTX (gpu/nvptx.c) -------------------------------------------------------

// Makes the kernel, an entry block and its parameters.
void nvptx_begin(Simt *s, const KernelInfo *info);
// An asm statement of PTX; `effects`: it may not be moved or removed.
LLVMValueRef nvptx_asm(Simt *s, const char *text, const char *constraints,
                       LLVMTypeRef result, int num_args,
                       LLVMValueRef const *args, bool effects);
// One that the warp executes together, and that touches no memory.
LLVMValueRef nvptx_warp_asm(Simt *s, const char *text, const char *constraints,
                            LLVMTypeRef result, int num_args,
                            LLVMValueRef const *args);

#endif
