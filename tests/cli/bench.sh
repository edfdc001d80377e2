#!/bin/sh
# bench.sh TILEC -- `tilec bench`: sweeps, series, rates, and the files that it
# writes.
. "$(dirname "$0")/expect.sh"

cat >add.py <<'END'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({'BLOCK': 64}),
                          triton.Config({'BLOCK': 256})], key=['n'])
@triton.jit
def add(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)

@triton.jit
def strided(x, y, n, step, BLOCK: tl.constexpr = 64):
    i = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) * step
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)

@triton.jit
def none(x, y, n):
    tl.store(y, tl.load(x) + n)
END

cat >bench <<END
#!/bin/sh
exec "$tilec" bench add.py --device=cpu --rounds=3 --grid='cdiv(n, BLOCK)' \
  --arg 'x=rand:fp32[{n}]' --arg 'y=empty:fp32[{n}]' "\$@"
END
chmod +x bench

# lines COUNT FILE
lines() {
  what="lines of $2"
  if [ "$(wc -l <"$2")" -eq "$1" ]; then
    passed=$((passed + 1))
  else
    complain "$(wc -l <"$2"), not $1"
  fi
}

# -- Measured ----------------------------------------------------------------

expect 0 '^ *4096 ' ./bench --kernel=add --sweep n=2^10:2^12
expect 0 'n  *add ms  *copy ms' ./bench --kernel=add,copy --sweep n=100
expect 0 'n  *add:0 ms  *add:1 ms' ./bench --kernel=add --config=0,1 \
  --sweep n=100
expect 0 'GB/s' ./bench --kernel=copy --sweep n=100:300:+100 --bytes='8*n'
expect 0 'TFLOP/s' ./bench --kernel=copy --sweep n=1000,3000 --flops=n
expect 0 'm  *n  *copy ms' ./bench --kernel=copy --sweep m=1,2 --sweep n=10:1000:*10 \
  --grid=m

expect 0 '' ./bench --kernel=copy --sweep n=10:1000:*10 --bytes='8*n' \
  --peer 'slow=echo it takes; echo {n}' --json=o.json --csv=o.csv --plot=o.gp
expect 0 'slow ms' ./bench --kernel=copy --sweep n=10 --peer 'slow=echo {n}'
lines 7 o.csv
expect 0 '^1000,slow,1,1,1,1,8e-06,$' cat o.csv
what='figures of o.csv'
if awk -F, 'NR > 1 && !($4 <= $3 && $3 <= $5 && $6 > 0 &&
    $7 * $3 > 7.99e-9 * $1 && $7 * $3 < 8.01e-9 * $1) { exit 1 }' o.csv
then
  passed=$((passed + 1))
else
  complain "$(cat o.csv)"
fi
expect 0 '"at": {"n": 100}' cat o.json

# JSON has no inf and no nan: a point that a peer did not measure is null.
for word in nan -nan inf Infinity; do
  expect 0 '"slow": {"median": null, "least": null, "most": null, "launches": 0, "gb_per_second": null}' \
    ./bench --kernel=copy --sweep n=10 --bytes=n --peer "slow=echo $word" --json=-
done
# If a peer fails at a size, all other figures are written, and the size is reported.
fails='p=test {n} != 100 && echo {n}'
expect 4 "peer p: 'test 100 != 100 && echo 100' fails with code 1 (m=2, n=100)" ./bench \
  --kernel=copy --sweep m=2 --sweep n=10:1000:*10 --peer "$fails" --grid=m \
  --peer q='echo 1' --json=o.json --csv=o.csv
