/* Reads digits of 8 x 8 values, as a scanner would give them, and prints which ones they are. */
#include "board.h"
#include "digits.h"
#include "samples.h"

int main(void)
{
    board_start();
    for (int i = 0; i < SAMPLES; i++) {
        uint8_t raw[DIGITS_PUT_RAW_BYTES];
        uint8_t label;

        board_copy(raw, samples[i], sizeof raw);
        board_copy(&label, &labels[i], 1);
        digits_put_raw(raw);
        digits_invoke();
        board_print_number(label);
        board_print(" ");
        board_print_number(digits_decide());
        for (int k = 0; k < DIGITS_OUTPUT_COUNT; k++) {
            board_print(" ");
            board_print_number(digits_output()[k]);
        }
        board_print("\n");
    }
    board_stop();
    return 0;
}
