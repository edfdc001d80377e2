// find_file.h -- finds the files of modules.
#ifndef TILE_FRONTEND_FIND_FILE_H
#define TILE_FRONTEND_FIND_FILE_H

#include "frontend/module/program.h"

// The list for errors of a function that is parsed now, since it is parsed only
// once.
DiagList *program_audience(Program *program, DiagList *diags);
// All these functions return NULL if there is no file.  `folder` ends with '/'
// or is "".  A file that is only located may not have been read.
AstFile *locate_in_folder(Program *program, const char *folder,
                          const char *dotted);
AstFile *file_in_folder(Program *program, const char *folder,
                        const char *dotted);
// The file that `import` finds: beside `from`, around it, or on the given
// paths.
AstFile *file_absolute(Program *program, const AstFile *from,
                       const char *dotted);
AstFile *locate_absolute(Program *program, const AstFile *from,
                         const char *dotted);
// May the file be read?  Files that are read aside are limited in bytes; a file
// past that limit counts as one without side effects, like a missing file.
bool file_is_affordable(Program *program, const AstFile *file);
// The file that an import means, if it means a whole file.
AstFile *locate_import(Program *program, const AstFile *from,
                       const Import *import);
// The folder of a relative import; `from ..module` has level 2.
const char *folder_of_relative(Program *program, const AstFile *from,
                               int level);

#endif
