/* Bounds what the calls of a model take on an AVR: an abstract processor in which bits of data may be unknown.
 *
 *   avr_bound LINES MEMORY [INPUT OUTPUT]
 *
 * calls.h reads LINES and MEMORY.  A data address is that of the processor plus DATA_SPACE, as the linker counts.
 * Standard output is described in calls.h.
 */
#include <stdbool.h>
#include <stdint.h>

enum {
    X = 26,
    Y = 28,
    Z = 30,
    STACK_POINTER = 32,
    RAMPZ,
    EIND,
    REGISTERS,
    REGISTER_BITS = 8,
};
enum { CARRY, ZERO, NEGATIVE, OVERFLOW, SIGN, HALF, TRANSFER, INTERRUPTS, FLAGS };

#include "calls.h"

enum {
    DATA_SPACE = 0x800000,
    PORT_DATA = 0x3e,
    PORT_STATUS = 0x4a,
    PORT_EXIT = 0x4b,
    RAMPZ_ADDRESS = 0x5b,
    EIND_ADDRESS = 0x5c,
    STACK_POINTER_LOW = 0x5d,
    STACK_POINTER_HIGH = 0x5e,
    STATUS_REGISTER = 0x5f,
    MOST_LOAD_BITS = 8,   /* unknown bits of an address of which each is looked at */
    MOST_FLASH_BITS = 10,
    MOST_STORE_BITS = 12,
};

static uint32_t first_of_ram; /* above the registers of the devices */
static uint32_t flash_mask;
static unsigned address_bytes; /* of a return address */

static bits_t *const r = state.registers;
static bit_t *const f = state.flags;

static uint16_t word_at(uint32_t pc) {
    const cell_t *at = &cells[regions[1].cell + (pc & flash_mask)];
    return (uint16_t)(at[0].value | at[1].value << 8);
}

static bits_t flash_at(uint32_t address) {
    return known(cells[regions[1].cell + (address & flash_mask)].value);
}

/* ---- data space ---- */

static bits_t status_register(void) {
    bits_t found = known(0);
    for (unsigned index = 0; index < FLAGS; index++) {
        found = with_bit(found, index, f[index]);
    }
    return found;
}

static bits_t device_register(uint16_t address) {
    switch (address) {
    case STACK_POINTER_LOW:
        return low_bits(r[STACK_POINTER], 8);
    case STACK_POINTER_HIGH:
        return known(r[STACK_POINTER].value >> 8);
    case STATUS_REGISTER:
        return status_register();
    case RAMPZ_ADDRESS:
        return r[RAMPZ];
    case EIND_ADDRESS:
        return r[EIND];
    default:
        break;
    }
    if (begins_in_model) {
        return any(8);
    }
    if (address == PORT_STATUS) {
        return known(has_input());
    }
    return address == PORT_DATA ? next_input() : loaded_at(&regions[0], DATA_SPACE + address, 1);
}

static bits_t load_byte(uint16_t address) {
    if (address < 32) {
        return r[address];
    }
    return address < first_of_ram ? device_register(address) : loaded_at(&regions[0], DATA_SPACE + address, 1);
}

static void put_stack_pointer(bits_t byte, unsigned shift) {
    if (byte.unknown != 0) {
        refuse("the stack pointer depends on data");
    }
    r[STACK_POINTER].value = (r[STACK_POINTER].value & ~(UINT32_C(0xff) << shift)) | byte.value << shift;
}

static void put_device_register(uint16_t address, bits_t byte) {
    switch (address) {
    case STACK_POINTER_LOW:
        put_stack_pointer(byte, 0);
        return;
    case STACK_POINTER_HIGH:
        put_stack_pointer(byte, 8);
        return;
    case STATUS_REGISTER:
        for (unsigned index = 0; index < FLAGS; index++) {
            f[index] = bit_of(byte, index);
        }
        return;
    case RAMPZ_ADDRESS:
        r[RAMPZ] = byte;
        return;
    case EIND_ADDRESS:
        r[EIND] = byte;
        return;
    default:
        break;
    }
    if (begins_in_model) {
        return;
    }
    if (address == PORT_DATA) {
        put_output(byte.value);
    } else if (address == PORT_EXIT) {
        finish("exit", byte.value);
    }
    store_at(&regions[0], DATA_SPACE + address, byte, 1, true);
}

