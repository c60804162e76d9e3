#include "rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x) {
  uint64_t z = (*x += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

uint64_t ph_rng_mix(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t x = a, mixed = splitmix(&x);
  x = mixed ^ b;
  mixed = splitmix(&x);
  x = mixed ^ c;
  return splitmix(&x);
}

void ph_rng_seed(ph_rng *rng, uint64_t seed, uint64_t stream) {
  uint64_t x = ph_rng_mix(seed, stream, 0);
  for (int i = 0; i < 4; i++)
    rng->s[i] = splitmix(&x);
}

uint64_t ph_rng_next(ph_rng *rng) {
  uint64_t *s = rng->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double ph_rng_uniform(ph_rng *rng) {
  return (double)(ph_rng_next(rng) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method, the second value dropped so that there is no hidden state. */
double ph_rng_normal(ph_rng *rng) {
  double u, v, s;
  do {
    u = 2 * ph_rng_uniform(rng) - 1;
    v = 2 * ph_rng_uniform(rng) - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  return u * sqrt(-2 * log(s) / s);
}
