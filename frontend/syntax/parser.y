// parser.y -- the grammar of functions and expressions.
//
// The parser gets one function or one expression of a file at a time, as tokens
// from feed.c, in which statements of host code are folded into one token each.
// The actions are in tree_*.c.

%code requires {
#include "frontend/syntax/tree.h"
}

%code provides {
int grammar_lex(GRAMMAR_STYPE *value, TextSpan *span, Parser *parser);
}

%code {
#include "frontend/syntax/parser.h"

// A token has one number here and elsewhere.
_Static_assert((int)GRAMMAR_END == (int)TOKEN_END, "the end");
#define TOKEN(kind)                                                            \
  _Static_assert((int)GRAMMAR_##kind == (int)TOKEN_##kind, #kind);
#include "frontend/syntax/token.def"

static void grammar_error(const TextSpan *span, Parser *parser,
                          const char *message);

#define YYMAXDEPTH 10000
#define YYSTACK_ALLOC(size)                                                    \
  arena_alloc(parser->arena, (size), 1, alignof(max_align_t))
#define YYSTACK_ALLOC_MAXIMUM ((size_t)1 << 30)

#define YYLLOC_DEFAULT(current, rhs, count)                                    \
  ((current) = (count) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, count))     \
                       : span_after(YYRHSLOC(rhs, 0)))
}

%define api.prefix {grammar_}
%define api.token.prefix {GRAMMAR_}
%define api.pure full
%define api.location.type {TextSpan}
%define parse.error custom
%define lr.default-reduction consistent
%locations
%expect 0
%param {Parser *parser}

%union {
  const char *name;
  Expr *expr;
  Stmt *stmt;
  AstParam *param;
  CallArg arg;
  DictItem dict_item;
  ComprehensionFor comp_for;
  WithItem with_item;
  Operator op;
  CompareOperator compare;
  ExprVec exprs;
  StmtVec stmts;
  ParamVec params;
  ArgVec args;
  DictVec dict;
  ForVec fors;
  WithVec withs;
  BranchVec branches;
  SpanVec spans;
  HandlerVec handlers;
  ExceptHandler handler;
  NameVec names;
}

%token END 0 "the end of the file"
%token INVALID "invalid text"
%token START_FUNCTION START_EXPR START_STATEMENTS
%token UNSUPPORTED UNSUPPORTED_BLOCK
%token NEWLINE "the end of the line"
%token INDENT "indentation"
%token DEDENT "the end of the block"
%token <name> NAME "a name"
%token INT "an integer" FLOAT "a number" IMAGINARY "an imaginary number"
%token STRING "a string" FSTRING "an f-string"

%token FALSE "'False'" NONE "'None'" TRUE "'True'" AND "'and'" AS "'as'"
%token ASSERT "'assert'" ASYNC "'async'" AWAIT "'await'" BREAK "'break'"
%token CLASS "'class'" CONTINUE "'continue'" DEF "'def'" DEL "'del'"
%token ELIF "'elif'" ELSE "'else'" EXCEPT "'except'" FINALLY "'finally'"
%token FOR "'for'" FROM "'from'" GLOBAL "'global'" IF "'if'"
%token IMPORT "'import'" IN "'in'" IS "'is'" LAMBDA "'lambda'"
%token NONLOCAL "'nonlocal'" NOT "'not'" OR "'or'" PASS "'pass'"
%token RAISE "'raise'" RETURN "'return'" TRY "'try'" WHILE "'while'"
%token WITH "'with'" YIELD "'yield'"

%token LPAREN "'('" RPAREN "')'" LBRACKET "'['" RBRACKET "']'"
%token LBRACE "'{'" RBRACE "'}'" COMMA "','" COLON "':'" WALRUS "':='"
%token DOT "'.'" ELLIPSIS "'...'" SEMICOLON "';'" AT "'@'" ASSIGN "'='"
%token ARROW "'->'" PLUS "'+'" MINUS "'-'" STAR "'*'" SLASH "'/'"
%token FLOORDIV "'//'" PERCENT "'%'" POWER "'**'" SHL "'<<'" SHR "'>>'"
%token AMPERSAND "'&'" BAR "'|'" CARET "'^'" TILDE "'~'" LT "'<'" GT "'>'"
%token LE "'<='" GE "'>='" EQ "'=='" NE "'!='"
%token PLUS_ASSIGN "'+='" MINUS_ASSIGN "'-='" STAR_ASSIGN "'*='"
%token AT_ASSIGN "'@='" SLASH_ASSIGN "'/='" FLOORDIV_ASSIGN "'//='"
%token PERCENT_ASSIGN "'%='" POWER_ASSIGN "'**='" SHL_ASSIGN "'<<='"
%token SHR_ASSIGN "'>>='" AMPERSAND_ASSIGN "'&='" BAR_ASSIGN "'|='"
%token CARET_ASSIGN "'^='"

