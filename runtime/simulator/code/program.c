// program.c -- look-up in a loaded program, by name or number.
#include <string.h>

#include "runtime/simulator/code/code.h"

const char *program_file(const PtxProgram *program, int number) {
  for (const PtxFile *f = program->ptx.files; f; f = f->next) {
    if (f->number == number) return f->path;
  }
  return NULL;
}

// Unused addresses, one for each name.
uint64_t function_address(const PtxProgram *program, const char *name) {
  uint64_t address = UINT64_C(4) << 40;
  for (const PtxFunction *f = program->ptx.functions; f; f = f->next) {
    address += 16;
    if (f->is_entry || strcmp(f->name, name) != 0) continue;
    return f->alias_of ? function_address(program, f->alias_of->name) : address;
  }
  return 0;
}

Code *program_find(const PtxProgram *program, const char *name) {
  for (Code *code = program->kernels; code; code = code->next) {
    if (strcmp(code->name, name) == 0) return code;
  }
  return NULL;
}
