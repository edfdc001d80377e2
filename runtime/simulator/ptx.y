/* ptx.y -- the grammar of PTX, as loose as an assembler's.
 *
 * It knows no instruction: an opcode is a name, its modifiers and its
 * operands.  decode.c decides what they mean. */
%define api.pure full
%define api.prefix {ptx_yy}
%define api.value.type {union PtxValue}
%define parse.error verbose
%param {void *scanner}
%parse-param {PtxParser *parser}
%expect 0

%code requires {
#include "runtime/simulator/ptx_parser.h"
}
%code {
#include <string.h>

int ptx_yylex(PTX_YYSTYPE *value, void *scanner);
int ptx_yyget_lineno(void *scanner);
char *ptx_yyget_text(void *scanner);

#define LINE ptx_yyget_lineno(scanner)
#define NEW(T) POOL_NEW(parser->module->pool, T)

static void ptx_yyerror(void *scanner, PtxParser *parser, const char *message) {
  parser->failed = true;
  ptx_error(parser->error, LINE, "%s, at '%.40s'", message,
            ptx_yyget_text(scanner));
}

/* Appends one list to another; heads know their last element. */
#define CHAIN(T)                                                               \
  static T *chain_##T(T *head, T *tail) {                                      \
    if (!head) return tail;                                                    \
    if (!tail) return head;                                                    \
    (head->last ? head->last : head)->next = tail;                             \
    head->last = tail->last ? tail->last : tail;                               \
    return head;                                                               \
  }
CHAIN(PtxWord)
CHAIN(PtxVar)
CHAIN(PtxStmt)
CHAIN(PtxFunction)

static PtxOperand *chain_operands(PtxOperand *head, PtxOperand *tail) {
  PtxOperand *end = head;
  while (end->next) end = end->next;
  end->next = tail;
  return head;
}

static PtxOperand *make_operand(PtxParser *parser, PtxOperandKind kind,
                                const char *name, int64_t value) {
  PtxOperand *operand = NEW(PtxOperand);
  operand->kind = kind;
  operand->name = name;
  operand->value = value;
  return operand;
}

static PtxOperand *make_list(PtxParser *parser, PtxOperandKind kind,
                             PtxOperand *list) {
  PtxOperand *operand = make_operand(parser, kind, NULL, 0);
  operand->list = list;
  return operand;
}

static PtxStmt *make_stmt(PtxParser *parser, PtxStmtKind kind, int line) {
  PtxStmt *stmt = NEW(PtxStmt);
  stmt->kind = kind;
  stmt->line = line;
  return stmt;
}

static PtxOperand *negate(PtxOperand *operand) {
  const int64_t sign = operand->is_single ? INT64_C(0x80000000) : INT64_MIN;
  if (operand->kind == OPERAND_FLOAT)
    operand->value ^= sign;
  else
    operand->value = (int64_t)(0 - (uint64_t)operand->value);
  return operand;
}

/* Words of a declaration: types, vectors, and what says nothing to us. */
static void apply_word(PtxVar *var, const char *word) {
  if (strcmp(word, "v2") == 0 || strcmp(word, "v4") == 0)
    var->vec = word;
  else if (strcmp(word, "ptr") == 0)
    var->is_pointer = true;
  else if (strcmp(word, "managed") != 0 && strcmp(word, "unified") != 0 &&
           !var->type)
    var->type = word;
}

static PtxVar *declare(PtxVar *head, PtxVar *names) {
  for (PtxVar *v = names; v; v = v->next) {
    v->space = head->space;
    v->type = head->type;
    v->vec = head->vec;
    v->align = head->align;
  }
  return names;
}

static void limit(PtxFunction *function, const char *word,
                  const PtxOperand *values) {
  int64_t n[3] = {1, 1, 1};
  for (int i = 0; i < 3 && values; i++, values = values->next)
    n[i] = values->value;
  if (strcmp(word, "maxntid") == 0)
    memcpy(function->max_threads, n, sizeof n);
  else if (strcmp(word, "reqntid") == 0)
    memcpy(function->required_threads, n, sizeof n);
  else if (strcmp(word, "minnctapersm") == 0)
    function->min_blocks = n[0];
  else if (strcmp(word, "maxnreg") == 0)
    function->max_registers = n[0];
}
}

