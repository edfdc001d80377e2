#!/bin/sh
# tune.sh TILEC -- `tilec tune`, and the use of its results by `tilec run
# --config=best`.
. "$(dirname "$0")/expect.sh"

TILE_CACHE_DIR=$work/kept
export TILE_CACHE_DIR

# LOOPS makes the kernel slow; if `tells` is true, `out` has the LOOPS that ran.
cat >loops.py <<'END'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({'LOOPS': 600000}),
                          triton.Config({'LOOPS': 1}, num_warps=8),
                          triton.Config({'LOOPS': 7}, num_warps=3)], key=['n'])
@triton.jit
def loops(x, out, n, tells, LOOPS: tl.constexpr):
    a = tl.load(x)
    for i in range(LOOPS):
        a = tl.where(a < 0, a * 1.5 + i, a)
    if tells:
        a += LOOPS
    tl.store(out + tl.program_id(0), a)
END
sed 's/1.5/2.5/' loops.py >changed.py
sed '/autotune/,/key=/d' loops.py >plain.py

# on COMMAND FILE ARGUMENTS...: with the arguments of the kernel.
cat >on <<END
#!/bin/sh
command=\$1 file=\$2
shift 2
exec "$tilec" "\$command" "\$file" --device=cpu --grid=1 \
  --arg "x=full(1):fp32[1]" --arg out=zeros:fp32[1] "\$@"
END
chmod +x on

# ran LOOPS ARGUMENTS...: the configuration of loops.py that ran, by its output.
ran() {
  wanted=$1
  shift
  run ./on run "$@" --arg tells=True --save out=out.npy
  found=$(tail -c 4 out.npy | od -An -f | tr -d ' ')
  if [ "$found" = "$((wanted + 1))" ]; then
    passed=$((passed + 1))
  else
    complain "it wrote $found, LOOPS is not $wanted"
  fi
}

# -- Tuned -------------------------------------------------------------------

tuned() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" ./on tune loops.py --arg tells=False "$@"
}

expect 0 "the best configuration of 'loops' for n=5" \
  ./on run loops.py --arg n=5 --arg tells=False --config=best
tuned 0 'best: --config=1, LOOPS=1, num_warps=8' --arg n=5 --rounds=5
tuned 0 'failed .*2  LOOPS=7, num_warps=3' --arg n=5 --rounds=5
tuned 0 "kept in $work/kept/tuned" --arg n=5 --rounds=5
ran 1 loops.py --arg n=5 --config=best
ran 600000 loops.py --arg n=5
ran 600000 loops.py --arg n=5 --config=0 --tuned=kept/tuned
ran 600000 loops.py --arg n=6 --config=best
ran 600000 changed.py --arg n=5 --config=best
expect 0 '' "$tilec" cache clear
ran 1 loops.py --arg n=5 --config=best

# -- Elsewhere, and joined ---------------------------------------------------

tuned 0 'kept in .*/other' --arg n=6 --rounds=5 --tuned=other
expect 0 'loops on cpu.*: 1$' "$tilec" tune --merge=other
expect 0 'other: nothing there is new, or quicker' "$tilec" tune --merge=other
mkdir none
expect 0 'none: nothing there is new, or quicker' "$tilec" tune --merge=none
ran 1 loops.py --arg n=6 --config=best
ran 1 loops.py --arg n=5 --config=best
ran 600000 loops.py --arg n=6 --config=best --tuned=off
tuned 0 'best: --config=1' --arg n=7 --rounds=5 --tuned=off
ran 600000 loops.py --arg n=7 --config=best

# -- A search space ----------------------------------------------------------

space() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" ./on tune plain.py --arg tells=False --arg n=5 \
    --rounds=5 "$@"
}

space 0 'best: LOOPS=1, num_warps=2' --try LOOPS=1:30000:*30000 \
  --try num_warps=2,4 --where 'LOOPS * num_warps < 4'