cp out table
expect 0 ' 100  .* failed  *1.000000$' cat table
lines 10 o.csv
expect 0 'launches,GB/s,TFLOP/s,error$' cat o.csv
expect 0 '^2,100,p,,,,0,,,fails with code 1$' cat o.csv
expect 0 '^2,1000,p,1,1,1,1,,,$' cat o.csv
expect 0 '"p": {"median": null, .*, "launches": 0, "error": "fails with code 1"}' cat o.json
expect 0 '' ./bench --kernel=copy --sweep m=2 --sweep n=100 --grid=m --compare=o.json
expect 4 "'exit 3' fails with code 3 (n=9)" ./bench --kernel=copy --sweep n=9 --peer p='exit 3'
expect 4 "'exit 3' fails with code 3$" "$tilec" bench add.py --device=cpu --kernel=copy --grid=1 \
  --arg n=9 --arg y=zeros:fp32[9] --arg x=zeros:fp32[9] --peer p='exit 3'
expect 4 "is ended by signal 15 (n=9)" ./bench --kernel=copy --sweep n=9 --peer p='kill $$'
# A kernel that fails at a size is reported in the same way, but not at the
# first size.
expect 1 'no figures of this point (n=100, BLOCK=24)' ./bench --kernel=copy --sweep n=100 \
  --sweep BLOCK=16,24,32 -D BLOCK={BLOCK} --json=k.json
expect 0 '"BLOCK": 24}, "series"' cat k.json
expect 0 '"copy": {"median": null, .*"error": "fails"}' cat k.json
expect 1 'must be a power of two' ./bench --kernel=copy --sweep n=100 \
  --sweep BLOCK=24,32 -D BLOCK={BLOCK} --json=first.json
expect 1 '' test -e first.json
for words in fast 1e999; do
  expect 4 'prints no milliseconds at its end (n=9)' ./bench --kernel=copy \
    --sweep n=9 --peer p="echo $words"
done
expect 0 '"median": 1e-303, .*"gb_per_second": null}' \
  ./bench --kernel=copy --sweep n=10 --bytes='1000000*n' \
  --peer 'slow=echo 1e-300' --json=-
expect 0 "^set ylabel 'GB/s'" cat o.gp
expect 0 '^m,n,series,median' ./bench --kernel=copy --csv=- --sweep m=1 \
  --sweep n=16 --peer 'm=echo {m}'

expect 0 'copy before ms' ./bench --kernel=copy --sweep n=10:1000:*10 \
  --compare=o.json
# Long names are whole, and each figure ends below its name.
sed 's/copy/copy_with_a_mask_at_its_end/' add.py >long.py
expect 0 ' copy_with_a_mask_at_its_end ms .*copy_with_a_mask_at_its_end before ms' \
  "$tilec" bench long.py --device=cpu --kernel=copy_with_a_mask_at_its_end \
  --grid=number_of_rows --sweep number_of_rows=1,2 --sweep size=3000000000000 \
  --arg x=zeros:fp32[64] --arg y=zeros:fp32[64] --arg n=64 --flops=size --compare=o.json
what='columns of a table'
if [ "$(awk 'NR > 1 { print length }' out | sort -u | wc -l)" = 1 ]; then
  passed=$((passed + 1))
else
  complain "lines differ in length"
fi
if command -v gnuplot >/dev/null; then
  expect 0 '' ./bench --kernel=copy --sweep n=10:1000:*10 --plot=o.svg
  expect 0 '<svg' cat o.svg
else
  echo 'SKIP (part): gnuplot is not installed'
fi

# Without gnuplot nothing is measured.
refuse 3 'plot=o.png: gnuplot is not installed$' env PATH=/nowhere ./bench \
  --kernel=copy --sweep n=7 --plot=o.png
for file in o.pdf o plots.svg/o; do
  refuse 2 "plot wants a file .svg, .png or .gp, found '$file'" ./bench \
    --kernel=copy --sweep n=7 --plot=$file
done

# If gnuplot fails, the table is printed all the same; a long text fills the
# pipe to gnuplot.
printf '#!/bin/sh\nexit 1\n' >gnuplot && chmod +x gnuplot
long=$(printf %0100000d 1)
expect 3 'plot=o.png: gnuplot fails$' env PATH="$PWD:$PATH" ./bench --kernel=copy \
  --sweep n=7 --peer "$long=echo 2" --plot=o.png
