// choose.c -- chooses the variant of a pack for a launch.
//
// Variants for the newest code that the device can run come first, and among
// these the variant that knows most about the arguments.
//
// For example, a pack has add(*fp32, i32) for x86-64-v2 and v3, and for v3 also
// add(*fp32:16, i32).  On a CPU with v3 a launch with an address that 16
// divides runs the last one, and a launch with another address the second.
#include "runtime/errors.h"
#include "runtime/rt/rt.h"
#include "runtime/rt/value.h"

#include <assert.h>
#include <string.h>

enum { MAX_RT_PARAMS = 128 };

typedef struct {
  const TilertDevice *device;
  const TilertLaunch *launch;
  TensorFit fit;
  const PackKernel *kernel;
  const TileArg *args[MAX_RT_PARAMS]; // for each parameter; NULL: none
} Chooser;

// -- Arguments ---------------------------------------------------------------

static const TileArg *find_constant(const TilertLaunch *launch,
                                    const char *name) {
  for (size_t i = 0; i < launch->num_constants; i++) {
    const TileConstant *constant = &launch->constants[i];
    if (constant->name && !strcmp(constant->name, name))
      return &constant->value;
  }
  return NULL;
}

static TileStatus check_constants(const Chooser *call, TilertError *error) {
  for (size_t i = 0; i < call->launch->num_constants; i++) {
    const char *name = call->launch->constants[i].name;
    bool found = false;
    for (size_t p = 0; p < call->kernel->num_params && name; p++)
      found = found || !strcmp(call->kernel->params[p].name, name);
    if (!found)
      return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_rt_no_parameter,
                     call->kernel->name, name ? name : "NULL");
  }
  return TILE_OK;
}

static TileStatus place_arguments(Chooser *call, TilertError *error) {
  assert(call->kernel->num_params <= MAX_RT_PARAMS); // I5
  const TilertLaunch *launch = call->launch;
  size_t next = 0;
  for (size_t i = 0; i < call->kernel->num_params; i++) {
    const TileArg *a = find_constant(launch, call->kernel->params[i].name);
    if (!a && next < launch->num_args) a = &launch->args[next++];
    const char *problem = a ? rt_problem(a) : NULL;
    if (problem)
      return rt_fail(error, TILE_INVALID_ARGUMENT, problem,
                     call->kernel->params[i].name, call->kernel->name);
    call->args[i] = a;
  }
  if (next < launch->num_args)
    return rt_fail(error, TILE_INVALID_ARGUMENT, ERROR_rt_too_many,
                   call->kernel->name, next, launch->num_args);
  return check_constants(call, error);
}

static TileStatus find_kernel(Chooser *call, TilertError *error) {
  const Pack *pack = &call->launch->pack->pack;
  const char *name = call->launch->kernel;
  for (size_t i = 0; i < pack->num_kernels && !call->kernel; i++) {
    if (!strcmp(pack->kernels[i].name, name)) call->kernel = &pack->kernels[i];
  }
  if (!call->kernel)
    return rt_fail(error, TILE_UNAVAILABLE, ERROR_rt_no_kernel, name);
  if (call->kernel->num_params > MAX_RT_PARAMS)
    return rt_fail(error, TILE_UNSUPPORTED, ERROR_rt_many_params, name,
                   (int)MAX_RT_PARAMS);
  return TILE_OK;
}

// -- Targets -----------------------------------------------------------------

// The rank of a variant on this device, higher for newer code; 0: it does not
// run here.
static int target_rank(const TilertDevice *device, const PackVariant *variant) {
  const Target *own = device->device.target;
  const Target *target = target_find(variant->target);
  if (!own->is_gpu) return variant->level <= device->level ? variant->level : 0;
  if (!target->is_gpu) return 0;
  if (!strcmp(own->name, target->name)) return target->compute * 2 + 1;
  if (target_can(target, CAP_ONE_CHIP) || target->compute > own->compute)
    return 0;
  return target->compute * 2;
}

// -- Choosing ----------------------------------------------------------------

// Whether the variant is right for the launch's tensors.
static bool fits(const Chooser *call, const PackVariant *variant) {
  const KernelInfo *info = &variant->info;
  if (call->fit == TENSORS_OVERLAP) return info->overlaps;
  return !info->overlaps &&
         (!info->num_maps || (!call->fit && call->device->device.has_maps));
}

static bool has_options(const TilertLaunch *launch, const PackVariant *v) {
  return v->config == launch->config &&
         (!launch->num_warps || launch->num_warps == v->num_warps) &&
         (!launch->num_stages || launch->num_stages == v->num_stages) &&
         (!launch->num_ctas || launch->num_ctas == v->num_ctas) &&
         (!launch->persist || launch->persist == v->persist);
}

