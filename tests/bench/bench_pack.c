// bench_pack OURS PEER -- the running time of a program that runs attention
// once, from a pack, beside one with attention in C.
//
// One JSON object a line: the median over processes, started in turns, and the
// largest.
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 50, WARM = 3 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double live(const char *program) {
  const double start = now();
  int status;
  const pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout)) _exit(EXIT_FAILURE);
    execl(program, program, (char *)NULL);
    _exit(EXIT_FAILURE);
  }
  if (child < 0 || waitpid(child, &status, 0) != child || status) {
    fprintf(stderr, "'%s' fails\n", program);
    exit(EXIT_FAILURE);
  }
  return now() - start;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, double *seconds) {
  qsort(seconds, PROCESSES, sizeof *seconds, by_value);
  printf("{\"name\": \"%s\", \"median\": %.6f, \"largest\": %.6f}\n", name,
         seconds[PROCESSES / 2], seconds[PROCESSES - 1]);
}

int main(int argc, char **argv) {
  double ours[PROCESSES], peer[PROCESSES];
  if (argc != 3) {
    fprintf(stderr, "usage: bench_pack OURS PEER; tests/bench/run has both\n");
    return EXIT_FAILURE;
  }
  for (int i = -WARM; i < PROCESSES; i++) {
    const double one = live(argv[1]), other = live(argv[2]);
    if (i < 0) continue;
    ours[i] = one;
    peer[i] = other;
  }
  print("program that runs packed attention", ours);
  print("the same, of C", peer);
  return EXIT_SUCCESS;
}