%left OR
%left AND
%precedence NOT
%left BAR
%left CARET
%left AMPERSAND
%left SHL SHR
%left PLUS MINUS
%left STAR SLASH FLOORDIV PERCENT AT
%precedence UNARY
%right POWER

%type <stmts> block statements simple_line small_list else_opt
%type <stmt> small compound definition
%type <handlers> handlers
%type <handler> handler
%type <names> names
%type <exprs> decorators
%type <branches> branches
%type <exprs> assign_chain comma_list conditions
%type <expr> returns_opt star_list star_item named test test_opt or_test
%type <expr> comparison arith primary atom target_list index slice
%type <expr> annotation annotation_opt default_opt string lambda yield
%type <exprs> index_list target_items
%type <op> aug_op
%type <compare> compare_op
%type <args> args arg_list
%type <arg> arg
%type <params> params param_list lambda_params lambda_list
%type <param> param lambda_param
%type <dict> dict_list
%type <dict_item> dict_item
%type <fors> comprehension
%type <comp_for> comp_for
%type <withs> with_list
%type <with_item> with_item
%type <spans> strings

%%

start:
  START_FUNCTION DEF NAME LPAREN params RPAREN returns_opt COLON block
    { tree_function(parser, $3, @3, &$5, $7, &$9); }
| START_STATEMENTS statements END
    { parser->function->body = (StmtList){$2.items, (int)$2.count}; }
| START_EXPR star_list END { parser->result = $2; }
| START_EXPR star_list ASSIGN END { parser->result = $2; parser->debug = true; }
;

returns_opt: %empty { $$ = NULL; } | ARROW test { $$ = $2; } ;

/* Parameters */

params:
  %empty { $$ = (ParamVec){0}; }
| param_list
| param_list COMMA
;
param_list:
  param { $$ = (ParamVec){0}; tree_param(parser, &$$, $1); }
| param_list COMMA param { $$ = $1; tree_param(parser, &$$, $3); }
;
param:
  NAME annotation_opt default_opt
    { $$ = tree_make_param(parser, PARAM_NORMAL, $1, @1, $2, @2, $3); }
| STAR NAME annotation_opt
    { $$ = tree_make_param(parser, PARAM_STAR, $2, @2, $3, @3, NULL); }
| POWER NAME annotation_opt
    { $$ = tree_make_param(parser, PARAM_DOUBLE_STAR, $2, @2, $3, @3, NULL); }
| STAR { $$ = tree_make_param(parser, PARAM_STAR, NULL, @1, NULL, @1, NULL); }
| SLASH
    { $$ = tree_make_param(parser, PARAM_POSITIONAL_ONLY, NULL, @1, NULL, @1, NULL); }
;
annotation_opt: %empty { $$ = NULL; } | COLON annotation { $$ = $2; @$ = @2; } ;
annotation:
  test
| STAR annotation { $$ = tree_one(parser, @$, EXPR_STARRED, $2); }
| POWER annotation { $$ = tree_pointer_pointer(parser, @$, $2); }
;
default_opt: %empty { $$ = NULL; } | ASSIGN test { $$ = $2; } ;

lambda_params:
  %empty { $$ = (ParamVec){0}; }
| lambda_list
| lambda_list COMMA
;
lambda_list:
  lambda_param { $$ = (ParamVec){0}; tree_param(parser, &$$, $1); }
| lambda_list COMMA lambda_param { $$ = $1; tree_param(parser, &$$, $3); }
;
lambda_param:
  NAME default_opt
    { $$ = tree_make_param(parser, PARAM_NORMAL, $1, @1, NULL, @1, $2); }
