// errors.c -- which message of the table a diagnostic is.
#include "passes/errors.h"

#include "passes/pass.h"

static const DiagMessage messages[] = {
#define SECTION(title)
#define ERROR(id, format)  {#id, ERROR_##id},
#define REMARK(id, format) {#id, REMARK_##id},
#include "passes/errors.def"
};

const char *pass_error_id(const Diag *diag) {
  return diag_message_id(diag, messages, sizeof messages / sizeof *messages);
}
