/* Prints the speed that the model makes of each position of a knob. */
#include <stdio.h>

#include "knob.h"

int main(void)
{
    for (int position = -128; position < 128; position += KNOB_INPUT_COUNT) {
        for (int i = 0; i < KNOB_INPUT_COUNT; i++) {
            knob_input()[i] = (int8_t)(position + i);
        }
        knob_invoke();
        for (int i = 0; i < KNOB_OUTPUT_COUNT; i++) {
            printf("%d\n", knob_output()[i]);
        }
    }
    return 0;
}