space 0 'best: LOOPS=1$' --try LOOPS=600000,1 --where 'LOOPS != 2' --where n==5
# A rule sees what its point says, not what launches have otherwise.
space 0 'best: LOOPS=1, num_stages=2$' --try LOOPS=1 --try num_stages=1,2,4 --where 'num_stages % 4 == 2'
space 0 'best: LOOPS=1, num_warps=8$' --try LOOPS=1 --try num_warps=1,4,8 --where 'num_warps > 4'
# The best point is kept, for launches that do not give these parameters.
space 0 "kept in $work/kept/tuned" --try LOOPS=600000,1
ran 1 plain.py --arg n=5 --config=best
ran 1 plain.py --arg n=6 --config=best
ran 7 plain.py --arg n=5 --config=best -D LOOPS=7
expect 0 'LOOPS=1' grep -rh choice kept/tuned
expect 0 'best for LOOPS=7, ' ./on run plain.py --arg n=5 \
  --arg tells=True -D LOOPS=7 --config=best
tuned 0 'best: LOOPS=1$' --arg n=9 --rounds=5 --try LOOPS=600000,1
ran 1 loops.py --arg n=9 --config=best
ran 600000 loops.py --arg n=10 --config=best
# Several parameters, in the kernel's order and in another one.
sed 's/LOOPS: tl/A: tl.constexpr, B: tl.constexpr, &/; s/if tells/if A > B/' \
  plain.py >three.py
three() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" ./on tune three.py --arg tells=False --arg n=5 \
    --rounds=1 --tuned=off "$@"
}
three 0 'A=2, B=3$' --try A=1,2 --try B=3 -D LOOPS=1
three 0 'A=2, B=3, LOOPS=1$' --try A=1,2 --try B=3 --try LOOPS=1
three 0 'LOOPS=1, B=3, A=2$' --try LOOPS=1 --try B=3 --try A=1,2
three 0 'A=2, LOOPS=1$' --try A=1,2 --try LOOPS=1 --arg B=3
three 2 'try B: it is given by' --try A=1,2 --try B=3 --arg B=3 -D LOOPS=1
three 2 'try B: it is given by' --try A=1,2 --try B=3 -D B=3 -D LOOPS=1
space 2 'none of 2 choices keeps' --try LOOPS=1,2 --where 'LOOPS > 2'
space 2 "no such parameter; did you mean 'LOOPS'" --try LOOP=1,2
space 2 'given by --arg, -D or an option, too' --try n=1,2
space 2 'given by --arg, -D or an option, too' --try LOOPS=1,2 -D LOOPS=1
space 2 "where='LOOPS <': " --try LOOPS=1,2 --where 'LOOPS <'
space 2 "try LOOPS=1:x: a range is FROM:TO" --try LOOPS=1:x
space 2 "try: there are 8 at most, of 10000 points" --try LOOPS=1:200:+1 \
  --try num_warps=1:200:+1

# -- Pruned ------------------------------------------------------------------

cat >pruned.py <<'END'
import triton
import triton.language as tl

def early(configs, named_args, **kwargs):
    left = []
    for config in configs:
        if config.kwargs['LOOPS'] * config.num_warps > named_args['n']:
            continue
        left.append(config)
    return left

def model(n, LOOPS, num_warps, **others):
    return n * LOOPS / num_warps

@triton.autotune(configs=[triton.Config({'LOOPS': 600000}),
                          triton.Config({'LOOPS': 8}, num_warps=2),
                          triton.Config({'LOOPS': 2}),
                          triton.Config({'LOOPS': 1}, num_warps=8)],
                 key=['n'], prune_configs_by={'early_config_prune': early,
                                              'perf_model': model, 'top_k': 2})
END
sed -n '/^@triton.jit/,$p' loops.py >>pruned.py

pruned() {
  wanted=$1 pattern=$2 change=$3 n=$4
  sed "$change" pruned.py >p.py
  expect "$wanted" "$pattern" ./on tune p.py --arg tells=False --arg "n=$n" \
    --rounds=3 --tuned=off
}

