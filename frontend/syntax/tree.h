// tree.h -- functions by which the actions of the grammar build the tree.
//
// Lists are vectors while they grow, and plain arrays in the nodes.  These
// functions check rules that are not in the grammar: targets, order of
// arguments, depth.
#ifndef TILE_FRONTEND_TREE_H
#define TILE_FRONTEND_TREE_H

#include "frontend/syntax/ast.h"
#include "ir/base/base.h"

typedef struct Parser Parser;

// A range of the source, as the grammar sees locations.
typedef struct {
  uint32_t begin, end;
  uint32_t line, column; // of `begin`
  uint32_t token;        // index of the first token
  bool multiline;
} TextSpan;

typedef Vec(Expr *) ExprVec;
typedef Vec(Stmt *) StmtVec;
typedef Vec(AstParam) ParamVec;
typedef Vec(CallArg) ArgVec;
typedef Vec(DictItem) DictVec;
typedef Vec(ComprehensionFor) ForVec;
typedef Vec(WithItem) WithVec;
typedef Vec(IfBranch) BranchVec;
typedef Vec(ExceptHandler) HandlerVec;
typedef Vec(const char *) NameVec;
typedef Vec(TextSpan) SpanVec;

TextSpan span_join(TextSpan first, TextSpan last);
TextSpan span_after(TextSpan previous);
SrcLoc span_loc(const Parser *parser, TextSpan span);

// -- tree_expr.c -------------------------------------------------------------

Expr *tree_expr(Parser *parser, ExprKind kind, TextSpan span);
Expr *tree_name(Parser *parser, TextSpan span, const char *name);
Expr *tree_bool(Parser *parser, TextSpan span, bool truth);
Expr *tree_attribute(Parser *parser, TextSpan span, Expr *object,
                     const char *name, TextSpan name_span);
Expr *tree_subscript(Parser *parser, TextSpan span, Expr *object, Expr *index);
Expr *tree_slice(Parser *parser, TextSpan span, Expr *lower, Expr *upper,
                 Expr *step);
Expr *tree_call(Parser *parser, TextSpan span, Expr *callee,
                const ArgVec *args);
void tree_arg(Parser *parser, ArgVec *args, TextSpan span, CallArg arg);
Expr *tree_unary(Parser *parser, TextSpan span, UnaryOperator op,
                 Expr *operand);
Expr *tree_binary(Parser *parser, TextSpan span, Expr *left, Operator op,
                  TextSpan op_span, Expr *right);
Expr *tree_compare(Parser *parser, TextSpan span, Expr *left,
                   CompareOperator op, TextSpan op_span, Expr *right);
Expr *tree_logic(Parser *parser, TextSpan span, ExprKind kind, Expr *left,
                 Expr *right);
Expr *tree_if_expr(Parser *parser, TextSpan span, Expr *condition, Expr *then,
                   Expr *otherwise);
Expr *tree_one(Parser *parser, TextSpan span, ExprKind kind, Expr *operand);

// -- tree_compound.c ---------------------------------------------------------

// One item without a trailing comma is the item itself; otherwise a tuple.
Expr *tree_tuple(Parser *parser, TextSpan span, const ExprVec *items,
                 bool trailing_comma);
Expr *tree_targets(Parser *parser, TextSpan span, const ExprVec *items,
                   bool trailing_comma);
Expr *tree_sequence(Parser *parser, TextSpan span, ExprKind kind,
                    const ExprVec *items); // NULL: empty
Expr *tree_parens(Parser *parser, TextSpan span, Expr *inner);
Expr *tree_dict(Parser *parser, TextSpan span, const DictVec *items);
Expr *tree_lambda(Parser *parser, TextSpan span, const ParamVec *params,
                  Expr *body);
Expr *tree_comprehension(Parser *parser, TextSpan span, CompKind kind,
                         Expr *key, Expr *value, const ForVec *fors);
ComprehensionFor tree_make_for(Parser *parser, Expr *target, Expr *iterable,
                               const ExprVec *conditions, bool is_async);
Expr *tree_named(Parser *parser, TextSpan span, Expr *target, TextSpan op_span,
                 Expr *value);
Expr *tree_pointer_pointer(Parser *parser, TextSpan span, Expr *inner);
// Reports an expression that cannot be assigned to.
void tree_check_target(Parser *parser, const Expr *target);
// Makes `expr` one level deeper than `child` (may be NULL), and checks the
// limit.
void tree_deepen(Parser *parser, Expr *expr, const Expr *child);