cp out table
expect 0 '^ *7 .* 2.000000' cat table
# Each file is written once, and an earlier one is JSON of `tilec bench`.
refuse 2 "error: --json and --csv both write 'o.json'" ./bench --kernel=copy \
  --sweep n=7 --json=o.json --csv=o.json
refuse 2 "error: --json and --csv both write '-'" ./bench --kernel=copy \
  --sweep n=7 --json=- --csv=-
for file in o.csv add.py /dev/null; do
  refuse 3 "compare=$file: 'tilec bench --json' has not written it" ./bench \
    --kernel=copy --sweep n=7 --compare=$file
done
# Nothing is measured for files that cannot be written.
mkdir folder.svg
for file in /nowhere/o.svg folder.svg; do
  for option in plot json csv; do
    refuse 3 "cannot write '$file': " ./bench --kernel=copy --sweep n=7 --$option=$file
  done
done

# -- Names -------------------------------------------------------------------

# The name of a sweep that is no parameter stands in formulas, also in braces.
expect 0 '^7,3,peer,.*,5e-05,$' ./bench --kernel=copy --sweep n=7 --csv=- \
  --sweep rows=3 --grid=rows,rows-2,1 --bytes='n + 3*rows+{rows}*3' \
  --peer 'peer=echo 0.5'
expect 0 '^7,3,x,.*,1e-06$' ./bench --kernel=copy --sweep n=7 --csv=- --sweep rows=2,3 \
  --grid='cdiv({n}, {rows})' --flops='rows * {rows}' --peer 'x=echo 9e-3'
refuse 2 "'x' is no integer of this launch of 'copy'$" ./bench --kernel=copy \
  --sweep n=7 --sweep x=3 --grid=x
expect 0 '^7,copy' ./bench --kernel=copy,strided --sweep n=7 \
  --arg 'step=2*{n}' --arg BLOCK=64 --csv=-
expect 0 '^7,strided' ./bench --kernel=copy,strided --sweep n=7 \
  --arg 'step=2*{n}' --csv=-
refuse 2 "arg stop: kernel 'copy' has no such parameter" ./bench \
  --kernel=copy,strided --sweep n=7 --arg 'stop=2*{n}' --arg step=1
# A -D is an error only if no kernel has such a parameter, also where code is kept.
one() { # one CODE PATTERN ARGUMENTS...: with a grid of 1
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$pattern" ./bench --grid=1 --sweep n=7 "$@"
}
for cache in off kept kept; do
  one 0 'none ms  *copy ms' --kernel=none,copy -D BLOCK=32 --cache-dir=$cache
done
one 2 "kernel 'none' has no such parameter" --kernel=none -D BLOCK=32 --cache-dir=kept
one 2 "kernel 'none' has no such parameter" --kernel=none,copy -D BLOK=32
# A sweep that is not used would repeat the same measurement.
unused='sweep q: no kernel has such a parameter without a value'
refuse 2 "$unused" ./bench --kernel=copy --sweep n=7 --sweep q=1,2
refuse 2 "$unused" ./bench --kernel=copy --sweep n=7 --sweep q=1,2 --bytes=qq+n
refuse 2 'sweep step: no kernel' ./bench --kernel=strided --sweep n=7 --sweep step=1 --arg step=2
expect 0 'q  *copy ms' ./bench --kernel=copy --sweep n=7 --sweep q=1,2 --flops='3*{q}'
expect 0 'step  *copy ms' ./bench --kernel=copy,strided --sweep n=7 --sweep step=1
refuse 2 "did you mean 'rows'" ./bench --kernel=copy --sweep n=7 \
  --sweep rows=2 --grid=row

# -- Counted -----------------------------------------------------------------

