/* Reads pictures of coloured digits, 32 x 32 pixels of three bytes, and prints which ones they are. */
#include "board.h"
#include "rfc_cnn.h"
#include "samples.h"

int main(void)
{
    board_start();
    for (int i = 0; i < SAMPLES; i++) {
        rfc_cnn_put_raw(samples[i]);
        rfc_cnn_invoke();
        board_print_number(labels[i]);
        board_print(" ");
        board_print_number(rfc_cnn_decide());
        for (int k = 0; k < RFC_CNN_OUTPUT_COUNT; k++) {
            board_print(" ");
            board_print_number(rfc_cnn_output()[k]);
        }
        board_print("\n");
    }
    board_stop();
    return 0;
}
