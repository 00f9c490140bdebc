/* digits: a model compiled by tinyml_rules.  Generated; do not edit.
 *
 * Fill the input, call digits_invoke(), read the output.  Inputs and outputs share
 * memory with the intermediate results: fill every input before each call, and read every output
 * before the next input is filled.  No call fails, none allocates; the functions are not reentrant.
 */
#ifndef DIGITS_H
#define DIGITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DIGITS_ARENA_BYTES 256

/* Input 'digits?input', shape [1, 8, 8, 1]: real = scale * (q - zero point) */
#define DIGITS_INPUT_COUNT 64
#define DIGITS_INPUT_SCALE 0.06277466f
#define DIGITS_INPUT_ZERO_POINT (-128)
int8_t *digits_input(void);

/* Output 'digits?5?fully_connected', shape [1, 10]: real = scale * (q - zero point) */
#define DIGITS_OUTPUT_COUNT 10
#define DIGITS_OUTPUT_SCALE 0.14703369f
#define DIGITS_OUTPUT_ZERO_POINT (-1)
const int8_t *digits_output(void);

void digits_invoke(void);

/* Decisions from output 'digits?5?fully_connected', in integers: call them once the output is there. */
/* The class with the largest value, the first of equals. */
int digits_decide(void);

#ifdef __cplusplus
#define DIGITS_CAST(type, value) static_cast<type>(value)
#else
#define DIGITS_CAST(type, value) ((type)(value))
#endif

/* The int8 value nearest to a real one, ties away from zero, clamped.  Costs nothing if not called. */
static inline int8_t digits_quantize_input(float real)
{
    const float scaled = real / DIGITS_INPUT_SCALE;
    if (scaled >= 256.0f) {
        return 127;
    }
    if (!(scaled > -256.0f)) { /* or no number */
        return -128;
    }
    int rounded = DIGITS_CAST(int, scaled);
    const float rest = scaled - DIGITS_CAST(float, rounded);
    if (rest >= 0.5f) {
        rounded++;
    } else if (rest <= -0.5f) {
        rounded--;
    }
    rounded += DIGITS_INPUT_ZERO_POINT;
    if (rounded > 127) {
        return 127;
    }
    return DIGITS_CAST(int8_t, rounded < -128 ? -128 : rounded);
}

/* The real number that an output value stands for.  Costs nothing if not called. */
static inline float digits_dequantize_output(int8_t q)
{
    return DIGITS_OUTPUT_SCALE * DIGITS_CAST(float, q - DIGITS_OUTPUT_ZERO_POINT);
}

#undef DIGITS_CAST

#ifdef __cplusplus
}
#endif

#endif