# A load and a store of 4 bytes each, and an addition, of each of 256 lanes.
expect 0 '' ./bench --kernel=add --config=1 --sweep n=100,256 --count --csv=o.csv
expect 0 '^n,series' cat o.csv
rates() {
  what="rates at $1"
  found=$(awk -F, -v n="$1" '$1 == n { printf "%.0f %.0f", $7 * $3 * 1e9,
    $8 * $3 * 1e12 }' o.csv)
  if [ "$found" = "$2" ]; then
    passed=$((passed + 1))
  else
    complain "$found, not $2"
  fi
}
rates 100 '800 256'
rates 256 '2048 256'
expect 0 '' ./bench --kernel=add --config=1 --sweep n=100 --count --flops=n \
  --csv=o.csv
rates 100 '800 100'

# -- Reports -----------------------------------------------------------------

cat >reported.py <<'END'
import torch
import triton
import triton.language as tl

@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)

configs = []
for wide in [False, True]:
    configs.append(triton.testing.Benchmark(
        x_names=["n", "m"], x_vals=[128 * i for i in range(2, 4)],
        line_arg="provider", line_vals=["torch", "triton"],
        line_names=["Torch", "Ours"], styles=[("green", "--"), ("blue", "-")],
        ylabel="GB/s", x_log=True, plot_name="copies" + ("-wide" if wide else ""),
        args={"WIDTH": 7, "wide": wide}))

@triton.testing.perf_report(configs)
def benchmark(n, m, provider, WIDTH, wide):
    pass

@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n", "k"], x_vals=[(i, 2 * i) for i in [10, 30]], line_arg="p",
    line_vals=["copy"], line_names=["C"], plot_name="pairs", args={}))
def pairs(n, k, p):
    pass

@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=torch.sizes(), line_arg="p", line_vals=["copy"],
    line_names=["C"], plot_name="unknown", args={}))
def unknown(n, p):
    pass
END
sed '/torch.sizes/,$d' reported.py | sed '$d' >known.py

reports() {
  wanted=$1 pattern=$2 file=$3
  shift 3
  expect "$wanted" "$pattern" "$tilec" bench "$file" --device=cpu --rounds=3 \
    --grid='cdiv(n, BLOCK)' --arg 'x=rand:fp32[{n}]' \
    --arg 'y=empty:fp32[{n}]' "$@"
}
reports 0 'n  *m  *WIDTH  *Ours ms  *GB/s  *Torch ms' reported.py \
  --report=copies-wide --bytes='8*n' --peer 'torch=echo 1' --plot=o.gp
expect 0 "^set title 'copies-wide'" cat o.gp
expect 0 'linecolor rgb .blue. dashtype 1 title .Ours' cat o.gp
expect 0 'linecolor rgb .green. dashtype 2 title .Torch' cat o.gp
expect 0 "^set ylabel 'GB/s'" cat o.gp
expect 0 '^256 ' cat o.gp
sed 's/"green"/"g"/; s/"blue"/"tab:blue"/' reported.py >coloured.py
reports 0 '' coloured.py --report=copies --peer 'torch=echo 1' --plot=o.gp
expect 0 'linecolor rgb .#008000. dashtype 2 title .Torch' cat o.gp
expect 0 'linespoints dashtype 1 title .Ours' cat o.gp
reports 0 '^ *256  *256  *7 ' reported.py --report=copies
reports 0 '^384,384,7,Torch,.*,4.2e-05,$' reported.py --report=copies \
  --peer 'torch=echo 0.5' --bytes='2*WIDTH+{WIDTH}' --csv=-
reports 0 "nothing measures the line 'Torch': --peer torch=COMMAND does" \
  reported.py --report=copies
reports 0 '^ *30  *60  ' reported.py --report=pairs
reports 0 'n  *k  *C ms' reported.py --report=pairs
reports 1 "cannot be evaluated: 'torch.sizes' is host code" reported.py --report=unknown
reports 2 'say which report, by --report=NAME: copies, copies-wide, pairs' \
  known.py --report
