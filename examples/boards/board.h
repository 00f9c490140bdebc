/* What the firmwares of the examples digits, motion and rfc_cnn ask of their board. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* BOARD_FLASH: constants that lie in flash; board_copy: from there into RAM. */
#ifdef __AVR__
#include <avr/pgmspace.h>
#define BOARD_FLASH PROGMEM
#define board_copy memcpy_P
#else
#include <string.h>
#define BOARD_FLASH
#define board_copy memcpy
#endif

void board_start(void);

void board_print(const char *text);

void board_print_number(int number);

/* Sleep for good, which ends an emulator's run. */
void board_stop(void);

#endif