// -- literal.c, fstring.c ----------------------------------------------------

Expr *tree_int(Parser *parser, TextSpan span);
Expr *tree_float(Parser *parser, TextSpan span);
Expr *tree_imaginary(Parser *parser, TextSpan span);
// The value of one or more adjacent strings.
Expr *tree_string(Parser *parser, TextSpan span, const SpanVec *pieces);
// The form of a string literal: `prefix` bytes of letters, then `quotes` bytes
// of quotes, and as many of these at its end.
typedef struct {
  uint32_t prefix, quotes;
  bool raw, is_bytes;
} StringForm;
StringForm string_form(const char *text, uint32_t length);
// Appends the decoded bytes [begin, end) of the source.
void literal_decode(Parser *parser, uint32_t begin, uint32_t end, bool raw,
                    bool is_bytes, TextSpan piece, Str *out);
Expr *tree_fstring(Parser *parser, TextSpan span, const SpanVec *pieces);

// -- tree_stmt.c -------------------------------------------------------------

Stmt *tree_stmt(Parser *parser, StmtKind kind, TextSpan span);
Stmt *tree_expr_stmt(Parser *parser, TextSpan span, Expr *expr);
Stmt *tree_assign(Parser *parser, TextSpan span, const ExprVec *chain);
Stmt *tree_aug_assign(Parser *parser, TextSpan span, Expr *target, Operator op,
                      TextSpan op_span, Expr *value);
Stmt *tree_ann_assign(Parser *parser, TextSpan span, Expr *target,
                      Expr *annotation, Expr *value);
Stmt *tree_return(Parser *parser, TextSpan span, Expr *value);
Stmt *tree_assert(Parser *parser, TextSpan span, Expr *condition,
                  Expr *message);
Stmt *tree_unsupported(Parser *parser, TextSpan span);
Stmt *tree_if(Parser *parser, TextSpan span, const BranchVec *branches,
              const StmtVec *otherwise);
void tree_branch(Parser *parser, BranchVec *branches, TextSpan span,
                 Expr *condition, const StmtVec *body);
Stmt *tree_for(Parser *parser, TextSpan span, Expr *target, Expr *iterable,
               const StmtVec *body, const StmtVec *otherwise);
Stmt *tree_while(Parser *parser, TextSpan span, Expr *condition,
                 const StmtVec *body, const StmtVec *otherwise);
Stmt *tree_with(Parser *parser, TextSpan span, const WithVec *items,
                const StmtVec *body);
void tree_append(Parser *parser, StmtVec *to, const StmtVec *from);
static inline StmtList tree_list(const StmtVec *statements) {
  return (StmtList){statements->items, (int)statements->count};
}

// -- tree_host.c -------------------------------------------------------------

Stmt *tree_def(Parser *parser, TextSpan span, const char *name,
               TextSpan name_span, const ParamVec *params, Expr *returns,
               const StmtVec *body);
Stmt *tree_class(Parser *parser, TextSpan span, const char *name,
                 const ArgVec *args, const StmtVec *body);
Stmt *tree_decorated(const ExprVec *decorators, Stmt *stmt);
Stmt *tree_try(Parser *parser, TextSpan span, const StmtVec *body,
               const HandlerVec *handlers, const StmtVec *otherwise,
               const StmtVec *finally);
Stmt *tree_raise(Parser *parser, TextSpan span, Expr *error, Expr *cause);
Stmt *tree_scope(Parser *parser, TextSpan span, const NameVec *names,
                 bool is_global);
Stmt *tree_del(Parser *parser, TextSpan span, Expr *targets);
ExceptHandler tree_handler(Expr *type, const char *name, const StmtVec *body);

// -- tree_function.c ---------------------------------------------------------

AstParam *tree_make_param(Parser *parser, ParamKind kind, const char *name,
                          TextSpan span, Expr *annotation,
                          TextSpan annotation_span, Expr *value);
void tree_param(Parser *parser, ParamVec *params, const AstParam *param);
ParamVec tree_finish_params(const ParamVec *params);
void tree_function(Parser *parser, const char *name, TextSpan name_span,
                   const ParamVec *params, Expr *returns, const StmtVec *body);

#endif
