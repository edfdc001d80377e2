// formats.h -- one line of printf, of the kernel and of the test.
//
// `n` is 17; sizes, flags, widths and precisions of every conversion.
#define FORMATS(print)                                                         \
  print("i %d u %u x %08x X %#X o %o lld %lld llu %llu f %.3f e %e g %g "      \
        "G %G a %a s %s %.3s c %c %% %5d|%-5d|%+d|% d hd %hd hhd %hhd "        \
        "hu %hu zu %zu ld %ld jd %jd *d %*d|%-*d|%.*f\n",                      \
        -5, 7u, 0xbeefu, 255, 8, -1234567890123ll, ~0ull, 1.5, 2.5e-10, 0.1,   \
        1e20, 1.0, "text", "abcdef", 'c', 42, 42, 42, 42, -3, -2, 70000,       \
        (size_t)99, -7l, (long long)1 << 40, 6, n, 5, n, 2, 1.2345)
