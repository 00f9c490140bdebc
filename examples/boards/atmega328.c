/* An Arduino Uno: the serial port at 115200 baud. */
#include "board.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#define CLOCK_HZ 16000000UL
#define BAUD 115200UL

void board_start(void)
{
    UCSR0A = (uint8_t)(1U << U2X0);
    UBRR0 = (uint16_t)((CLOCK_HZ / 4 / BAUD - 1) / 2);
    UCSR0B = (uint8_t)(1U << TXEN0);
}

void board_print(const char *text)
{
    while (*text != '\0') {
        while (!(UCSR0A & (1U << UDRE0))) {
        }
        UDR0 = (uint8_t)*text++;
    }
}

void board_stop(void)
{
    while (!(UCSR0A & (1U << UDRE0))) {
    }
    cli();
    sleep_enable();
    for (;;) {
        sleep_cpu();
    }
}
