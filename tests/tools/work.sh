#!/bin/sh
# work.sh TILEC TARGET -- is the code of kernels as short, and as wide, as
# before?
#
# A line of golden/ptx/work.txt for that target, sm_* or a CPU:
#
# TARGET INSTRUCTIONS VECTORS FILE|OPTIONS...
#
# For a CPU the assembly may have neither more instructions nor fewer with vector
# registers; for a GPU the PTX may have neither more instructions nor fewer
# accesses of memory by vectors. TILE_WORK=FILE adds the present lines to a file.
tilec=$1 target=$2
cd "$(dirname "$0")/../golden/ptx" || exit 1
failed=0 lines=$(mktemp) code=$(mktemp)
trap 'rm -f "$lines" "$code"' EXIT
case $target in
sm_*) as="--emit=ptx --target=$target" wide='\.v[24]\.' ;;
*) as="--emit=asm --cpu=$target" wide='%[xyz]mm' ;;
esac
grep "^$target " work.txt >"$lines" || exit 1
while read -r _ count vectors rest; do
  IFS='|'
  # shellcheck disable=SC2086 # options
  set -- $rest
  unset IFS
  # shellcheck disable=SC2086 # options
  TILE_CACHE_DIR=off "$tilec" $as -o - "$@" >"$code" 2>/dev/null || {
    echo "$rest: is refused"
    failed=1
    continue
  }
  now=$(grep -c '^	[@a-z]' "$code") wider=$(grep '^	[@a-z]' "$code" | grep -c -e "$wide")
  [ -z "${TILE_WORK:-}" ] || echo "$target $now $wider $rest" >>"$TILE_WORK"
  [ "$now" -le "$count" ] && [ "$wider" -ge "$vectors" ] && continue
  echo "$rest: $now instructions, $wider of vectors; there were $count and $vectors"
  failed=1
done <"$lines"
exit $failed
