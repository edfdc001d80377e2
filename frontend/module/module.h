// module.h -- the door of this room for the statements of modules: decorators,
// import statements, and the files and modules that they refer to.
#ifndef TILE_FRONTEND_MODULE_H
#define TILE_FRONTEND_MODULE_H

#include "frontend/module/decorator.h"
#include "frontend/module/find_file.h"
#include "frontend/module/follow_imports.h"
#include "frontend/module/import_statement.h"
#include "frontend/module/star_imports.h"
#include "frontend/module/triton_modules.h"

#endif
