// facts.h -- what host code stands for.
#ifndef TILE_FRONTEND_HOST_NAMES_H
#define TILE_FRONTEND_HOST_NAMES_H

#include "frontend/core/walk.h"

// Is the GLOBAL the result of a call of host code?
bool host_computes(Walk *w, const Symbol *symbol);
// The module of Triton as which a call imports the GLOBAL; NULL if none does.
const char *host_imported(Walk *w, const Symbol *symbol);
// The function of the language with the last part of `name`, and a warning;
// NULL if there is none, with nothing said.
const Object *host_function(Walk *w, const char *name, SrcLoc use);

#endif
