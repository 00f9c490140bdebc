/* All 256 inputs against what the reference gives for them. */
#include "expected.h"
#include "sine.h"

int main(void)
{
    for (int q = -128; q < 128; q++) {
        *sine_input() = (int8_t)q;
        sine_invoke();
        if (*sine_output() != expected[q + 128]) {
            return 1;
        }
    }
    return 0;
}
