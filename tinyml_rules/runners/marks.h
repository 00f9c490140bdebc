/* The accounts of a profile, for the programs that run an image: what has counted since the last switch
 * goes to the account that was current.
 *
 * The file of marks has a line with address and account for each: see marks.py.  Next to it a file of the same name
 * and .trace gets the switches: for each call a line `call`, a line with account, count and cycles
 * since the call for each switch, and one for its end.
 */
#ifndef TINYML_MARKS_H
#define TINYML_MARKS_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BETWEEN = 0 /* the account of what is no step's */ };
#define GOES_ON UINT32_C(0x80000000) /* added to an account that is entered again, in the same run of its step */

typedef struct {
    uint64_t address;
    uint32_t account;
} mark_t;

typedef struct {
    uint64_t count;
    uint64_t cycles; /* an estimate, or 0 */
} counted_t;

typedef struct {
    counted_t counted;
    uint64_t runs;
} account_t;

typedef struct {
    mark_t *marks; /* by address */
    size_t mark_count;
    account_t *accounts;
    uint32_t account_count; /* 0 without marks */
    uint32_t current;
    counted_t since;
    counted_t begin; /* of the call */
    FILE *trace;
} profile_t;

/* Reads the file of marks; false if it cannot be read. */
static bool read_profile(profile_t *profile, const char *name) {
    FILE *file = fopen(name, "r");
    if (file == NULL) {
        return false;
    }
    mark_t mark;
    uint32_t most = BETWEEN;
    while (fscanf(file, "%" SCNu64 " %" SCNu32, &mark.address, &mark.account) == 2) {
        profile->marks = realloc(profile->marks, (profile->mark_count + 1) * sizeof mark);
        if (profile->marks == NULL) {
            return false;
        }
        profile->marks[profile->mark_count++] = mark;
        if ((mark.account & ~GOES_ON) > most) {
            most = mark.account & ~GOES_ON;
        }
    }
    fclose(file);
    char trace_name[4096];
    if (snprintf(trace_name, sizeof trace_name, "%s.trace", name) >= (int)sizeof trace_name
        || (profile->trace = fopen(trace_name, "w")) == NULL) {
        return false;
    }
    profile->account_count = most + 1;
    profile->accounts = calloc(profile->account_count, sizeof *profile->accounts);
    return profile->accounts != NULL;
}

/* The mark at an address, or NULL. */
static const mark_t *mark_at(const profile_t *profile, uint64_t address) {
    size_t first = 0;
    size_t end = profile->mark_count;
    while (first < end) {
        size_t middle = (first + end) / 2;
        if (profile->marks[middle].address == address) {
            return &profile->marks[middle];
        }
        if (profile->marks[middle].address < address) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return NULL;
}

/* From `now` on another account counts.  To come by the same mark again, as at the head of a loop, begins
 * no new run. */
static void switch_account(profile_t *profile, uint32_t account, counted_t now) {
    const uint32_t next = account & ~GOES_ON;
    counted_t *counted = &profile->accounts[profile->current].counted;
    counted->count += now.count - profile->since.count;
    counted->cycles += now.cycles - profile->since.cycles;
    profile->since = now;
    if (next != profile->current) {
        profile->accounts[next].runs += next == account;
        fprintf(profile->trace, "%" PRIu32 " %" PRIu64 " %" PRIu64 "\n", next,
                now.count - profile->begin.count, now.cycles - profile->begin.cycles);
    }
    profile->current = next;
}

static void begin_profile(profile_t *profile, counted_t now) {
    for (uint32_t account = 0; account < profile->account_count; account++) {
        profile->accounts[account] = (account_t){0};
    }
    profile->current = BETWEEN;
    profile->since = profile->begin = now;
    if (profile->trace != NULL) {
        fputs("call\n", profile->trace);
    }
}

/* Writes COUNT:RUNS:CYCLES of every account, with a blank before each. */
static void end_profile(profile_t *profile, counted_t now, FILE *output) {
    if (profile->account_count == 0) {
        return;
    }
    switch_account(profile, BETWEEN, now);
    fprintf(profile->trace, "%d %" PRIu64 " %" PRIu64 "\n", BETWEEN, now.count - profile->begin.count,
            now.cycles - profile->begin.cycles);
    fflush(profile->trace); /* QEMU may leave without closing files */
    for (uint32_t account = 0; account < profile->account_count; account++) {
        const account_t *each = &profile->accounts[account];
        fprintf(output, " %" PRIu64 ":%" PRIu64 ":%" PRIu64, each->counted.count, each->runs,
                each->counted.cycles);
    }
}

#endif
