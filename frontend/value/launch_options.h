// launch_options.h -- what a launch takes beside the kernel's arguments.
#ifndef TILE_FRONTEND_LAUNCH_OPTIONS_H
#define TILE_FRONTEND_LAUNCH_OPTIONS_H

#include <stdbool.h>

bool names_option(const char *name);

#endif
