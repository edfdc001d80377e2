// simt.h -- lowering for GPUs: a tile is the fragment that one thread owns.
//
// A value is an array of LLVM values in compute form, one for each register of
// its layout; scalars and pointers have one.  Every thread of a role runs
// the same code; control flow is uniform over the program.
#ifndef TILE_CODEGEN_SIMT_H
#define TILE_CODEGEN_SIMT_H

#include "codegen/emit.h"

#include <assert.h>

enum {
  SIMT_MANY_REGISTERS = 512, // elements of a thread: warned about from here on
  SIMT_MAX_REGISTERS = 2048, // the most elements of a thread
  SIMT_MAX_INPUTS = 17,      // of a reduction: 16, and one for its assertions
  SIMT_MAX_VECTOR = 16,      // elements moved by one instruction
  SIMT_WORD_BYTES = 4,
  SIMT_WORD_BITS = 32,
};

// The threads that run the code being emitted, with their barrier.
typedef struct {
  int num_warps;
  int barrier;  // its number; 0 is that of the block
  int launched; // warps of the block, all of which read thread numbers
} ThreadGroup;

// The start of the shared memory for an exchange between threads.
typedef struct {
  int start;
} Scratch;

typedef struct {
  SrcLoc loc;
  const Value *value;
  int count; // elements of a thread
} LargeTile;

// An estimate of the words of a thread's tiles.
typedef struct {
  int most;    // live at the same time
  int64_t all; // defined in all
} Pressure;

typedef struct Simt {
  Emit *e;
  LLVMBuilderRef b;
  const Function *f;
  LLVMValueRef function, shared;
  ThreadGroup group;
  LLVMValueRef **values; // by Value.id
  // For each type of 8-bit elements: the bits as loaded from memory.
  Map loaded[ELEM_COUNT];
  Map bytes;                    // of gpu/bytes.c
  Map flipped, offsets, halves; // of gpu/pairs.c
  int log2_cluster;             // of the number of blocks that run one program
  int num_values;
  int shared_bytes;
  const Op *scratch_op; // the last op that used its scratch
  bool has_mma;         // there is a dot by matrix instructions
  int num_wgmma;        // dots by groups of warps
  bool has_boxes;       // there are block copies, or barriers for them
  bool has_rows;        // each thread may start bulk copies of rows
  bool has_turns;       // two groups of warps start products in turns
  bool has_pairs;       // neighbours may be a cluster
  bool is_persistent;   // blocks run several programs
  bool is_copying;      // the code being emitted is the copying role's
  // For each OpKind; NULL: elementwise, or none.
  bool (*const *emitters)(struct Simt *s, const Op *op);
  bool is_fenced;       // writes before the last barrier were fenced
  Vec(Op *) maps;       // descriptors with tensor maps, by their numbers
  Vec(const Op *) made; // descriptors with maps that the program makes
  LargeTile largest[2]; // of all tiles, and of those whose elements need
                        // registers
  Pressure pressure;
  LLVMValueRef first_thread; // i1: it starts copies; NULL: no has_boxes
  LLVMValueRef elected;      // i1: one lane of each warp; NULL: no has_boxes
  LLVMValueRef hidden_zero;  // i32: 0, which compilers do not know to be 0
  int num_zeros;             // values made from it so far
  LLVMValueRef program_zero; // i32: 0, which the compiler cannot prove equal
                             // in two programs of a block; NULL: not in such a
                             // loop
  LLVMValueRef warp_group;   // i32: number of the group; NULL: no wgmma
  LLVMValueRef own_turn, other_turn; // i32: barriers of two groups; NULL: no
                                     // turns
  LLVMValueRef telling_thread;       // i1: one of each group of warps; NULL: no
                                     // roles
  LLVMValueRef telling_threads; // i1: one for each block of a cluster; NULL: no
                                // roles
  LLVMValueRef told_block;      // i32: block that this thread signals; NULL: no
                                // cluster
  LLVMValueRef pair_rank;       // i32: which of two neighbours this is, or 0;
                                // NULL: no pairs
  LLVMValueRef print_list;      // memory for printed values, made at the first
                                // use
} Simt;

// -- Registers (gpu/pressure.c) ----------------------------------------------

// The values must be numbered.
Pressure simt_pressure(const Simt *s);
// Does the value need registers?  Not if it is constant, equal in many
// elements, an index or an address.
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
// x | y, for x and y without common bits.
LLVMValueRef simt_join_bits(Simt *s, LLVMValueRef x, LLVMValueRef y);

