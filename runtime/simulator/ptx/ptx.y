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
#include "runtime/simulator/ptx/parser.h"
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
}

%token PTX_VERSION ".version" PTX_TARGET ".target"
%token PTX_ADDRESS_SIZE ".address_size" PTX_FILE ".file" PTX_LOC ".loc"
%token PTX_ENTRY ".entry" PTX_FUNC ".func" PTX_EXTERN ".extern"
%token PTX_ALIGN ".align" PTX_PRAGMA ".pragma" PTX_ATTRIBUTE ".attribute"
%token PTX_CALLPROTOTYPE ".callprototype" PTX_BRANCHTARGETS ".branchtargets"
%token PTX_NORETURN ".noreturn" PTX_ABI ".abi_preserve" PTX_BAD "what is not PTX" PTX_CALL "call"
%token <text> PTX_NAME "a name" PTX_SINK "_" PTX_WORD "a modifier"
%token <text> PTX_STRING "a string" PTX_SPACE "a state space"
%token <text> PTX_LINKAGE "a linkage" PTX_LIMIT "a limit"
%token <integer> PTX_INT "an integer" PTX_SINGLE "a float" PTX_DOUBLE "a double"

%type <text> modifier
%type <integer> linkage
%type <words> modifiers
%type <operand> operands operand address_list value values initial initials
%type <operand> simple int_list opt_numbers opt_operands expr generic call_list call_operand
%type <operand> call_operands pair_name opt_initials labels label_range
%type <var> decl_head declarator declarators param_list params opt_params var
%type <var> opt_results
%type <stmt> stmts stmt instruction
%type <loc> loc_tail
%type <function> function_head entry_head

%token PTX_OR "||" PTX_AND "&&" PTX_EQ "==" PTX_NE "!=" PTX_LE "<="
%token PTX_GE ">=" PTX_SHL "<<" PTX_SHR ">>"

%precedence LOW
%precedence '?'
%precedence ':'
%left PTX_OR
%left PTX_AND
%left '|'
%left '^'
%left '&'
%left PTX_EQ PTX_NE
%left '<' '>' PTX_LE PTX_GE
%left PTX_SHL PTX_SHR
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY

%%
module: version target_lines address_size items ;

version: PTX_VERSION PTX_DOUBLE {
      double version;
      memcpy(&version, &$2, sizeof version);
      parser->module->version = version;
    } ;
/* The last one counts. */
target_lines: target_line | target_lines target_line ;
target_line: PTX_TARGET { parser->module->target = NULL; } targets ;
address_size:
    %empty
  | PTX_ADDRESS_SIZE PTX_INT {
      if ($2 != 64) {
        ptx_yyerror(scanner, parser, "only 64-bit addresses are supported");
        YYERROR;
      }
    }
  ;

items: %empty | items item ;
item:
    file
  | linkage var ';' {
      for (PtxVar *v = $2; v; v = v->next) v->is_extern = $1 != 0;
      parser->module->vars = ptx_chain_vars(parser->module->vars, $2);
    }
  | function_head directives ';' {
      parser->module->functions =
          ptx_chain_functions(parser->module->functions, $1);
    }
  | function_head directives '{' stmts '}' {
      $1->has_body = true;
      $1->body = $4;
      parser->module->functions =
          ptx_chain_functions(parser->module->functions, $1);
    }
  | pragma
  | PTX_WORD PTX_NAME ',' PTX_NAME ';' {
      if (strcmp($1, "alias") != 0) {
        ptx_yyerror(scanner, parser, "unknown directive");
        YYERROR;
      }
      PtxAlias *alias = NEW(PtxAlias);
      *alias = (PtxAlias){$2, $4, LINE, parser->module->aliases};
      parser->module->aliases = alias;
    }
  ;

targets: target | targets ',' target ;
target: PTX_NAME {
      static const char *const others[] = {"debug", "texmode_unified",
                                           "texmode_independent", NULL};
      if (!parser->module->target) {
        parser->module->target = ptx_chip_name(parser, $1);
      } else if (!ptx_is_one_of($1, others) && strncmp($1, "sm_", 3) != 0) {
        ptx_yyerror(scanner, parser, "unknown target");
        YYERROR;
      }
    } ;

file: PTX_FILE PTX_INT PTX_STRING file_tail {
      for (const PtxFile *f = parser->module->files; f; f = f->next) {
        if (f->number != (int)$2) continue;
        ptx_yyerror(scanner, parser, "a second file of this number");
        YYERROR;
      }
      PtxFile *file = NEW(PtxFile);
      file->number = (int)$2;
      file->path = $3;
      file->next = parser->module->files;
      parser->module->files = file;
    } ;