| STAR NAME { $$ = tree_make_param(parser, PARAM_STAR, $2, @2, NULL, @2, NULL); }
| POWER NAME
    { $$ = tree_make_param(parser, PARAM_DOUBLE_STAR, $2, @2, NULL, @2, NULL); }
| STAR { $$ = tree_make_param(parser, PARAM_STAR, NULL, @1, NULL, @1, NULL); }
| SLASH
    { $$ = tree_make_param(parser, PARAM_POSITIONAL_ONLY, NULL, @1, NULL, @1, NULL); }
;

/* Statements */

block:
  simple_line
| NEWLINE INDENT statements DEDENT { $$ = $3; }
;
statements:
  simple_line
| compound { $$ = (StmtVec){0}; vec_push(parser->arena, &$$, $1); }
| statements simple_line { $$ = $1; tree_append(parser, &$$, &$2); }
| statements compound { $$ = $1; vec_push(parser->arena, &$$, $2); }
;
simple_line:
  small_list NEWLINE
| small_list SEMICOLON NEWLINE
| error NEWLINE
    { $$ = (StmtVec){0}; yyerrok; parser->recovered_at = @2.end; }
| INDENT { report_indentation(parser, @1); } statements DEDENT { $$ = $3; }
;
small_list:
  small { $$ = (StmtVec){0}; vec_push(parser->arena, &$$, $1); }
| small_list SEMICOLON small { $$ = $1; vec_push(parser->arena, &$$, $3); }
;
small:
  star_list { $$ = tree_expr_stmt(parser, @$, $1); }
| assign_chain { $$ = tree_assign(parser, @$, &$1); }
| star_list aug_op star_list
    { $$ = tree_aug_assign(parser, @$, $1, $2, @2, $3); }
| test COLON test { $$ = tree_ann_assign(parser, @$, $1, $3, NULL); }
| test COLON test ASSIGN star_list
    { $$ = tree_ann_assign(parser, @$, $1, $3, $5); }
| RETURN { $$ = tree_return(parser, @$, NULL); }
| RETURN star_list { $$ = tree_return(parser, @$, $2); }
| PASS { $$ = tree_stmt(parser, STMT_PASS, @$); }
| BREAK { $$ = tree_stmt(parser, STMT_BREAK, @$); }
| CONTINUE { $$ = tree_stmt(parser, STMT_CONTINUE, @$); }
| ASSERT test { $$ = tree_assert(parser, @$, $2, NULL); }
| ASSERT test COMMA test { $$ = tree_assert(parser, @$, $2, $4); }
| UNSUPPORTED { $$ = tree_unsupported(parser, @1); }
| RAISE { $$ = tree_raise(parser, @$, NULL, NULL); }
| RAISE test { $$ = tree_raise(parser, @$, $2, NULL); }
| RAISE test FROM test { $$ = tree_raise(parser, @$, $2, $4); }
| GLOBAL names { $$ = tree_scope(parser, @$, &$2, true); }
| NONLOCAL names { $$ = tree_scope(parser, @$, &$2, false); }
| DEL star_list { $$ = tree_del(parser, @$, $2); }
;
assign_chain:
  star_list ASSIGN star_list
    { $$ = (ExprVec){0}; vec_push(parser->arena, &$$, $1);
      vec_push(parser->arena, &$$, $3); }
| assign_chain ASSIGN star_list
    { $$ = $1; vec_push(parser->arena, &$$, $3); }
;
aug_op:
  PLUS_ASSIGN { $$ = OPERATOR_ADD; }
| MINUS_ASSIGN { $$ = OPERATOR_SUB; }
| STAR_ASSIGN { $$ = OPERATOR_MUL; }
| AT_ASSIGN { $$ = OPERATOR_MATMUL; }
| SLASH_ASSIGN { $$ = OPERATOR_DIV; }
| FLOORDIV_ASSIGN { $$ = OPERATOR_FLOORDIV; }
| PERCENT_ASSIGN { $$ = OPERATOR_MOD; }
| POWER_ASSIGN { $$ = OPERATOR_POW; }
| SHL_ASSIGN { $$ = OPERATOR_SHL; }
| SHR_ASSIGN { $$ = OPERATOR_SHR; }
| AMPERSAND_ASSIGN { $$ = OPERATOR_AND; }
| BAR_ASSIGN { $$ = OPERATOR_OR; }
| CARET_ASSIGN { $$ = OPERATOR_XOR; }
;
compound:
  branches else_opt { $$ = tree_if(parser, @$, &$1, &$2); }
