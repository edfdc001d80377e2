#!/bin/sh
# intrinsics.sh TILEC LIBRARY TABLE -- an intrinsic that LLVM lacks is an error
# that names it; LIBRARY hides each of TABLE's rows in turn.
set -u
tilec=$1 library=$2 table=$3
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/k.tile" <<'END'
@jit
def k(p: "*fp32"):
    i = tl.arange(0, 64)
    tl.store(p + i, tl.exp2(tl.load(p + i)))
END
failed=0
sed -n 's/^INTRINSIC(\([A-Z0-9]*\), "\(.*\)")$/\1 \2/p' "$table" >"$tmp/rows"
[ "$(wc -l <"$tmp/rows")" -ge 50 ] || { echo "$table has no rows"; exit 1; }
while read -r user name; do
  [ "$user" != X86 ] || [ "$(uname -m)" = x86_64 ] || continue
  target=cpu
  [ "$user" != GPU ] || target=sm_90a
  TILE_HIDE_INTRINSIC=$name LD_PRELOAD=$library "$tilec" "$tmp/k.tile" \
    --target=$target -o "$tmp/out" >"$tmp/said" 2>&1
  status=$?
  [ $status = 1 ] && grep -q "has no intrinsic '$name'" "$tmp/said" && continue
  echo "without $name: status $status"
  cat "$tmp/said"
  failed=1
done <"$tmp/rows"
exit $failed