reports 2 'both give the sizes' known.py --report=pairs --sweep n=2
sed 's/args={}/args={"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7}/' \
  known.py >wide.py
reports 2 "x_names and args have more than 8 sizes; 'g' is too many" wide.py \
  --report=pairs
reports 2 'there is no perf_report' add.py --report --kernel=copy
# Lists with one name, a class by another name, Benchmarks by position, sizes as
# a range; a list for two functions; a list that is longer at the second call.
{
  sed '/^configs/,$d' reported.py
  cat <<'END'
from triton.testing import Benchmark as B, perf_report

configs = []
for k in (1, 2):
    b = B(["n"], range(2, 6), "p", ["triton"], ["T"], f"r{k}", dict(K=k))
    configs.append(b)

@perf_report(configs)
def first(n, p, K): pass

@perf_report(configs)
def again(n, p, K): pass

configs = []
for k in (3, 4):
    configs += [B(x_names=["n"], x_vals=list(range(k, k + 2)), line_arg="p",
                  line_vals=["triton"], line_names=["T"], plot_name=f"q{k}",
                  args={"K": k})]

@perf_report(configs)
def second(n, p, K): pass

configs[0].plot_name = "later"
configs[0].args["K"] = 9
del configs[1]

@perf_report(configs)
def third(n, p, K): pass

if torch.cuda.is_available():
    first.run(print_data=True)
END
} >named.py
reports 2 'by --report=NAME: r1, r2, r1, r2, q3, q4, later' named.py --report
reports 0 '^ *5  *1  ' named.py --report=r1
reports 0 '^ *5  *4  ' named.py --report=q4
reports 0 '^ *4  *9  ' named.py --report=later
{
  cat add.py
  printf 'def perf_report(x):\n    return x\nperf_report(3)\n'
  printf 'class Of:\n    def perf_report(self):\n        pass\n'
} >own.py
reports 2 'there is no perf_report' own.py --report --kernel=copy

# -- Refused -----------------------------------------------------------------

refuse 2 "a range is FROM:TO" ./bench --kernel=copy --sweep n=2^10:x
refuse 2 "a number is wanted" ./bench --kernel=copy --sweep n=ten
refuse 2 "the values must grow" ./bench --kernel=copy --sweep n=1:8:*1
refuse 2 "the end is before the start" ./bench --kernel=copy --sweep n=8:1
refuse 2 "more than 10000 values" ./bench --kernel=copy --sweep n=1:20000:+1
refuse 2 "a range is FROM:TO" ./bench --kernel=copy --sweep n=2^99:2^100
refuse 2 "of 10000 points in all" ./bench --kernel=copy --sweep n=1:200:+1 \
  --sweep m=1:200:+1
refuse 2 "sweep: there are 8 at most" ./bench --kernel=copy --sweep n=1 \
  --sweep a=1 --sweep b=1 --sweep c=1 --sweep d=1 --sweep e=1 --sweep f=1 \
  --sweep g=1 --sweep h=1
refuse 2 "given twice" ./bench --kernel=copy --sweep n=1 --sweep n=2
refuse 2 "between commas, found 'x'" ./bench --kernel=copy --config=x --sweep n=1
refuse 2 "bytes='8\*k': 'k' is no integer" ./bench --kernel=copy --sweep n=9 \
  --bytes='8*k'
refuse 2 "there is no configuration 7: 'add' has 2" ./bench --kernel=add --config=7 \
  --sweep n=9
refuse 2 "the sizes of --sweep" ./bench --kernel=copy --plot=o.gp
refuse 3 "No such file" ./bench --kernel=copy --sweep n=9 --compare=none.json
refuse 2 "'tilec bench', not 'tilec run'" "$tilec" run add.py --sweep n=1

finish
