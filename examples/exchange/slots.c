/* Two places for a model beside the firmware's own, as an update over the air has them: the image in one of them is in
 * use while the other one is written.  Which one counts is decided by what lies there alone, so that a reset at any
 * moment does no harm.  Here the places are files; on a part they are pages of flash at fixed addresses. */
#include "sine.h"

#include <stdio.h>
#include <string.h>

#define SLOTS 2

static union {
    uint8_t bytes[SINE_IMAGE_BYTES];
    long double aligned[2];
} slots[SLOTS] __attribute__((aligned(16)));

/* What an erased page holds, where there is no file. */
static void read_slot(int slot, const char *path)
{
    FILE *const file = fopen(path, "rb");
    memset(slots[slot].bytes, 0xff, SINE_IMAGE_BYTES);
    if (file) {
        const size_t count = fread(slots[slot].bytes, 1, SINE_IMAGE_BYTES, file);
        (void)count; /* a file that is too short is found to be damaged */
        fclose(file);
    }
}

/* The slot with the latest image that is whole and for this firmware, later than `version`; SLOTS without one. */
static int latest(uint32_t version)
{
    int found = SLOTS;
    for (int slot = 0; slot < SLOTS; slot++) {
        const uint32_t its = sine_version(slots[slot].bytes);
        if (its > version && sine_check(slots[slot].bytes) == SINE_USE_DONE) {
            found = slot;
            version = its;
        }
    }
    return found;
}

int main(int count, char **words)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        read_slot(slot, slot + 1 < count ? words[slot + 1] : "");
    }
    const int slot = latest(sine_version(sine_image)); /* older than the firmware's own is no update */
    if (slot < SLOTS) {
        sine_use(slots[slot].bytes);
    }
    *sine_input() = 32;
    sine_invoke();
    printf("%s %d\n", slot == SLOTS ? "own" : slot == 0 ? "A" : "B", *sine_output());
    return 0;
}
