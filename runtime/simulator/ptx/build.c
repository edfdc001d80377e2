// build.c -- makes the nodes of the grammar.
#include <assert.h>
#include <string.h>

#include "runtime/simulator/ptx/parser.h"

#define NEW(T) POOL_NEW(parser->module->pool, T)

// -- Lists -------------------------------------------------------------------

// The head of a list has a pointer to its last element.
#define CHAIN(name, T)                                                         \
  T *ptx_chain_##name(T *head, T *tail) {                                      \
    if (!head) return tail;                                                    \
    if (!tail) return head;                                                    \
    (head->last ? head->last : head)->next = tail;                             \
    head->last = tail->last ? tail->last : tail;                               \
    return head;                                                               \
  }
CHAIN(words, PtxWord)
CHAIN(vars, PtxVar)
CHAIN(stmts, PtxStmt)
CHAIN(functions, PtxFunction)

PtxOperand *ptx_chain_operands(PtxOperand *head, PtxOperand *tail) {
  assert(head && head != tail && "a list goes round"); // I1
  PtxOperand *end = head->far ? head->far : head;
  while (end->next) end = end->next;
  end->next = head->far = tail;
  return head;
}

// -- Operands and statements -------------------------------------------------

PtxOperand *ptx_make_operand(PtxParser *parser, PtxOperandKind kind,
                             const char *name, int64_t value) {
  PtxOperand *operand = NEW(PtxOperand);
  operand->kind = kind;
  operand->name = name;
  operand->value = value;
  return operand;
}

PtxOperand *ptx_make_list(PtxParser *parser, PtxOperandKind kind,
                          PtxOperand *list) {
  PtxOperand *operand = ptx_make_operand(parser, kind, NULL, 0);
  operand->list = list;
  return operand;
}

PtxOperand *ptx_make_float(PtxParser *parser, int64_t bits, bool is_single,
                           bool is_negative) {
  const int64_t sign = is_single ? INT64_C(0x80000000) : INT64_MIN;
  PtxOperand *operand = ptx_make_operand(parser, OPERAND_FLOAT, NULL,
                                         is_negative ? bits ^ sign : bits);
  operand->is_single = is_single;
  return operand;
}

PtxStmt *ptx_make_stmt(PtxParser *parser, PtxStmtKind kind, int line) {
  PtxStmt *stmt = NEW(PtxStmt);
  stmt->kind = kind;
  stmt->line = line;
  return stmt;
}

PtxOperand *ptx_make_range(PtxParser *parser, const char *name, int64_t count) {
  enum { MOST_LABELS = 4096 };
  PtxOperand *list = NULL;
  if (count > MOST_LABELS) return NULL;
  while (count-- > 0) {
    const char *one =
        pool_print(parser->module->pool, "%s%d", name, (int)count);
    PtxOperand *first = ptx_make_operand(parser, OPERAND_NAME, one, 0);
    first->next = list;
    list = first;
  }
  return list;
}

const char *ptx_chip_name(PtxParser *parser, const char *target) {
  const char prefix[] = "compute_";
  const size_t length = strlen(prefix);
  return strncmp(target, prefix, length) != 0
             ? target
             : pool_print(parser->module->pool, "sm_%s", target + length);
}

// -- Declarations ------------------------------------------------------------

void ptx_apply_word(PtxVar *var, const char *word) {
  if (strcmp(word, "v2") == 0 || strcmp(word, "v4") == 0)
    var->vec = word;
  else if (strcmp(word, "ptr") == 0)
    var->is_pointer = true;
  else if (!var->type)
    var->type = word;
}

PtxVar *ptx_declare(const PtxVar *head, PtxVar *names) {
  for (PtxVar *v = names; v; v = v->next) {
    v->space = head->space;
    v->type = head->type;
    v->vec = head->vec;
    v->align = head->align;
    v->has_align = head->has_align;
  }
  return names;
}

// -- Directives --------------------------------------------------------------

bool ptx_is_one_of(const char *word, const char *const *words) {
  while (*words && strcmp(*words, word) != 0) words++;
  return *words;
}

const char *ptx_limit(PtxFunction *function, const char *word,
                      const PtxOperand *values) {
  static const char *const of_threads[] = {"maxntid", "reqntid", NULL};
  const int most = ptx_is_one_of(word, of_threads) ? 3 : 1;
  int64_t n[3] = {1, 1, 1};
  for (int i = 0; values; i++, values = values->next) {
    if (i == most) return "too many numbers";
    if (values->value <= 0 || values->value > INT32_MAX)
      return "a number above zero was expected";
    n[i] = values->value;
  }
  assert(n[0] > 0 && n[1] > 0 && n[2] > 0 && "a limit of nothing"); // I2
  if (strcmp(word, "maxntid") == 0)
    memcpy(function->max_threads, n, sizeof n);
  else if (strcmp(word, "reqntid") == 0)
    memcpy(function->required_threads, n, sizeof n);
  else if (strcmp(word, "minnctapersm") == 0)
    function->min_blocks = n[0];
  else
    function->max_registers = n[0];
  return function->max_threads[0] && function->required_threads[0]
             ? "'.maxntid' and '.reqntid' exclude each other"
             : NULL;
}

const char *ptx_note_directive(PtxFunction *function, const char *word,
                               const PtxOperand *values) {
  static const char *const later[] = {"explicitcluster", "reqnctapercluster",
                                      "maxclusterrank", NULL};
  const bool is_size = strcmp(word, "reqnctapercluster") == 0;
  const bool is_rank = strcmp(word, "maxclusterrank") == 0;
  if (strcmp(word, "blocksareclusters") == 0)
    return "'.blocksareclusters' is not simulated";
  if (!ptx_is_one_of(word, later)) return "unknown directive";
  function->wants_chip = word;
  if (strcmp(word, "explicitcluster") == 0) function->is_explicit = true;
  if (is_rank && values) function->max_rank = values->value;
  if (!values && (is_size || is_rank)) return "a number was expected";
  for (int i = 0; is_size && i < 3; i++) {
    function->cluster[i] = values ? values->value : 1;
    if (function->cluster[i] < 1) return "a number above zero was expected";
    if (values) values = values->next;
  }
  if (values && (is_size || values->next || !is_rank))
    return "too many numbers";
  return function->max_rank && function->cluster[0]
             ? "'.reqnctapercluster' and '.maxclusterrank' exclude each other"
             : NULL;
}
