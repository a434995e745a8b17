// What compilers call by different names. GCC and Clang have vector types as an extension; others, and a build with
// MERCER_PLAIN_VECTORS, use the arrays of lanes.hpp in their place.
#pragma once

#if (defined(__GNUC__) || defined(__clang__)) && !defined(MERCER_PLAIN_VECTORS)
#define MERCER_VECTOR_TYPES 1
#else
#define MERCER_VECTOR_TYPES 0
#endif

#if MERCER_VECTOR_TYPES && !defined(__clang__)
#define MERCER_SHUFFLE 1  // __builtin_shuffle with an index that is known at run time only
#else
#define MERCER_SHUFFLE 0
#endif

#if defined(__GNUC__) || defined(__clang__)
#define MERCER_PRAGMA(text) _Pragma(#text)
#define MERCER_INLINE inline __attribute__((always_inline))
#define MERCER_PREFETCH(address) __builtin_prefetch(address)
// Before a loop whose iterations may run side by side; a sum named in reduction(+ : sum) may be reassociated.
#define MERCER_SIMD(...) MERCER_PRAGMA(omp simd __VA_ARGS__)
#else
#define MERCER_PRAGMA(text)
#define MERCER_INLINE __forceinline
#define MERCER_PREFETCH(address) static_cast<void>(address)
#define MERCER_SIMD(...)
#endif

#if defined(__clang__)
#define MERCER_UNROLL(n) MERCER_PRAGMA(clang loop unroll_count(n))
#elif defined(__GNUC__)
#define MERCER_UNROLL(n) MERCER_PRAGMA(GCC unroll n)
#else
#define MERCER_UNROLL(n)
#endif
