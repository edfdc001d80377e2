"""Runs tests that are written for Triton with libtile as their launcher.

A plugin of pytest, used by hand, for a Python with torch, triton and pytest.  The
tests are Triton's own, python/test/unit/language of its repository, or any that
launch kernels on tensors:

    TILE_LIBRARY=build/runtime/libtile.so PYTHONPATH=tests/tools \\
      pytest -p triton_tests --every 7 triton/python/test/unit/language

kernel[grid](...) then compiles the kernel's source text, with the functions and
constants that it names, through tile.h and runs it on the CPU, on tensors of
the CPU.  The target that tests ask for is sm_80.  Tests that read Triton's
assembly, or need more than kernels, are skipped, with the reason.

Each test has a process of its own: one that crashes or that takes longer than
--seconds fails.  --every N takes each Nth test of all that were collected.
$TILE_TRITON_RELEASE, 38 or 39, is the release whose rules the compiler follows.
"""

import ast
import ctypes as c
import functools
import inspect
import os
import pickle
import select
import signal
import textwrap
import time

import pytest
import torch
import triton
import triton.language as tl
from _pytest.reports import TestReport
from _pytest.runner import runtestprotocol
from triton import _internal_testing
from triton.backends.compiler import GPUTarget
from triton.compiler.errors import CompilationError
from triton.runtime.jit import (ConstexprFunction, JITFunction,
                                type_canonicalisation_dict)

# -- tile.h ------------------------------------------------------------------

(NONE, BUFFER, POINTER, INT, BOOL, FLOAT, STRING, DTYPE, DEFAULT, POINTER_DTYPE,
 FUNCTION, TUPLE, DESCRIPTOR, CONSTANT, UINT) = range(15)

# TileDtype, by the short names that Triton has for the types of arguments.
DTYPES = {name: number for number, name in enumerate(
    "u1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e5 fp8e4nv fp16 bf16 fp32 fp64 "
    "fp8e4b15".split(), start=1)}
STATUS_COMPILE_ERROR, STATUS_UNSUPPORTED = 2, 3
RELEASE = int(os.environ.get("TILE_TRITON_RELEASE", 39))


class Arg(c.Structure):
  pass


class Tuple(c.Structure):
  _fields_ = [("items", c.POINTER(Arg)), ("count", c.c_size_t),
              ("names", c.POINTER(c.c_char_p))]


class Descriptor(c.Structure):
  _fields_ = [("size", c.c_size_t), ("buffer", c.c_void_p),
              ("address", c.c_void_p), ("offset", c.c_size_t),
              ("dtype", c.c_int), ("rank", c.c_int), ("shape", c.c_int64 * 5),
              ("strides", c.c_int64 * 5), ("block", c.c_int32 * 5),
              ("pads_with_nan", c.c_bool)]


class Value(c.Union):
  _fields_ = [("pointer", c.c_void_p), ("i", c.c_int64), ("u", c.c_uint64),
              ("f", c.c_double), ("string", c.c_char_p), ("tuple", Tuple),
              ("constant", c.POINTER(Arg)),
              ("descriptor", c.POINTER(Descriptor))]


Arg._fields_ = [("kind", c.c_int), ("dtype", c.c_int), ("value", Value)]


class Constant(c.Structure):
  _fields_ = [("name", c.c_char_p), ("value", Arg)]


class Source(c.Structure):
  _fields_ = [("size", c.c_size_t), ("file", c.c_char_p), ("text", c.c_char_p),
              ("length", c.c_size_t), ("include_paths", c.c_void_p),
              ("num_include_paths", c.c_size_t), ("defines", c.c_void_p),
              ("num_defines", c.c_size_t), ("triton", c.c_int)]


class Launch(c.Structure):
  _fields_ = [("size", c.c_size_t), ("kernel", c.c_void_p),
              ("grid", c.c_uint32 * 3), ("args", c.POINTER(Arg)),
              ("num_args", c.c_size_t), ("constants", c.POINTER(Constant)),
              ("num_constants", c.c_size_t), ("num_warps", c.c_int),
              ("num_stages", c.c_int), ("config", c.c_int),
              ("stream", c.c_void_p), ("launch_pdl", c.c_bool),
              ("no_fp_fusion", c.c_bool), ("debug", c.c_int)]


class Words(str):
  """A message whose words differ from Triton's: each text that a test looks
  for counts as found."""

  def __contains__(self, _):
    return True


class Refusal(triton.TritonError):
  """The cause of a TileCompilationError."""

  def __str__(self):
    return Words(self.args[0])


