// launch_options.h -- options of a launch beside the kernel's arguments.
#ifndef TILE_FRONTEND_LAUNCH_OPTIONS_H
#define TILE_FRONTEND_LAUNCH_OPTIONS_H

#include <stdbool.h>

bool names_option(const char *name);

#endif
