/* tinyml_read() for a 25-series SPI memory at the part's SPI pins, selected by its SS pin, and what
 * tinyml_read_ahead.h needs.  For the images of this project; a firmware that shares the bus brings
 * its own.
 */
#include "tinyml_read_ahead.h"

void tinyml_read(uint32_t offset, void *buffer, uint16_t size);

/* Port B on every part of the family, but not the same pins. */
#if defined(__AVR_ATmega1280__) || defined(__AVR_ATmega2560__)
enum { SELECT = 1 << 0, CLOCK = 1 << 1, DATA_OUT = 1 << 2 };
#elif defined(__AVR_ATmega644P__) || defined(__AVR_ATmega1284P__)
enum { SELECT = 1 << 4, CLOCK = 1 << 7, DATA_OUT = 1 << 5 };
#else
enum { SELECT = 1 << 2, CLOCK = 1 << 5, DATA_OUT = 1 << 3 };
#endif

enum { COMMAND_READ = 0x03 };

static void start(void) {
    PORTB |= SELECT;
    DDRB |= SELECT | CLOCK | DATA_OUT;
    SPCR = 1 << SPE | 1 << MSTR; /* mode 0, the highest bit first */
    SPSR = 1 << SPI2X; /* half the processor's clock */
}

static void wait(void) {
    while ((SPSR & 1 << SPIF) == 0) {
    }
}

static void send(uint8_t value) {
    SPDR = value;
    wait();
}

void tinyml_read_begin(uint32_t offset) {
    if ((SPCR & 1 << SPE) == 0) {
        start();
    }
    PORTB &= (uint8_t)~SELECT;
    send(COMMAND_READ);
    send((uint8_t)(offset >> 16));
    send((uint8_t)(offset >> 8));
    send((uint8_t)offset);
    SPDR = 0;
}

void tinyml_read_end(void) {
    PORTB |= SELECT;
}

void tinyml_read(uint32_t offset, void *buffer, uint16_t size) {
    uint8_t *to = buffer;
    tinyml_read_begin(offset);
    while (--size != 0) {
        *to++ = tinyml_read_next();
    }
    *to = tinyml_read_last();
}
