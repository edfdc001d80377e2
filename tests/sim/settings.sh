#!/bin/sh
# settings.sh PROGRAM -- tries each setting, right and wrong; PROGRAM prints the
# result of cuInit.
# Backs I3 of runtime/simulator/base.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset TILE_SIM_CHIP TILE_SIM_SCHEDULE TILE_SIM_CHECKS
failed=0

complain() {
  echo "$1: $(cat out err)"
  failed=1
}

# right SETTING: cuInit succeeds, and nothing is printed.
right() {
  env "$1" "$program" > out 2> err
  [ "$(cat out)" = 0 ] && [ ! -s err ] || complain "$1"
}

# wrong SETTING TEXT: it returns CUDA_ERROR_INVALID_VALUE, stderr has the text.
wrong() {
  env "$1" "$program" > out 2> err
  [ "$(cat out)" = 1 ] && grep -qF "tilesim: $2" err || complain "$1"
}

program=$1
for chip in sm_75 sm_80 sm_86 sm_89 sm_90 ''; do right TILE_SIM_CHIP=$chip; done
for chip in sm_70 sm_8 80 SM_80 'sm_80 '; do
  wrong "TILE_SIM_CHIP=$chip" \
    "TILE_SIM_CHIP is '$chip'; it wants sm_75, sm_80, sm_86, sm_89 or sm_90"
done
for word in late early 0 1 4294967295 random:0 random:4294967295; do
  right TILE_SIM_SCHEDULE=$word
done
for word in latest -1 4294967296 1x ' 1' 0x1 random random: random:-1 \
  random:late 'random: 1' random:random:1; do
  wrong "TILE_SIM_SCHEDULE=$word" \
    "TILE_SIM_SCHEDULE is '$word'; it wants late, early, or a number below 2^32, with or without random:"
done
for word in 1 1024; do right TILE_SIM_THREADS=$word; done
for word in 0 1025 many -1; do
  wrong TILE_SIM_THREADS=$word \
    "TILE_SIM_THREADS is '$word'; it wants a number from 1 to 1024"
done
for word in 1 1024; do right TILE_SIM_PROCESSORS=$word; done
for word in 0 1025 all; do
  wrong TILE_SIM_PROCESSORS=$word \
    "TILE_SIM_PROCESSORS is '$word'; it wants a number from 1 to 1024"
done
for word in strict all usual none; do right TILE_SIM_CHECKS=$word; done
wrong TILE_SIM_CHECKS=races \
  "TILE_SIM_CHECKS is 'races'; it wants strict, all, usual or none"
for word in fma hardware ''; do right TILE_SIM_SUM=$word; done
wrong TILE_SIM_SUM=exact \
  "TILE_SIM_SUM is 'exact'; it wants fma or hardware"
right TILE_SIM_BUDGET=1
for word in 0 1e6 99999999999999999999; do
  wrong TILE_SIM_BUDGET=$word \
    "TILE_SIM_BUDGET is '$word'; it wants a number from 1 to 2^63"
done
right TILE_SIM_STATS=json:-
right TILE_SIM_STATS=text:stats
for word in stats xml:stats text:; do
  wrong TILE_SIM_STATS=$word \
    "TILE_SIM_STATS is '$word'; it wants text:FILE or json:FILE"
done
right TILE_SIM_REPORT=report
right TILE_SIM_PTX=.
wrong TILE_SIM_REPORT=none/report \
  "TILE_SIM_REPORT: cannot write 'none/report': No such file or directory"
wrong TILE_SIM_STATS=json:none/stats \
  "TILE_SIM_STATS: cannot write 'none/stats': No such file or directory"
wrong TILE_SIM_PTX=none \
  "TILE_SIM_PTX is 'none'; it wants a directory that can be written to"
wrong TILE_SIM_SCHEDUL=1 "there is no setting 'TILE_SIM_SCHEDUL'"
# A query of the settings leaves no file behind.
[ "$(ls)" = "$(printf 'err\nout')" ] || complain "$(ls)"
exit $failed
