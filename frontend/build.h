// build.h -- what the actions of the grammar call to make the tree.
//
// Lists grow as vectors and end up as plain arrays in the nodes.  What Python's
// grammar leaves to a later check (targets, order of arguments, depth) is
// checked here.
#ifndef TILE_FRONTEND_BUILD_H
#define TILE_FRONTEND_BUILD_H

#include "frontend/ast.h"
#include "ir/base/vec.h"

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
typedef Vec(TextSpan) SpanVec;

TextSpan span_join(TextSpan first, TextSpan last);
TextSpan span_after(TextSpan previous);
SrcLoc span_loc(const Parser *parser, TextSpan span);

// build_expr.c

Expr *build_expr(Parser *parser, ExprKind kind, TextSpan span);
Expr *build_name(Parser *parser, TextSpan span, const char *name);
Expr *build_bool(Parser *parser, TextSpan span, bool truth);
Expr *build_attribute(Parser *parser, TextSpan span, Expr *object,
                      const char *name, TextSpan name_span);
Expr *build_subscript(Parser *parser, TextSpan span, Expr *object, Expr *index);
Expr *build_slice(Parser *parser, TextSpan span, Expr *lower, Expr *upper,
                  Expr *step);
Expr *build_call(Parser *parser, TextSpan span, Expr *callee,
                 const ArgVec *args);
void build_arg(Parser *parser, ArgVec *args, TextSpan span, CallArg arg);
Expr *build_unary(Parser *parser, TextSpan span, UnaryOperator op,
                  Expr *operand);
Expr *build_binary(Parser *parser, TextSpan span, Expr *left, Operator op,
                   TextSpan op_span, Expr *right);
Expr *build_compare(Parser *parser, TextSpan span, Expr *left,
                    CompareOperator op, TextSpan op_span, Expr *right);
Expr *build_logic(Parser *parser, TextSpan span, ExprKind kind, Expr *left,
                  Expr *right);
Expr *build_if_expr(Parser *parser, TextSpan span, Expr *condition, Expr *then,
                    Expr *otherwise);
Expr *build_starred(Parser *parser, TextSpan span, Expr *operand);

// build_compound.c

// One item and no trailing comma is the item itself, else a tuple.
Expr *build_tuple(Parser *parser, TextSpan span, const ExprVec *items,
                  bool trailing_comma);
Expr *build_targets(Parser *parser, TextSpan span, const ExprVec *items,
                    bool trailing_comma);
Expr *build_sequence(Parser *parser, TextSpan span, ExprKind kind,
                     const ExprVec *items); // NULL: empty
Expr *build_parens(Parser *parser, TextSpan span, Expr *inner);
Expr *build_dict(Parser *parser, TextSpan span, const DictVec *items);
Expr *build_lambda(Parser *parser, TextSpan span, const ParamVec *params,
                   Expr *body);
Expr *build_comprehension(Parser *parser, TextSpan span, CompKind kind,
                          Expr *key, Expr *value, const ForVec *fors);
ComprehensionFor make_comp_for(Parser *parser, Expr *target, Expr *iterable,
                               const ExprVec *conditions, bool is_async);
Expr *build_named(Parser *parser, TextSpan span, Expr *target, Expr *value);
Expr *build_pointer_pointer(Parser *parser, TextSpan span, Expr *inner);
// Reports what cannot be assigned to.
void check_target(Parser *parser, const Expr *target);
// Makes `expr` deeper than `child` (may be NULL) and keeps the limit.
void deepen(Parser *parser, Expr *expr, const Expr *child);

// literal.c, fstring.c

Expr *build_int(Parser *parser, TextSpan span);
Expr *build_float(Parser *parser, TextSpan span);
Expr *build_imaginary(Parser *parser, TextSpan span);
// One or more adjacent strings.
Expr *build_string(Parser *parser, TextSpan span, const SpanVec *pieces);
// Appends the decoded bytes [begin, end) of the source.
void decode_text(Parser *parser, uint32_t begin, uint32_t end, bool raw,
                 bool is_bytes, TextSpan piece, Str *out);
Expr *build_fstring(Parser *parser, TextSpan span, const SpanVec *pieces);

// build_stmt.c

Stmt *build_stmt(Parser *parser, StmtKind kind, TextSpan span);
Stmt *build_expr_stmt(Parser *parser, TextSpan span, Expr *expr);
Stmt *build_assign(Parser *parser, TextSpan span, const ExprVec *chain);
Stmt *build_aug_assign(Parser *parser, TextSpan span, Expr *target, Operator op,
                       TextSpan op_span, Expr *value);
Stmt *build_ann_assign(Parser *parser, TextSpan span, Expr *target,
                       Expr *annotation, Expr *value);
Stmt *build_return(Parser *parser, TextSpan span, Expr *value);
Stmt *build_assert(Parser *parser, TextSpan span, Expr *condition,
                   Expr *message);
Stmt *build_unsupported(Parser *parser, TextSpan span);
Stmt *build_if(Parser *parser, TextSpan span, const BranchVec *branches,
               const StmtVec *otherwise);
void build_branch(Parser *parser, BranchVec *branches, TextSpan span,
                  Expr *condition, const StmtVec *body);
Stmt *build_for(Parser *parser, TextSpan span, Expr *target, Expr *iterable,
                const StmtVec *body, const StmtVec *otherwise);
Stmt *build_while(Parser *parser, TextSpan span, Expr *condition,
                  const StmtVec *body, const StmtVec *otherwise);
Stmt *build_with(Parser *parser, TextSpan span, const WithVec *items,
                 const StmtVec *body);
void build_append(Parser *parser, StmtVec *to, const StmtVec *from);

// build_function.c

AstParam *make_param(Parser *parser, ParamKind kind, const char *name,
                     TextSpan span, Expr *annotation, TextSpan annotation_span,
                     Expr *value);
void build_param(Parser *parser, ParamVec *params, const AstParam *param);
ParamVec finish_params(const ParamVec *params);
void build_function(Parser *parser, const char *name, TextSpan name_span,
                    const ParamVec *params, Expr *returns, const StmtVec *body);

#endif
