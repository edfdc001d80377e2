// parser.h -- the interface between the scanner and the grammar of PTX.
#ifndef TILE_SIMULATOR_PTX_PARSER_H
#define TILE_SIMULATOR_PTX_PARSER_H

#include "runtime/simulator/ptx/ptx.h"

typedef struct PtxParser {
  PtxModule *module;
  PtxError *error;
  bool failed;
} PtxParser;

typedef union PtxValue {
  const char *text;
  int64_t integer;
  double number;
  PtxWord *words;
  PtxOperand *operand;
  PtxVar *var;
  PtxStmt *stmt;
  PtxFunction *function;
  PtxLoc loc;
} PtxValue;

// The value of `a op b`, or of `op a` if b is NULL; NULL after an error.  `op`
// is a character or a token of the grammar.
PtxOperand *ptx_fold(PtxParser *parser, int line, int op, const PtxOperand *a,
                     const PtxOperand *b);

// -- Nodes -------------------------------------------------------------------

// Appends one list to another.
PtxWord *ptx_chain_words(PtxWord *head, PtxWord *tail);
PtxVar *ptx_chain_vars(PtxVar *head, PtxVar *tail);
PtxStmt *ptx_chain_stmts(PtxStmt *head, PtxStmt *tail);
PtxFunction *ptx_chain_functions(PtxFunction *head, PtxFunction *tail);
PtxOperand *ptx_chain_operands(PtxOperand *head, PtxOperand *tail);

PtxOperand *ptx_make_operand(PtxParser *parser, PtxOperandKind kind,
                             const char *name, int64_t value);
PtxOperand *ptx_make_list(PtxParser *parser, PtxOperandKind kind,
                          PtxOperand *list);
// The names with the numbers from 0 to `count` - 1; NULL: too many, or none.
PtxOperand *ptx_make_range(PtxParser *parser, const char *name, int64_t count);
PtxOperand *ptx_make_float(PtxParser *parser, int64_t bits, bool is_single,
                           bool is_negative);
PtxStmt *ptx_make_stmt(PtxParser *parser, PtxStmtKind kind, int line);

// sm_80 for compute_80, too.
const char *ptx_chip_name(PtxParser *parser, const char *target);

// Applies a word of a declaration: a type, a vector, or a word that is ignored.
void ptx_apply_word(PtxVar *var, const char *word);
// Applies the head of a declaration to its names.
PtxVar *ptx_declare(const PtxVar *head, PtxVar *names);

// Whether the word is in the list, which ends with NULL.
bool ptx_is_one_of(const char *word, const char *const *words);
// Applies `.maxntid`, `.reqntid` and so on; returns the error, or NULL.
const char *ptx_limit(PtxFunction *function, const char *word,
                      const PtxOperand *values);
// The same for a directive of kernels that only later chips have.
const char *ptx_note_directive(PtxFunction *function, const char *word,
                               const PtxOperand *values);

#endif