%token PTX_VERSION PTX_TARGET PTX_ADDRESS_SIZE PTX_FILE PTX_LOC PTX_ENTRY
%token PTX_FUNC PTX_EXTERN PTX_ALIGN PTX_PRAGMA PTX_CALLPROTOTYPE
%token PTX_BRANCHTARGETS PTX_NORETURN PTX_BAD
%token <text> PTX_NAME PTX_SINK PTX_WORD PTX_STRING PTX_SPACE PTX_LINKAGE
%token <text> PTX_LIMIT
%token <integer> PTX_INT PTX_SINGLE PTX_DOUBLE

%type <text> modifier
%type <integer> signed_int linkage
%type <words> modifiers
%type <operand> operands operand address_list value values initial initials
%type <operand> simple int_list opt_operands
%type <var> decl_head declarator declarators param_list params opt_params var
%type <var> opt_results
%type <stmt> stmts stmt instruction
%type <function> function_head

%%
module: %empty | module item ;

item:
    PTX_VERSION PTX_DOUBLE {
      double version;
      memcpy(&version, &$2, sizeof version);
      parser->module->version = version;
    }
  | PTX_TARGET targets
  | PTX_ADDRESS_SIZE PTX_INT {
      if ($2 != 64) {
        ptx_yyerror(scanner, parser, "only 64-bit addresses are supported");
        YYERROR;
      }
    }
  | file
  | linkage var ';' {
      for (PtxVar *v = $2; v; v = v->next) v->is_extern = $1 != 0;
      parser->module->vars = chain_PtxVar(parser->module->vars, $2);
    }
  | function_head directives ';' {
      parser->module->functions =
          chain_PtxFunction(parser->module->functions, $1);
    }
  | function_head directives '{' stmts '}' {
      $1->has_body = true;
      $1->body = $4;
      parser->module->functions =
          chain_PtxFunction(parser->module->functions, $1);
    }
  | PTX_PRAGMA PTX_STRING ';'
  | ';'
  ;

targets: target | targets ',' target ;
target: PTX_NAME {
      if (!parser->module->target) parser->module->target = $1;
    } ;

file: PTX_FILE PTX_INT PTX_STRING file_tail {
      PtxFile *file = NEW(PtxFile);
      file->number = (int)$2;
      file->path = $3;
      file->next = parser->module->files;
      parser->module->files = file;
    } ;
file_tail: %empty | ',' PTX_INT ',' PTX_INT ;

linkage:
    %empty { $$ = 0; }
  | linkage PTX_LINKAGE { $$ = $1; }
  | linkage PTX_EXTERN { $$ = 1; }
  ;

function_head:
    linkage PTX_ENTRY PTX_NAME opt_params {
      $$ = NEW(PtxFunction);
      $$->is_entry = true;
      $$->name = $3;
      $$->params = $4;
      $$->line = LINE;
    }
  | linkage PTX_FUNC opt_results PTX_NAME opt_params {
      $$ = NEW(PtxFunction);
      $$->results = $3;
      $$->name = $4;
      $$->params = $5;
      $$->line = LINE;
    }
  | function_head PTX_LIMIT int_list { limit($1, $2, $3); $$ = $1; }
  ;
opt_results: %empty { $$ = NULL; } | '(' params ')' { $$ = $2; } ;
opt_params: %empty { $$ = NULL; } | '(' params ')' { $$ = $2; } ;
params: %empty { $$ = NULL; } | param_list ;
param_list:
    decl_head declarator { $$ = declare($1, $2); }
  | param_list ',' decl_head declarator {
      $$ = chain_PtxVar($1, declare($3, $4));
    }
  ;
