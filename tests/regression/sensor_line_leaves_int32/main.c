/* Every raw value, next to the float32 arithmetic that sensor.toml describes. */
#include <stdint.h>
#include <stdio.h>

#include "model.h"

int main(void)
{
    int wrong = 0;

    for (int raw = 0; raw < 16384; raw++) {
        const uint8_t bytes[2] = { (uint8_t)raw, (uint8_t)(raw >> 8) };
        volatile float real = (float)raw * 0.00127303f; /* rounded after each operation */
        real = real + -6.4498f;
        real = real / 0.07177440822124481f;
        int expected = (int)((double)real + (real < 0 ? -0.5 : 0.5)) - 61;
        expected = expected < -128 ? -128 : expected > 127 ? 127 : expected;
        model_put_raw(bytes);
        wrong += model_input()[0] != expected;
    }
    printf("%d of 16384 wrong\n", wrong);
    return wrong != 0;
}
