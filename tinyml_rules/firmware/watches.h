/* What is read from the memory of a model at its marks, and written as records: see watching.py.
 *
 * The file has a line LANDMARK SPOTS, then so many lines ACCOUNT ADDRESS ROW_BYTES ENDS FIRST CAPACITY SLOT_BYTES,
 * then lines ADDRESS SPOT by address.  A record is the number of a spot in four bytes, and the bytes read.
 */
#ifndef TINYML_WATCHES_H
#define TINYML_WATCHES_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t account;
    uint64_t address;
    uint32_t row_bytes;
    uint32_t ends;
    uint32_t first;
    uint32_t capacity;
    uint32_t slot_bytes;
    uint64_t count;
} spot_t;

typedef struct {
    uint64_t address;
    uint32_t spot;
} pass_t;

typedef struct {
    uint64_t landmark;
    uint32_t spot_count; /* 0 where nothing is watched */
    spot_t *spots;
    size_t pass_count;
    pass_t *passes;
    FILE *output;
} watches_t;

/* Reads the file of watches, and opens that of records; false where one of them cannot be. */
static bool read_watches(watches_t *watches, const char *name, const char *output_name) {
    FILE *file = fopen(name, "r");
    if (file == NULL || fscanf(file, "%" SCNu64 " %" SCNu32, &watches->landmark, &watches->spot_count) != 2) {
        return false;
    }
    watches->spots = calloc(watches->spot_count, sizeof *watches->spots);
    for (uint32_t spot = 0; watches->spots != NULL && spot < watches->spot_count; spot++) {
        spot_t *each = &watches->spots[spot];
        if (fscanf(file, "%" SCNu32 " %" SCNu64 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32,
                   &each->account, &each->address, &each->row_bytes, &each->ends, &each->first, &each->capacity,
                   &each->slot_bytes) != 7) {
            return false;
        }
    }
    pass_t pass;
    while (fscanf(file, "%" SCNu64 " %" SCNu32, &pass.address, &pass.spot) == 2) {
        watches->passes = realloc(watches->passes, (watches->pass_count + 1) * sizeof pass);
        if (watches->passes == NULL) {
            return false;
        }
        watches->passes[watches->pass_count++] = pass;
    }
    fclose(file);
    watches->output = fopen(output_name, "wb");
    return watches->spots != NULL && watches->output != NULL;
}

/* The first mark at an address, or NULL; others at the same one follow it. */
static inline const pass_t *pass_at(const watches_t *watches, uint64_t address) {
    size_t first = 0;
    size_t end = watches->pass_count;
    while (first < end) {
        size_t middle = (first + end) / 2;
        if (watches->passes[middle].address < address) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < watches->pass_count && watches->passes[first].address == address ? &watches->passes[first] : NULL;
}

/* Records what is to be read at a spot, from `memory`, where address 0 is. */
static void pass_spot(watches_t *watches, uint32_t number, const uint8_t *memory) {
    if (number == 0) { /* an inference begins */
        for (uint32_t spot = 0; spot < watches->spot_count; spot++) {
            watches->spots[spot].count = 0;
        }
    }
    spot_t *spot = &watches->spots[number];
    const uint32_t end = (uint32_t)(spot->count++ % spot->ends);
    if (end < spot->first) {
        return;
    }
    const uint8_t header[] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24)};
    fwrite(header, 1, sizeof header, watches->output);
    if (spot->row_bytes != 0) {
        const uint64_t slot = (end - spot->first) % spot->capacity;
        fwrite(memory + spot->address + slot * spot->slot_bytes, 1, spot->row_bytes, watches->output);
    }
}

#endif
