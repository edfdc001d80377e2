// ptx.c -- parses PTX text.
#include "runtime/simulator/ptx/ptx.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/simulator/ptx/parser.h"

#include "runtime/simulator/ptx/ptx.tab.h"
#define YYSTYPE PTX_YYSTYPE // the name in flex
#include "runtime/simulator/ptx/ptx.yy.h"

bool ptx_error(PtxError *error, int line, const char *format, ...) {
  if (*error->text) return false;
  int used = 0;
  if (line > 0)
    used = snprintf(error->text, sizeof error->text, "line %d: error: ", line);
  va_list args;
  va_start(args, format);
  vsnprintf(error->text + used, sizeof error->text - (size_t)used, format,
            args);
  va_end(args);
  return false;
}

bool ptx_parse(const char *text, PtxModule *module, PtxError *error) {
  PtxParser parser = {.module = module, .error = error};
  yyscan_t scanner;
  if (ptx_yylex_init_extra(&parser, &scanner))
    return ptx_error(error, 0, "out of memory");
  ptx_yy_scan_bytes(text, (int)strlen(text), scanner);
  ptx_yyset_lineno(1, scanner);
  const bool ok = ptx_yyparse(scanner, &parser) == 0 && !parser.failed;
  ptx_yylex_destroy(scanner);
  if (!ok) ptx_error(error, 0, "syntax error");
  assert((ok || *error->text) && "a failure without a message"); // I3
  return ok && (module->target || ptx_error(error, 0, "no .target directive"));
}

int ptx_chip(const char *target, const char **suffix) {
  char *end;
  if (strncmp(target, "sm_", 3) != 0) return 0;
  const int number = (int)strtol(target + 3, &end, 10);
  *suffix = end;
  return number;
}
