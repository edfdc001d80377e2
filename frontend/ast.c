// ast.c -- names of the kinds of nodes and operators, and numbers as text.
#include "frontend/ast_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const expr_kind_text[EXPR_COUNT] = {
#define EXPR(kind, text) text,
#include "frontend/ast.def"
};

const char *const stmt_kind_text[STMT_COUNT] = {
#define STMT(kind, text) text,
#include "frontend/ast.def"
};

const char *const operator_text[OPERATOR_COUNT] = {
#define OPERATOR(kind, text, level) text,
#include "frontend/ast.def"
};

const char *const unary_text[UNARY_COUNT] = {
#define UNARY(kind, text) text,
#include "frontend/ast.def"
};

const char *const compare_text[COMPARE_COUNT] = {
#define COMPARE(kind, text) text,
#include "frontend/ast.def"
};

void ast_print_float(double number, Str *out) {
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  if (strchr(text, 'e') && number >= 1 && number < 1e15) {
    snprintf(text, sizeof text, "%.1f", number); // as all of 1000.0
  }
  char *point = strchr(text, ','); // some locales'
  if (point) *point = '.';
  str_add(out, text);
  if (!strpbrk(text, ".enai")) str_add(out, ".0");
}
