// options.c -- options of a kernel beside its arguments, warps and stages.
#include "frontend/core/builtins.h"
#include "frontend/errors.h"
#include "frontend/kernel/parameters.h"
#include "frontend/module/module.h"
#include "frontend/value/value.h"

#include "ir/base/base.h"

#include <limits.h>
#include <string.h>

// The option in the configuration; NULL if that lacks it.
static const ConfigItem *find_option(const Parameters *p, const char *name) {
  const ConfigItem *item = config_item(p->config, name);
  const bool none = item && item->value && item->value->kind == OBJECT_NONE;
  return item && !none ? item : config_parameter(p->config, name);
}

static bool is_on(const Parameters *p, const char *name, SrcLoc loc,
                  const Object *value) {
  if (!value)
    diag_warning(p->w->diags, loc, WARNING_option_computed, name, "False");
  return value && constant_truth(value);
}

// The argument `debug` of @jit, or NULL.
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

// Is the option false in the configuration?
static bool is_off(const Parameters *p, const char *name) {
  const ConfigItem *item = find_option(p, name);
  if (!item) return false;
  if (item->value) return !constant_truth(item->value);
  diag_warning(p->w->diags, item->loc, WARNING_option_computed, name, "True");
  return false;
}

// The value of an option.  NULL: it is absent, None, or unknown, which is a
// warning.
static const Object *option_value(const Parameters *p, const char *name) {
  const ConfigItem *item = find_option(p, name);
  if (!item) return NULL;
  if (!item->value)
    diag_warning(p->w->diags, item->loc, WARNING_option_computed, item->name,
                 "None");
  return item->value && item->value->kind != OBJECT_NONE ? item->value : NULL;
}

void kernel_options_read(Parameters *p) {
  p->w->allowed_precisions = option_value(p, "allowed_dot_input_precisions");
  p->w->default_precision = option_value(p, "default_dot_input_precision");
  p->w->debugs = debugs(p);
  p->w->checks_overflow = p->w->debugs && !is_off(p, "sanitize_overflow");
}

// -- Attributes of the IR function -------------------------------------------

// Reads an option of the configuration, an integer of at least 1; if it is
// absent, `*out` stays.  False after a diagnostic.
static bool read_count(const Parameters *p, const char *name, int *out) {
  const ConfigItem *item = find_option(p, name);
  int64_t value;
  if (!item) return true;
  DiagList *diags = p->w->diags;
  if (!item->value) {
    diag_warning(diags, item->loc, WARNING_option_computed, name, "None");
    return true;
  }
  if (item->value->kind == OBJECT_NONE) return true;
  if (!object_constant_int(item->value, &value) || value < 1 || value > INT_MAX)
    return diag_error(diags, item->loc, ERROR_option_wants_count, name,
                      text_of(p->w, item->value));
  *out = (int)value;
  return true;
}

bool options_ctas(const Parameters *p, int *out) {
  *out = p->w->spec->num_ctas;
  if (!*out && !read_count(p, "num_ctas", out)) return false;
  if (!*out) *out = 1;
  return true;
}

static bool set_ctas(const Parameters *p) {
  int ctas;
  if (!options_ctas(p, &ctas)) return false;
  if (ctas == 1) return true;
  const ConfigItem *item = find_option(p, "num_ctas");
  const SrcLoc loc = item ? item->loc : p->kernel->loc;
  if (ctas > MAX_CLUSTER || (ctas & (ctas - 1)))
    return diag_error(p->w->diags, loc, ERROR_bad_num_ctas, MAX_CLUSTER, ctas);
  function_set_attr(p->w->function, (Attr){.key = ATTR_num_ctas, .as.i = ctas});
  return true;
}

// Has the option an effect here?
static bool is_heard(const char *name) {
  static const char *const heard[] = {
#define HEARD_OPTION(name) name,
#include "frontend/kernel/decorator_options.def"
  };
  return names_have(heard, sizeof heard / sizeof *heard, name);
}

static bool is_parameter(const Parameters *p, const char *name) {
  for (int i = 0; i < p->kernel->num_params; i++)
    if (!strcmp(p->kernel->params[i].name, name)) return true;
  return false;
}

static void warn_of_idle(const Parameters *p, const ConfigItems *items) {
  for (size_t i = 0; i < items->count; i++) {
    const ConfigItem *item = &items->items[i];
    const Object *x = item->value;
    const bool off = x && object_is_constant(x) && !constant_truth(x);
    if (off || is_heard(item->name) || !names_option(item->name) ||
        is_parameter(p, item->name))
      continue;
    diag_warning(p->w->diags, item->loc, WARNING_config_option_idle,
                 item->name);
  }
}

bool kernel_options_set(const Parameters *p) {
  Function *f = p->w->function;
  const Specialization *spec = p->w->spec;
  int most = 0;
  if (!set_ctas(p) || !read_count(p, "maxnreg", &most)) return false;
  if (spec->maxnreg) most = spec->maxnreg;
  if (most) function_set_attr(f, (Attr){.key = ATTR_maxnreg, .as.i = most});
  if (spec->no_fp_fusion || is_off(p, "enable_fp_fusion"))
    function_set_attr(f, (Attr){.key = ATTR_no_fp_fusion, .as.i = true});
  if (spec->persist)
    function_set_attr(f,
                      (Attr){.key = ATTR_persist, .as.i = spec->persist > 0});
  if (!p->config) return true;
  warn_of_idle(p, &p->config->options);
  warn_of_idle(p, &p->config->constants);
  return true;
}