static int match_param(const Chooser *call, const PackVariant *variant,
                       size_t i) {
  const PackParam *param = &call->kernel->params[i];
  return rt_match(param, &variant->specs[i], call->args[i],
                  param->is_fixed && !variant->are_set[i]);
}

static int match(const Chooser *call, const PackVariant *variant) {
  int known = 0;
  if (!has_options(call->launch, variant)) return NO_MATCH;
  for (size_t i = 0; i < call->kernel->num_params; i++) {
    const int one = match_param(call, variant, i);
    if (one == NO_MATCH) return NO_MATCH;
    known += one;
  }
  return known;
}

static const PackVariant *choose(const Chooser *call) {
  const PackVariant *best = NULL;
  int best_rank = 0, best_known = 0;
  for (size_t i = 0; i < call->kernel->num_variants; i++) {
    const PackVariant *variant = &call->kernel->variants[i];
    const int rank = target_rank(call->device, variant);
    if (!rank || rank < best_rank || !fits(call, variant)) continue;
    const int known = match(call, variant);
    if (known == NO_MATCH || (rank == best_rank && known <= best_known))
      continue;
    best = variant;
    best_rank = rank;
    best_known = known;
  }
  return best;
}

// A number that is left out is the kernel's default.
static uint64_t value_of(const Chooser *call, const PackVariant *variant,
                         int index, int value) {
  const PackSpec *spec = &variant->specs[index];
  const TileArg *a = call->args[index];
  if (a && a->kind != TILE_ARG_DEFAULT) return rt_encode(spec, a, value);
  const TileArg own = rt_default_number(&call->kernel->params[index]);
  return rt_encode(spec, &own, value);
}

static void set_values(const Chooser *call, RtChoice *out) {
  assert(out->variant->info.num_params <= PACK_MAX_PARAMS); // I5
  const KernelInfo *info = &out->variant->info;
  int value = 0;
  for (int i = 0; i < info->num_params; i++) {
    const KernelParam *param = &info->params[i];
    value = kernel_param_value(info, i, value);
    out->args[i] = 0;
    if (param->rule == PARAM_ARGUMENT)
      out->args[i] = value_of(call, out->variant, param->index, value);
  }
}

// -- Failing -----------------------------------------------------------------

// Facts for the texts of a missing variant.
typedef struct {
  const Chooser *call;
  int newest;       // the rank of the newest code that runs here; 0: none
  bool has_configs; // the kernel has several; then the first is named, too
  bool is_brief;    // the texts name only parameters that may be the reason
  bool is_named[MAX_RT_PARAMS];
} NoVariant;

static void find_facts(const Chooser *call, NoVariant *out) {
  out->call = call;
  out->newest = 0;
  out->has_configs = call->launch->config;
  out->is_brief = false;
  for (size_t i = 0; i < call->kernel->num_params; i++) out->is_named[i] = true;
  for (size_t i = 0; i < call->kernel->num_variants; i++) {
    const PackVariant *variant = &call->kernel->variants[i];
    const int rank = target_rank(call->device, variant);
    if (rank > out->newest) out->newest = rank;
    out->has_configs |= variant->config != 0;
  }
}

// The texts list the newest code that runs here, without tensor maps.
static bool is_listed(const NoVariant *m, const PackVariant *variant) {
  return m->newest && target_rank(m->call->device, variant) == m->newest &&
         !variant->info.num_maps && !variant->info.overlaps;
}

// Names only the parameters for which a listed variant wants another argument.
static void make_brief(NoVariant *m) {
  const PackKernel *kernel = m->call->kernel;
  m->is_brief = true;
  memset(m->is_named, 0, sizeof m->is_named);
  for (size_t i = 0; i < kernel->num_variants; i++) {
    const PackVariant *variant = &kernel->variants[i];
    for (size_t p = 0; p < kernel->num_params && is_listed(m, variant); p++)
      m->is_named[p] |= match_param(m->call, variant, p) == NO_MATCH;
  }
}

// Whether a variant of that configuration took another value than the default,
// as the launch may have meant.
static bool is_other(const Chooser *call, size_t i) {
  for (size_t v = 0; v < call->kernel->num_variants; v++) {
    const PackVariant *variant = &call->kernel->variants[v];
    const PackSpec *spec = &variant->specs[i];
    if (variant->config == call->launch->config && spec->kind == PACK_ABSENT &&
        spec->num_items &&
        !pack_same_spec(spec->items, &call->kernel->params[i].value))
      return true;
  }
  return false;
}

// `persist` is a wish, as in a launch.
static void add_persist(RtText *text, int persist) {
  rt_add(text, ", %s persistent",
         persist > 0   ? "always"
         : persist < 0 ? "never"
                       : "perhaps");
}

