// errors.c -- which message of the table a diagnostic is.
#include "frontend/errors.h"

#include "frontend/frontend.h"

#include <string.h>

typedef struct {
  const char *id, *format;
} Message;

static const Message messages[] = {
#define SECTION(title)
#define ERROR(id, format) {#id, ERROR_##id},
#include "frontend/errors.def"
};

const char *frontend_error_id(const Diag *diag) {
  if (!diag->format) return NULL;
  for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
    if (!strcmp(messages[i].format, diag->format)) return messages[i].id;
  }
  return NULL;
}
