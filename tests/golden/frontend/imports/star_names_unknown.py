import triton.language as tl

__all__ = [name for name in dir() if not name.startswith("_")]
MAYBE = 4
