/* A hand-written model in the style of a generated one; tests/support/hand_written.py has its meaning. */
#include "pair.h"

#ifdef __AVR__
#define PAIR_FLASH __flash
#else
#define PAIR_FLASH
#endif

static const PAIR_FLASH int8_t pair_weights[64] = {
    1,   -2,  3,   -4,  5,   -6,  7,   -8,  9,    -10, 11,  -12, 13,  -14,  15,   -16,
    127, 126, 125, 124, 123, 122, 121, 120, -128, -99, -98, -97, -96, -95,  -94,  -93,
    0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,   0,   0,   0,    0,    100,
    -5,  15,  -25, 35,  -45, 55,  -65, 75,  -85,  95,  -15, 25,  -35, -105, -115, -125,
};

static int8_t pair_arena[16 + 4 + 4 + 1];
static volatile int32_t pair_seed = 12345; /* lies in .data: startup must have copied it */
static int8_t pair_last;                   /* lies in .bss: startup must have cleared it */

int8_t *pair_input_left(void) {
    return pair_arena;
}

int8_t *pair_input_right(void) {
    return pair_arena + 16;
}

const int8_t *pair_output_sums(void) {
    return pair_arena + 20;
}

const int8_t *pair_output_last(void) {
    return &pair_last;
}

/* Takes libgcc's 64-bit arithmetic on an AVR. */
static __attribute__((noinline)) int8_t pair_requantize(int32_t acc) {
    int32_t scaled = (int32_t)(((int64_t)acc * 1518500250) >> 40);
    return (int8_t)(scaled > 127 ? 127 : scaled < -128 ? -128 : scaled);
}

/* More arguments than any target passes in registers. */
static __attribute__((noinline)) int32_t pair_mix(int32_t acc, int8_t a, int8_t b, int8_t c,
                                                  int8_t d, int32_t seed, int32_t scale,
                                                  int32_t offset) {
    return acc + a - b + c - d + seed * scale + offset;
}

void pair_invoke(void) {
    const int8_t *left = pair_arena;
    const int8_t *right = pair_arena + 16;
    const PAIR_FLASH int8_t *weights = pair_weights;
    __asm__("" : "+r"(weights)); /* or the optimiser turns the table into immediate operands */
    for (uint8_t row = 0; row < 4; row++) {
        int32_t acc = (int32_t)pair_last;
        for (uint8_t column = 0; column < 16; column++) {
            acc += (int32_t)weights[row * 16 + column] * left[column];
        }
        acc = pair_mix(acc, right[0], right[1], right[2], right[3], pair_seed, row, acc >> 3);
        pair_arena[20 + row] = pair_requantize(acc);
    }
    pair_last = (int8_t)(pair_arena[23] ^ right[0]);
}
