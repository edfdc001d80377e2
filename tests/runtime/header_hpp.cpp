// header_hpp.cpp -- tile/tile.hpp: launches in one statement, errors that are
// thrown, objects that end by themselves.
#include "tile/tile.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char source_text[] =
    "@triton.jit\n"
    "def scale(x, y, s, n, B: tl.constexpr = 16, m=None):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    v = tl.load(x + i, mask=i < n) * s\n"
    "    tl.store(y + i, v if m is None else v + m, mask=i < n)\n"
    "\n"
    "@triton.jit\n"
    "def kinds(out, a, b, c, NAME: tl.constexpr):\n"
    "    base = 1000 if NAME == 'big' else 0\n"
    "    tl.store(out, base + a + (10 if b else 0) + (0 if c is None else 1))\n"
    "\n"
    "@triton.jit\n"
    "def read(out, d):\n"
    "    tl.store(out + tl.arange(0, 4), d.load([0]))\n"
    "\n"
    "@triton.jit\n"
    "def put(out: '*i32', value):\n"
    "    tl.store(out, value)\n";

#define CHECK(x)                                                               \
  do {                                                                         \
    if (!(x)) {                                                                \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);             \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

template <typename F> void expect(F call, TileStatus status, const char *said) {
  bool thrown = false;
  try {
    call();
  } catch (const tile::Error &error) {
    thrown = true;
    CHECK(error.status() == status);
    CHECK(std::strstr(error.what(), said));
  }
  CHECK(thrown);
}

void launch(const tile::Device &device, const tile::Program &program) {
  const std::vector<float> values = {1, 2, 3, 4, 5};
  tile::Array<float> x(device, values), y(device, 5), z(device, 5);
  const tile::Kernel scale = program.kernel("scale");
  CHECK(scale.name() == "scale");
  scale.on(device, {1})(x, y, 0.5, 5);
  CHECK((y.read() == std::vector<float>{.5f, 1, 1.5f, 2, 2.5f}));
  scale.on(device, {3}).constant("B", 2).num_warps(1)(x, y, 2.0f, 5u);
  CHECK(y.read()[4] == 10);
  scale.on(device, 1)(x, y, 1, std::int64_t(4), 16, 100);
  CHECK(y.read()[3] == 104 && y.read()[4] == 10);
  scale.on(device, {1}).prepare(x, y, 0.25, 5);
  CHECK(scale.on(device, {1}).info(x, y, 0.25, 5).num_warps > 0);
  const tile::Binding bound = scale.on(device, {1}).bind(x, y, 3.0, 5);
  const void *const addresses[] = {x.address(), z.address()};
  bound();
  bound(addresses);
  CHECK(y.read() == z.read() && z.read()[4] == 15);
  float two[2];
  y.read(two, 1);
  CHECK(two[0] == 6 && two[1] == 9);
}

void pass_kinds(const tile::Device &device, const tile::Program &program) {
  tile::Array<int> out(device, 4);
  const tile::Kernel kinds = program.kernel("kinds");
  kinds.on(device, {1})(out, 5, true, nullptr, "big");
  CHECK(out.read()[0] == 1015);
  int *address = static_cast<int *>(out.address());
  kinds.on(device, {1})(address, 6, false, tile_int_arg(7), "small");
  CHECK(out.read()[0] == 7);
  kinds.on(device, {1}).constant("NAME", std::string("big"))(out, 1, true, 8);
  CHECK(out.read()[0] == 1012);
  program.kernel("put").on(device, {1})(out.address(), 3); // no type of its own
  CHECK(out.read()[0] == 3);
  tile::Array<double> from(device, std::vector<double>{1, 2, 3, 4});
  tile::Array<double> to(device, 4);
  TileTensorDescriptor d = {};
  d.buffer = from.get();
  d.dtype = TILE_FP64;
  d.rank = 1;
  d.shape[0] = 3;
  d.strides[0] = 1;
  d.block[0] = 4;
  program.kernel("read").on(device, {1})(to, d);
  CHECK((to.read() == std::vector<double>{1, 2, 3, 0}));
}

void use_streams(const tile::Device &device, const tile::Program &program) {
  const tile::Stream stream(device);
  tile::Event start(device), end(device);
  tile::Array<float> x(device, 5), y(device, 5);
  start.record(stream.get());
  x.fill(2, stream.get());
  program.kernel("scale").on(device, {1}).stream(stream.get())(x, y, 4, 5);
  x.copy_from(y, stream.get());
  end.record(stream.get());
  end.hold_up(device);
  end.sync();
  CHECK(end.seconds_since(start) >= 0);
  stream.sync();
  device.sync();
  CHECK(x.read()[4] == 8);
  tile::Array<double> wide(device, 3);
  const tile::Array<int> listed(device, {0, 5});
  CHECK((listed.read() == std::vector<int>{0, 5})); // not a null Span of 5
  wide.fill(0.1);
  device.sync();
  CHECK((wide.read() == std::vector<double>{0.1, 0.1, 0.1}));
}

void fail(tile::Context &context, const tile::Device &device,
          const tile::Program &program) {
  tile::Array<float> x(device, 5);
  expect([&] { program.kernel("nothing"); }, TILE_INVALID_ARGUMENT, "nothing");
  expect([&] { program.kernel("scale").on(device, {1})(x); },
         TILE_INVALID_ARGUMENT, "'y'");
  expect([&] { program.kernel(); }, TILE_INVALID_ARGUMENT, "kernel");
  expect([&] { tile::Program::of_text(context, "@jit\ndef k(:\n"); },
         TILE_COMPILE_ERROR, "error");
  expect([&] { tile::Program(context, "/nowhere/a.tile"); }, TILE_FILE_ERROR,
         "/nowhere/a.tile");
  expect([&] { tile::Device(context, "gpux"); }, TILE_INVALID_ARGUMENT, "gpux");
  expect([&] { x.write(std::vector<float>(6)); }, TILE_INVALID_ARGUMENT, "");
  context.evict();
}

void move(const tile::Device &device) {
  tile::Array<std::uint16_t> half(device, 4, TILE_FP16);
  void *const address = half.address();
  tile::Array<std::uint16_t> moved(std::move(half));
  CHECK(!half && moved.address() == address && moved.dtype() == TILE_FP16);
}

} // namespace

int main() {
  const char *const devices[] = {"cpu", "sim"};
  for (const char *name : devices) {
    tile::Context context;
    tile::Device device(context, name);
    const tile::Program program = tile::Program::of_text(context, source_text);
    launch(device, program);
    pass_kinds(device, program);
    use_streams(device, program);
    fail(context, device, program);
    move(device);
    std::printf("%s: %s\n", device.name().c_str(), device.summary().c_str());
  }
  return 0;
}