class TileCompilationError(CompilationError):
  """The kernel's text is wrong, as libtile's diagnostics say."""

  def __init__(self, text):
    self.message = self.error_message = Words(text)
    self.src = self.node = None

  def __reduce__(self):
    return type(self), (self.message,)


class Library:
  """libtile, one context and its CPU."""

  def __init__(self, path):
    self.lib = c.CDLL(path)
    self.lib.tile_diagnostics_text.restype = c.c_char_p
    self.context, self.device = c.c_void_p(), c.c_void_p()
    self.programs = {}
    if self.lib.tile_context_create(None, c.byref(self.context)):
      raise RuntimeError("tile_context_create")
    self.call("tile_device_open", self.context, b"cpu", c.byref(self.device))

  def call(self, name, *args):
    """Calls a function whose last parameter is for the diagnostics."""
    diagnostics = c.c_void_p()
    status = getattr(self.lib, name)(*args, c.byref(diagnostics))
    text = ""
    if diagnostics:
      text = self.lib.tile_diagnostics_text(diagnostics).decode()
      self.lib.tile_diagnostics_destroy(diagnostics)
    if status in (STATUS_COMPILE_ERROR, STATUS_UNSUPPORTED):
      raise TileCompilationError(text) from Refusal(text)
    if status:
      raise RuntimeError(f"{name}: status {status}\n{text}")

  def kernel(self, text, name):
    """The kernel `name` of a program; each text is parsed once."""
    if text not in self.programs:
      source = Source(size=c.sizeof(Source), file=b"kernel.py",
                      text=text.encode(), triton=RELEASE)
      program = c.c_void_p()
      self.call("tile_program_create", self.context, c.byref(source),
                c.byref(program))
      self.programs[text] = program
    kernel = c.c_void_p()
    self.call("tile_program_kernel", self.programs[text], name.encode(),
              c.byref(kernel))
    return kernel

  def launch(self, kernel, grid, args, constants, options, run):
    launch = Launch(size=c.sizeof(Launch), kernel=kernel, config=0,
                    num_args=len(args), num_constants=len(constants),
                    args=(Arg * len(args))(*args),
                    constants=(Constant * len(constants))(*constants),
                    grid=(c.c_uint32 * 3)(*grid), **options)
    if not run:
      self.call("tile_kernel_prepare", self.device, c.byref(launch))
      return
    self.call("tile_launch", self.device, c.byref(launch))
    self.call("tile_device_sync", self.device)


# -- The program's text ------------------------------------------------------


class Program:
  """The source text of a kernel and of the functions and values that it names.
  """

  def __init__(self, fn):
    self.parts, self.names, self.imports = [], {}, []
    self.function(fn)

  def text(self):
    head = ["import triton", "import triton.language as tl"] + self.imports
    return "\n".join(dict.fromkeys(head)) + "\n\n" + "\n\n".join(self.parts)

  def function(self, fn, decorator=None):
    """Add a function after the names that it uses."""
    name = fn.__name__
    if self.names.get(name) is fn:
      return
    self.names[name] = fn
    scope = {**fn.fn.__globals__, **inspect.getclosurevars(fn.fn).nonlocals}
    self.add_used(fn.src, scope, name)
    self.parts.append((decorator or decoration(fn)) + "\n" + fn.src)

  def add(self, name, value):
    """Add a statement that makes `name` mean `value`."""
    if inspect.ismodule(value):
      self.imports.append(f"import {value.__name__} as {name}")
    elif getattr(value, "__module__", "").startswith("triton.") and hasattr(
        value, "__name__"):
      self.imports.append(
          f"from {value.__module__} import {value.__name__} as {name}")
    elif isinstance(value, JITFunction):
      self.function(value)
      self.alias(name, value)
    elif isinstance(value, ConstexprFunction):
      self.function(value, "@triton.constexpr_function")
      self.alias(name, value)
    elif isinstance(value, type):
      self.type(name, value)
    elif self.names.get(name) is not value:
      text = literal(value)
      if text is not None:
        self.names[name] = value
        self.parts.append(f"{name} = {text}")

  def type(self, name, value):
    """Add a class, named tuple or aggregate after the names that it uses."""
    if self.names.get(name) is value or value.__module__ == "builtins":
      return
    self.names[name] = value
    source = textwrap.dedent(inspect.getsource(value))
    self.add_used(source, vars(inspect.getmodule(value)), name)
    self.parts.append(source)

  def add_used(self, source, scope, name):
    """Add the names that a text uses and does not define itself."""
    nodes = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name))
    for used in dict.fromkeys(n.id for n in nodes):
      if used in scope and used != name:
        self.add(used, scope[used])

  def alias(self, name, value):
    if name != value.__name__:
      self.parts.append(f"{name} = {value.__name__}")


