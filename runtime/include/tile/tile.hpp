// tile.hpp -- tile.h for C++17: objects that end by themselves, exceptions, and
// launches in one statement.
//
//   tile::Context context;
//   tile::Device device(context);
//   tile::Program program(context, "add.tile");
//   tile::Array<float> x(device, values), y(device, values.size());
//   program.kernel("add").on(device, {blocks})(x, y, 0.5, n);
//   std::vector<float> result = y.read();
//
// A call that fails throws tile::Error, whose what() is the whole text of the
// diagnostics.  An object must go after those that were made of it, as its C
// counterpart: C++ destroys in that order what is declared in this one.  get()
// is the C object, for all that is not here.  Objects move, and do not copy.
#ifndef TILE_TILE_HPP
#define TILE_TILE_HPP

#include "tile/tile.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tile {

// -- Errors ------------------------------------------------------------------

class Error : public std::runtime_error {
public:
  Error(TileStatus status, const std::string &text)
      : std::runtime_error(text), status_(status) {
  }
  TileStatus status() const {
    return status_;
  }

private:
  TileStatus status_;
};

// Gathers the reasons of one call, and throws them.
class Reasons {
public:
  Reasons() = default;
  Reasons(const Reasons &) = delete;
  Reasons &operator=(const Reasons &) = delete;
  ~Reasons() {
    tile_diagnostics_destroy(list_);
  }
  operator TileDiagnostics **() {
    return &list_;
  }

  void check(TileStatus status) const {
    if (status == TILE_OK) return;
    std::string text = list_ ? tile_diagnostics_text(list_) : "";
    if (text.empty()) text = tile_status_text(status);
    throw Error(status, text);
  }

private:
  TileDiagnostics *list_ = nullptr;
};

inline void check(TileStatus status) {
  Reasons().check(status);
}

// -- Ownership ---------------------------------------------------------------

template <typename T, void (*destroy)(T *)> class Owner {
public:
  T *get() const {
    return held_.get();
  }
  explicit operator bool() const {
    return held_ != nullptr;
  }

protected:
  Owner() = default;
  void hold(T *object) {
    held_.reset(object);
  }

private:
  struct Destroy {
    void operator()(T *object) const {
      destroy(object);
    }
  };
  std::unique_ptr<T, Destroy> held_;
};

class Context : public Owner<TileContext, tile_context_destroy> {
public:
  explicit Context(const TileContextOptions *options = nullptr) {
    TileContext *made = nullptr;
    check(tile_context_create(options, &made));
    hold(made);
  }
  // Unloads variants until there are `keep`.
  void evict(std::size_t keep = 0) {
    tile_context_evict(get(), keep);
  }
};

class Device : public Owner<TileDevice, tile_device_destroy> {
public:
  // "cpu", "cuda:1", …; nullptr: as TILE_DEVICE says, else the best there is.
  explicit Device(const Context &context, const char *name = nullptr) {
    TileDevice *made = nullptr;
    Reasons why;
    why.check(tile_device_open(context.get(), name, &made, why));
    hold(made);
  }
  std::string name() const {
    return tile_device_name(get());
  }
  std::string target() const {
    return tile_device_target(get());
  }
  std::string summary() const {
    return tile_device_summary(get());
  }
  int num_processors() const {
    return tile_device_num_processors(get());
  }
  void sync() const {
    Reasons why;
    why.check(tile_device_sync(get(), why));
  }
};

class Stream {
public:
  explicit Stream(const Device &device) : device_(device.get()) {
    Reasons why;
    why.check(tile_stream_create(device_, &stream_, why));
  }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream() {
    tile_stream_destroy(device_, stream_);
  }
  void *get() const {
    return stream_;
  } // nullptr on the CPU
  void sync() const {
    Reasons why;
    why.check(tile_stream_sync(device_, stream_, why));
  }

private:
  TileDevice *device_;
  void *stream_ = nullptr;
};

class Event : public Owner<TileEvent, tile_event_destroy> {
public:
  explicit Event(const Device &device) {
    TileEvent *made = nullptr;
    Reasons why;
    why.check(tile_event_create(device.get(), &made, why));
    hold(made);
  }
  void record(void *stream = nullptr) {
    Reasons why;
    why.check(tile_event_record(get(), stream, why));
  }
  void sync() const {
    Reasons why;
    why.check(tile_event_sync(get(), why));
  }
  // Work that `stream` is given from now on waits for the event.
  void hold_up(const Device &device, void *stream = nullptr) const {
    Reasons why;
    why.check(tile_event_wait(get(), device.get(), stream, why));
  }
  double seconds_since(const Event &start) const {
    double seconds = 0;
    Reasons why;
    why.check(tile_event_seconds(start.get(), get(), &seconds, why));
    return seconds;
  }
};

// -- Arrays ------------------------------------------------------------------

