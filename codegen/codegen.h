// codegen.h -- from IR to machine code: the header for other layers.
#ifndef TILE_CODEGEN_CODEGEN_H
#define TILE_CODEGEN_CODEGEN_H

#include "ir/launch_value.h"
#include "ir/op.h"
#include "ir/target.h"

#include <pthread.h>

// -- The description of a compiled kernel ------------------------------------

// The rule by which a launch computes a machine parameter of a kernel.
typedef enum {
  PARAM_ARGUMENT,     // the kernel's argument number `index`
  PARAM_WORKSPACE,    // address of `size` zeroed bytes, shared by the grid
  PARAM_TENSOR_MAP,   // tensor map number `index`, made by the launch
  PARAM_HOOKS,        // host only: address of a HostHooks
  PARAM_BLOCK_MEMORY, // GPU only: address of `size` zeroed bytes for each block
                      // of the grid
  PARAM_PROGRAMS,     // GPU only: number of programs along axis `index`; the
                      // launch may start fewer blocks, which share them
} ParamRule;

typedef struct {
  ParamRule rule;
  int index; // ARGUMENT: among the parameters of the source kernel; TENSOR_MAP
  Elem elem; // ARGUMENT: of a scalar
  bool is_pointer;
  size_t size; // bytes of the parameter; WORKSPACE, BLOCK_MEMORY: of the memory
  size_t align;
} KernelParam;

// A map describes a tensor for a kernel's copies, in a hardware format that the
// driver knows.
enum { TENSOR_MAX_RANK = 5, TENSOR_MAP_SIZE = 128, TENSOR_MAP_ALIGNMENT = 64 };

// A value that a launch computes: `count` of the kernel's steps, from `first`
// on. An argument in a step is a machine parameter.
typedef struct {
  int first, count;
} LaunchValue;

typedef struct {
  Elem elem;
  int rank;
  uint32_t box[TENSOR_MAX_RANK]; // elements, the last dimension innermost
  int swizzle;                   // bytes of a line: 32, 64, 128; 0: none
  bool fills_nan;                // elements outside of the tensor are NaN, else
                                 // 0
  uint64_t apart;   // a set of bits: machine parameters, addresses of memory
                    // that the kernel takes for another tensor's
  LaunchValue base; // an address
  LaunchValue shape[TENSOR_MAX_RANK], strides[TENSOR_MAX_RANK]; // elements
} TensorMapInfo;

// Precedes a kernel's name in its symbol on the host: a kernel `memcpy` must
// not replace that of C's library.
#define HOST_SYMBOL_PREFIX "kernel_"

typedef struct {
  const char *symbol;
  const KernelParam *params;
  int num_params;
  const TensorMapInfo *maps;
  int num_maps;
  const LaunchStep *steps; // of all maps
  int num_steps;
  bool overlaps;        // is right, too, if its arguments share memory
  int num_warps;        // warps of a launch; 1 on the host
  int log2_cluster;     // of the number of adjacent blocks that run one program
  bool has_pairs;       // two programs, side by side along x, may be a cluster
  size_t shared_bytes;  // dynamic shared memory of a block; 0 on the host
  size_t scratch_bytes; // host: private memory of a program while it runs
  bool keeps_scratch;   // host: a call may use its content from the call before
} KernelInfo;

// The number, from 0, of the value that parameter `i` gets from its argument:
// the values of one tuple or descriptor are consecutive.  `last` is the number
// for the parameter before.
static inline int kernel_param_value(const KernelInfo *info, int i, int last) {
  const KernelParam *params = info->params;
  return i && params[i - 1].rule == PARAM_ARGUMENT &&
                 params[i - 1].index == params[i].index
             ? last + 1
             : 0;
}

// Do blocks run several programs, one after the other?
static inline bool kernel_is_persistent(const KernelInfo *info) {
  for (int i = 0; i < info->num_params; i++)
    if (info->params[i].rule == PARAM_PROGRAMS) return true;
  return false;
}

// A host kernel.  `args` holds one 8-byte slot per machine parameter: an
// address; an integer or float of its own size in the low bytes.  `program` and
// `grid` have three entries.  `scratch` is 64-byte aligned and has
// scratch_bytes; its contents are undefined.  If the kernel keeps_scratch, a
// caller may add one to the address, to say that the bytes are as an earlier
// call of the same launch left them.
typedef void HostKernelFn(const uint64_t *args, const uint32_t *program,
                          const uint32_t *grid, void *scratch);

// Counters of the system that a kernel with `counts` has for each loop.
enum { HOST_EVENTS = 5 };

