/* The model on the part: are its outputs for all 256 inputs those that TFLM computed? */
#include "board.h"
#include "expected.h"
#include "sine.h"

int main(void)
{
    int wrong = 0;
    board_start();
    for (int i = 0; i < 256; i++) {
        *sine_input() = (int8_t)(i - 128);
        sine_invoke();
        wrong += *sine_output() != expected[i];
    }
    board_print(wrong == 0 ? "sine PASS\n" : "sine FAIL\n");
    board_stop();
    return 0;
}
