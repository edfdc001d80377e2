#!/bin/sh
# examples.sh PROGRAM... -- the examples on a simulated Hopper, under each
# schedule.  Programs of more than a few seconds run with TILE_TEST_FULL=1; else
# those up to `--` alone, under two schedules.
export TILE_DEVICE=sim TILE_SIM_CHIP=sm_90 TILE_SIM_CHECKS=strict
schedules='early 1' failed=0
if [ -n "${TILE_TEST_FULL:-}" ]; then
  schedules='late early 1 2'
else
  echo 'SKIP (part): the larger examples take minutes; TILE_TEST_FULL=1 runs them'
fi
for program in "$@"; do
  if [ "$program" = -- ]; then
    [ -n "${TILE_TEST_FULL:-}" ] || break
    continue
  fi
  for schedule in $schedules; do
    output=$(TILE_SIM_SCHEDULE=$schedule "$program" 2>&1)
    code=$?
    case $output in *tilesim:*) code=reports ;; esac
    [ $code = 0 ] && continue
    printf '%s, schedule %s: %s\n%s\n' "$program" $schedule $code "$output"
    failed=1
  done
done
exit $failed
