// ptx.h -- the result of the PTX parser: functions as lists of statements.
//
// Names are not resolved yet, and opcodes are a word and its modifiers.  All
// nodes live in the module's pool.
#ifndef TILE_SIMULATOR_PTX_H
#define TILE_SIMULATOR_PTX_H

#include "runtime/simulator/base/pool.h"

typedef enum {
  OPERAND_NAME,    // register, label, symbol, special register; `+ value`
  OPERAND_INT,     // value
  OPERAND_FLOAT,   // value: the bits; of an f32 where `is_single`
  OPERAND_ADDRESS, // [list]
  OPERAND_VECTOR,  // {list}
  OPERAND_LIST,    // (list), of a call
  OPERAND_PAIR,    // list: a|b
  OPERAND_ELEMENT, // name[value]
} PtxOperandKind;

typedef struct PtxOperand {
  PtxOperandKind kind;
  bool negated; // !p
  bool is_single, is_unsigned;
  int64_t mask; // of an initial value; 0: all bits
  const char *name;
  int64_t value;
  struct PtxOperand *list, *last; // children
  struct PtxOperand *next;
  struct PtxOperand *far; // in the head of a list: an element near its end, or
                          // NULL
} PtxOperand;

typedef struct PtxWord {
  const char *text;
  struct PtxWord *next, *last; // `last` is set in the head
} PtxWord;

// A name that a declaration introduces.
typedef struct PtxVar {
  const char *space;      // reg, param, global, ...
  const char *name;       // NULL for a parameter without one
  const char *type, *vec; // vec: v2, v4 or NULL
  int64_t align, repeat;  // `%r<repeat>`; 0 where there is none
  int64_t size;           // elements of an array; -1 for name[]; 0 scalar
  bool is_extern, is_pointer, has_align;
  PtxOperand *initial;
  int line;
  struct PtxVar *next, *last;
} PtxVar;

typedef enum {
  STMT_INST,
  STMT_LABEL,
  STMT_OPEN,
  STMT_CLOSE,
  STMT_VAR,
  STMT_LOC,       // .loc file line
  STMT_PROTOTYPE, // name: .callprototype, name: .branchtargets
} PtxStmtKind;

// A place in a source file, which has a number; line 0: none.
typedef struct PtxLoc {
  int file, line, column;
} PtxLoc;

typedef struct PtxStmt {
  PtxStmtKind kind;
  int line;
  const char *name;   // opcode or label
  PtxWord *modifiers; // without the dots
  PtxOperand *operands;
  const char *guard;
  bool guard_not;
  PtxVar *vars;
  PtxLoc loc, inlined_at; // of STMT_LOC
  struct PtxStmt *next, *last;
} PtxStmt;

typedef enum { RECURSION_UNKNOWN, RECURSION_NO, RECURSION_YES } Recursion;

typedef struct PtxFunction {
  const char *name;
  bool is_entry, has_body;
  bool is_defined;   // here or, for the first declaration, later
  bool has_pointers; // its address is taken
  uint8_t recursion; // Recursion
  uint32_t search;   // the last search that came here, see frames.c
  PtxVar *results, *params;
  PtxStmt *body;
  int64_t max_threads[3], required_threads[3], min_blocks, max_registers;
  int64_t cluster[3], max_rank; // CTAs; 0: not given
  bool is_explicit;             // must be launched with clusters
  const char *wants_chip;       // a directive of later chips
  struct PtxFunction *alias_of; // the function that it is an alias of; NULL
  int line;
  struct PtxFunction *next, *last;
} PtxFunction;

typedef struct PtxFile {
  int number;
  const char *path;
  struct PtxFile *next;
} PtxFile;

// .alias name, function
typedef struct PtxAlias {
  const char *name, *function;
  int line;
  struct PtxAlias *next;
} PtxAlias;

typedef struct PtxModule {
  Pool *pool;
  const char *target; // sm_80
  double version;
  PtxFunction *functions;
  PtxVar *vars;
  PtxFile *files;
  PtxAlias *aliases;
} PtxModule;

// The error, for the driver's log.
typedef struct PtxError {
  char text[512];
} PtxError;

// Always false, so that callers can return it; the first error stays.
bool ptx_error(PtxError *error, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool ptx_parse(const char *text, PtxModule *module, PtxError *error);

// The number of a .target, 90 of sm_90a, and the text behind it; 0: no chip.
int ptx_chip(const char *target, const char **suffix);

#endif