static void store_byte(uint16_t address, bits_t byte) {
    if (address < 32) {
        r[address] = byte;
    } else if (address < first_of_ram) {
        put_device_register(address, byte);
    } else {
        store_at(&regions[0], DATA_SPACE + address, byte, 1, true);
    }
}

static bits_t load(bits_t address) {
    if (address.unknown == 0) {
        return load_byte((uint16_t)address.value);
    }
    site_at(state.pc)->loads++;
    if (__builtin_popcount(address.unknown) > MOST_LOAD_BITS || address.value < first_of_ram) {
        return any(8);
    }
    bits_t found = load_byte((uint16_t)most_of(address));
    for (uint32_t subset = address.unknown; subset != 0;) {
        subset = subset_before(subset, address.unknown);
        found = joined(found, load_byte((uint16_t)(address.value | subset)));
    }
    return found;
}

static void store(bits_t address, bits_t byte) {
    if (address.unknown == 0) {
        store_byte((uint16_t)address.value, byte);
        return;
    }
    site_at(state.pc)->stores++;
    if (__builtin_popcount(address.unknown) > MOST_STORE_BITS || address.value < first_of_ram) {
        refuse("stores to an address that depends on data");
    }
    for (uint32_t subset = address.unknown;; subset = subset_before(subset, address.unknown)) {
        store_at(&regions[0], DATA_SPACE + (address.value | subset), byte, 1, false);
        if (subset == 0) {
            return;
        }
    }
}

static bits_t load_flash(bits_t address, bits_t high) {
    if (high.unknown != 0) {
        refuse("reads flash at an address that depends on data");
    }
    const uint32_t above = high.value << 16;
    if (address.unknown == 0) {
        return flash_at(above | address.value);
    }
    site_at(state.pc)->loads++;
    if (__builtin_popcount(address.unknown) > MOST_FLASH_BITS) {
        return any(8);
    }
    bits_t found = flash_at(above | most_of(address));
    for (uint32_t subset = address.unknown; subset != 0;) {
        subset = subset_before(subset, address.unknown);
        found = joined(found, flash_at(above | address.value | subset));
    }
    return found;
}

static bits_t pair(unsigned low) {
    return of_bits(r[low].value | r[low + 1].value << 8, r[low].unknown | r[low + 1].unknown << 8);
}

static void put_pair(unsigned low, bits_t value) {
    r[low] = low_bits(value, 8);
    r[low + 1] = of_bits(value.value >> 8, value.unknown >> 8);
}

static void push(bits_t byte) {
    store_byte((uint16_t)r[STACK_POINTER].value, byte);
    r[STACK_POINTER].value = (r[STACK_POINTER].value - 1) & 0xffff;
}

static bits_t pop(void) {
    r[STACK_POINTER].value = (r[STACK_POINTER].value + 1) & 0xffff;
    return load_byte((uint16_t)r[STACK_POINTER].value);
}

#include "avr_arithmetic.h"
#include "avr_instructions.h"

static void push_return_address(void) {
    push_address(mark_address);
}

static bool read_architecture(const char *word, uint32_t first, uint32_t second) {
    if (!is_word(word, "avr")) {
        return false;
    }
    first_of_ram = first;
    address_bytes = second;
    flash_mask = regions[1].bytes - 1;
    memset(f, begins_in_model ? UNKNOWN : 0, FLAGS);
    return true;
}

int main(int count, char **words) {
    run_image(count, words);
}
