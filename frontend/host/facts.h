// facts.h -- what host code stands for.
#ifndef TILE_FRONTEND_HOST_NAMES_H
#define TILE_FRONTEND_HOST_NAMES_H

#include "frontend/core/walk.h"

// Is the GLOBAL the result of a call of host code?
bool host_computes(Walk *w, const Symbol *symbol);
// The function of the language with the last part of `name`, and a warning;
// NULL if there is none, with nothing said.
const Object *host_function(Walk *w, const char *name, SrcLoc use);

// What every machine that Triton runs on answers: "sys.version_info" and the
// like; NULL: it is none of these.
const Object *host_fact(Walk *w, const char *dotted);
// A release by `packaging`: a tuple of numbers whose first three are `.major`,
// `.minor` and `.micro`, together `.release`.
const Object *host_version(Walk *w, int count, const Object *const *numbers);
// `x.name` of such a thing of the host; NULL: there is none.
const Object *host_attribute(Walk *w, const Object *x, const char *name);
// The release of Triton whose language this is.
const Object *language_version(Walk *w);

// Is the dotted name of a module that is part of Python?
bool host_is_library(const char *dotted);
// Of a package that kernels' files use for what runs on the host?
bool host_is_package(const char *dotted);
// A function of Python's own that kernels do not have.
bool host_has_builtin(const char *name);
// A name of Python's module `math`.
bool host_has_math(const char *name);

#endif