directives:
    %empty
  | directives PTX_NORETURN
  | directives PTX_PRAGMA PTX_STRING ';'
  | directives PTX_WORD
  ;
int_list:
    PTX_INT { $$ = make_operand(parser, OPERAND_INT, NULL, $1); }
  | int_list ',' PTX_INT {
      $$ = chain_operands($1, make_operand(parser, OPERAND_INT, NULL, $3));
    }
  ;

var: decl_head declarators { $$ = declare($1, $2); } ;
decl_head:
    PTX_SPACE { $$ = NEW(PtxVar); $$->space = $1; $$->line = LINE; }
  | decl_head PTX_SPACE { $$ = $1; }
  | decl_head PTX_ALIGN PTX_INT {
      // After .ptr it speaks of what the pointer points to.
      if (!$1->is_pointer) $1->align = $3;
      $$ = $1;
    }
  | decl_head PTX_WORD { apply_word($1, $2); $$ = $1; }
  ;
declarators:
    declarator
  | declarators ',' declarator { $$ = chain_PtxVar($1, $3); }
  ;
declarator:
    PTX_NAME { $$ = NEW(PtxVar); $$->name = $1; $$->line = LINE; }
  | PTX_SINK { $$ = NEW(PtxVar); $$->line = LINE; }
  | declarator '<' PTX_INT '>' { $1->repeat = $3; $$ = $1; }
  | declarator '[' PTX_INT ']' {
      if ($3 < 0 || $3 > INT64_C(1) << 40 ||
          ($1->size > 0 && $1->size * ($3 ? $3 : 1) > INT64_C(1) << 40)) {
        ptx_yyerror(scanner, parser, "array too large");
        YYERROR;
      }
      $1->size = $1->size > 0 ? $1->size * $3 : $3;
      $$ = $1;
    }
  | declarator '[' ']' { $1->size = -1; $$ = $1; }
  | declarator '=' initial { $1->initial = $3; $$ = $1; }
  ;
initial:
    value
  | PTX_NAME '(' PTX_NAME ')' {
      $$ = make_operand(parser, OPERAND_NAME, $3, 0);
    }
  | PTX_NAME '(' PTX_NAME ')' '+' PTX_INT {
      $$ = make_operand(parser, OPERAND_NAME, $3, $6);
    }
  | '{' initials '}' { $$ = make_list(parser, OPERAND_VECTOR, $2); }
  ;
initials:
    initial { $$ = $1; $$->last = $1; }
  | initials ',' initial {
      $1->last->next = $3;
      $1->last = $3;
      $$ = $1;
    }
  ;

stmts: %empty { $$ = NULL; } | stmts stmt { $$ = chain_PtxStmt($1, $2); } ;
stmt:
    '{' stmts '}' {
      PtxStmt *open = make_stmt(parser, STMT_OPEN, LINE);
      $$ = chain_PtxStmt(chain_PtxStmt(open, $2),
                         make_stmt(parser, STMT_CLOSE, LINE));
    }
  | var ';' { $$ = make_stmt(parser, STMT_VAR, LINE); $$->vars = $1; }
  | PTX_NAME ':' { $$ = make_stmt(parser, STMT_LABEL, LINE); $$->name = $1; }
  | PTX_NAME ':' PTX_CALLPROTOTYPE opt_results PTX_SINK opt_params directives
    ';' {
      $$ = make_stmt(parser, STMT_PROTOTYPE, LINE);
      $$->name = $1;
    }
  | PTX_NAME ':' PTX_BRANCHTARGETS operands ';' {
      $$ = make_stmt(parser, STMT_PROTOTYPE, LINE);
      $$->name = $1;
      $$->operands = $4;
    }
  | PTX_LOC PTX_INT PTX_INT PTX_INT loc_tail {
      $$ = make_stmt(parser, STMT_LOC, LINE);
      $$->file = (int)$2;
      $$->source_line = (int)$3;
    }
  | PTX_PRAGMA PTX_STRING ';' { $$ = NULL; }
  | file { $$ = NULL; }
  | instruction
  | '@' PTX_NAME instruction { $$ = $3; $$->guard = $2; }
  | '@' '!' PTX_NAME instruction {
      $$ = $4;
      $$->guard = $3;
      $$->guard_not = true;
    }
  | ';' { $$ = NULL; }
  ;
