#!/bin/sh
# check-functions.sh ROOT -- no source calls a function of C that cannot tell of
# an error, or writes without knowing how much fits.
#
# Numbers are read by strtol() and its like, text is written by snprintf() or Str.
set -u
cd "$1" || exit 2
names='ato[ifl]|atoll|strcat|strncat|strcpy|sprintf|vsprintf|gets|strtok|tmpnam|mktemp'
bad=$(grep -rnE "\b($names)\(" ir frontend passes codegen runtime examples \
  --include='*.[chly]')
[ -z "$bad" ] || { printf 'unchecked:\n%s\n' "$bad"; exit 1; }
