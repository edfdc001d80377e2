// host_name.h -- names of Python's own and of packages that files import.
#ifndef TILE_FRONTEND_HOST_NAME_H
#define TILE_FRONTEND_HOST_NAME_H

#include <stdbool.h>

// Is the dotted name of a module that is part of Python?
bool host_is_library(const char *dotted);
// Is it the dotted name of a package that files of kernels use only on the
// host?
bool host_is_package(const char *dotted);
// A function of Python's own that kernels do not have.
bool host_has_builtin(const char *name);
// A name of Python's module `math`.
bool host_has_math(const char *name);

#endif
