/* Hears words in a recording of 16 kHz: 16 bits a sample, one channel, after the 44 bytes of a WAV file's header. */
#include <stdio.h>

#include "speech.h"

int main(int argc, char **argv)
{
    static int16_t block[SPEECH_SAMPLES]; /* in a firmware what the microphone's DMA has filled */
    FILE *const sound = argc == 2 ? fopen(argv[1], "rb") : NULL;

    if (!sound || fseek(sound, 44, SEEK_SET) != 0) {
        fputs("expected the name of a WAV file\n", stderr);
        return 1;
    }
    speech_reset();
    while (fread(block, sizeof block[0], SPEECH_SAMPLES, sound) == SPEECH_SAMPLES) {
        if (speech_put_samples(block, SPEECH_SAMPLES)) {
            puts(speech_labels[speech_decide()]);
        }
    }
    return fclose(sound);
}
