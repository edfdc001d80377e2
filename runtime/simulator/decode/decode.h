// decode.h -- inside the decoder: names, operands, forms.
#ifndef TILE_SIMULATOR_DECODE_H
#define TILE_SIMULATOR_DECODE_H

#include "runtime/simulator/code/pick.h"

typedef struct Scope {
  struct Scope *outer;
  NameMap names;
  uint32_t local_used; // bytes of local memory before it
} Scope;

typedef struct Decoder {
  PtxProgram *program;
  Pool *pool;
  PtxError *error;
  Code *code;
  Scope *scope, *module; // the innermost; the one that functions share
  Inst *insts;           // grows
  size_t num_insts, room;
  size_t room_constants, room_specials;
  const PtxFunction *active[32]; // calls in progress, outermost first
  int depth;
  PtxSymbol *registers;                      // used by the code
  struct Operands *operands, *last_operands; // of each instruction, in order
  PtxSymbol *end;              // where `ret` goes; NULL in a kernel
  uint32_t dynamic_base;       // for shared memory with the launch's size
  uint32_t local_used;         // bytes of local memory that are taken
  struct FunctionFrame *frame; // of the innermost recursive function
  struct SavedRegister *file_registers; // all, in order
  size_t num_registers, room_registers;
  int line;
  PtxLoc loc, inlined_at;      // of the source
  struct InlinedLine *inlined; // lines of earlier .loc, see inlined.c
  size_t num_inlined, room_inlined;
  // Whether the instruction may read special registers, and addresses, whether
  // its result may be `_`, and whether it may contain `a[3]`.
  bool takes_special, takes_address, takes_sink, takes_element;
  bool has_vectors; // of registers
  bool wants_wide;  // addresses of global memory have 64 bits
  uint8_t progress; // PROGRESS_..., of the row that is tried
} Decoder;

// PROGRESS_FORM: the instruction exists, perhaps not on this chip.
enum { PROGRESS_NONE, PROGRESS_WORDS, PROGRESS_OPERANDS, PROGRESS_FORM };

