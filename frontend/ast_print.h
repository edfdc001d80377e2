// ast_print.h -- what the printers of trees share.
#ifndef TILE_FRONTEND_AST_PRINT_H
#define TILE_FRONTEND_AST_PRINT_H

#include "frontend/ast.h"

void ast_print_expr(const Expr *expr, Str *out);
// The shortest text that reads as the same number and as no integer.
void ast_print_float(double number, Str *out);

#endif