// Elements that lie side by side and belong to somebody else.
template <typename T> class Span {
public:
  constexpr Span(T *data, std::size_t size) : data_(data), size_(size) {
  }
  // The elements of an array, a std::vector, a std::array, …
  template <typename C, typename = std::enable_if_t<std::is_convertible_v<
                            decltype(std::data(std::declval<C &>())), T *>>>
  constexpr Span(C &&all) : data_(std::data(all)), size_(std::size(all)) {
  }
  constexpr T *data() const {
    return data_;
  }
  constexpr std::size_t size() const {
    return size_;
  }

private:
  T *data_;
  std::size_t size_;
};

// How kernels see elements of a type of C++.
template <typename T> constexpr TileDtype dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) return TILE_BOOL;
  if constexpr (std::is_same_v<U, float>) return TILE_FP32;
  if constexpr (std::is_same_v<U, double>) return TILE_FP64;
  if constexpr (std::is_integral_v<U> && !std::is_same_v<U, bool>) {
    constexpr bool is_signed = std::is_signed_v<U>;
    switch (sizeof(U)) {
    case 1: return is_signed ? TILE_INT8 : TILE_UINT8;
    case 2: return is_signed ? TILE_INT16 : TILE_UINT16;
    case 4: return is_signed ? TILE_INT32 : TILE_UINT32;
    default: return is_signed ? TILE_INT64 : TILE_UINT64;
    }
  }
  return TILE_DTYPE_NONE;
}

// Elements in the memory of a device.  `dtype` is how kernels see them: fp16
// may be held as std::uint16_t.
template <typename T>
class Array : public Owner<TileBuffer, tile_buffer_destroy> {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Array(const Device &device, std::size_t size, TileDtype dtype = dtype_of<T>())
      : size_(size), dtype_(dtype) {
    TileBuffer *made = nullptr;
    check(tile_buffer_create(device.get(), size * sizeof(T), &made));
    this->hold(made);
  }
  Array(const Device &device, Span<const T> values,
        TileDtype dtype = dtype_of<T>())
      : Array(device, values.size(), dtype) {
    write(values);
  }
  Array(const Device &device, std::initializer_list<T> values,
        TileDtype dtype = dtype_of<T>())
      : Array(device, Span<const T>(values.begin(), values.size()), dtype) {
  }

  std::size_t size() const {
    return size_;
  }
  TileDtype dtype() const {
    return dtype_;
  }
  void *address() const {
    return tile_buffer_address(this->get());
  }

  // Both wait for what was launched before; `first` counts elements.
  void write(Span<const T> values, std::size_t first = 0) {
    check(tile_buffer_write(this->get(), first * sizeof(T), values.data(),
                            values.size() * sizeof(T)));
  }
  void read(Span<T> values, std::size_t first = 0) const {
    check(tile_buffer_read(this->get(), first * sizeof(T), values.data(),
                           values.size() * sizeof(T)));
  }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    read(values);
    return values;
  }

  // In the order of `stream`.
  void fill(T value, void *stream = nullptr) {
    static_assert(sizeof(T) <= 8, "devices fill with at most 8 bytes");
    Reasons why;
    why.check(tile_buffer_fill(this->get(), 0, size_ * sizeof(T), &value,
                               sizeof value, stream, why));
  }
  void copy_from(const Array &other, void *stream = nullptr) {
    Reasons why;
    why.check(tile_buffer_copy(this->get(), 0, other.get(), 0,
                               other.size() * sizeof(T), stream, why));
  }

private:
  std::size_t size_;
  TileDtype dtype_;
};

// -- Arguments ---------------------------------------------------------------

inline TileArg argument(const TileArg &arg) {
  return arg;
}
inline TileArg argument(std::nullptr_t) {
  return tile_none_arg();
}
inline TileArg argument(const char *text) {
  TileArg arg = tile_none_arg();
  arg.kind = TILE_ARG_STRING;
  arg.as.string = text;
  return arg;
}
inline TileArg argument(const std::string &text) {
  return argument(text.c_str());
}
inline TileArg argument(const TileTensorDescriptor &descriptor) {
  return tile_descriptor_arg(&descriptor);
}
template <typename T> TileArg argument(const Array<T> &array) {
  return tile_buffer_arg(array.get(), array.dtype());
}
// An address of the device, with the type of what it points to; that of void is
// the kernel's annotation.
template <typename T, typename = std::enable_if_t<
                          !std::is_same_v<std::remove_cv_t<T>, char>>>
TileArg argument(T *address) {
  return tile_pointer_arg(address, dtype_of<T>());
}
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T>, TileArg> argument(T value) {
  if constexpr (std::is_same_v<T, bool>) return tile_bool_arg(value);
  if constexpr (std::is_floating_point_v<T>)
    return tile_float_arg(static_cast<double>(value));
  if constexpr (std::is_unsigned_v<T>)
    return tile_uint_arg(static_cast<std::uint64_t>(value));
  return tile_int_arg(static_cast<std::int64_t>(value));
}

