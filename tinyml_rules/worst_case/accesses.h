/* Loads and stores of a processor with one space of addresses, which may be unknown. */
#ifndef TINYML_ACCESSES_H
#define TINYML_ACCESSES_H

#include "calls.h"
#include "words.h"

enum {
    MOST_LOAD_BITS = 10, /* unknown bits of an address of which each is looked at */
    MOST_STORE_BITS = 12,
};

static bool needs_alignment = true;
static bool is_certain = true; /* the present instruction is executed, and not perhaps */

/* An architecture's own: which addresses are registers of the processor, of which a program may set some, as to switch
 * an FPU on; and what becomes of a load or a store whose cost depends on the address. */
static bool is_of_processor(uint32_t address);
static void watch_memory(bits_t address);

/* Of an instruction. */
static uint16_t half_at(uint32_t address) {
    const region_t *region = region_of(address, 2);
    if (region == NULL) {
        refuse("runs into %#x, where there is no memory", address);
    }
    return (uint16_t)loaded_at(region, address, 2).value;
}

static bits_t load_known(uint32_t address, unsigned size) {
    const region_t *region = region_of(address, size);
    if (region == NULL && !begins_in_model && is_certain && !is_of_processor(address)) {
        refuse("reads %#x, where there is no memory", address);
    }
    if (needs_alignment && address % size != 0) {
        refuse("reads %u bytes at %#x, which is not aligned", size, address);
    }
    return region == NULL ? any(8 * size) : loaded_at(region, address, size);
}

static bits_t load(bits_t address, unsigned size) {
    watch_memory(address);
    if (address.unknown == 0) {
        return load_known(address.value, size);
    }
    site_at(state.pc)->loads++;
    if (__builtin_popcount(address.unknown) > MOST_LOAD_BITS) {
        return any(8 * size);
    }
    bits_t found = known(0);
    bool is_first = true;
    for (uint32_t subset = address.unknown;; subset = subset_before(subset, address.unknown)) {
        const uint32_t each = address.value | subset;
        if (can_be(address, each) && (!needs_alignment || each % size == 0) && region_of(each, size) != NULL) {
            const bits_t there = load_known(each, size);
            found = is_first ? there : joined(found, there);
            is_first = false;
        }
        if (subset == 0) {
            return is_first ? any(8 * size) : found;
        }
    }
}

static void store_known(uint32_t address, bits_t value, unsigned size, bool is_here) {
    const region_t *region = region_of(address, size);
    if (region == NULL && is_of_processor(address)) {
        return;
    }
    if (region == NULL || !region->is_written) {
        refuse("writes to %#x, which is no RAM", address);
    }
    if (needs_alignment && address % size != 0) {
        refuse("writes %u bytes at %#x, which is not aligned", size, address);
    }
    store_at(region, address, value, size, is_here && is_certain);
}

static void store(bits_t address, bits_t value, unsigned size) {
    watch_memory(address);
    if (address.unknown == 0) {
        store_known(address.value, value, size, true);
        return;
    }
    site_at(state.pc)->stores++;
    if (__builtin_popcount(address.unknown) > MOST_STORE_BITS) {
        refuse("stores to an address that depends on data");
    }
    for (uint32_t subset = address.unknown;; subset = subset_before(subset, address.unknown)) {
        const uint32_t each = address.value | subset;
        if (can_be(address, each) && (!needs_alignment || each % size == 0)) {
            store_known(each, value, size, false);
        }
        if (subset == 0) {
            return;
        }
    }
}

#endif
