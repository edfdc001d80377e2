// errors.c -- the messages of all layers, and the id of a diagnostic.
#include "runtime/errors.h"

static const DiagMessage messages[] = {
#define SECTION(title)
#define ERROR(id, format)   {#id, format},
#define WARNING(id, format) {#id, format},
#define NOTE(id, format)    {#id, format},
#include "frontend/errors.def"
#define SECTION(title)
#define ERROR(id, format)  {#id, format},
#define REMARK(id, format) {#id, format},
#include "passes/errors.def"
#define SECTION(title)
#define ERROR(id, format)   {#id, format},
#define WARNING(id, format) {#id, format},
#define NOTE(id, format)    {#id, format},
#include "codegen/errors.def"
#define SECTION(title)
#define ERROR(id, format) {#id, format},
#define NOTE(id, format)  {#id, format},
#include "ir/errors.def"
#define SECTION(title)
#define ERROR(id, format)   {#id, format},
#define WARNING(id, format) {#id, format},
#include "runtime/errors.def"
};

const char *message_id(const Diag *diag) {
  return diag_message_id(diag, messages, sizeof messages / sizeof *messages);
}