static void add_call(RtText *text, const NoVariant *m) {
  const Chooser *call = m->call;
  for (size_t i = 0; i < call->kernel->num_params; i++) {
    const PackParam *param = &call->kernel->params[i];
    const TileArg *a = call->args[i];
    if (!m->is_named[i] || (!a && !param->has_default && !m->is_brief))
      continue;
    const bool is_known = param->value.kind && !is_other(call, i);
    rt_add(text, "%s%s: ", text->used ? ", " : "", param->name);
    rt_show_argument(text, param, is_known ? &param->value : NULL, a);
  }
  if (!text->used) rt_add(text, m->is_brief ? "these options" : "no arguments");
  if (m->has_configs) rt_add(text, ", config %d", call->launch->config);
  if (call->launch->num_warps)
    rt_add(text, ", %d warps", call->launch->num_warps);
  if (call->launch->num_stages)
    rt_add(text, ", %d stages", call->launch->num_stages);
  if (call->launch->num_ctas) rt_add(text, ", %d CTAs", call->launch->num_ctas);
  if (call->launch->persist) add_persist(text, call->launch->persist);
}

static void add_target(RtText *text, const PackVariant *variant) {
  rt_add(text, "%s", variant->target);
  if (variant->level) rt_add(text, " x86-64-v%d", variant->level);
}

static void add_variant(RtText *text, const NoVariant *m,
                        const PackVariant *variant) {
  const PackKernel *kernel = m->call->kernel;
  const TilertLaunch *launch = m->call->launch;
  const char *before = ": ";
  rt_add(text, "\n  ");
  add_target(text, variant);
  for (size_t i = 0; i < kernel->num_params; i++) {
    if (!m->is_named[i]) continue;
    rt_add(text, "%s%s: ", before, kernel->params[i].name);
    rt_show_spec(text, &variant->specs[i]);
    before = ", ";
  }
  if (m->has_configs) rt_add(text, ", config %d", variant->config);
  if (launch->num_warps) rt_add(text, ", %d warps", variant->num_warps);
  if (launch->num_stages) rt_add(text, ", %d stages", variant->num_stages);
  if (launch->num_ctas) rt_add(text, ", %d CTAs", variant->num_ctas);
  if (launch->persist) add_persist(text, variant->persist);
}

static bool is_full(const RtText *text) {
  return text->used + 1 == text->size;
}

static bool is_repeated(const PackKernel *kernel, size_t i) {
  const PackVariant *variants = kernel->variants;
  for (size_t k = 0; k < i; k++)
    if (variants[k].level == variants[i].level &&
        !strcmp(variants[k].target, variants[i].target))
      return true;
  return false;
}

static void add_targets(RtText *text, const PackKernel *kernel) {
  const char *before = " none for this target, but for ";
  for (size_t i = 0; i < kernel->num_variants; i++) {
    if (is_repeated(kernel, i)) continue;
    rt_add(text, "%s", before);
    add_target(text, &kernel->variants[i]);
    before = ", ";
  }
}

// False: "..." stands in place of the first variant that has no room.
static bool add_variants(RtText *text, const NoVariant *m) {
  static const char more[] = "\n  ...";
  const size_t last = text->size - sizeof more;
  for (size_t i = 0; i < m->call->kernel->num_variants; i++) {
    const PackVariant *variant = &m->call->kernel->variants[i];
    if (!is_listed(m, variant)) continue;
    const size_t before = text->used;
    add_variant(text, m, variant);
    if (!is_full(text)) continue;
    text->used = before < last ? before : last;
    rt_add(text, "%s", more);
    return false;
  }
  if (!text->used) add_targets(text, m->call->kernel);
  return true;
}

// False: a text has no room for all.
static bool add_texts(RtText *given, RtText *has, const NoVariant *m) {
  given->used = has->used = 0;
  add_call(given, m);
  return add_variants(has, m) && !is_full(given);
}

static TileStatus fail_missing(const Chooser *call, TilertError *error) {
  char given[512], has[1024];
  RtText call_text = {given, sizeof given, 0}, all = {has, sizeof has, 0};
  NoVariant m;
  if (!error) return TILE_UNAVAILABLE;
  find_facts(call, &m);
  if (!add_texts(&call_text, &all, &m)) {
    make_brief(&m);
    add_texts(&call_text, &all, &m);
  }
  return rt_fail(error, TILE_UNAVAILABLE, ERROR_rt_no_variant,
                 call->kernel->name, call->device->device.target->name, given,
                 has);
}

TileStatus rt_choose(const TilertDevice *device, const TilertLaunch *launch,
                     TensorFit fit, RtChoice *out, TilertError *error) {
  Chooser call;
  call.device = device;
  call.launch = launch;
  call.fit = fit;
  call.kernel = NULL;
  TileStatus status = find_kernel(&call, error);
  if (!status) status = place_arguments(&call, error);
  if (status) return status;
  out->variant = choose(&call);
  if (!out->variant) return fail_missing(&call, error);
  set_values(&call, out);
  return TILE_OK;
}
