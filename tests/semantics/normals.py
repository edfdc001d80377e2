# normals.py -- normal numbers of uniform ones, within the documented bound; the
# kernel stores larger differences.
# run: --kernel=pairs --grid=1 --arg u=@normals-u.npy --arg wanted=@normals-wanted.npy --arg out=zeros:fp64[2x256] --reference out=normals.npy --tolerance=0
# run: --kernel=streams --grid=1 --arg out=zeros:fp64[2x256] --reference out=normals.npy --tolerance=0
import triton
import triton.language as tl


@triton.jit
def pairs(u, wanted, out):
    i = tl.arange(0, 256)
    x, y = tl.pair_uniform_to_normal(tl.load(u + i), tl.load(u + 256 + i))
    x = tl.abs(x.to(tl.float64) - tl.load(wanted + i))
    y = tl.abs(y.to(tl.float64) - tl.load(wanted + 256 + i))
    tl.store(out + i, tl.where(x <= 6e-6, 0.0, x))
    tl.store(out + 256 + i, tl.where(y <= 6e-6, 0.0, y))


@triton.jit
def streams(out):
    i = tl.arange(0, 256)
    a, b, c, d = tl.randn4x(7, i)
    u, v, s, t = tl.rand4x(7, i)
    x, y = tl.pair_uniform_to_normal(u, v)
    z, w = tl.pair_uniform_to_normal(s, t)
    same = (a == x) & (b == y) & (c == z) & (d == w)
    tl.store(out + i, tl.where(same, 0.0, 1.0))
    tl.store(out + 256 + i, tl.where(tl.randn(7, i) == x, 0.0, 1.0))