file_tail: %empty | ',' PTX_INT | ',' PTX_INT ',' PTX_INT ;

linkage:
    %empty { $$ = 0; }
  | linkage PTX_LINKAGE { $$ = $1; }
  | linkage PTX_EXTERN { $$ = 1; }
  ;

entry_head:
    linkage PTX_ENTRY PTX_NAME opt_params {
      $$ = NEW(PtxFunction);
      $$->is_entry = true;
      $$->name = $3;
      $$->params = $4;
      $$->line = LINE;
    }
  | entry_head PTX_LIMIT int_list {
      const char *wrong = ptx_limit($1, $2, $3);
      if (wrong) {
        ptx_yyerror(scanner, parser, wrong);
        YYERROR;
      }
      $$ = $1;
    }
  | entry_head PTX_WORD opt_numbers {
      const char *wrong = ptx_note_directive($1, $2, $3);
      if (wrong) {
        ptx_yyerror(scanner, parser, wrong);
        YYERROR;
      }
      $$ = $1;
    }
  ;
opt_numbers: %empty { $$ = NULL; } | int_list ;
function_head:
    entry_head
  | linkage PTX_FUNC opt_results PTX_NAME opt_params {
      $$ = NEW(PtxFunction);
      $$->results = $3;
      $$->name = $4;
      $$->params = $5;
      $$->line = LINE;
    }
  ;
opt_results: %empty { $$ = NULL; } | '(' params ')' { $$ = $2; } ;
opt_params: %empty { $$ = NULL; } | '(' params ')' { $$ = $2; } ;
params: %empty { $$ = NULL; } | param_list ;
param_list:
    decl_head declarator { $$ = ptx_declare($1, $2); }
  | param_list ',' decl_head declarator {
      $$ = ptx_chain_vars($1, ptx_declare($3, $4));
    }
  ;
directives:
    %empty
  | directives PTX_NORETURN
  | directives PTX_ABI PTX_INT
  | directives pragma
  ;
pragma: PTX_PRAGMA strings ';' ;
strings: PTX_STRING | strings ',' PTX_STRING ;
int_list:
    PTX_INT { $$ = ptx_make_operand(parser, OPERAND_INT, NULL, $1); }
  | int_list ',' PTX_INT {
      $$ = ptx_chain_operands($1, ptx_make_operand(parser, OPERAND_INT, NULL, $3));
    }
  ;

var: decl_head declarators { $$ = ptx_declare($1, $2); } ;
decl_head:
    PTX_SPACE { $$ = NEW(PtxVar); $$->space = $1; $$->line = LINE; }
  | decl_head PTX_SPACE { $$ = $1; }
  | decl_head PTX_ALIGN PTX_INT {
      // Behind .ptr the word describes the target of the pointer.
      if (!$1->is_pointer) {
        $1->align = $3;
        $1->has_align = true;
      }
      $$ = $1;
    }
  | decl_head PTX_WORD { ptx_apply_word($1, $2); $$ = $1; }
  | decl_head PTX_ATTRIBUTE '(' attributes ')'
  ;
attributes: attribute | attributes ',' attribute ;
attribute: PTX_WORD | PTX_WORD '(' int_list ')' ;
declarators:
    declarator
  | declarators ',' declarator { $$ = ptx_chain_vars($1, $3); }
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
      // A size of 0 means the same as none.
      $1->size = ($1->size ? $1->size : 1) * ($3 ? $3 : -1);
      $$ = $1;
    }
  | declarator '[' ']' { $1->size = -1; $$ = $1; }
  | declarator '=' initial { $1->initial = $3; $$ = $1; }
  ;
initial:
    value
  | generic
  | PTX_INT '(' value ')' { $$ = $3; $$->mask = $1; }
  | PTX_INT '(' generic ')' { $$ = $3; $$->mask = $1; }
  | '{' opt_initials '}' { $$ = ptx_make_list(parser, OPERAND_VECTOR, $2); }
  ;
/* generic(name): here it is the name's own address. */
generic:
    PTX_NAME '(' PTX_NAME ')' {
      $$ = ptx_make_operand(parser, OPERAND_NAME, $3, 0);
    }
  | PTX_NAME '(' PTX_NAME ')' '+' PTX_INT {
      $$ = ptx_make_operand(parser, OPERAND_NAME, $3, $6);
    }
  ;
opt_initials: %empty { $$ = NULL; } | initials ;
initials:
    initial { $$ = $1; $$->last = $1; }
  | initials ',' initial {
      $1->last->next = $3;
      $1->last = $3;
      $$ = $1;
    }
  ;