pruned 0 'early_config_prune leaves it out' '' 1000
pruned 0 'pruned  *0  LOOPS=600000' '' 1000
pruned 0 'number 3, top_k is 2' '' 1000
pruned 0 'pruned  *1  LOOPS=8, num_warps=2' '' 1000
pruned 0 'number 2, top_k is 1$' "s/top_k': 2/top_k': 0.4/" 1000
pruned 0 'number 4, top_k is 3$' "s/top_k': 2/top_k': 3/" 10000000
pruned 0 "num_warps=8$" "s/'early_config_prune': early,//;s/top_k': 2/top_k': 1/" 1
pruned 1 'leaves no configuration' '' 1
pruned 1 "'top_k' is a number of configurations" "s/top_k': 2/top_k': 'all'/" 1000
pruned 0 "all configurations are tried: unknown name 'gpu'" 's/n \*/gpu() */' 1000
pruned 0 "all configurations are tried: it gives NaN" \
  "s/n \\*/float('nan') */" 1000
pruned 0 'pruned  *0 ' 's/: early/: lambda all, a: [c for c in all if c.num_warps > 4]/' 9

pruned 0 'pruned  *2  LOOPS=2' \
  "s/: early/: lambda all, a: [triton.Config({'LOOPS': 1}, num_warps=8)]/" 9
pruned 0 'all configurations are tried: it gives a configuration that is none' \
  "s/: early/: lambda all, a: [all[1], triton.Config({'LOOPS': 3})]/" 9

# Prunes as matmul_perf_model of Triton did: configurations that differ in
# num_stages alone are one entry, a list, of which the nearest are left.
pruned_by() {
  {
    printf 'import heapq, torch\nfrom triton.runtime import driver\n'
    cat
    sed "s/: early/: $1/; /perf_model/s/'perf_model.*2}/}/" pruned.py
  } >p.py
  what="pruned by $1"
  run ./on tune p.py --arg tells=False --arg n=1000 --rounds=1 --tuned=off
  left=$(grep -c 'LOOPS=' out) gone=$(grep -c pruned out)
  if [ "$gone" = "$2" ] && [ "$left" -gt "$gone" ]; then
    passed=$((passed + 1))
  else
    complain "$gone of $left pruned, not $2"
  fi
}
pruned_by grouped 2 <<'END'
def grouped(configs, named_args, **kwargs):
    device = torch.cuda.current_device()
    capability = torch.cuda.get_device_capability()
    most = driver.active.utils.get_device_properties(device)["max_shared_mem"]
    dtsize = named_args["x"].element_size()
    configs = [c for c in configs if c.num_stages * 64 * dtsize <= most]
    configs_map = {}
    for config in configs:
        kw = config.kwargs
        key = (kw["LOOPS"] < 5, capability[0] >= 8)
        if key in configs_map:
            configs_map[key].append((config, config.num_warps))
        else:
            configs_map[key] = [(config, config.num_warps)]
    pruned_configs = []
    for k, v in configs_map.items():
        nearest = heapq.nsmallest(1, v, key=lambda x: 10 + abs(x[1] - 2))
        for n in nearest:
            pruned_configs.append(n[0])
    return pruned_configs
END
pruned_by by_default 3 <<'END'
def by_default(configs, named_args, **kwargs):
    by = {}
    first = by.setdefault(2, [])
    for c in configs:
        by.setdefault(c.num_warps, []).append(c)
        by[c.num_warps][-1:] == [c] or by[7]
    return first or by[9]
END
pruned_by 'factory(["n"])' 1 <<'END'
def factory(names):
    def prune(configs, named_args, **kwargs):
        args = {"cap": 3, "n": 0, **kwargs, **named_args, "more": 1}
        assert args["cap"] == 3 and "x" in args and args.get("LOOPS", 5) == 5
        cap = min(args[name] for name in names) * args["more"]
        assert "tells" in named_args and "LOOPS" not in list(named_args.keys())
        return [c for c in configs if c.kwargs["LOOPS"] <= cap]
    return prune
END

# -- Hooks -------------------------------------------------------------------

cat >hooks.py <<'END'
import triton
import triton.language as tl

def zero(name):
    return lambda nargs: nargs[name].zero_()

def last(args, exception):
    pass

