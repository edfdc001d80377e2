@jit
def b(x, x, y=3, z): pass
@jit
def d(x):
	if x:
        y = 3
	z
@jit
def e(x):
    if x:
    z = 1
@jit
def f(x):
    y = f"{x!z}" f"{}" f"{x" f'{1 +}'
    a = "\xZZ"
    x = {1: 2, 3}
    x = await z
    lambda x y: z
    print x
    class
    z = 99999999999999999999
      ok = 3
    if x y: pass
    for x y in z: pass
    return “foo”
    x = 3 if y
    x ? y
    a.3
    def
@triton.jit
def g(x) pass
@triton.jit
def h(x:
