// doc_tables.h -- tables in a document that are printed from .def files.
//
// A table stands between the lines `<!-- NAME -->` and `<!-- end -->`.
#ifndef TILE_TESTS_DOC_TABLES_H
#define TILE_TESTS_DOC_TABLES_H

#include "ir/base/str.h"

typedef struct {
  const char *name;
  void (*add)(Str *out);
} DocTable;

// The main function; returns its exit code:
//   PROGRAM NAME            prints that table; without a name, the first
//   PROGRAM --check FILE    0 if FILE contains all tables as printed
int doc_tables_main(int argc, char **argv, const DocTable *tables, int count);

#endif
