/* reverse.c -- a program that knows only the Driver API, and not this project.
 *
 * usage: reverse DRIVER PTX: prints the name of the error that the kernel ends
 * with. */
#include <dlfcn.h>
#include <stdio.h>

static int (*load(void *driver, const char *name))() {
  union {
    void *object;
    int (*function)();
  } symbol;
  symbol.object = dlsym(driver, name);
  return symbol.function;
}

int main(int argc, char **argv) {
  static char ptx[1 << 16];
  void *context, *module, *function;
  unsigned long long x, y;
  const char *name;
  void *driver = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  FILE *file = driver ? fopen(argv[2], "r") : NULL;
  if (!file) return 2;
  ptx[fread(ptx, 1, sizeof ptx - 1, file)] = '\0';
  fclose(file);
  load(driver, "cuInit")(0);
  load(driver, "cuDevicePrimaryCtxRetain")(&context, 0);
  load(driver, "cuCtxPushCurrent_v2")(context);
  load(driver, "cuModuleLoadData")(&module, ptx);
  load(driver, "cuModuleGetFunction")(&function, module, "reverse");
  load(driver, "cuMemAlloc_v2")(&x, (size_t)1024);
  load(driver, "cuMemAlloc_v2")(&y, (size_t)1024);
  load(driver, "cuMemsetD32_v2")(x, 0u, (size_t)256);
  void *params[] = {&x, &y};
  load(driver, "cuLaunchKernel")(function, 1, 1, 1, 256, 1, 1, 0, NULL, params,
                                 NULL);
  load(driver, "cuGetErrorName")(load(driver, "cuCtxSynchronize")(), &name);
  puts(name);
  return 0;
}
