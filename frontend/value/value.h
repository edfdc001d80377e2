// value.h -- the door of this room: the values of names and expressions, and
// the tables that rooms above give to those below (Language, World).
#ifndef TILE_FRONTEND_VALUE_H
#define TILE_FRONTEND_VALUE_H

#include "frontend/value/argument.h"
#include "frontend/value/builtin.h"
#include "frontend/value/constant.h"
#include "frontend/value/dtype.h"
#include "frontend/value/format.h"
#include "frontend/value/host_name.h"
#include "frontend/value/host_type.h"
#include "frontend/value/language.h"
#include "frontend/value/launch_options.h"
#include "frontend/value/object.h"
#include "frontend/value/scope.h"
#include "frontend/value/symbol.h"
#include "frontend/value/words.h"
#include "frontend/value/world.h"

#endif