@triton.autotune(configs=[triton.Config({'BLOCK': 1}, pre_hook=zero('x')),
                          triton.Config({'BLOCK': 2}, pre_hook=zero('x')),
                          triton.Config({'BLOCK': 3})],
                 key=['n'], post_hook=last)
@triton.jit
def count(x, n, BLOCK: tl.constexpr):
    tl.atomic_add(x, 1.0)
END

hooked() {
  wanted=$1 pattern=$2 change=$3
  shift 3
  sed "$change" hooks.py >p.py
  expect "$wanted" "$pattern" "$tilec" tune p.py --device=cpu --grid=1 \
    --arg "x=full(5):fp32[1]" --arg n=1 --rounds=3 --tuned=off "$@"
}

# The sum is 1 where a hook has cleared 5, else 6: |6 - 1| / (1 + 1) = 2.5
hooked 0 "'x' differs from that of the first by 2.5" ''
hooked 0 "first by 2.5" 's/zero_()/fill_(0)/'
hooked 0 "'x' differs from that of the first by 0.75" 's/zero_()/fill_(2.0)/'
# A tensor of integers is filled as by torch, which truncates: with 2, for which
# the message has |5 - 2| / (1 + 2), with -2 or 254.
filled() {
  hooked 0 "'x' differs from that of the first by $1" \
    "s/zero_()/fill_($2)/; s/'x'/'i'/; s/x, n/x, i, n/; s/atomic_add.*/store(x, tl.load(i))/" \
    --arg "i=full(5):$3[1]"
}
filled 1 2.75 i32
filled 2.33 -2.75 i64
filled 2.33 -2.75 i8
filled 0.976 254.75 u8
hooked 0 '3  *2  BLOCK=3' 's/key=/pre_hook=zero("x"), key=/'
hooked 0 "'pre_hook' of 'count' cannot be evaluated.*'.foo'" 's/zero_()/foo()/'
# A heuristic without a value for BLOCK=2 refuses that configuration alone.
hooked 0 'failed  *1  BLOCK=2' \
  "s/@triton.jit/@triton.heuristics({'M': lambda a: 8 \/\/ (a['BLOCK'] - 2)})\n&/
   s/constexpr)/constexpr, M: tl.constexpr)/"
for pattern in 'all configurations are tried' "'pre_hook' of 'count' cannot"; do
  hooked 0 "$pattern" \
    's/zero_()/foo()/; s/key=/prune_configs_by={"perf_model": gpu}, key=/'
done
hooked 0 "'post_hook' of 'count' cannot be evaluated" 's/pass/args["x"].foo()/'
# A warning about something else does not hide the message that the result was
# kept.
hooked 0 'kept in .*/warned' 's/zero_()/foo()/' --tuned=warned

# -- Refused -----------------------------------------------------------------

refuse 2 'it has no @autotune' \
  ./on tune plain.py --arg n=5 --arg tells=False -D LOOPS=3
sed 's/configs=\[/configs=[] or list()+[/; s/key=/key=/' loops.py >computed.py
refuse 2 "--try NAME=VALUES of 'tilec tune' gives some" \
  ./on tune computed.py --arg n=5 --arg tells=False
refuse 2 'no file to tune' "$tilec" tune
refuse 2 'grid=X' "$tilec" tune loops.py
refuse 2 "'tilec run', not 'tilec tune'" ./on tune loops.py --save x=x.npy
refuse 2 "a number: no launch tells which" "$tilec" loops.py --config=best
refuse 3 'No such file' "$tilec" tune --merge=nowhere
mkdir broken && echo '{"format": 1' >broken/a.json
refuse 3 'is no file of' "$tilec" tune --merge=broken
refuse 3 'there is no folder' "$tilec" tune --merge=other --tuned=off
mkdir open && chmod 777 open
tuned 0 'other users may write in it' --arg n=5 --rounds=5 --tuned=open
grep -q '^kept in' out && complain 'nothing is kept'
expect 0 "the folder '$work/open' is not used: other users may write in it" \
  ./on run loops.py --arg n=5 --arg tells=False --config=best --tuned=open

finish
