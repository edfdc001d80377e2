// errors.c -- which message of the tables a diagnostic is.
#include "runtime/errors.h"

#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "ir/text.h"
#include "passes/pass.h"

static const DiagMessage messages[] = {
#define SECTION(title)
#define ERROR(id, format)   {#id, ERROR_##id},
#define WARNING(id, format) {#id, WARNING_##id},
#include "runtime/errors.def"
};

const char *message_id(const Diag *diag) {
  const char *id = frontend_error_id(diag);
  if (!id) id = pass_error_id(diag);
  if (!id) id = codegen_error_id(diag);
  if (!id) id = ir_error_id(diag);
  return id ? id
            : diag_message_id(diag, messages,
                              sizeof messages / sizeof *messages);
}