// Programs along each axis.
struct Grid {
  Grid(std::uint32_t along_0, std::uint32_t along_1 = 1,
       std::uint32_t along_2 = 1)
      : axes{along_0, along_1, along_2} {
  }
  std::array<std::uint32_t, 3> axes;
};

// -- Kernels -----------------------------------------------------------------

// A launch that is kept, to start it with other addresses.
class Binding : public Owner<TileBinding, tile_binding_destroy> {
public:
  Binding(TileDevice *device, const TileLaunch &launch) {
    TileBinding *made = nullptr;
    Reasons why;
    why.check(tile_launch_bind(device, &launch, &made, why));
    hold(made);
  }
  void operator()(Span<const void *const> addresses = {nullptr, 0},
                  void *stream = nullptr) const {
    Reasons why;
    why.check(tile_binding_start(get(), addresses.data(), addresses.size(),
                                 stream, why));
  }
};

// How a kernel is launched; called with its arguments, it is.
class Launcher {
public:
  Launcher(TileDevice *device, TileKernel *kernel, Grid grid)
      : device_(device) {
    launch_.size = sizeof launch_;
    launch_.kernel = kernel;
    for (std::size_t i = 0; i < grid.axes.size(); i++)
      launch_.grid[i] = grid.axes[i];
  }

  Launcher &stream(void *stream) {
    return launch_.stream = stream, *this;
  }
  Launcher &num_warps(int count) {
    return launch_.num_warps = count, *this;
  }
  Launcher &num_stages(int count) {
    return launch_.num_stages = count, *this;
  }
  Launcher &config(int number) {
    return launch_.config = number, *this;
  }
  Launcher &debug(bool on) {
    return launch_.debug = on ? 1 : -1, *this;
  }
  // What the `pre_hook` of the configuration does, the caller does.
  Launcher &without_hooks() {
    return launch_.no_hooks = true, *this;
  }
  // A parameter that becomes a constant; `name` and texts live until the
  // launch.
  template <typename T> Launcher &constant(const char *name, const T &value) {
    constants_.push_back({name, argument(value)});
    return *this;
  }

  template <typename... Args> void operator()(const Args &...args) {
    const std::array<TileArg, sizeof...(Args)> all = {argument(args)...};
    Reasons why;
    why.check(tile_launch(device_, &with(all.data(), all.size()), why));
  }
  // Compiles, and starts nothing.
  template <typename... Args> void prepare(const Args &...args) {
    const std::array<TileArg, sizeof...(Args)> all = {argument(args)...};
    Reasons why;
    why.check(tile_kernel_prepare(device_, &with(all.data(), all.size()), why));
  }
  template <typename... Args> Binding bind(const Args &...args) {
    const std::array<TileArg, sizeof...(Args)> all = {argument(args)...};
    return Binding(device_, with(all.data(), all.size()));
  }
  template <typename... Args> TileKernelInfo info(const Args &...args) {
    const std::array<TileArg, sizeof...(Args)> all = {argument(args)...};
    TileKernelInfo info = {};
    info.size = sizeof info;
    Reasons why;
    why.check(
        tile_kernel_info(device_, &with(all.data(), all.size()), &info, why));
    return info;
  }

private:
  const TileLaunch &with(const TileArg *args, std::size_t count) {
    launch_.args = args;
    launch_.num_args = count;
    launch_.constants = constants_.data();
    launch_.num_constants = constants_.size();
    return launch_;
  }

  TileDevice *device_;
  TileLaunch launch_ = {};
  std::vector<TileConstant> constants_;
};

// Belongs to its program.
class Kernel {
public:
  explicit Kernel(TileKernel *kernel) : kernel_(kernel) {
  }
  TileKernel *get() const {
    return kernel_;
  }
  std::string name() const {
    return tile_kernel_name(kernel_);
  }
  Launcher on(const Device &device, Grid grid) const {
    return Launcher(device.get(), kernel_, grid);
  }

private:
  TileKernel *kernel_;
};

class Program : public Owner<TileProgram, tile_program_destroy> {
public:
  Program(const Context &context, const char *path) {
    TileProgram *made = nullptr;
    Reasons why;
    why.check(tile_program_load(context.get(), path, &made, why));
    hold(made);
  }
  Program(const Context &context, const TileSource &source) {
    TileProgram *made = nullptr;
    Reasons why;
    why.check(tile_program_create(context.get(), &source, &made, why));
    hold(made);
  }
  static Program of_text(const Context &context, const char *text) {
    TileSource source = {};
    source.size = sizeof source;
    source.text = text;
    return Program(context, source);
  }
  // nullptr: the only one.
  Kernel kernel(const char *name = nullptr) const {
    TileKernel *found = nullptr;
    Reasons why;
    why.check(tile_program_kernel(get(), name, &found, why));
    return Kernel(found);
  }
};

} // namespace tile
#endif
