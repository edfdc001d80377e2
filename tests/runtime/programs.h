// programs.h -- sources that the tests of the API launch.
#ifndef TESTS_PROGRAMS_H
#define TESTS_PROGRAMS_H

static const char copy_text[] =
    "@jit\n"
    "def copy(x, y, n, BLOCK: tl.constexpr = 16):\n"
    "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
    "    tl.store(y + i, tl.load(x + i, mask=i < n) * 2.0, mask=i < n)\n";

static const char typed_text[] =
    "@jit\n"
    "def typed(x: *fp16, n: i64, s: fp32, c: tl.constexpr):\n"
    "    tl.store(x, (s * n).to(tl.float16))\n"
    "\n"
    "@jit\n"
    "def kinds(out: *fp64, a, b, c, d):\n"
    "    if d is None:\n"
    "        tl.store(out, a.to(tl.float64) + b + c)\n"
    "    else:\n"
    "        tl.store(out, -1.0)\n"
    "\n"
    "@jit\n"
    "def wide(out: *i64, n):\n"
    "    tl.store(out, n + 1)\n";

// `n` is a constant only if an int that is 1 becomes one.
static const char plain_text[] = "@triton.jit(do_not_specialize=['m', 2])\n"
                                 "def plain(x, m, n):\n"
                                 "    tl.store(x + tl.arange(0, n), m)\n"
                                 "\n"
                                 "@triton.jit\n"
                                 "def special(x, m, n):\n"
                                 "    tl.store(x + tl.arange(0, n), m)\n";

// EVEN and num_warps depend on run-time values, BLOCK on the configuration.
static const char tuned_text[] =
    "@triton.autotune(configs=[triton.Config({'BLOCK': b}) for b in [4, 8]],\n"
    "                 key=['n'])\n"
    "@triton.heuristics({'EVEN': lambda a: a['n'] % a['BLOCK'] == 0,\n"
    "                    'NAME': lambda a: 'big' if a['s'] > 1 else 'small',\n"
    "                    'num_warps': lambda a: 8 if a['n'] > 7 else 4})\n"
    "@triton.jit\n"
    "def tuned(out, n, s, BLOCK: tl.constexpr, EVEN: tl.constexpr,\n"
    "          NAME: tl.constexpr):\n"
    "    x = 1000 if EVEN else 0\n"
    "    x += 100 if NAME == 'big' else 0\n"
    "    tl.store(out, x + BLOCK)\n";

static const char tuple_text[] =
    "@triton.jit\n"
    "def add(a, b):\n"
    "    return a + b\n"
    "@triton.jit\n"
    "def tuples(args, F: tl.constexpr, T: tl.constexpr):\n"
    "    out, (a, b, none), one = args\n"
    "    tl.static_assert(none is None and T == tl.pointer_type(tl.int8))\n"
    "    tl.store(out, F(a, b) + one)\n";

static const char named_text[] =
    "@triton.jit\n"
    "def sum_of(sizes):\n"
    "    return tl.sum(tl.arange(0, sizes.block)) * sizes.factor\n"
    "@triton.jit\n"
    "def named(args):\n"
    "    if hasattr(args, 'sizes'):\n"
    "        tl.store(args.out, sum_of(args.sizes))\n"
    "    else:\n"
    "        tl.store(args.out, args.other.block)\n";

static const char descriptor_text[] =
    "@triton.jit\n"
    "def descriptor(d, args):\n"
    "    e, out, at = args\n"
    "    v = d.load([at, 0]) + e.load([1])[None, :] + d.shape[0]\n"
    "    d.store([at, 0], v)\n"
    "    tl.store(out, d.strides[0])\n";

#endif