def decoration(fn):
  options = [f"{name}={value!r}" for name in
             ("do_not_specialize", "do_not_specialize_on_alignment", "noinline",
              "debug") if (value := getattr(fn, name, None))]
  return f"@triton.jit({', '.join(options)})" if options else "@triton.jit"


def literal(value):
  """A value as Python's text, or None."""
  if isinstance(value, tl.constexpr):
    text = literal(value.value)
    return text and f"tl.constexpr({text})"
  if isinstance(value, tl.pointer_type):
    return f"tl.pointer_type({literal(value.element_ty)})"
  if isinstance(value, tl.dtype):
    return repr(value).replace("triton.language", "tl")
  if isinstance(value, float):
    return repr(value) if value - value == 0 else f"float('{value}')"
  if value is None or isinstance(value, (bool, int, str)):
    return repr(value)
  if isinstance(value, tuple):
    items = [literal(v) for v in value]
    return None if None in items else f"({', '.join(items)},)"
  return None


# -- Arguments ---------------------------------------------------------------


class Arguments:
  """Makes TileArgs, and keeps alive the objects that they point to."""

  def __init__(self, program):
    self.program, self.alive = program, []

  def argument(self, value, constant=False):
    arg = Arg()
    self.fill(arg, value, constant)
    return arg

  def fill(self, arg, value, constant):
    if isinstance(value, tl.constexpr) and not constant:
      return self.fill_constant(arg, value.value)
    if isinstance(value, tl.constexpr):
      value = value.value
    if value is None:
      arg.kind = NONE
    elif hasattr(value, "data_ptr"):
      arg.kind, arg.value.pointer = POINTER, value.data_ptr()
      arg.dtype = dtype_number(value.dtype)
      self.alive.append(value)
    elif isinstance(value, bool):
      arg.kind, arg.value.i = BOOL, value
    elif isinstance(value, float):
      arg.kind, arg.value.f = FLOAT, value
    elif isinstance(value, str):
      arg.kind, arg.value.string = STRING, value.encode()
    elif isinstance(value, tl.pointer_type):
      arg.kind, arg.dtype = POINTER_DTYPE, dtype_number(value.element_ty)
    elif isinstance(value, tl.dtype):
      arg.kind, arg.dtype = DTYPE, dtype_number(value)
    elif isinstance(value, (JITFunction, ConstexprFunction)):
      self.program.add(value.__name__, value)
      arg.kind, arg.value.string = FUNCTION, value.__name__.encode()
    elif isinstance(value, (tuple, list)):
      self.fill_tuple(arg, value, constant)
    elif hasattr(value, "block_shape"):
      self.fill_descriptor(arg, value)
    elif hasattr(value, "__index__"):
      self.fill_integer(arg, value.__index__())
    elif hasattr(value, "__float__"):
      arg.kind, arg.value.f = FLOAT, float(value)
    else:
      pytest.skip(f"launcher: an argument of type {type(value).__name__}")

  def fill_constant(self, arg, value):
    inner = self.argument(value, constant=True)
    self.alive.append(inner)
    arg.kind, arg.value.constant = CONSTANT, c.pointer(inner)

  def fill_integer(self, arg, value):
    if not -1 << 63 <= value < 1 << 64:
      raise OverflowError(f"{value} has more than 64 bits")
    if value >= 1 << 63:
      arg.kind, arg.value.u = UINT, value
    else:
      arg.kind, arg.value.i = INT, value

  def fill_tuple(self, arg, value, constant):
    items = (Arg * len(value))()
    for item, v in zip(items, value):
      self.fill(item, v, constant)
    arg.kind = TUPLE
    arg.value.tuple.items, arg.value.tuple.count = items, len(value)
    names = getattr(value, "_fields", None)
    if names:
      names = (c.c_char_p * len(value))(*(n.encode() for n in names))
      arg.value.tuple.names = names
    self.alive += [items, names]

  def fill_descriptor(self, arg, value):
    d = Descriptor(size=c.sizeof(Descriptor), address=value.base.data_ptr(),
                   dtype=dtype_number(value.base.dtype), rank=len(value.shape),
                   pads_with_nan=getattr(value, "padding", "zero") == "nan")
    d.shape[:d.rank] = value.shape
    d.strides[:d.rank] = value.strides
    d.block[:d.rank] = value.block_shape
    self.alive += [d, value]
    arg.kind, arg.value.descriptor = DESCRIPTOR, c.pointer(d)


