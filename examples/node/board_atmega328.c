/* An Arduino Uno: the sensor on A0, the LED on pin 13, the serial port at 115200 baud. */
#include "board.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#define CLOCK_HZ 16000000UL
#define BAUD 115200UL
#define SLOWEST 8U /* the shaft turns by this much even where the sensor reads nothing */

void board_start(void)
{
    DDRB = (uint8_t)(1U << DDB5);
    UCSR0A = (uint8_t)(1U << U2X0);
    UBRR0 = (uint16_t)((CLOCK_HZ / 4 / BAUD - 1) / 2);
    UCSR0B = (uint8_t)(1U << TXEN0);
    ADMUX = (uint8_t)((1U << REFS0) | (1U << ADLAR)); /* A0, its upper eight bits in ADCH */
    ADCSRA = (uint8_t)((1U << ADEN) | (1U << ADPS2) | (1U << ADPS1) | (1U << ADPS0));
}

uint8_t board_turned(void)
{
    ADCSRA |= (uint8_t)(1U << ADSC);
    while (ADCSRA & (1U << ADSC)) {
    }
    return (uint8_t)(SLOWEST + ADCH / 16U);
}

void board_led(bool is_on)
{
    PORTB = is_on ? (uint8_t)(1U << PORTB5) : 0;
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
