/* Takes recordings of a motion sensor, six int16 at a time, and prints what its wearer does. */
#include "board.h"
#include "motion.h"
#include "samples.h"

int main(void)
{
    board_start();
    for (int i = 0; i < SAMPLES; i++) {
        char label[MOTION_LABEL_BYTES];

        motion_begin();
        for (int row = 0; row < MOTION_ROWS_EXPECTED; row++) {
            motion_push_raw_row(samples[i] + row * MOTION_PUSH_RAW_ROW_BYTES);
        }
        const int answer = motion_decide();

        board_print_number(labels[i]);
        board_print(" ");
        board_print_number(answer);
        for (int k = 0; k < MOTION_OUTPUT_COUNT; k++) {
            board_print(" ");
            board_print_number(motion_output()[k]);
        }
        board_print("\n");
        motion_copy_label(answer, label);
        board_print(label);
        board_print("\n");
    }
    board_stop();
    return 0;
}
