#!/bin/sh
# renew.sh BUILD [NAME...] -- writes the tables of present results anew, after a change
# that is meant to change them: work semantics frontend verdicts lowered launch pack sim
# driver cli, or the named ones. `git diff` shows the changes.
build=$(cd "$1" && pwd) || exit 2
shift
[ $# -gt 0 ] || set -- work semantics frontend verdicts lowered launch pack sim driver cli
root=$(cd "$(dirname "$0")/../.." && pwd)
tests=$root/tests new=$(mktemp)
trap 'rm -f "$new"' EXIT
export TILE_CACHE_DIR=off

# kernels TABLE COMMAND...: lines that a command adds to $TILE_WORK
kernels() {
  table=$1
  shift
  : >"$new"
  TILE_WORK=$new "$@" >/dev/null
  sort -u "$new" >"$table"
}

semantics() {
  for file in "$tests"/semantics/*.py; do
    # The work of programs that wait for each other differs from run to run.
    case $file in */make* | */waits.py) continue ;; esac
    if grep -q '^# devices: cpu$' "$file"; then continue; fi
    "$tests/semantics/run.sh" "$build/bin/tilec" "$file" sim also
  done
}

work() {
  for target in x86-64-v3 x86-64-v4 sm_80 sm_90a; do
    "$tests/tools/work.sh" "$build/bin/tilec" $target
  done
}

for name in "$@"; do
  case $name in
  work) kernels "$tests/golden/ptx/work.txt" work ;;
  semantics) kernels "$tests/semantics/work.txt" semantics ;;
  lowered) TILE_CHANGED=$tests/unit/codegen/lowered.txt "$build/tests/test_lowered" ;;
  frontend) TILE_CHANGED=$tests/unit/frontend/changed.txt "$build/tests/test_changed" ;;
  verdicts) TILE_VERDICTS=$tests/unit/ir/verdicts.txt "$build/tests/test_verdicts" ;;
  launch) TILE_CHANGED=$tests/runtime/changed_launch.txt "$build/tests/runtime/test_changed_launch" ;;
  pack) TILE_CHANGED=$tests/runtime/changed_pack.txt "$build/tests/runtime/test_changed_pack" ;;
  sim) TILE_CHANGED=$tests/sim/changed.txt "$build/tests/sim/test_sim_changed" ;;
  driver) python3 -B "$tests/sim/driver_calls.py" "$build/runtime/simulator/libtilesim.so" --write ;;
  cli) python3 -B "$tests/cli/changed.py" "$build/bin" --write ;;
  *) echo "there is no table '$name'" && exit 2 ;;
  esac >/dev/null 2>&1
done
