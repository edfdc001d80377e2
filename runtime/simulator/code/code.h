// code.h -- a kernel as the simulator runs it: an array of instructions.
//
// A warp's registers, constants and special registers are one block of bytes,
// its file.  A register is 32 values side by side, a predicate one 32-bit
// mask; operands are offsets into the file.  Calls are expanded in place, so
// that lanes in different calls of a function differ in their place.
#ifndef TILE_SIMULATOR_CODE_H
#define TILE_SIMULATOR_CODE_H

#include <assert.h>

#include "runtime/simulator/code/frames.h"

enum { LANES = 32, MAX_TYPES = 5, MAX_INSTS = 1000000, MAX_BEHIND = 250 };
#define ALL_LANES UINT32_MAX
// Registers of a multiprocessor; its parts, each with the registers of its own
// warps; and the unit in which a thread gets registers.
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
TypeId type_find(const char *spelling); // TYPE_NONE where there is none
bool is_int_type(TypeId type);          // of 16 to 64 bits
bool is_float_type(TypeId type);        // packed ones included

// The uses of a modifier; a row of instructions.def is a set of these.
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

// An opcode with its modifiers understood.
typedef struct Form {
  uint8_t types[MAX_TYPES];
  uint8_t num_types, num_operands; // as written
  uint8_t word[NUM_ROLES];         // WordId
  uint16_t columns;                // of wgmma's result; 0: of none
} Form;

#define WORD_OF(form, role) ((WordId)(form)->word[ROLE_INDEX_##role])

// Operands, but for the cache policy that .L2::cache_hint adds behind them.
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

// A kernel's parameters start here; below are those of calls, in local memory.
enum { PARAM_BASE = 0x1000000 };

struct Warp;
struct Inst;

typedef enum {
  STEP_NEXT,
  STEP_BLOCK, // try again when something has changed
  STEP_MOVED, // the instruction has set the places of its lanes
  STEP_FAULT, // reported; the launch ends
} Step;

// Executes for the lanes in the mask.
typedef Step (*ExecFn)(struct Warp *warp, const struct Inst *inst,
                       uint32_t mask);

#define NO_GUARD UINT32_MAX

// The ways in which an instruction uses a register.
typedef enum { USE_NONE, USE_READ, USE_WRITTEN } Use;

typedef struct Inst {
  ExecFn exec;
  const uint32_t *op;  // offsets into the file
  const uint8_t *uses; // Use of each; NULL: nobody says
  uint8_t num_ops;
  uint8_t num_dst;  // vector elements; registers of a dot's result
  uint8_t reg_size; // bytes of the register that is loaded, stored, converted
  uint8_t src_size; // bytes of a conversion's source register
  uint8_t type, type2, type3;
  uint8_t round, ftz, sat, cmp, bool_op, space, mode, shape, trans;
  uint8_t order, scope; // of memory
  uint8_t sub;          // what the executor noted
  uint8_t negated;      // !p: a bit for each predicate that is read
  uint8_t walk;         // of a tensor: WORD_TILE, WORD_IM2COL, ...
  bool guard_not, is_branch, xorsign, is_sparse, is_multicast;
  bool is_indexed;  // a branch to one of many
  bool has_pair;    // the result is d|p
  bool feeds;       // writes a register of a product of wgmma
  bool from_zero;   // a product whose sums start from 0, as its block says
  uint8_t given;    // number of operands in the text
  uint16_t columns; // of wgmma's result
  // Which code, counted from 1, is behind this instruction, to which several
  // lanes must come; begins here.
  uint8_t behind, begins;
  uint32_t guard;
  uint32_t target; // of a branch
  uint32_t rank;   // of parted lanes, those at the lowest go first
  bool leads;      // a block of instructions starts here
  int64_t imm;
  uint32_t line, source_line;
  uint32_t caller_line; // that the code was inlined at; 0: none
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
  FilePart *watched; // all but what holds what a clock has said
  size_t num_watched;
  bool reads_clock;
  ParamSlot *params;
  int num_params;
  uint32_t param_size, shared_size, local_size;
  uint32_t dynamic_base;    // where shared memory of the launch starts
  bool uses_reserved;       // shared memory of the system
  int registers;            // of 32 bits a thread, about
  uint32_t entry_registers; // that a thread gets, as setmaxnreg counts; 0:
                            // nothing says
  bool uses_heap;           // may call malloc()
  bool counts_bytes;        // copies tell mbarriers their bytes
  bool stores_async;        // has st.async or red.async
  bool releases_again;      // has strong writes that do not release by a word
  bool meets_cluster;       // has a barrier of the cluster
  bool has_frames;          // recursive functions, see frames.h
  uint32_t frames_at;       // where their local memory starts
  int64_t max_threads, required_threads[3];
  int64_t cluster[3]; // CTAs; 0: nothing says
  int64_t max_rank;   // of a CTA in its cluster, and one; 0: nothing says
  bool is_explicit;   // it wants to be launched with clusters
  struct Code *next;
} Code;

// Parts of a register of 32 bits that a video instruction selects, such as
// `.b3210`: how many there are and their width over four bits for each, those
// of the lowest part first; 0 selects nothing.
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

typedef struct Program {
  Pool pool;
  const char *file_name; // for reports; without a file, the first kernel's
  PtxModule ptx;
  Code *kernels;
  GlobalVar *globals;
  NameMap global_names;
  NameMap functions;     // that have a body
  uint32_t num_searches; // of calls, see frames.c
} Program;

// Gives a variable of the module memory on the device; 0 where there is none.
typedef uint64_t (*PlaceGlobal)(void *context, uint64_t size, uint64_t align);

bool program_load(Program *program, const char *text, PlaceGlobal place,
                  void *context, PtxError *error);
// The value of a pointer to the function; 0: there is none of that name.
uint64_t function_address(const Program *program, const char *name);
Code *program_find(const Program *program, const char *name);
const char *program_file(const Program *program, int number);

#endif
