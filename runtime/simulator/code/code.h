// code.h -- a kernel for the simulator: an array of instructions.
//
// A warp's registers, constants and special registers are one block of bytes,
// its register file.  A register is an array of 32 values, a predicate one
// 32-bit mask; operands are offsets into the file.  Calls are expanded in
// place, so that lanes in different calls of a function are at different
// instructions.
#ifndef TILE_SIMULATOR_CODE_H
#define TILE_SIMULATOR_CODE_H

#include <assert.h>

#include "runtime/simulator/code/frames.h"

enum { LANES = 32, MAX_TYPES = 5, MAX_INSTS = 1000000, MAX_BEHIND = 250 };
#define ALL_LANES UINT32_MAX
// Registers of a multiprocessor; its parts, each with the registers of its own
// warps; and the granularity of a thread's registers.
enum { SM_REGISTERS = 65536, SM_PARTS = 4, REGISTER_UNIT = 8 };

typedef enum {
  TYPE_NONE,
#define TYPE(id, spelling, bytes, class) TYPE_##id,
#include "runtime/simulator/code/types.def"
  NUM_TYPES
} TypeId;

typedef enum {
  CLASS_NONE,
  CLASS_BITS,
  CLASS_UNSIGNED,
  CLASS_SIGNED,
  CLASS_FLOAT,
  CLASS_PACKED,
} TypeClass;

typedef struct {
  const char *spelling;
  uint8_t bytes, class;
} TypeInfo;

extern const TypeInfo type_table[NUM_TYPES];
TypeId type_find(const char *spelling); // TYPE_NONE: unknown
bool is_int_type(TypeId type);          // of 16 to 64 bits
bool is_float_type(TypeId type);        // packed ones included

// The roles of a modifier; a row of instructions.def has a set of these.
typedef enum {
#define ROLE(name) ROLE_INDEX_##name,
#include "runtime/simulator/code/roles.def"
  NUM_ROLES
} RoleIndex;

#define ROLE(name)                                                             \
  static const uint64_t ROLE_##name __attribute__((unused)) =                  \
      UINT64_C(1) << ROLE_INDEX_##name;
#include "runtime/simulator/code/roles.def"

typedef enum {
  WORD_NONE,
#define WORD(id, spelling, roles) WORD_##id,
#include "runtime/simulator/code/words.def"
  NUM_WORDS
} WordId;

// An opcode with decoded modifiers.
typedef struct Form {
  uint8_t types[MAX_TYPES];
  uint8_t num_types, num_operands; // as written
  uint8_t word[NUM_ROLES];         // WordId
  uint16_t columns;                // of wgmma's result; else 0
} Form;

#define WORD_OF(form, role) ((WordId)(form)->word[ROLE_INDEX_##role])

// The number of operands without the cache policy that .L2::cache_hint adds.
static inline int operands_but_policy(const Form *form) {
  return form->num_operands - (WORD_OF(form, HINT) != WORD_NONE);
}

typedef enum {
  SPACE_GENERIC,
  SPACE_GLOBAL,
  SPACE_SHARED,
  SPACE_LOCAL,
  SPACE_PARAM, // the kernel's parameters
} Space;

// The start of a kernel's parameters; those of calls, in local memory, are
// below.
enum { PARAM_BASE = 0x1000000 };

struct Warp;
struct Inst;

typedef enum {
  STEP_NEXT,
  STEP_BLOCK, // wait, then try again
  STEP_MOVED, // the instruction has moved its lanes itself
  STEP_FAULT, // reported; the launch ends
} Step;

// Executes the instruction for the lanes in the mask.
typedef Step (*ExecFn)(struct Warp *warp, const struct Inst *inst,
                       uint32_t mask);

#define NO_GUARD UINT32_MAX

// The ways in which an instruction uses a register.
typedef enum { USE_NONE, USE_READ, USE_WRITTEN } RegisterUse;

