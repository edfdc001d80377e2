// ptx_parser.h -- between the scanner and the grammar of PTX.
#ifndef TILE_SIMULATOR_PTX_PARSER_H
#define TILE_SIMULATOR_PTX_PARSER_H

#include "runtime/simulator/ptx.h"

typedef struct PtxParser {
  PtxModule *module;
  PtxError *error;
  bool failed;
} PtxParser;

typedef union PtxValue {
  const char *text;
  int64_t integer;
  double number;
  PtxWord *words;
  PtxOperand *operand;
  PtxVar *var;
  PtxStmt *stmt;
  PtxFunction *function;
} PtxValue;

#endif
