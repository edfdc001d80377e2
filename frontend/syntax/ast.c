// ast.c -- names of the kinds of nodes and operators.
#include "frontend/syntax/ast.h"

const char *const expr_kind_text[EXPR_COUNT] = {
#define EXPR(kind, text) text,
#include "frontend/syntax/ast.def"
};

const char *const stmt_kind_text[STMT_COUNT] = {
#define STMT(kind, text, word) text,
#include "frontend/syntax/ast.def"
};

const char *const param_stars[PARAM_COUNT] = {
#define PARAM(kind, stars, word) stars,
#include "frontend/syntax/ast.def"
};

const char *const operator_text[OPERATOR_COUNT] = {
#define OPERATOR(kind, text, level, method) text,
#include "frontend/syntax/ast.def"
};

const char *const unary_text[UNARY_COUNT] = {
#define UNARY(kind, text) text,
#include "frontend/syntax/ast.def"
};

const char *const compare_text[COMPARE_COUNT] = {
#define COMPARE(kind, text, method) text,
#include "frontend/syntax/ast.def"
};

const char *const operator_method[OPERATOR_COUNT] = {
#define OPERATOR(kind, text, level, method) method,
#include "frontend/syntax/ast.def"
};

const char *const compare_method[COMPARE_COUNT] = {
#define COMPARE(kind, text, method) method,
#include "frontend/syntax/ast.def"
};