typedef struct Inst {
  ExecFn exec;
  const uint32_t *op;  // offsets into the file
  const uint8_t *uses; // RegisterUse of each; NULL: unknown
  uint8_t num_ops;
  uint8_t num_dst;  // vector elements; registers of a dot's result
  uint8_t reg_size; // bytes of the register that is loaded, stored, converted
  uint8_t src_size; // bytes of a conversion's source register
  uint8_t type, type2, type3;
  uint8_t round, ftz, sat, cmp, bool_op, space, mode, shape, trans;
  uint8_t order, scope; // of memory
  uint8_t sub;          // set by the pick function
  uint8_t negated;      // !p: a bit for each predicate that is read
  uint8_t walk;         // of a tensor: WORD_TILE, WORD_IM2COL, ...
  bool guard_not, is_branch, xorsign, is_sparse, is_multicast;
  bool is_indexed;  // a branch to one of many
  bool has_pair;    // the result is d|p
  bool feeds;       // writes a register that a wgmma reads
  bool from_zero;   // a product whose sums start from 0, seen from its block
  uint8_t given;    // number of operands in the text
  uint16_t columns; // of wgmma's result
  // `behind`: the number, from 1, of code behind this instruction that several
  // lanes must reach; `begins`: the number of the code that begins here.
  uint8_t behind, begins;
  uint32_t guard;
  uint32_t target; // of a branch
  uint32_t rank;   // diverged lanes at the lowest rank run first
  bool leads;      // a basic block starts here
  int64_t imm;
  uint32_t line, source_line;
  uint32_t caller_line; // line that the code was inlined at; 0: none
  uint16_t file, caller_file;
  const struct PtxStmt *stmt;
} Inst;

typedef struct SpecialUse {
  uint32_t offset;
  uint8_t special, size;
} SpecialUse;

typedef struct Constant {
  uint32_t offset;
  uint8_t size; // bytes of one lane; 0: a mask
  uint64_t value;
} Constant;

typedef struct FilePart {
  uint32_t start, end;
} FilePart;

typedef struct ParamSlot {
  uint32_t offset, size;
} ParamSlot;

typedef struct Code {
  const char *name;
  Inst *insts;
  uint32_t num_insts;
  uint32_t file_size;
  Constant *constants;
  size_t num_constants;
  SpecialUse *specials;
  size_t num_specials;
  FilePart *watched; // all except registers derived from clocks
  size_t num_watched;
  bool reads_clock;
  ParamSlot *params;
  int num_params;
  uint32_t param_size, shared_size, local_size;
  uint32_t dynamic_base;    // start of the launch's shared memory
  bool uses_reserved;       // shared memory of the system
  int registers;            // an estimate, of 32 bits for each thread
  uint32_t entry_registers; // of a thread, for setmaxnreg; 0: unknown
  bool uses_heap;           // may call malloc()
  bool counts_bytes;        // copies complete bytes at mbarriers
  bool stores_async;        // has st.async or red.async
  bool releases_again;      // has strong writes that do not release by a word
  bool meets_cluster;       // has a barrier of the cluster
  bool has_frames;          // recursive functions, see frames.h
  uint32_t frames_at;       // start of their local memory
  int64_t max_threads, required_threads[3];
  int64_t cluster[3]; // CTAs; 0: not given
  int64_t max_rank;   // largest rank plus 1; 0: not given
  bool is_explicit;   // must be launched with clusters
  struct Code *next;
} Code;

// Parts of a 32-bit register that a video instruction selects, such as
// `.b3210`: their number, their width, and four bits for each, from the lowest
// part on; 0: no selection.
static inline uint32_t selector_make(uint32_t bits, const char *digits,
                                     uint32_t count) {
  assert(count && count <= 4 && "parts of a register of 32 bits"); // I1
  uint32_t selector = bits << 24 | count << 16;
  for (uint32_t i = 0; i < count; i++)
    selector |= (uint32_t)(digits[count - 1 - i] - '0') << 4 * i;
  return selector;
}

static inline uint32_t selector_bits(uint32_t selector) {
  return selector ? selector >> 24 : 32;
}

static inline uint32_t selector_count(uint32_t selector) {
  return selector >> 16 & 15;
}

static inline uint32_t selector_digit(uint32_t selector, uint32_t i) {
  return selector >> 4 * i & 15;
}

// A variable of the module.
typedef struct GlobalVar {
  const char *name;
  uint64_t address, size;
  bool is_const;
  PtxVar *var;
  struct GlobalVar *next;
} GlobalVar;

typedef struct PtxProgram {
  Pool pool;
  const char *file_name; // for reports; without a file, the first kernel's
  PtxModule ptx;
  Code *kernels;
  GlobalVar *globals;
  NameMap global_names;
  NameMap functions;     // functions with a body
  uint32_t num_searches; // of calls, see frames.c
} PtxProgram;

// Allocates device memory for a variable of the module; 0: no memory.
typedef uint64_t (*PlaceGlobal)(void *context, uint64_t size, uint64_t align);

bool program_load(PtxProgram *program, const char *text, PlaceGlobal place,
                  void *context, PtxError *error);
// The value of a pointer to the function; 0: there is none of that name.
uint64_t function_address(const PtxProgram *program, const char *name);
Code *program_find(const PtxProgram *program, const char *name);
const char *program_file(const PtxProgram *program, int number);

#endif
