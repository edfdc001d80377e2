// facts.h -- what every machine that Triton runs on answers.
#ifndef TILE_FRONTEND_PYTHON_FACTS_H
#define TILE_FRONTEND_PYTHON_FACTS_H

#include "frontend/core/walk.h"

// The value of a host fact, such as "sys.version_info", that is the same on all
// machines on which Triton runs; NULL: no such fact is known.
const Object *host_fact(Walk *w, const char *dotted);
// A release by `packaging`: a tuple of numbers whose first three are `.major`,
// `.minor` and `.micro`, together `.release`.
const Object *host_version(Walk *w, int count, const Object *const *numbers);
// `x.name` of such a thing of the host; NULL: there is none.
const Object *host_attribute(Walk *w, const Object *x, const char *name);
// The release of Triton whose language this is.
const Object *language_version(Walk *w);

#endif
