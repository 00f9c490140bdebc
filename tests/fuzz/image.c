/* What a firmware is given as an image: the checks of three models, with no signature, with an HMAC and with Ed25519,
 * read nothing outside of it, say what the judge below says, and leave in use what was in use where they refuse.
 *
 * An input is a byte that chooses the model and an address, and the beginning of the image; the rest is erased flash.
 * Known images, which are signed, are in known.h. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ed25519.h"
#include "hmac.h"
#include "known.h"
#include "plain.h"

enum { DONE, NO_IMAGE, OTHER_LAYOUT, DAMAGED, WRONG_ADDRESS, NOT_SIGNED, OLDER, UNKNOWN_KEY };
enum { FORMAT_AT = 4, LAYOUT_AT = 8, VERSION_AT = 40, SIZE_AT = 44, CRC_AT = 48, KEY_AT = 52, HEADER = 64 };
enum { KEY_NUMBER = 7, LEAST_VERSION = 2 };

typedef struct {
    int (*check)(const void *image);
    int (*use)(const void *image);
    uint32_t (*version)(const void *image);
    int8_t *(*input)(void);
    void (*invoke)(void);
    const int8_t *(*output)(void);
    const uint8_t *own;   /* the image that was compiled */
    const uint8_t *known; /* one of another version */
    uint32_t bytes;
    uint32_t signature_bytes;
} Model;