| FOR target_list IN star_list COLON block else_opt
    { $$ = tree_for(parser, @$, $2, $4, &$6, &$7); }
| WHILE named COLON block else_opt
    { $$ = tree_while(parser, @$, $2, &$4, &$5); }
| WITH with_list COLON block { $$ = tree_with(parser, @$, &$2, &$4); }
| TRY COLON block
    { const WithVec none = {0}; $$ = tree_with(parser, @$, &none, &$3); }
| TRY COLON block handlers else_opt
    { const StmtVec none = {0};
      $$ = tree_try(parser, @$, &$3, &$4, &$5, &none); }
| TRY COLON block handlers else_opt FINALLY COLON block
    { $$ = tree_try(parser, @$, &$3, &$4, &$5, &$8); }
| TRY COLON block FINALLY COLON block
    { const HandlerVec none = {0}; const StmtVec nothing = {0};
      $$ = tree_try(parser, @$, &$3, &none, &nothing, &$6); }
| definition
| decorators definition { $$ = tree_decorated(&$1, $2); }
| UNSUPPORTED_BLOCK { $$ = tree_unsupported(parser, @1); }
;
definition:
  DEF NAME LPAREN params RPAREN returns_opt COLON block
    { $$ = tree_def(parser, @$, $2, @2, &$4, $6, &$8); }
| CLASS NAME COLON block
    { const ArgVec none = {0}; $$ = tree_class(parser, @$, $2, &none, &$4); }
| CLASS NAME LPAREN args RPAREN COLON block
    { $$ = tree_class(parser, @$, $2, &$4, &$7); }
;
decorators:
  AT named NEWLINE { $$ = (ExprVec){0}; vec_push(parser->arena, &$$, $2); }
| decorators AT named NEWLINE { $$ = $1; vec_push(parser->arena, &$$, $3); }
;
handlers:
  handler { $$ = (HandlerVec){0}; vec_push(parser->arena, &$$, $1); }
| handlers handler { $$ = $1; vec_push(parser->arena, &$$, $2); }
;
handler:
  EXCEPT COLON block { $$ = tree_handler(NULL, NULL, &$3); }
| EXCEPT test COLON block { $$ = tree_handler($2, NULL, &$4); }
| EXCEPT test AS NAME COLON block { $$ = tree_handler($2, $4, &$6); }
;
names:
  NAME { $$ = (NameVec){0}; vec_push(parser->arena, &$$, $1); }
| names COMMA NAME { $$ = $1; vec_push(parser->arena, &$$, $3); }
;
branches:
  IF named COLON block
    { $$ = (BranchVec){0}; tree_branch(parser, &$$, @1, $2, &$4); }
| branches ELIF named COLON block
    { $$ = $1; tree_branch(parser, &$$, @2, $3, &$5); }
;
else_opt: %empty { $$ = (StmtVec){0}; } | ELSE COLON block { $$ = $3; } ;
with_list:
  with_item { $$ = (WithVec){0}; vec_push(parser->arena, &$$, $1); }
| with_list COMMA with_item { $$ = $1; vec_push(parser->arena, &$$, $3); }
;
with_item:
  test { $$ = (WithItem){$1, NULL}; }
| test AS primary
    { $$ = (WithItem){$1, $3}; tree_check_target(parser, $3); }
;

/* Lists of expressions */

star_list:
  comma_list { $$ = tree_tuple(parser, @$, &$1, false); }
| comma_list COMMA { $$ = tree_tuple(parser, @$, &$1, true); }
;
comma_list:
  star_item { $$ = (ExprVec){0}; vec_push(parser->arena, &$$, $1); }
| comma_list COMMA star_item { $$ = $1; vec_push(parser->arena, &$$, $3); }
;
star_item:
  named
| STAR arith { $$ = tree_one(parser, @$, EXPR_STARRED, $2); }
;
target_list:
  target_items { $$ = tree_targets(parser, @$, &$1, false); }
