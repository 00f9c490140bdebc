/* A 25-series SPI memory at the part's SPI pins, byte after byte: each is on its way while the one before is used.  For
 * models that are compiled with TINYML_READ_AHEAD; see weights.c.
 */
#ifndef TINYML_READ_AHEAD_H
#define TINYML_READ_AHEAD_H

#include <avr/io.h>
#include <stdint.h>

/* of weights.c: sends the command that reads from there on */
void tinyml_read_begin(uint32_t offset);
void tinyml_read_end(void);

/* The next byte; the one after it is on its way before this one is taken, which has a register of its own. */
static inline __attribute__((always_inline)) uint8_t tinyml_read_next(void) {
    while ((SPSR & 1 << SPIF) == 0) {
    }
    SPDR = 0;
    return SPDR;
}

/* The last byte. */
static inline __attribute__((always_inline)) uint8_t tinyml_read_last(void) {
    while ((SPSR & 1 << SPIF) == 0) {
    }
    const uint8_t value = SPDR;
    tinyml_read_end();
    return value;
}

#endif
