/* A 25-series SPI memory for the simulated part: the command READ (0x03, three bytes of address, then
 * data for as long as the memory is selected).  Any other command is a fault.
 *
 * It answers on simavr's SPI, which takes 100 us for a byte for every clock divider.
 * SPI_FREQUENCY makes those the 16 cycles of a byte at half the processor's clock; nothing else in a
 * test image depends on simavr's idea of time.
 */
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/sim_avr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPI_FREQUENCY = 160000, COMMAND_READ = 0x03, COMMAND_BYTES = 4, NOTHING = 0xff };

typedef struct {
    const uint8_t *bytes;
    size_t size;
    avr_irq_t *to_part;
    bool is_selected;
    bool is_wrong; /* an unknown command, or a read past the end */
    unsigned received; /* bytes of the command */
    uint32_t address;
    unsigned long long read_bytes; /* all data so far */
} spi_memory_t;

static uint8_t next_byte(spi_memory_t *memory) {
    if (memory->address >= memory->size) {
        memory->is_wrong = true;
        return NOTHING;
    }
    memory->read_bytes++;
    return memory->bytes[memory->address++];
}

/* A byte from the part; the answer goes out at the same time. */
static void exchange(struct avr_irq_t *irq, uint32_t value, void *parameter) {
    (void)irq;
    spi_memory_t *memory = parameter;
    uint8_t answer = NOTHING;
    if (!memory->is_selected) {
        return;
    }
    if (memory->received == COMMAND_BYTES) {
        answer = next_byte(memory);
    } else if (memory->received++ == 0) {
        memory->address = 0;
        memory->is_wrong |= value != COMMAND_READ;
    } else {
        memory->address = memory->address << 8 | (value & 0xff);
    }
    avr_raise_irq(memory->to_part, answer);
}

/* The select pin, which is low when it selects. */
static void select_memory(struct avr_irq_t *irq, uint32_t value, void *parameter) {
    (void)irq;
    spi_memory_t *memory = parameter;
    memory->is_selected = value == 0;
    memory->received = 0;
}

/* `pin` is a port and a number: B2.  False where the part has no such pin or no SPI. */
static bool connect_memory(avr_t *avr, spi_memory_t *memory, const char *pin) {
    avr_irq_t *select
        = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(pin[0]), pin[0] == 0 ? 0 : pin[1] - '0');
    avr_irq_t *from_part = avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT);
    memory->to_part = avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_INPUT);
    if (select == NULL || from_part == NULL || memory->to_part == NULL) {
        return false;
    }
    avr->frequency = SPI_FREQUENCY;
    avr_irq_register_notify(select, select_memory, memory);
    avr_irq_register_notify(from_part, exchange, memory);
    return true;
}
