// module.h -- the door of this room for the statements of modules: decorators,
// import statements, and the files and modules that they refer to.
#ifndef TILE_FRONTEND_MODULE_H
#define TILE_FRONTEND_MODULE_H

#include "frontend/module/decorator.h"
#include "frontend/module/find_file.h"
#include "frontend/module/follow_imports.h"
#include "frontend/module/import_statement.h"
#include "frontend/module/triton_modules.h"

// Does `from module import *` fail, because the module or a name of its
// `__all__` is missing?  (star_imports.c)
bool star_fails(Program *program, AstFile *file, const Import *import);

#endif
