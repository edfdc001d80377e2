// host_name.h -- names of Python's library and of packages that files import.
#ifndef TILE_FRONTEND_HOST_NAME_H
#define TILE_FRONTEND_HOST_NAME_H

#include <stdbool.h>

// `c` of `a.b.c`; all of a name without dots.
const char *name_last_part(const char *dotted);
// Does the dotted name refer to a module of Python's library?
bool host_is_library(const char *dotted);
// Does the dotted name refer to a package that files with kernels use only on
// the host?
bool host_is_package(const char *dotted);
// Has Python a builtin function `name` that kernels lack?
bool host_has_builtin(const char *name);
// Is the name one of Python's module `math`?
bool host_has_math(const char *name);

#endif
