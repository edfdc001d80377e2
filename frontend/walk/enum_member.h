// enum_member.h -- members of an Enum, as opposed to their values.
#ifndef TILE_FRONTEND_ENUM_MEMBER_H
#define TILE_FRONTEND_ENUM_MEMBER_H

#include "frontend/core/walk.h"

// The value of `class.name`: `value`, which the body of the class assigns to
// `name` and which may be NULL, marked as a member if the class is an Enum.
const Object *enum_member(Walk *w, const Symbol *class, const char *name,
                          const Object *value);
// `value` of the symbol, marked as a member of an Enum if the symbol is
// `class.name`, or an alias of it: `X = class.name`.
const Object *enum_named(Walk *w, const Symbol *symbol, const Object *value);
// `x.value` of a constant.
const Object *enum_value(Walk *w, const Object *x);

#endif
