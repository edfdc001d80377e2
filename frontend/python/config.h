// config.h -- triton.Config, as a value of host code.
#ifndef TILE_FRONTEND_PYTHON_CONFIG_H
#define TILE_FRONTEND_PYTHON_CONFIG_H

#include "frontend/core/walk.h"

// The fields of such a value, in order.
enum {
  CONFIG_KWARGS,
  CONFIG_NUM_WARPS,
  CONFIG_NUM_STAGES,
  CONFIG_NUM_CTAS,
  CONFIG_MAXNREG,
  CONFIG_PRE_HOOK,
  CONFIG_IR_OVERRIDE,
  CONFIG_GIVEN, // a bit for each of those that the call gives
  NUM_CONFIG_FIELDS
};

// The parameter of triton.Config at that position; NULL: there is none.
const char *config_field(int position);
bool object_is_config(const Object *x);
const Object *call_config(Walk *w, SrcLoc loc, const Arguments *args);

#endif
