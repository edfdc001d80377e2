// enum_member.h -- members of an Enum, which are told from their values.
#ifndef TILE_FRONTEND_ENUM_MEMBER_H
#define TILE_FRONTEND_ENUM_MEMBER_H

#include "frontend/core/walk.h"

// What `class.name` is whose line gives `value`, which may be NULL.
const Object *enum_member(Walk *w, const Symbol *class, const char *name,
                          const Object *value);
// What a name means whose symbol has `value`: `X = class.name` may have made
// it.
const Object *enum_named(Walk *w, const Symbol *symbol, const Object *value);
// `x.value` of a constant.
const Object *enum_value(Walk *w, const Object *x);

#endif