// The functions by which a kernel prints, asserts, counts, and reads the clock
// and its worker's number; the kernel calls them from any thread.
typedef struct {
  // Prints a line of device_print; the text is made by debug_format() of
  // ir/debug_text.h.
  void (*print)(void *ctx, const char *format, const uint64_t *slots);
  // Reports a device_assert that failed for that element; the program ends.
  void (*fail)(void *ctx, const char *text, const uint32_t *program,
               uint64_t element);
  void *ctx;
  uint64_t (*clock)(void *ctx);  // nanoseconds
  uint32_t (*worker)(void *ctx); // the thread's number, from 0
  // Gets the counters of a kernel with `counts`, once for each program, and
  // their table.  Its first line has the number of counters, of rows, and the
  // kernel's name; then a line for each row: the row of the loop around it, or
  // -1; its counter of runs or elements, its counter of the time in ticks of
  // the processor's clock, and, of a loop, its first counter of events, else 0;
  // bytes and floating-point operations for each run
  // or element; the line of the source; behind tabs, a class and the file.
  // Counter 1 has the time that belongs to no row, and those from 2 on the
  // events that belong to no loop.
  void (*count)(void *ctx, const char *table, const uint64_t *counters);
  // Adds the events on this thread since the last call to HOST_EVENTS counters;
  // NULL: a program begins.
  void (*read)(void *ctx, uint64_t *events);
} HostHooks;

// -- Emission ----------------------------------------------------------------

typedef enum {
  EMIT_LLVM,   // LLVM IR text after optimization
  EMIT_ASM,    // PTX, or the host's assembly
  EMIT_OBJECT, // host only: a relocatable ELF object
} EmitKind;

// Target machines of LLVM, kept from one call for the next: making one takes as
// long as compiling a small kernel. The one that was used last takes the place
// of the one that has not been used for the longest time. Any number of threads
// may share a CodegenMachines.
enum { CODEGEN_MACHINES = 4 };
typedef struct {
  pthread_mutex_t lock;
  uint64_t turn; // counts machines that came back
  struct {
    void *machine;        // NULL: none
    uint64_t turn;        // as it came back
    const Target *target; // and the options for which it was made
    char host_cpu[24];
    int ptx_version;
    bool quick;
  } idle[CODEGEN_MACHINES];
} CodegenMachines;

// False if its lock cannot be made.
bool codegen_machines_open(CodegenMachines *machines);
// Disposes of all machines. No call may use `machines` from here on.
void codegen_machines_close(CodegenMachines *machines);

enum { CODEGEN_MAX_PTX = 85 }; // the newest PTX that can be written, 8.5

typedef struct {
  bool line_info;       // the PTX contains source lines
  const char *host_cpu; // a row of host_cpus.def; NULL: this machine's
  int ptx_version;      // 83 for 8.3; 0: the least for the target
  bool no_fp_fusion;    // keep x * y + z as two roundings
  bool counts;          // host: the kernel counts its work
  bool amx;             // host: the process may use AMX's registers
  bool quick; // host: a third of LLVM's work, code that takes twice the time,
              // the same results
  // Gets the time that each stage took ("emit", "optimize", "codegen"); may be
  // NULL.
  void (*timed)(void *ctx, const char *stage, double seconds);
  void *timed_ctx;
  CodegenMachines *machines; // used and filled; NULL: none are kept
} CodegenOptions;

typedef struct {
  const char *data; // `size` bytes and a NUL, in the module's arena
  size_t size;
  const KernelInfo *kernels; // one for each function of the module
  int num_kernels;
} CompiledCode;

// Can host code be made for this CPU on this machine?
bool codegen_has_host_cpu(const char *name);
// The names of all these CPUs, and "native", separated by commas.
const char *codegen_host_cpu_names(void);
// "x86-64-v3" for 3; NULL: there is no such level.
const char *codegen_level_name(int level);
// Can this machine run code for the CPU of that name?  A level of x86-64 can be
// the machine's own or a lower one; another CPU must be this one.
bool codegen_runs_host_cpu(const char *name);
// Has it AMX with bf16 and int8?  NULL: this machine.
bool codegen_has_amx(const char *host_cpu);
// Everything that code for this machine depends on: its CPU, its triple and the
// CPU's features, separated by blanks.
void codegen_host_cpu(char *out, size_t size);
// Writes LLVM's version, "19.1.7", to `out`.
void codegen_llvm_version(char *out, size_t size);

// Lowers every function of a module after the target's pipeline.  False after a
// diagnostic, with `out` unchanged.  `options` may be NULL.  Needs
// arena_protect(); several threads may work on different modules.
bool codegen_emit(Module *m, const Target *target, EmitKind kind,
                  const CodegenOptions *options, CompiledCode *out);

#endif