/* clang-format off */
#define MODEL(name, NAME, signature) \
    { name##_check, name##_use, name##_version, name##_input, name##_invoke, name##_output, name##_image, name##_known, NAME##_IMAGE_BYTES, signature }
/* clang-format on */
static const Model models[] = {
    MODEL(plain, PLAIN, 0),
    MODEL(hmac, HMAC, HMAC_SIGNATURE_BYTES),
    MODEL(ed25519, ED25519, ED25519_SIGNATURE_BYTES),
};
enum { MODELS = sizeof models / sizeof models[0], OF_HMAC = 1, OF_ED25519 = 2 };

static const uint8_t *given; /* the image that is looked at */

static void require(bool is_true)
{
    if (!is_true) {
        abort();
    }
}

static uint32_t number(const uint8_t *bytes)
{
    uint32_t found = 0;
    for (int i = 3; i >= 0; i--) {
        found = found << 8 | bytes[i];
    }
    return found;
}

static uint32_t crc_of(const uint8_t *image, uint32_t bytes)
{
    uint32_t crc = 0;
    for (uint32_t at = 0; at < bytes; at++) { /* from the other end of the polynomial's definition */
        if (at >= CRC_AT && at < KEY_AT) {
            continue;
        }
        uint32_t low = (crc ^ 0xffffffffu ^ image[at]) & 0xff;
        for (int bit = 0; bit < 8; bit++) {
            low = low & 1 ? low >> 1 ^ 0xedb88320u : low >> 1;
        }
        crc = (low ^ (crc ^ 0xffffffffu) >> 8) ^ 0xffffffffu;
    }
    return crc;
}

/* In the place of Ed25519, what a mutator can sign with: the signature is the complement of what is signed. */
static bool is_signed(const uint8_t *image, uint32_t bytes, const uint8_t *signature)
{
    return number(signature) == ~number(image + CRC_AT) && signature == image + bytes;
}

uint32_t hmac_least_version(void) { return LEAST_VERSION; }
uint32_t ed25519_least_version(void) { return LEAST_VERSION; }

bool hmac_key(uint32_t key, uint8_t *secret)
{
    memcpy(secret, hmac_secret, sizeof hmac_secret);
    return key == KEY_NUMBER;
}

bool ed25519_verify(uint32_t key, const void *image, uint32_t bytes, const void *signature)
{
    require(image == given && bytes == ED25519_IMAGE_BYTES - ED25519_SIGNATURE_BYTES);
    return key == KEY_NUMBER && is_signed(image, bytes, signature);
}

static int judged(const Model *model, const uint8_t *image)
{
    const int which = (int)(model - models);
    const uint32_t bytes = model->bytes - model->signature_bytes;

    if (memcmp(image, model->own, LAYOUT_AT) != 0) {
        return NO_IMAGE;
    }
    if (memcmp(image + LAYOUT_AT, model->own + LAYOUT_AT, 16) != 0 || number(image + SIZE_AT) != model->bytes) {
        return OTHER_LAYOUT;
    }
    if (crc_of(image, bytes) != number(image + CRC_AT)) {
        return DAMAGED;
    }
    if (which == OF_HMAC && number(image + KEY_AT) != KEY_NUMBER) {
        return UNKNOWN_KEY;
    }
    if (which == OF_HMAC && memcmp(image, model->known, model->bytes) != 0) {
        return NOT_SIGNED; /* only what is known can be signed by the key */
    }
    if (which == OF_ED25519 && (number(image + KEY_AT) != KEY_NUMBER || !is_signed(image, bytes, image + bytes))) {
        return NOT_SIGNED;
    }
    return which != 0 && number(image + VERSION_AT) < LEAST_VERSION ? OLDER : DONE;
}

static void infer(const Model *model, int8_t *outputs)
{
    for (int value = 0; value < 4; value++) {
        model->input()[0] = (int8_t)(value * 77 - 128);
        model->invoke();
        outputs[value] = model->output()[0];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const Model *const model = &models[data[0] % MODELS];
    const size_t shift = data[0] / MODELS % 8 == 0 ? 1u + data[0] / (MODELS * 8) : 0; /* now and then */
    uint8_t *const memory = aligned_alloc(16, shift == 0 ? model->bytes : model->bytes + 16);
    uint8_t *const image = memory + shift;
    int8_t before[4], after[4];

    require(memory != NULL);
    memset(image, 0xff, model->bytes);
    memcpy(image, data + 1, size - 1 < model->bytes ? size - 1 : model->bytes);
    given = image;
    require(model->use(model->own) == (model == models ? DONE : model->check(model->own)));
    infer(model, before);
    const int wanted = shift == 0 ? judged(model, image) : WRONG_ADDRESS;
    require(model->check(image) == wanted);
    require(model->version(image) == (wanted == WRONG_ADDRESS || wanted == NO_IMAGE ? 0 : number(image + VERSION_AT)));
    if (wanted != DONE) {
        require(model->use(image) == wanted);
        infer(model, after);
        require(memcmp(before, after, sizeof before) == 0);
    }
    free(memory);
    return 0;
}

#ifdef REPLAY
#include <stdio.h>

int main(int count, char **names)
{
    static uint8_t data[1 << 16];
    for (int i = 1; i < count; i++) {
        FILE *const file = fopen(names[i], "rb");
        require(file != NULL);
        LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof data, file));
        fclose(file);
    }
    return 0;
}
#else
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static void put(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

/* As libFuzzer does, and mended so that more of the check is reached: by bits of the seed the beginning of a known
 * image, its size, the key, the CRC, the signature. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    size = LLVMFuzzerMutate(data, size, most);
    const Model *const model = &models[size == 0 ? 0 : data[0] % MODELS];
    uint8_t *const image = data + 1;
    const uint32_t bytes = model->bytes - model->signature_bytes;

    if (most < 1 + model->bytes || seed % 8 == 0) {
        return size;
    }
    if (size < 1 + model->bytes) {
        memset(data + size, 0xff, 1 + model->bytes - size);
    }
    if (seed & 8) {
        memcpy(image, model->known, seed & 16 ? LAYOUT_AT : VERSION_AT);
    }
    if (seed & 32) {
        put(image + SIZE_AT, model->bytes);
    }
    if (seed & 64) {
        put(image + KEY_AT, KEY_NUMBER);
    }
    if (seed & 128) {
        put(image + CRC_AT, crc_of(image, bytes));
    }
    if (model == &models[OF_ED25519] && seed & 256) {
        put(image + bytes, ~number(image + CRC_AT));
    }
    return 1 + model->bytes;
}
#endif