/* A range, L<3>, is L0, L1 and L2. */
labels: label_range | labels ',' label_range { $$ = ptx_chain_operands($1, $3); } ;
label_range:
    PTX_NAME { $$ = ptx_make_operand(parser, OPERAND_NAME, $1, 0); }
  | PTX_NAME '<' PTX_INT '>' {
      $$ = ptx_make_range(parser, $1, $3);
      if (!$$) {
        ptx_yyerror(scanner, parser, "no range of labels");
        YYERROR;
      }
    }
  ;

stmts: %empty { $$ = NULL; } | stmts stmt { $$ = ptx_chain_stmts($1, $2); } ;
stmt:
    '{' stmts '}' {
      PtxStmt *open = ptx_make_stmt(parser, STMT_OPEN, LINE);
      $$ = ptx_chain_stmts(ptx_chain_stmts(open, $2),
                         ptx_make_stmt(parser, STMT_CLOSE, LINE));
    }
  | var ';' { $$ = ptx_make_stmt(parser, STMT_VAR, LINE); $$->vars = $1; }
  | PTX_NAME ':' { $$ = ptx_make_stmt(parser, STMT_LABEL, LINE); $$->name = $1; }
  | PTX_NAME ':' PTX_CALLPROTOTYPE opt_results PTX_SINK opt_params directives
    ';' {
      $$ = ptx_make_stmt(parser, STMT_PROTOTYPE, LINE);
      $$->name = $1;
    }
  | PTX_NAME ':' PTX_BRANCHTARGETS labels ';' {
      $$ = ptx_make_stmt(parser, STMT_PROTOTYPE, LINE);
      $$->name = $1;
      $$->operands = $4;
    }
  | PTX_LOC PTX_INT PTX_INT PTX_INT loc_tail {
      $$ = ptx_make_stmt(parser, STMT_LOC, LINE);
      $$->loc = (PtxLoc){(int)$2, (int)$3, (int)$4};
      $$->inlined_at = $5;
    }
  | pragma { $$ = NULL; }
  | file { $$ = NULL; }
  | instruction
  | '@' PTX_NAME instruction { $$ = $3; $$->guard = $2; }
  | '@' '!' PTX_NAME instruction {
      $$ = $4;
      $$->guard = $3;
      $$->guard_not = true;
    }
  ;
loc_tail:
    %empty { $$ = (PtxLoc){0}; }
  | ',' PTX_NAME PTX_NAME loc_offset ',' PTX_NAME PTX_INT PTX_INT PTX_INT {
      $$ = (PtxLoc){(int)$7, (int)$8, (int)$9};
    }
  ;
loc_offset: %empty | '+' PTX_INT ;

instruction:
    PTX_NAME modifiers opt_operands ';' {
      $$ = ptx_make_stmt(parser, STMT_INST, LINE);
      $$->name = $1;
      $$->modifiers = $2;
      $$->operands = $3;
    }
  | PTX_CALL modifiers call_operands ';' {
      $$ = ptx_make_stmt(parser, STMT_INST, LINE);
      $$->name = "call";
      $$->modifiers = $2;
      $$->operands = $3;
    }
  ;
/* Of calls only: elsewhere parentheses are those of expressions. */
call_operands:
    call_operand { $$ = $1; $$->last = $1; }
  | call_operands ',' call_operand {
      $1->last->next = $3;
      $1->last = $3;
      $$ = $1;
    }
  ;
call_operand:
    PTX_NAME { $$ = ptx_make_operand(parser, OPERAND_NAME, $1, 0); }
  | '(' call_list ')' { $$ = ptx_make_list(parser, OPERAND_LIST, $2); }
  ;
