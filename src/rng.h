/* xoshiro256** seeded by splitmix64: small, fast, and the same on every machine. The name stands in
 * each file. Sources: Blackman and Vigna, "Scrambled linear pseudorandom number generators" (2021);
 * Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014). */
#ifndef PLAYHEAD_RNG_H
#define PLAYHEAD_RNG_H

#include <stdint.h>

#define PH_RNG_NAME "xoshiro256**/splitmix64"

typedef struct ph_rng {
  uint64_t s[4];
} ph_rng;

/* stream separates generators that share a seed: 0 reset, 1 policy. */
void ph_rng_seed(ph_rng *rng, uint64_t seed, uint64_t stream);
uint64_t ph_rng_next(ph_rng *rng);
double ph_rng_uniform(ph_rng *rng); /* [0, 1), 53 bits */
double ph_rng_normal(ph_rng *rng);  /* mean 0, deviation 1 */
uint64_t ph_rng_mix(uint64_t a, uint64_t b, uint64_t c);

#endif
