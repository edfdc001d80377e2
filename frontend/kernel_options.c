// kernel_options.c -- what a kernel is compiled with besides its arguments,
// warps and stages.
#include "frontend/decorator.h"
#include "frontend/errors.h"
#include "frontend/parameters.h"

#include <string.h>

// What the configuration says of an option; NULL: nothing.
static const ConfigItem *find_option(const Parameters *p, const char *name) {
  const ConfigItem *item = config_item(p->config, name);
  const bool none = item && item->value && item->value->kind == OBJECT_NONE;
  return item && !none ? item : config_parameter(p->config, name);
}

static bool is_on(const Parameters *p, const char *name, SrcLoc loc,
                  const Object *value) {
  if (!value) diag_warning(p->w->diags, loc, WARNING_option_computed, name);
  return value && constant_truth(value);
}

// `debug` of @jit, if it is there; else NULL.
static const Expr *decorator_debug(const AstFunction *f, const Decorator **of) {
  for (int i = 0; i < f->num_decorators; i++) {
    const Decorator *d = &f->decorators[i];
    if (!d->name || !decorator_compiles(d->name)) continue;
    const Expr *value = decorator_option(d, "debug", -1);
    *of = d;
    return value != d->expr ? value : NULL;
  }
  return NULL;
}

static bool debugs(const Parameters *p) {
  if (p->w->spec->debug) return p->w->spec->debug > 0;
  const ConfigItem *item = find_option(p, "debug");
  if (item) return is_on(p, item->name, item->loc, item->value);
  const Decorator *d;
  const Expr *value = decorator_debug(p->kernel, &d);
  return value && is_on(p, "debug", value->loc,
                        decorator_constant(p->w, p->kernel, d->name, value));
}

void kernel_options_read(Parameters *p) {
  p->w->debugs = debugs(p);
}