loc_tail:
    %empty
  | ',' PTX_NAME PTX_NAME loc_offset ',' PTX_NAME PTX_INT PTX_INT PTX_INT
  ;
loc_offset: %empty | '+' PTX_INT ;

instruction:
    PTX_NAME modifiers opt_operands ';' {
      $$ = make_stmt(parser, STMT_INST, LINE);
      $$->name = $1;
      $$->modifiers = $2;
      $$->operands = $3;
    }
  ;
modifiers:
    %empty { $$ = NULL; }
  | modifiers modifier {
      PtxWord *word = NEW(PtxWord);
      word->text = $2;
      $$ = chain_PtxWord($1, word);
    }
  ;
modifier: PTX_WORD | PTX_SPACE | PTX_LINKAGE ;

opt_operands: %empty { $$ = NULL; } | operands ;
operands:
    operand { $$ = $1; $$->last = $1; }
  | operands ',' operand {
      $1->last->next = $3;
      $1->last = $3;
      $$ = $1;
    }
  ;
operand:
    simple
  | simple '|' simple {
      $1->next = $3;
      $$ = make_list(parser, OPERAND_PAIR, $1);
    }
  | '!' PTX_NAME {
      $$ = make_operand(parser, OPERAND_NAME, $2, 0);
      $$->negated = true;
    }
  | '[' address_list ']' { $$ = make_list(parser, OPERAND_ADDRESS, $2); }
  | '{' values '}' { $$ = make_list(parser, OPERAND_VECTOR, $2); }
  | '(' values ')' { $$ = make_list(parser, OPERAND_LIST, $2); }
  | '(' ')' { $$ = make_list(parser, OPERAND_LIST, NULL); }
  ;
address_list:
    value
  | address_list ',' value { $$ = chain_operands($1, $3); }
  | address_list ',' '{' values '}' {
      $$ = chain_operands($1, make_list(parser, OPERAND_VECTOR, $4));
    }
  ;
values:
    value { $$ = $1; $$->last = $1; }
  | values ',' value {
      $1->last->next = $3;
      $1->last = $3;
      $$ = $1;
    }
  ;
simple:
    value
  | PTX_NAME '[' PTX_INT ']' {
      $$ = make_operand(parser, OPERAND_NAME, $1, $3);
    }
  ;
value:
    PTX_NAME { $$ = make_operand(parser, OPERAND_NAME, $1, 0); }
  | PTX_SINK { $$ = make_operand(parser, OPERAND_NAME, "_", 0); }
  | PTX_NAME PTX_WORD {
      $$ = make_operand(parser, OPERAND_NAME,
                        pool_print(parser->module->pool, "%s.%s", $1, $2), 0);
    }
  | PTX_NAME '+' signed_int { $$ = make_operand(parser, OPERAND_NAME, $1, $3); }
  | PTX_NAME '-' PTX_INT { $$ = make_operand(parser, OPERAND_NAME, $1, -$3); }
  | PTX_INT { $$ = make_operand(parser, OPERAND_INT, NULL, $1); }
  | PTX_SINGLE {
      $$ = make_operand(parser, OPERAND_FLOAT, NULL, $1);
      $$->is_single = true;
    }
  | PTX_DOUBLE { $$ = make_operand(parser, OPERAND_FLOAT, NULL, $1); }
  | '-' value {
      if ($2->kind == OPERAND_NAME) {
        ptx_yyerror(scanner, parser, "only a number can be negated");
        YYERROR;
      }
      $$ = negate($2);
    }
  ;
signed_int: PTX_INT | '-' PTX_INT { $$ = (int64_t)(0 - (uint64_t)$2); } ;
%%
