#!/bin/sh
# signals.sh TILEC -- a command that a signal ends leaves nothing below $TMPDIR,
# and its message names the signal; the next command removes the files of a
# killed one.
. "$(dirname "$0")/expect.sh"

cat >k.tile <<'END'
@triton.jit
def k(y):
    tl.store(y, 1)
END
echo 'k(*i32)' >v
mkdir temp
export TMPDIR="$work/temp"
# This ptxas reports that it has started, and does not end.
cat >ptxas <<END
#!/bin/sh
touch kernel.cubin '$work/started'
exec sleep 20
END
chmod +x ptxas
export TILE_PTXAS="$work/ptxas"

# ended SIGNAL CODE LEFT COMMAND...: the signal while the command's child runs
ended() {
  signal=$1 wanted=$2 left=$3
  shift 3
  what="$signal: $*"
  rm -f started
  "$@" >out 2>err &
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    [ -e started ] && break
    sleep 0.2
  done
  kill -s "$signal" $!
  wait $!
  code=$?
  [ "$code" = "$wanted" ] || complain "exit code $code, not $wanted"
  [ "$(ls temp | wc -l)" = "$left" ] || complain "left: $(ls -R temp)"
  passed=$((passed + 1))
}

# Commands in the background ignore INT in a shell; this program does not.
cat >loose <<'END'
#!/usr/bin/env python3
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
END
chmod +x loose
cubin="pack k.tile --variants=v --target=sm_80 --cubin -o k.tilepack"
record="touch '$work/started'; exec sleep 20"
for way in INT:130 TERM:143 HUP:129; do
  if [ "$way" = INT:130 ] && ! command -v python3 >/dev/null; then continue; fi
  set -- "${way%:*}" "${way#*:}" 0
  if [ "$1" = INT ]; then set -- "$@" ./loose; fi
  ended "$@" "$tilec" $cubin
  ended "$@" "$tilec" pack --record="$record" -o seen
done
[ ! -e k.tilepack ] || complain 'a pack was written'

# -- Killed ------------------------------------------------------------------

ended KILL 137 1 "$tilec" $cubin
ended KILL 137 1 "$tilec" pack --record="$record" -o seen # removes the first one's folder
# Other files stay: those of a living process, those with another name, a plain
# file.
mkdir temp/tile-tmp-1-1 temp/tile-tmp-x temp/tile-1 temp/tile-tmp-4000000-1 temp/tile-tmp-4000001-1
chmod 700 temp/tile-tmp-* temp/tile-1
chmod 755 temp/tile-tmp-4000000-1
echo other >temp/tile-tmp-4000002-1
ln -s "$work" temp/tile-tmp-4000003-1
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf CUBIN >"$2"\n' >ptxas
expect 0 '' "$tilec" $cubin
what='what is left'
found=$(LC_ALL=C ls temp | tr '\n' ' ')
[ "$found" = "tile-1 tile-tmp-1-1 tile-tmp-4000000-1 tile-tmp-4000002-1 tile-tmp-4000003-1 tile-tmp-x " ] ||
  complain "$found"
[ -e v ] || complain 'a link was followed'

# A signal that was ignored before stays ignored.
rm -r temp/*
printf '#!/bin/sh\nsleep 1; while [ "$1" != -o ]; do shift; done\nprintf CUBIN >"$2"\n' >ptxas
trap '' HUP
"$tilec" $cubin >out 2>err &
sleep 0.5
kill -HUP $!
wait $! || complain 'an ignored signal ended it'
[ "$(ls temp | wc -l)" = 0 ] || complain 'left'

finish
