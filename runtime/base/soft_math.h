// soft_math.h -- functions of libm, by integers alone, for processors without
// the instructions.
//
// Each result is correctly rounded (IEEE 754), and so equal to that of
// processors with instructions for it.
#ifndef TILE_RUNTIME_SOFT_MATH_H
#define TILE_RUNTIME_SOFT_MATH_H

double soft_fma(double a, double b, double c);
float soft_fmaf(float a, float b, float c);

double soft_floor(double x);
double soft_ceil(double x);
double soft_trunc(double x);
double soft_rint(double x); // ties to even
float soft_floorf(float x);
float soft_ceilf(float x);
float soft_truncf(float x);
float soft_rintf(float x);

#endif
