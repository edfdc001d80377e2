import triton, triton.language as tl
@triton.jit
def k(a, /, b: tl.constexpr = 3, *args, c: "tl.constexpr", d=0x_ff, **kw) -> None:
    """doc
    string"""
    x = y = a + b - c * d ** -e ** 2 // 3 @ 4 % 5
    x: tl.constexpr
    x: tl.int32 = (1, 2)
    x += 1; y <<= 2
    a, (b, *c), d[0], e.f = 1, 2
    z = a if b else c if d else e
    t = not a == b and c or d and not (e or f)
    u = 1 < 2 <= 3 != 4 is not None not in [] in () is x
    v = a[1:2, ::3, None, ..., :, 4]
    w = a[:, None]
    q = [i * 2 for i in range(3) if i if not i for j in k]
    r = f"abc{x!r:>{w}}{{}} {y=} {'q'}" "tail" r'\n'
    s = 'a\x41\u00e9\n\101' u"b" '''c
d'''
    l = lambda x, *y, z=3: x + z
    m = {1: 2, **k, 'a': {3}}; n = {1, 2}; o = {a for a in b}; p = {a: b for a, b in c}
    call(1, *a, k=3, **kw)
    call(x for x in y)
    if (n := 3) > 2: pass
    elif x:
        return
    else:
        return 1, 2
    for i, in range(3):
        break
    else:
        continue
    while True:
        assert x, "y"
    with a as b, c:
        raise ValueError("x" if y else z) from w
    try:
        import os
    except Exception as e:
        pass
    finally:
        pass
    def inner(x):
        return x
    @dec
    class Foo(Bar):
        x = 3
    async def f(): await g
    match x:
        case 1: pass
    match = 3
    match[x] = match(y)
    global g; nonlocal h; del x
    from a import b
    yield 3
    0b101, 0o17, 1_000, 1e10, 1.5, .5, 5., 1E-3, 0xFFFFFFFFFFFFFFFF, 9223372036854775808
    f"{x:{y}.{z}}" f'{a["b"]}' f"{d['k']!s}" rf"\d{x}"
    (a < b) < c
    ~-+x
    a.b.c[d](e).f
    if a: b; c
    (yy)
    lambda: 3
    x = a,
    return x \
       + y
