// layouts_ours.c -- the simulator's side, whose header excludes cuda.h.
#include "runtime/simulator/driver/driver.h"
#include "tests/sim/layouts.h"

static const Layout layouts[] = {
#define LAYOUT(ours, field, theirs, their_field)                               \
  {#ours "." #field, sizeof(ours), offsetof(ours, field)},
#include "tests/sim/layouts.def"
};

const Layout *our_layouts(size_t *count) {
  *count = sizeof layouts / sizeof *layouts;
  return layouts;
}
