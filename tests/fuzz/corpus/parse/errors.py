@jit
def a(x, y):
    x = = 3
    y = 3 4
    if x
        y = 3
        z = 4
    for i range(3):
        pass
    foo(a, b=3, c)
    f() = 3
    x = (1 + )
    if x = 3:
        pass
    else
        pass
      y = 3
    $x
    x = 0129
    return @ 3
    else:
      foo
    x = 3 +
    x = [1, 2 3]
    z = 1j
    def (x): pass
    a[1:2:3:4]
    w = 'abc
    z = 99999999999999999999
      ok = 3
    lambda x y: z
    print x
    class
    "\xZZ"
    f"{x!z}" f"{}"
    x = {1: 2, 3}
    x = await z

@jit
def b(x, x, y=3, z): pass
@jit
def c(x
    y = 3
    return y
@jit
def d(x):
	if x:
        y = 3
	z
