/* The compiled model against the function that it was trained on. */
#include "sine.h"

#include <math.h>
#include <stdio.h>

#define STEPS 64
#define MOST_ERROR 0.05F

int main(void)
{
    float worst = 0.0F;
    for (int step = 0; step < STEPS; step++) {
        const float x = 6.2831853F * (float)step / STEPS;
        *sine_input() = sine_quantize_input(x);
        sine_invoke();
        worst = fmaxf(worst, fabsf(sine_dequantize_output(*sine_output()) - sinf(x)));
    }
    printf("at most %.4f off\n", (double)worst);
    return worst < MOST_ERROR ? 0 : 1;
}