| target_items COMMA { $$ = tree_targets(parser, @$, &$1, true); }
;
target_items:
  arith { $$ = (ExprVec){0}; vec_push(parser->arena, &$$, $1); }
| target_items COMMA arith { $$ = $1; vec_push(parser->arena, &$$, $3); }
;

/* Expressions */

named:
  test
| test WALRUS test { $$ = tree_named(parser, @$, $1, @2, $3); }
| yield
;
test:
  or_test
| or_test IF or_test ELSE test { $$ = tree_if_expr(parser, @$, $3, $1, $5); }
| lambda
;
yield:
  YIELD { $$ = tree_one(parser, @$, EXPR_YIELD, NULL); }
| YIELD test { $$ = tree_one(parser, @$, EXPR_YIELD, $2); }
| YIELD FROM test
    { $$ = tree_one(parser, @$, EXPR_YIELD,
                    parser->is_host
                        ? tree_one(parser, @3, EXPR_STARRED, $3) : $3); }
;
test_opt: %empty { $$ = NULL; } | test ;
lambda:
  LAMBDA lambda_params COLON test { $$ = tree_lambda(parser, @$, &$2, $4); }
;
or_test:
  comparison
| or_test OR or_test { $$ = tree_logic(parser, @$, EXPR_OR, $1, $3); }
| or_test AND or_test { $$ = tree_logic(parser, @$, EXPR_AND, $1, $3); }
| NOT or_test { $$ = tree_unary(parser, @$, UNARY_NOT, $2); }
;
comparison:
  arith
| comparison compare_op arith
    { $$ = tree_compare(parser, @$, $1, $2, @2, $3); }
;
compare_op:
  LT { $$ = COMPARE_LT; }
| LE { $$ = COMPARE_LE; }
| GT { $$ = COMPARE_GT; }
| GE { $$ = COMPARE_GE; }
| EQ { $$ = COMPARE_EQ; }
| NE { $$ = COMPARE_NE; }
| IS { $$ = COMPARE_IS; }
| IS NOT { $$ = COMPARE_IS_NOT; }
| IN { $$ = COMPARE_IN; }
| NOT IN { $$ = COMPARE_NOT_IN; }
;
arith:
  primary
| arith BAR arith { $$ = tree_binary(parser, @$, $1, OPERATOR_OR, @2, $3); }
| arith CARET arith { $$ = tree_binary(parser, @$, $1, OPERATOR_XOR, @2, $3); }
| arith AMPERSAND arith
    { $$ = tree_binary(parser, @$, $1, OPERATOR_AND, @2, $3); }
| arith SHL arith { $$ = tree_binary(parser, @$, $1, OPERATOR_SHL, @2, $3); }
| arith SHR arith { $$ = tree_binary(parser, @$, $1, OPERATOR_SHR, @2, $3); }
| arith PLUS arith { $$ = tree_binary(parser, @$, $1, OPERATOR_ADD, @2, $3); }
| arith MINUS arith { $$ = tree_binary(parser, @$, $1, OPERATOR_SUB, @2, $3); }
| arith STAR arith { $$ = tree_binary(parser, @$, $1, OPERATOR_MUL, @2, $3); }
| arith AT arith { $$ = tree_binary(parser, @$, $1, OPERATOR_MATMUL, @2, $3); }
| arith SLASH arith { $$ = tree_binary(parser, @$, $1, OPERATOR_DIV, @2, $3); }
| arith FLOORDIV arith
    { $$ = tree_binary(parser, @$, $1, OPERATOR_FLOORDIV, @2, $3); }
| arith PERCENT arith
    { $$ = tree_binary(parser, @$, $1, OPERATOR_MOD, @2, $3); }
| arith POWER arith { $$ = tree_binary(parser, @$, $1, OPERATOR_POW, @2, $3); }
| MINUS arith %prec UNARY { $$ = tree_unary(parser, @$, UNARY_NEG, $2); }
| PLUS arith %prec UNARY { $$ = tree_unary(parser, @$, UNARY_POS, $2); }
| TILDE arith %prec UNARY { $$ = tree_unary(parser, @$, UNARY_INVERT, $2); }
| AWAIT primary { $$ = tree_one(parser, @$, EXPR_AWAIT, $2); }
;
primary:
  atom
