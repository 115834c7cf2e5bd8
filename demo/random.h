/* SPDX-License-Identifier: MIT */
/*
 * Makes random numbers for the demo's synthetic patients: xoshiro256**, seeded by
 * splitmix64. Must not be used for privacy noise, which comes from the library. It uses
 * only whole numbers, additions and shifts, so the files are equal on every machine.
 */
#ifndef TACIT_DEMO_RANDOM_H
#define TACIT_DEMO_RANDOM_H

#include <stdint.h>

struct demo_random {
  uint64_t s[4];
};

static inline void demo_random_start(struct demo_random *random, uint64_t seed) {
  for (int i = 0; i < 4; ++i) {
    uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    random->s[i] = z ^ (z >> 31);
  }
}

static inline uint64_t demo_random_rotate(uint64_t x, int bits) {
  return (x << bits) | (x >> (64 - bits));
}

static inline uint64_t demo_random_word(struct demo_random *random) {
  uint64_t *s = random->s;
  uint64_t out = demo_random_rotate(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = demo_random_rotate(s[3], 45);
  return out;
}

/* Returns a number uniform on [0, 1). */
static inline double demo_random_uniform(struct demo_random *random) {
  return (double)(demo_random_word(random) >> 11) * 0x1p-53;
}

/* Returns a number close to normal with mean 0 and variance 1: a sum of twelve
   uniforms. Its bits are equal on every machine, which log and cos do not guarantee. */
static inline double demo_random_normal(struct demo_random *random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i)
    sum += demo_random_uniform(random);
  return sum - 6;
}

#endif
