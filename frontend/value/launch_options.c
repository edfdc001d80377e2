// launch_options.c -- the table of options that a launch takes beside
// arguments.
#include "frontend/value/launch_options.h"

#include "ir/base/base.h"

static const char *const options[] = {
#define OPTION(name) #name,
#include "frontend/value/launch_options.def"
};

bool names_option(const char *name) {
  return names_have(options, sizeof options / sizeof *options, name);
}