| primary DOT NAME { $$ = tree_attribute(parser, @$, $1, $3, @3); }
| primary LBRACKET index RBRACKET { $$ = tree_subscript(parser, @$, $1, $3); }
| primary LPAREN args RPAREN { $$ = tree_call(parser, @$, $1, &$3); }
;
atom:
  NAME { $$ = tree_name(parser, @$, $1); }
| INT { $$ = tree_int(parser, @$); }
| FLOAT { $$ = tree_float(parser, @$); }
| IMAGINARY { $$ = tree_imaginary(parser, @$); }
| string
| NONE { $$ = tree_expr(parser, EXPR_NONE, @$); }
| TRUE { $$ = tree_bool(parser, @$, true); }
| FALSE { $$ = tree_bool(parser, @$, false); }
| ELLIPSIS { $$ = tree_expr(parser, EXPR_ELLIPSIS, @$); }
| LPAREN RPAREN { $$ = tree_sequence(parser, @$, EXPR_TUPLE, NULL); }
| LPAREN star_list RPAREN { $$ = tree_parens(parser, @$, $2); }
| LPAREN named comprehension RPAREN
    { $$ = tree_comprehension(parser, @$, COMP_GENERATOR, NULL, $2, &$3); }
| LBRACKET RBRACKET { $$ = tree_sequence(parser, @$, EXPR_LIST, NULL); }
| LBRACKET comma_list RBRACKET
    { $$ = tree_sequence(parser, @$, EXPR_LIST, &$2); }
| LBRACKET comma_list COMMA RBRACKET
    { $$ = tree_sequence(parser, @$, EXPR_LIST, &$2); }
| LBRACKET named comprehension RBRACKET
    { $$ = tree_comprehension(parser, @$, COMP_LIST, NULL, $2, &$3); }
| LBRACE RBRACE { $$ = tree_dict(parser, @$, NULL); }
| LBRACE dict_list RBRACE { $$ = tree_dict(parser, @$, &$2); }
| LBRACE dict_list COMMA RBRACE { $$ = tree_dict(parser, @$, &$2); }
| LBRACE comma_list RBRACE { $$ = tree_sequence(parser, @$, EXPR_SET, &$2); }
| LBRACE comma_list COMMA RBRACE
    { $$ = tree_sequence(parser, @$, EXPR_SET, &$2); }
| LBRACE named comprehension RBRACE
    { $$ = tree_comprehension(parser, @$, COMP_SET, NULL, $2, &$3); }
| LBRACE test COLON test comprehension RBRACE
    { $$ = tree_comprehension(parser, @$, COMP_DICT, $2, $4, &$5); }
;
string: strings { $$ = tree_string(parser, @$, &$1); } ;
strings:
  STRING { $$ = (SpanVec){0}; vec_push(parser->arena, &$$, @1); }
| FSTRING { $$ = (SpanVec){0}; vec_push(parser->arena, &$$, @1); }
| strings STRING { $$ = $1; vec_push(parser->arena, &$$, @2); }
| strings FSTRING { $$ = $1; vec_push(parser->arena, &$$, @2); }
;

index:
  index_list { $$ = tree_tuple(parser, @$, &$1, false); }
| index_list COMMA { $$ = tree_tuple(parser, @$, &$1, true); }
;
index_list:
  slice { $$ = (ExprVec){0}; vec_push(parser->arena, &$$, $1); }
| index_list COMMA slice { $$ = $1; vec_push(parser->arena, &$$, $3); }
;
slice:
  star_item
| COLON test_opt { $$ = tree_slice(parser, @$, NULL, $2, NULL); }
| COLON test_opt COLON test_opt { $$ = tree_slice(parser, @$, NULL, $2, $4); }
| test COLON test_opt { $$ = tree_slice(parser, @$, $1, $3, NULL); }
| test COLON test_opt COLON test_opt
    { $$ = tree_slice(parser, @$, $1, $3, $5); }
;

args: %empty { $$ = (ArgVec){0}; } | arg_list | arg_list COMMA ;
arg_list:
  arg { $$ = (ArgVec){0}; tree_arg(parser, &$$, @1, $1); }
