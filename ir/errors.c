// errors.c -- which message of the table a diagnostic is.
#include "ir/errors.h"

#include "ir/text.h"

static const DiagMessage messages[] = {
#define SECTION(title)
#define ERROR(id, format) {#id, ERROR_##id},
#define NOTE(id, format)  {#id, NOTE_##id},
#include "ir/errors.def"
};

const char *ir_error_id(const Diag *diag) {
  return diag_message_id(diag, messages, sizeof messages / sizeof *messages);
}