// Adds a basic block behind the present ones.
LLVMBasicBlockRef simt_add_block(Simt *s, const char *name);
// The code up to simt_end_if(), which gets the result, runs in threads for
// which the condition is true; NULL: in all.
LLVMBasicBlockRef simt_begin_if(Simt *s, LLVMValueRef condition);
void simt_end_if(Simt *s, LLVMBasicBlockRef behind);
// A variable of the thread; LLVM keeps it in a register if possible.
LLVMValueRef simt_variable(Simt *s, LLVMTypeRef type);
// Emits the ops of the block except its terminator.  False after a diagnostic.
bool simt_emit_block(Simt *s, const Block *block);
bool simt_emit_op(Simt *s, const Op *op);
bool simt_unsupported(Simt *s, const Op *op, const char *what);

// Bits of a register's number by which elements may differ, according to the
// attributes of axis_info on the op.
int simt_differing_bits(const Op *op);
// Emits each register by itself: for ops without an emitter below.
bool simt_emit_elementwise(Simt *s, const Op *op);

// Is the comparison emitted at the select that it controls (gpu/limits.c)?
// Then the registers of its result are undefined.
bool simt_skip_limit(Simt *s, const Op *compare);

typedef bool SimtEmitter(Simt *s, const Op *op);
#define SIMT_OP(name) SimtEmitter simt_emit_##name;
#include "codegen/gpu/simt.def"

// -- Threads (gpu/thread.c) --------------------------------------------------

// A special register with a value from start to end-1.
LLVMValueRef simt_special(Simt *s, const char *name, int64_t start,
                          int64_t end);
LLVMValueRef simt_thread(Simt *s);       // number in its block
LLVMValueRef simt_cluster_rank(Simt *s); // number of the block in its cluster
LLVMValueRef simt_barrier(Simt *s);      // of the threads of the group
// Lanes of the copying role that fall behind the one that copies could wait for
// a phase of which only the parity is right: none goes on before all have come.
void simt_lanes_meet(Simt *s);
// A barrier of all blocks of the cluster; `orders`: it orders their writes.
void simt_barrier_of_cluster(Simt *s, bool orders);
// A barrier before or after the group's threads synchronize with others through
// global memory.
LLVMValueRef simt_barrier_outside(Simt *s);
// A map applied to the thread's number, whose bits are its input bits from
// `first` on.  `*bits` are the bits that can be set in the result.
LLVMValueRef simt_linear(Simt *s, const LinearMap *map, int first,
                         uint32_t *bits);
// The result of simt_linear(), XORed with a constant.
LLVMValueRef simt_xor(Simt *s, LLVMValueRef x, uint32_t bits, uint32_t y);
// Is an odd number of the thread number's bits in `mask` set?
LLVMValueRef simt_parity(Simt *s, uint32_t mask);
// Is none of these bits set?  NULL: always.
LLVMValueRef simt_none_set(Simt *s, uint32_t mask);
// The value of x in the lane that differs in the bits `flip`, or in lane
// `lane`.
LLVMValueRef simt_shuffle_xor(Simt *s, LLVMValueRef x, int flip);
LLVMValueRef simt_shuffle(Simt *s, LLVMValueRef x, LLVMValueRef lane);

// -- Shared memory as scratch (gpu/scratch.c) --------------------------------

// The scratch of `op`, of which `bytes` are needed: they may be written from
// here on; scratch_publish() ends the writes.  False after a diagnostic.
bool scratch_open(Simt *s, const Op *op, int64_t bytes, Scratch *out);
void scratch_publish(Simt *s);
// The address of `offset`, an i32 in bytes.
LLVMValueRef scratch_address(Simt *s, const Scratch *scratch,
                             LLVMValueRef offset);
// Requires at least `bytes` bytes of shared memory.
bool simt_need_shared(Simt *s, const Op *op, int64_t bytes);

// -- Tiles in shared memory (gpu/shared.c) -----------------------------------

// Byte offsets from an address, for each thread.
typedef struct {
  LLVMValueRef base;   // the address
  LLVMValueRef thread; // bytes from `base`
  uint32_t bits;       // bits that can be set in `thread`
} SharedPlace;

// The map's result counts elements of 2^log2_bytes; its input bits from `first`
// on are the thread's number.
SharedPlace simt_place(Simt *s, LLVMValueRef base, LinearMap map, int first,
                       int log2_bytes);
// The address, with its offset XORed with `bytes`.
LLVMValueRef simt_place_address(Simt *s, const SharedPlace *place,
                                uint32_t bytes);
// The address of `offset`, an i32 in bytes.
LLVMValueRef simt_shared_at(Simt *s, LLVMValueRef base, LLVMValueRef offset);

typedef struct {
  LLVMValueRef base;
  const Type *element;
  const Layout *layout;
} SharedTile;

