// program_files.c -- the list of a program's files.
#include "frontend/frontend.h"
#include "frontend/module/program.h"

// The program's file of this index: first files that were lexed, then files
// that were only followed.
static const AstFile *file_at(const Program *program, int index, int *count) {
  const int num_lexed = (int)program->lexed.count;
  *count = num_lexed;
  if (index < num_lexed && index >= 0) return program->lexed.items[index];
  for (size_t i = 0; i < program->followed.count; i++) {
    const AstFile *file = program->followed.items[i];
    if (!file->is_lexed && (*count)++ == index) return file;
  }
  return NULL;
}

int frontend_num_files(const Program *program) {
  int count;
  file_at(program, -1, &count);
  return count;
}

const char *frontend_file(const Program *program, int index) {
  int count;
  return file_at(program, index, &count)->source.name;
}