bool fail_at(Decoder *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef enum {
#define OPCODES(list, ...) OPCODES_##list,
#include "runtime/simulator/decode/opcodes.def"
} OpcodeList;

bool opcode_is_in(OpcodeList list, const char *name); // opcodes.c

// -- Names and storage (names.c) ---------------------------------------------

void scope_enter(Decoder *d);
void scope_leave(Decoder *d);
PtxSymbol *find_symbol(Decoder *d, const char *name);
bool check_shared(Decoder *d); // variables of the module, used or not
// A register of several elements; NULL: none.
const PtxSymbol *find_vector(Decoder *d, const char *name);
// An error if the scope has the name.
PtxSymbol *add_symbol(Decoder *d, const char *name, PtxSymbolKind kind);
// A register of `size` bytes that holds the address of a variable.
uint32_t address_register(Decoder *d, const PtxSymbol *symbol, int64_t offset,
                          uint32_t size);
bool declare_var(Decoder *d, const PtxVar *var);
// A label that the source does not have; put_label() puts it in front of the
// next instruction.
PtxSymbol *new_label(Decoder *d);
void put_label(Decoder *d, PtxSymbol *label);
uint32_t new_register(Decoder *d, uint32_t size);
uint32_t constant(Decoder *d, uint32_t size, uint64_t value);
// The type of a variable or register; TYPE_NONE if it is invalid.
TypeId var_type(const PtxVar *var);
// The size of one of its elements; 0 for an unknown type.
uint32_t var_unit(const PtxVar *var);
// The size of a variable in bytes; false for an unknown type or a wrong
// alignment.
bool var_bytes(const PtxVar *var, uint64_t *bytes, uint64_t *align);

// -- Lines of the source (inlined.c) -----------------------------------------

void note_loc(Decoder *d, const PtxStmt *stmt);

// -- Values (values.c) -------------------------------------------------------

// A register of `size` bytes, a constant or an address as a value.  Its kind
// must fit the type; TYPE_NONE fits any.
bool resolve_source(Decoder *d, const PtxOperand *operand, uint32_t size,
                    TypeId type, uint32_t *offset);
bool resolve_register(Decoder *d, const PtxOperand *operand, uint32_t size,
                      TypeId type, uint32_t *offset);
// The bits of a literal of `size` bytes; of a float, as one of that size.
uint64_t literal_bits(const PtxOperand *operand, uint32_t size);
// A predicate, or, with takes_special, a special register that is one.
bool resolve_predicate(Decoder *d, const char *name, bool takes_special,
                       uint32_t *offset);
bool resolve_special(Decoder *d, const char *name, uint32_t size, TypeId type,
                     uint32_t *offset);
bool is_sink(const PtxOperand *operand); // `_`
int count_operands(const PtxOperand *list);

// -- Operands (operands.c) ---------------------------------------------------

// Resolves operands by the shape, into inst->op.
bool resolve_operands(Decoder *d, const char *shape, const Form *form,
                      const PtxOperand *operands, Inst *inst);

// -- Calls (calls.c, frames.c) -----------------------------------------------

// The operands of a call.
typedef struct CallText {
  const PtxOperand *results, *callee, *args; // of lists, NULL: none
  const PtxOperand *list; // of targets, or a prototype; NULL: neither
} CallText;

// False if the callee is no name (frames.c).
bool read_call(const PtxStmt *stmt, CallText *call);
// Whether the function is a target in the list, or, without a list, fits the
// call and has its address taken.
bool may_be_target(const PtxFunction *f, const PtxStmt *targets,
                   const PtxOperand *results, const PtxOperand *args);
// Whether a call of the function may lead to another call of it.
bool function_recurs(const Decoder *d, PtxFunction *function);
// Expands the function, with calls to itself.
bool expand_frame(Decoder *d, const PtxFunction *callee,
                  const PtxOperand *results, const PtxOperand *args);
// Calls a function that is being expanded.
bool call_frame(Decoder *d, const PtxFunction *callee,
                const PtxOperand *results, const PtxOperand *args);

// -- Instructions (decode.c) -------------------------------------------------

Inst *add_inst(Decoder *d, const PtxStmt *stmt);
bool decode_body(Decoder *d, const PtxStmt *stmt);
// `name: .branchtargets`, `.calltargets` or `.callprototype`; NULL.
const PtxStmt *find_list(Decoder *d, const char *name);
bool decode_call(Decoder *d, const PtxStmt *stmt); // calls.c
// The declaration with a body, if there are several; NULL: none.
PtxFunction *find_function(const Decoder *d, const char *name);
// Whether the words and types of a form are allowed together (legal.c).
bool form_is_legal(const char *opcode, const Form *form);
// Whether the operands that are numbers may be these (limits.c).
bool numbers_fit(Decoder *d, PickFn pick, const Form *form,
                 const PtxOperand *operands);
// Whether the module's chip has the form (wants.c).
int target_chip(const PtxProgram *program); // 80 for sm_80
typedef enum {
#define FEATURE(name, chip) FEATURE_##name,
#include "runtime/simulator/decode/features.def"
} Feature;
// The first chip with the feature, and whether the module's chip has it.
int feature_chip(Feature feature);
bool target_offers(const PtxProgram *program, Feature feature);
bool target_has(Decoder *d, const char *opcode, const Form *form);
bool decode_form(Decoder *d, const PtxStmt *stmt); // by instructions.def
// An estimate of the registers that ptxas would use (pressure.c); 0: no limit.
void note_use(Decoder *d, PtxSymbol *symbol);
int estimate_registers(const Decoder *d, int64_t limit);
// Finds the registers derived from clocks (clocks.c).  Returns a copy of
// `uses`.
const uint8_t *note_operands(Decoder *d, const uint32_t *op,
                             const uint8_t *uses, int count);
void find_watched(Decoder *d);
// Sets `rank` and `leads` (flow.c).
void order_code(Pool *pool, Inst *insts, uint32_t num_insts);
// Set `feeds`, and, behind order_code(), `from_zero` (products.c).
void find_feeding(Decoder *d);
void find_from_zero(Decoder *d);
bool check_names(PtxProgram *program, PtxError *error); // of the module
bool decode_kernel(PtxProgram *program, const PtxFunction *function,
                   PtxError *error);

#endif
