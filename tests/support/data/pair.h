/* The interface of a hand-written model with two inputs and two outputs. */
#include <stdint.h>

int8_t *pair_input_left(void); /* 16 values */
int8_t *pair_input_right(void); /* 4 values */
void pair_invoke(void);
const int8_t *pair_output_sums(void); /* 4 values */
const int8_t *pair_output_last(void); /* 1 value */
