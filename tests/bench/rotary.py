"""rotary.py -- turns pairs of a row's numbers by angles that all heads share.
"""
import triton
import triton.language as tl


@triton.jit
def rotary(x, cosines, sines, out, x_row, angle_row, length,
           HEADS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    half: tl.constexpr = WIDTH // 2
    columns = tl.arange(0, half)
    angles = row % length * angle_row + columns
    cosine = tl.load(cosines + angles)
    sine = tl.load(sines + angles)
    heads = tl.arange(0, HEADS)
    first = row * x_row + heads[:, None] * WIDTH + columns[None, :]
    second = first + half
    a = tl.load(x + first)
    b = tl.load(x + second)
    tl.store(out + first, a * cosine - b * sine)
    tl.store(out + second, b * cosine + a * sine)
