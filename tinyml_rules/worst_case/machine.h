/* The parts of an abstract processor that all architectures have: its state, its memory and what is told of it.
 *
 * Cycles are counted twice: the most and the least that any input can have taken so far.
 */
#ifndef TINYML_MACHINE_H
#define TINYML_MACHINE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparisons.h"

enum {
    MOST_LIMITS = 64,
    MOST_STOPS = 8,
    MOST_REGIONS = 8,
    MOST_RANGES = 64,
    EXIT_REFUSED = 70,
};
#define END_OF_FUNCTION UINT32_MAX

typedef struct {
    bits_t registers[REGISTERS];
    bit_t flags[FLAGS];
    comparison_t comparison; /* that set the flags, if `compared` says so */
    uint64_t steps;          /* instructions so far */
    uint64_t compared;       /* so many there were then */
    uint32_t pc;
    int depth;          /* of calls */
    bool is_impossible; /* no input comes here: a loop would run more often than it can */
    uint64_t most;
    uint64_t least;
    uint16_t visits[MOST_LIMITS];
} state_t;

static state_t state;

/* A byte of memory; its range, as of bits_t, where registers are bytes too. */
typedef struct {
    uint8_t value;
    uint8_t unknown;
    uint8_t above;
    uint8_t below;
} cell_t;

typedef struct {
    uint32_t first;
    uint32_t bytes;
    uint32_t cell; /* index of its first byte among all cells */
    bool is_written;
} region_t;

static region_t regions[MOST_REGIONS];
static size_t region_count;
static cell_t *cells;
static uint32_t cell_count;

/* The ways of a branch also meet at the head of its loop, and where the loop ends. */
typedef struct {
    uint32_t at[MOST_STOPS];
    size_t count;
} stops_t;

/* Where a jump may go to by its table. */
typedef struct {
    uint32_t *at;
    size_t count;
} cases_t;

/* What an instruction did with unknown bits, by the account of a profile that was current. */
typedef struct {
    uint32_t account;
    uint64_t forks;
    uint64_t largest;
    uint64_t total;
    uint64_t loads;
    uint64_t stores;
    uint32_t next; /* 0: the last one of the instruction */
} site_t;

/* What is known of an instruction before the run. */
typedef struct {
    uint32_t meeting; /* where all ways from it meet again; 0: none is known */
    uint32_t stops;
    uint32_t cases;
    uint32_t site;
    uint32_t account;     /* from here on, plus one; 0: the same as before */
    uint64_t begins;      /* the limits whose visits begin anew, a bit each */
    uint8_t limit;        /* the limit of its visits, from 1 */
    bool is_jump;         /* a call that does not come back */
} place_t;

static uint32_t code_first;
static uint32_t code_end;
static place_t *places;
static stops_t *all_stops; /* the first is none */
static uint32_t stops_count = 1;
static cases_t *all_cases; /* the first is none */
static uint32_t cases_count = 1;
static site_t *sites; /* the first is none */
static uint32_t site_count = 1;
static uint32_t account;
static uint16_t most_visits[MOST_LIMITS + 1];
static bool watches_places; /* some place has a limit or an account */

/* The calls of the model. */
static uint32_t invoke_address;
static uint32_t mark_address;
static bool is_in_model;
static uint64_t most_before;
static uint64_t least_before;
static unsigned call_count;

static void print_sites(void);

__attribute__((noreturn, format(printf, 1, 2))) static void refuse(const char *format, ...) {
    va_list arguments;
    print_sites();
    printf("refused %x ", state.pc);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    exit(EXIT_REFUSED);
}

