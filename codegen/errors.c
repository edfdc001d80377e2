// errors.c -- which message of the table a diagnostic is.
#include "codegen/errors.h"

#include "codegen/codegen.h"

static const DiagMessage messages[] = {
#define SECTION(title)
#define ERROR(id, format)   {#id, ERROR_##id},
#define WARNING(id, format) {#id, WARNING_##id},
#define NOTE(id, format)    {#id, NOTE_##id},
#include "codegen/errors.def"
};

const char *codegen_error_id(const Diag *diag) {
  return diag_message_id(diag, messages, sizeof messages / sizeof *messages);
}
