/* What the sensor node asks of its board. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

void board_start(void);

/* The rotation sensor: how far the shaft has turned since the last call, in 1/256 of a turn. */
uint8_t board_turned(void);

void board_led(bool is_on);

void board_print(const char *text);

/* Sleep for good. */
void board_stop(void);

#endif