| arg_list COMMA arg { $$ = $1; tree_arg(parser, &$$, @3, $3); }
;
arg:
  named { $$ = (CallArg){.kind = ARG_POSITIONAL, .value = $1}; }
| NAME ASSIGN test { $$ = (CallArg){ARG_KEYWORD, $1, {0}, $3}; }
| STAR test { $$ = (CallArg){.kind = ARG_STAR, .value = $2}; }
| POWER test { $$ = (CallArg){.kind = ARG_DOUBLE_STAR, .value = $2}; }
| named comprehension
    { $$ = (CallArg){.kind = ARG_POSITIONAL};
      $$.value = tree_comprehension(parser, @$, COMP_GENERATOR, NULL, $1, &$2);
    }
;

dict_list:
  dict_item { $$ = (DictVec){0}; vec_push(parser->arena, &$$, $1); }
| dict_list COMMA dict_item { $$ = $1; vec_push(parser->arena, &$$, $3); }
;
dict_item:
  test COLON test { $$ = (DictItem){$1, $3}; }
| POWER arith { $$ = (DictItem){NULL, $2}; }
;

comprehension:
  comp_for { $$ = (ForVec){0}; vec_push(parser->arena, &$$, $1); }
| comprehension comp_for { $$ = $1; vec_push(parser->arena, &$$, $2); }
;
comp_for:
  FOR target_list IN or_test conditions
    { $$ = tree_make_for(parser, $2, $4, &$5, false); }
| ASYNC FOR target_list IN or_test conditions
    { $$ = tree_make_for(parser, $3, $5, &$6, true); }
;
conditions:
  %empty { $$ = (ExprVec){0}; }
| conditions IF or_test { $$ = $1; vec_push(parser->arena, &$$, $3); }
;

%%

static void grammar_error(const TextSpan *span, Parser *parser,
                          const char *message) {
  (void)message; // for example, the stack is full
  report_too_deep(parser, *span, AST_MAX_DEPTH);
}

// The parser's action in `state` for a token: > 0 shift, < 0 reduce, 0 error.
static int action_of(yy_state_t state, yysymbol_kind_t token) {
  const int at = yypact[state];
  if (yypact_value_is_default(at)) return -yydefact[state];
  const int entry = at + token;
  if (entry < 0 || entry > YYLAST || yycheck[entry] != token) {
    return -yydefact[state];
  }
  return yytable_value_is_error(yytable[entry]) ? 0 : yytable[entry];
}

static yy_state_t goto_of(yy_state_t state, int rule) {
  const int left = yyr1[rule] - YYNTOKENS;
  const int entry = yypgoto[left] + state;
  const bool listed =
      0 <= entry && entry <= YYLAST && yycheck[entry] == state;
  return (yy_state_t)(listed ? yytable[entry] : yydefgoto[left]);
}

// Does the parser reach the point of shifting `token`?  The tables alone may
// accept a token wrongly, since states share their lookaheads.
static bool accepts(const yypcontext_t *context, yysymbol_kind_t token) {
  enum { MAX_PUSHED = 64 };
  const yy_state_t *real = context->yyssp;
  yy_state_t pushed[MAX_PUSHED];
  int count = 0;
  while (count < MAX_PUSHED) {
    const int action = action_of(count ? pushed[count - 1] : *real, token);
    if (action >= 0) return action > 0;
    const int length = yyr2[-action];
    const int from_pushed = length < count ? length : count;
    count -= from_pushed;
    real -= length - from_pushed;
    pushed[count] = goto_of(count ? pushed[count - 1] : *real, -action);
    count++;
  }
  return true;
}

static int yyreport_syntax_error(const yypcontext_t *context, Parser *parser) {
  yysymbol_kind_t kinds[YYNTOKENS];
  const int count = yypcontext_expected_tokens(context, kinds, YYNTOKENS);
  const char *expected[YYNTOKENS];
  int num_expected = 0;
  for (int i = 0; i < count; i++) {
    if (!accepts(context, kinds[i])) continue;
    expected[num_expected++] = yysymbol_name(kinds[i]);
  }
  report_syntax_error(parser, *yypcontext_location(context), expected,
                      num_expected);
  return 0;
}

const char *token_kind_name(int kind) {
  return yysymbol_name(YYTRANSLATE(kind));
}