call_list: %empty { $$ = NULL; } | values ;
modifiers:
    %empty { $$ = NULL; }
  | modifiers modifier {
      PtxWord *word = NEW(PtxWord);
      word->text = $2;
      $$ = ptx_chain_words($1, word);
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
  | pair_name '|' pair_name {
      $1->next = $3;
      $$ = ptx_make_list(parser, OPERAND_PAIR, $1);
    }
  | '!' PTX_NAME {
      $$ = ptx_make_operand(parser, OPERAND_NAME, $2, 0);
      $$->negated = true;
    }
  | '[' address_list ']' { $$ = ptx_make_list(parser, OPERAND_ADDRESS, $2); }
  | '{' values '}' { $$ = ptx_make_list(parser, OPERAND_VECTOR, $2); }
  ;
pair_name:
    PTX_NAME { $$ = ptx_make_operand(parser, OPERAND_NAME, $1, 0); }
  | PTX_SINK { $$ = ptx_make_operand(parser, OPERAND_NAME, "_", 0); }
  ;
address_list:
    value
  | address_list ',' value { $$ = ptx_chain_operands($1, $3); }
  | address_list ',' '{' values '}' {
      $$ = ptx_chain_operands($1, ptx_make_list(parser, OPERAND_VECTOR, $4));
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
  | PTX_NAME '[' expr ']' {
      $$ = ptx_make_operand(parser, OPERAND_ELEMENT, $1, $3->value);
    }
  ;
value:
    PTX_NAME { $$ = ptx_make_operand(parser, OPERAND_NAME, $1, 0); }
  | PTX_SINK { $$ = ptx_make_operand(parser, OPERAND_NAME, "_", 0); }
  | PTX_NAME PTX_WORD {
      $$ = ptx_make_operand(parser, OPERAND_NAME,
                        pool_print(parser->module->pool, "%s.%s", $1, $2), 0);
    }
  | PTX_NAME '+' expr %prec LOW {
      $$ = ptx_make_operand(parser, OPERAND_NAME, $1, $3->value);
    }
  | expr %prec LOW
  | PTX_SINGLE { $$ = ptx_make_float(parser, $1, true, false); }
  | PTX_DOUBLE { $$ = ptx_make_float(parser, $1, false, false); }
  | '-' PTX_SINGLE { $$ = ptx_make_float(parser, $2, true, true); }
  | '-' PTX_DOUBLE { $$ = ptx_make_float(parser, $2, false, true); }
  ;
expr:
    PTX_INT {
      $$ = ptx_make_operand(parser, OPERAND_INT, NULL, $1);
      $$->is_unsigned = $1 < 0;
    }
  | '(' expr ')' { $$ = $2; }
  | '(' PTX_WORD ')' expr %prec UNARY {
      $$ = $4;
      $$->is_unsigned = $2[0] == 'u';
    }
  | '-' expr %prec UNARY { if (!($$ = ptx_fold(parser, LINE, '-', $2, NULL))) YYERROR; }
  | '+' expr %prec UNARY { $$ = $2; }
  | '~' expr %prec UNARY { if (!($$ = ptx_fold(parser, LINE, '~', $2, NULL))) YYERROR; }
  | '!' expr %prec UNARY { if (!($$ = ptx_fold(parser, LINE, '!', $2, NULL))) YYERROR; }
  | expr '*' expr { if (!($$ = ptx_fold(parser, LINE, '*', $1, $3))) YYERROR; }
  | expr '/' expr { if (!($$ = ptx_fold(parser, LINE, '/', $1, $3))) YYERROR; }
  | expr '%' expr { if (!($$ = ptx_fold(parser, LINE, '%', $1, $3))) YYERROR; }
  | expr '+' expr { if (!($$ = ptx_fold(parser, LINE, '+', $1, $3))) YYERROR; }
  | expr '-' expr { if (!($$ = ptx_fold(parser, LINE, '-', $1, $3))) YYERROR; }
  | expr PTX_SHL expr { if (!($$ = ptx_fold(parser, LINE, PTX_SHL, $1, $3))) YYERROR; }
  | expr PTX_SHR expr { if (!($$ = ptx_fold(parser, LINE, PTX_SHR, $1, $3))) YYERROR; }
  | expr '<' expr { if (!($$ = ptx_fold(parser, LINE, '<', $1, $3))) YYERROR; }
  | expr '>' expr { if (!($$ = ptx_fold(parser, LINE, '>', $1, $3))) YYERROR; }
  | expr PTX_LE expr { if (!($$ = ptx_fold(parser, LINE, PTX_LE, $1, $3))) YYERROR; }
  | expr PTX_GE expr { if (!($$ = ptx_fold(parser, LINE, PTX_GE, $1, $3))) YYERROR; }
  | expr PTX_EQ expr { if (!($$ = ptx_fold(parser, LINE, PTX_EQ, $1, $3))) YYERROR; }
  | expr PTX_NE expr { if (!($$ = ptx_fold(parser, LINE, PTX_NE, $1, $3))) YYERROR; }
  | expr '&' expr { if (!($$ = ptx_fold(parser, LINE, '&', $1, $3))) YYERROR; }
  | expr '^' expr { if (!($$ = ptx_fold(parser, LINE, '^', $1, $3))) YYERROR; }
  | expr '|' expr { if (!($$ = ptx_fold(parser, LINE, '|', $1, $3))) YYERROR; }
  | expr PTX_AND expr { if (!($$ = ptx_fold(parser, LINE, PTX_AND, $1, $3))) YYERROR; }
  | expr PTX_OR expr { if (!($$ = ptx_fold(parser, LINE, PTX_OR, $1, $3))) YYERROR; }
  | expr '?' expr ':' expr { $$ = $1->value ? $3 : $5; }
  ;
%%
