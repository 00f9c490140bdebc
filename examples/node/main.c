/* A sensor node: it samples a rotation sensor, infers the shaft's height, prints it and blinks. */
#include "board.h"
#include "sine.h"

#define SAMPLES 32

static char *write_number(char *end, int number)
{
    unsigned rest = (unsigned)(number < 0 ? -number : number);
    do {
        *--end = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0) {
        *--end = '-';
    }
    return end;
}

static void print_number(const char *label, int number)
{
    char text[8];
    char *end = text + sizeof text - 1;
    *end = '\0';
    board_print(label);
    board_print(write_number(end, number));
}

int main(void)
{
    uint8_t angle = 0; /* 1/256 of a turn */
    board_start();
    for (int sample = 0; sample < SAMPLES; sample++) {
        angle = (uint8_t)(angle + board_turned());
        const int8_t x = (int8_t)((int)angle - 128); /* the model's input spans one turn */
        *sine_input() = x;
        sine_invoke();
        const int8_t height = *sine_output();
        print_number("x ", x);
        print_number(" height ", height);
        board_print("\n");
        board_led(height > 0);
    }
    board_stop();
    return 0;
}