// Reads the fragment of a distributed layout; simt_shared_write() writes it.
// `mask`: the threads that write; NULL: one warp of those with the same
// elements.  False if the layouts belong to different tiles.
bool simt_shared_read(Simt *s, const SharedTile *from, const Layout *layout,
                      LLVMValueRef *out);
bool simt_shared_write(Simt *s, const SharedTile *to, const Layout *layout,
                       LLVMValueRef mask, LLVMValueRef const *x);

// -- Rows (gpu/rows.c) -------------------------------------------------------

// Waits for bulk copies of this thread; `what`: ".read", or "".
bool simt_wait_for_rows(Simt *s, const char *what);

// -- Memory (gpu/memory.c, gpu/access.c) -------------------------------------

// a && b.  A mask that is always on is NULL.
LLVMValueRef simt_both(Simt *s, LLVMValueRef a, LLVMValueRef b);

// 2^log2_width adjacent elements of a thread, moved by one instruction.
typedef struct {
  const Type *element;
  int log2_width;
  bool shared;      // shared memory, else global
  const char *mode; // ".cg" or another cache hint
  bool is_volatile;
} SimtAccess;

// `mask` may be NULL, and so may `other`, for zeros.
void simt_access_load(Simt *s, const SimtAccess *access, LLVMValueRef address,
                      LLVMValueRef mask, LLVMValueRef const *other,
                      LLVMValueRef *out);
void simt_access_store(Simt *s, const SimtAccess *access, LLVMValueRef address,
                       LLVMValueRef mask, LLVMValueRef const *values);
// An element in memory form, and back.  An 8-bit float keeps its original bits:
// to widen the float and narrow it again for a dot or a store would need dozens
// of instructions, and lose a NaN's bits.
LLVMValueRef simt_to_memory(Simt *s, const Type *element, LLVMValueRef x);
LLVMValueRef simt_from_memory(Simt *s, const Type *element,
                              LLVMValueRef memory);
// The elements of a 32-bit word, and back.
LLVMValueRef simt_pack(Simt *s, const Type *element, LLVMValueRef const *x);
void simt_unpack(Simt *s, const Type *element, LLVMValueRef word,
                 LLVMValueRef *out);

// -- Bytes (gpu/bytes.c) -----------------------------------------------------

// An i8 of a word, by index from the lowest; and a word of `count` of them, 2
// or 4.
LLVMValueRef simt_byte_of_word(Simt *s, LLVMValueRef word, int index);
LLVMValueRef simt_word_of_bytes(Simt *s, int count, LLVMValueRef const *bytes);
// False unless the byte is known to come from a 32-bit word.
bool simt_find_byte(Simt *s, LLVMValueRef x, LLVMValueRef *word, int *index);

// -- Pairs (gpu/pairs.c) -----------------------------------------------------

// The word of two f16 or bf16, if it exists or both can be computed at once;
// else NULL.
LLVMValueRef simt_pair_at_once(Simt *s, Elem elem, LLVMValueRef const *x);
// Notes that two f16 or bf16 are the halves of this word.
void simt_note_pair(Simt *s, Elem elem, LLVMValueRef word,
                    LLVMValueRef const *x);

// Is the op a sum or product of f16 or bf16 that the chip computes in that
// format?
bool simt_takes_pairs(const Simt *s, const Op *op);
bool simt_emit_pairs(Simt *s, const Op *op);

// Is the op a rounding to fp8e5, two of which need one sequence of
// instructions?
bool simt_rounds_pairs(const Simt *s, const Op *op);
void simt_round_pairs(Simt *s, const Op *op);

// -- Addresses (gpu/address.c) -----------------------------------------------

// For carried addresses at regular distances: computes a thread's from its
// first.
void simt_relate_addresses(Simt *s, const Op *loop);
// The registers of carried addresses that are not at regular distances
// (gpu/moved.c).  NULL: each register is best moved by itself.
LLVMValueRef *simt_moved(Simt *s, const Op *op);
// The address without a constant, in bytes, that the instruction can add.
LLVMValueRef simt_split_address(Simt *s, LLVMValueRef address, int64_t *offset);
const char *simt_plus(Simt *s, int64_t offset); // "+16"; "" for 0

// -- Layouts (gpu/convert.c) -------------------------------------------------

// The word of an enum attribute; if it is absent, that of the default.
static inline const char *simt_word(const Op *op, AttrKey key) {
  const char *const *words = attr_words[attr_info[key].kind];
  assert(words && "the attribute is no enum");
  return words[op_int(op, key)];
}