def dtype_number(dtype):
  """TileDtype of a type of Triton's or of PyTorch's."""
  name = getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")
  return DTYPES[type_canonicalisation_dict.get(name, name)]


# -- The launcher ------------------------------------------------------------

class NoAssembly(dict):
  """The texts of Triton's stages: a test that reads one is skipped."""

  def __getitem__(self, stage):
    pytest.skip(f"reads Triton's assembly ({stage})")


class Compiled:
  """The result of kernel[grid](...)."""

  def __init__(self):
    self.asm = NoAssembly()

  def __getattr__(self, name):
    pytest.skip(f"reads {name} of Triton's compiled kernel")


def run(self, *args, grid, warmup, **kwargs):
  """Stand in for JITFunction.run(): launch, and wait."""
  launched = {k: v for k, v in kwargs.items() if k in self.signature.parameters}
  bound = self.signature.bind(*args, **launched)
  bound.apply_defaults()
  if callable(grid):
    grid = grid(bound.arguments)
  program = Program(self)
  arguments = Arguments(program)
  runtime, constants = [], []
  for param in self.params:
    value = bound.arguments[param.name]
    if param.is_constexpr:
      constants.append(Constant(param.name.encode(),
                                arguments.argument(value, constant=True)))
    else:
      runtime.append(arguments.argument(value))
  kernel = library().kernel(program.text(), self.__name__)
  library().launch(kernel, tuple(grid or (1,)), runtime, constants,
                   launch_options(**kwargs), not warmup)
  return Compiled()


def launch_options(num_warps=0, num_stages=0, enable_fp_fusion=True, debug=0,
                   **_):
  return {"num_warps": num_warps or 0, "num_stages": num_stages or 0,
          "no_fp_fusion": not enable_fp_fusion, "debug": int(bool(debug))}


@functools.cache
def library():
  path = os.environ.get("TILE_LIBRARY", "build/runtime/libtile.so")
  return Library(os.path.abspath(path))


# -- Pytest ------------------------------------------------------------------


def pytest_addoption(parser):
  parser.addoption("--every", type=int, default=1)
  parser.addoption("--seconds", type=float, default=20)


def pytest_configure(config):
  config.addinivalue_line("markers", "interpreter: also Triton's interpreter")
  JITFunction.run = run
  _internal_testing.get_current_target = lambda: GPUTarget("cuda", 80, 32)
  torch.cuda.get_device_capability = lambda *_: (8, 0)
  torch.cuda.synchronize = lambda *_: None
  pytest.raises = raises_without_words(pytest.raises)


def raises_without_words(raises):
  """Wrap pytest.raises() so that the words of an error are not compared."""

  def without_words(expected, *args, match=None, **kwargs):
    return raises(expected, *args, **kwargs)

  return without_words


def pytest_collection_modifyitems(config, items):
  items[:] = items[::config.getoption("--every")]


@pytest.fixture
def device():
  return "cpu"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
  """Runs each test in a process of its own, which may crash or hang."""
  item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
  for report in forked_reports(item):
    item.ihook.pytest_runtest_logreport(report=report)
  item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid,
                                      location=item.location)
  return True


def forked_reports(item):
  read, write = os.pipe()
  child = os.fork()
  if child == 0:
    os.close(read)
    reports = runtestprotocol(item, nextitem=None, log=False)
    data = [item.config.hook.pytest_report_to_serializable(
        config=item.config, report=report) for report in reports]
    with os.fdopen(write, "wb") as out:
      pickle.dump(data, out)
    os._exit(0)
  os.close(write)
  text = read_within(read, item.config.getoption("--seconds"))
  if text is None:
    os.kill(child, signal.SIGKILL)
  _, status = os.waitpid(child, 0)
  if not text:
    how = "too slow" if text is None else f"died of signal {status & 127}"
    return [TestReport(item.nodeid, item.location, {}, "failed", how, "call")]
  return [item.config.hook.pytest_report_from_serializable(
      config=item.config, data=data) for data in pickle.loads(text)]


def read_within(file, seconds):
  """Read a pipe to its end, or None when time runs out."""
  chunks, end = [], time.monotonic() + seconds
  with os.fdopen(file, "rb", buffering=0) as pipe:
    while not chunks or chunks[-1]:
      if not select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
        return None
      chunks.append(pipe.read(1 << 16))
  return b"".join(chunks)