static void *allocated(size_t count, size_t size) {
    void *found = calloc(count == 0 ? 1 : count, size);
    if (found == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return found;
}

/* `array` with room for one more than `count`, which doubles. */
static void *grown(void *array, size_t count, size_t size) {
    if ((count & (count - 1)) != 0) {
        return array;
    }
    void *found = realloc(array, (count == 0 ? 1 : 2 * count) * size);
    if (found == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return found;
}

static place_t *place_at(uint32_t address) {
    if (address < code_first || address >= code_end) {
        refuse("runs into %#x, which is no code", address);
    }
    return &places[(address - code_first) >> 1];
}

/* ---- what is told ---- */

static site_t *site_at(uint32_t address) {
    place_t *place = place_at(address);
    uint32_t found = place->site;
    while (found != 0 && sites[found].account != account) {
        found = sites[found].next;
    }
    if (found == 0) {
        sites = grown(sites, site_count, sizeof *sites);
        found = site_count++;
        sites[found] = (site_t){.account = account, .next = place->site};
        place->site = found;
    }
    return &sites[found];
}

/* What was since forget_sites. */
static void print_sites(void) {
    for (uint32_t address = code_first; site_count > 1 && address < code_end; address += 2) {
        for (uint32_t at = places[(address - code_first) >> 1].site; at != 0; at = sites[at].next) {
            const site_t *site = &sites[at];
            if ((site->forks | site->loads | site->stores) == 0) {
                continue;
            }
            printf("site %x %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", address, site->account,
                   site->forks, site->largest, site->total, site->loads, site->stores);
        }
    }
}

static void forget_sites(void) {
    for (uint32_t at = 1; at < site_count; at++) {
        sites[at].forks = sites[at].largest = sites[at].total = sites[at].loads = sites[at].stores = 0;
    }
}

static void took(unsigned cycles) {
    state.most += cycles;
    state.least += cycles;
}

/* ---- memory, with what was there before a branch that runs both ways ---- */

typedef struct {
    uint32_t cell;
    cell_t before;
} entry_t;

static entry_t *journal;
static size_t journal_count;
static size_t journal_room;
static int fork_depth;

static void put_cell(uint32_t cell, cell_t value) {
    if (fork_depth != 0) {
        if (journal_count == journal_room) {
            journal = grown(journal, journal_room, sizeof *journal);
            journal_room = journal_room == 0 ? 1 : 2 * journal_room;
        }
        journal[journal_count++] = (entry_t){cell, cells[cell]};
    }
    cells[cell] = value;
}

FAST bits_t bits_of_cell(cell_t a) {
    return (bits_t){a.value, a.unknown, (a.above | a.below) == 0 ? 0 : note_of(a.above, a.below, 0)};
}

/* Its lowest byte. */
FAST cell_t cell_of(bits_t a) {
    if (REGISTER_BITS != 8) {
        return (cell_t){.value = (uint8_t)a.value, .unknown = (uint8_t)a.unknown};
    }
    return (cell_t){(uint8_t)a.value, (uint8_t)a.unknown, (uint8_t)notes[a.note].above, (uint8_t)notes[a.note].below};
}

static cell_t joined_cell(cell_t a, cell_t b) {
    return cell_of(REGISTER_BITS == 8 ? either(bits_of_cell(a), bits_of_cell(b), 8)
                                      : joined(bits_of_cell(a), bits_of_cell(b)));
}

/* The region of `size` bytes, NULL if no region has them. */
static const region_t *region_of(uint32_t address, uint32_t size) {
    for (size_t index = 0; index < region_count; index++) {
        const region_t *region = &regions[index];
        if (address - region->first < region->bytes && region->bytes - (address - region->first) >= size) {
            return region;
        }
    }
    return NULL;
}

static bits_t loaded_at(const region_t *region, uint32_t address, unsigned size) {
    const cell_t *from = &cells[region->cell + (address - region->first)];
    bits_t result = bits_of_cell(*from);
    for (unsigned index = 1; index < size; index++) {
        result.value |= (uint32_t)from[index].value << 8 * index;
        result.unknown |= (uint32_t)from[index].unknown << 8 * index;
    }
    return result;
}

static void store_at(const region_t *region, uint32_t address, bits_t value, unsigned size, bool is_certain) {
    const uint32_t first = region->cell + (address - region->first);
    for (unsigned index = 0; index < size; index++) {
        const cell_t stored = cell_of(size == 1 ? value : of_bits(value.value >> 8 * index, value.unknown >> 8 * index));
        put_cell(first + index, is_certain ? stored : joined_cell(cells[first + index], stored));
    }
}

/* `subset` of the unknown bits before this one, which ends with 0. */
static uint32_t subset_before(uint32_t subset, uint32_t unknown) {
    return (subset - 1) & unknown;
}

#endif