// Converts the fragment to another layout of the same tile; false after a
// diagnostic.
bool simt_convert(Simt *s, const Op *op, const Type *element,
                  const Layout *from, LLVMValueRef const *x, const Layout *to,
                  LLVMValueRef *out);
// For each register: the first one with the same element.
int *simt_first_copies(Simt *s, const Layout *layout);
static inline uint32_t simt_free_threads(const Layout *layout) {
  return layout_free_bits(layout) >> layout->num_bits[LAYOUT_REGISTER];
}

// Sends values to threads that hold copies from the thread whose copy bits are
// 0, which alone has computed them.
bool simt_share_copies(Simt *s, const Op *op, const Type *element,
                       const Layout *layout, LLVMValueRef *values);
// Emits the region of a reduce or scan, for one value of each operand.
bool simt_combine(Simt *s, const Op *op, LLVMValueRef const *left,
                  LLVMValueRef const *right, LLVMValueRef *out);

// Does the order of the region's operands matter?
bool simt_has_sides(const Op *op);

// -- Tensor maps (gpu/tensor_map.c) ------------------------------------------

void simt_find_maps(Simt *s);
// Adds the machine parameters for maps, behind the arguments, with the steps by
// which a launch makes each.  False after a diagnostic.
bool simt_describe_maps(Simt *s, KernelInfo *out);

// Raises the version of the PTX (83 for 8.3) for `what`, a plural for the
// message; false after a diagnostic if an older version was requested.
bool simt_want_ptx(Simt *s, const Op *op, int version, const char *what);

// -- Programs that share blocks (gpu/programs.c) -----------------------------

// Adds the machine parameters for the numbers of programs along the axes.
void simt_describe_programs(Simt *s, KernelInfo *out);
// The number of machine parameters in front of them, and in front of those for
// tensor maps.
int simt_before_programs(const Simt *s);
int simt_before_maps(const Simt *s);
// num_programs, from its parameter.
bool simt_emit_passed_programs(Simt *s, const Op *op);
// In a loop over programs: x, as a value that the compiler cannot prove equal
// in two trips.
LLVMValueRef simt_anew(Simt *s, LLVMValueRef x);
// Emits the scalars in front of such a loop again, in its trip `round`.  Behind
// the trip simt_end_program() gives them back what they were before, `kept`.
bool simt_begin_program(Simt *s, LLVMValueRef round, LLVMValueRef ***kept);
void simt_end_program(Simt *s, LLVMValueRef **kept);
// The block's number along the axis of the grid, and the number of blocks.
LLVMValueRef simt_block_along(Simt *s, int axis);
LLVMValueRef simt_blocks_along(Simt *s, int axis);

// -- Maps of the program (gpu/made_map.c) ------------------------------------

// Adds the machine parameter for the memory of maps that the program makes; to
// be called before the parameters for other maps are added.
void simt_describe_made_maps(Simt *s, KernelInfo *out);
bool simt_emit_made_map(Simt *s, const Op *op);

// -- The user's assembly (gpu/asm_check.c) -----------------------------------

typedef struct {
  LLVMTypeRef const *results;
  int num_results;
  LLVMValueRef const *operands;
  int num_operands;
  // The type of each word; NULL: the word contains several narrower elements.
  const Type *const *result_elements, *const *operand_elements;
} SimtAsmWords;

// False after a diagnostic, if the op's assembly or its constraints are
// invalid.
bool simt_check_asm(Simt *s, const Op *op, const SimtAsmWords *words);

// -- Bulk copies (gpu/tma.c) -------------------------------------------------

// To be called at the start of the kernel.
void simt_find_first_thread(Simt *s);
void simt_find_warp_group(Simt *s);
void simt_find_roles(Simt *s);
// A zero that compilers take for a different value than earlier ones, in a
// kernel with products by groups of warps.
LLVMValueRef simt_other_zero(Simt *s);
// One thread prefetches a tensor map, at that address, before its first copy.
void simt_prefetch_map(Simt *s, LLVMValueRef map);

// -- PTX (gpu/nvptx.c) -------------------------------------------------------

// Creates the kernel, an entry block and its parameters.
void nvptx_begin(Simt *s, const KernelInfo *info);
// A PTX asm statement; `effects`: it may not be moved or removed.
LLVMValueRef nvptx_asm(Simt *s, const char *text, const char *constraints,
                       LLVMTypeRef result, int num_args,
                       LLVMValueRef const *args, bool effects);
// A statement that the warp executes together, and that does not access memory.
LLVMValueRef nvptx_warp_asm(Simt *s, const char *text, const char *constraints,
                            LLVMTypeRef result, int num_args,
                            LLVMValueRef const *args);

#endif
