/* Runs a test image on libsimavr and measures each call of the model exactly.
 *
 *   simavr_runner MCU FLASH INPUT OUTPUT INVOKE MARK STACK_LIMIT CYCLE_LIMIT SKIPS MARKS WATCHES RECORDS
 *       [SELECT_PIN WEIGHTS]
 *
 * FLASH is the raw contents of flash.  The image talks through three I/O registers, as in
 * targets/avr/port.c.  SKIPS are addresses with a comma after each: see simavr_skips.h.  For each sample, one
 * line on standard output:
 *
 *   cycles=<from the first instruction at INVOKE to the first at MARK> stack_bytes=<deepest>
 *
 * and with an SPI memory that holds the file WEIGHTS also ` read_bytes=<of its data>`.  With a file
 * MARKS, which is '' otherwise, the line ends in ` accounts=` and what each account got: see marks.h.  With
 * a file WATCHES, which is '' otherwise, RECORDS is what was read from the memory: see watches.h.
 *
 * Exit status: the image's own, or 70 with a message on standard error.
 *
 * The simulator runs many instructions at a time.  It is not stepped: every call and every
 * push writes the stack pointer, and those writes are where it is watched.  For marks
 * it is stepped, which takes several times as long and counts the same.
 */
#include <simavr/sim_avr.h>
#include <simavr/sim_io.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "simavr_skips.h"
#include "simavr_spi_memory.h"
#include "watches.h"

enum {
    PORT_DATA = 0x3e,
    PORT_STATUS = 0x4a,
    PORT_EXIT = 0x4b,
    STACK_POINTER_LOW = 0x5d,
    STACK_POINTER_HIGH = 0x5e,
    EXIT_FAULT = 70,
    CYCLES_PER_RUN = 10000, /* between two looks at the limit */
};

typedef struct {
    avr_t *avr;
    const uint8_t *input;
    size_t input_bytes;
    size_t input_used;
    FILE *output;
    uint32_t invoke;
    uint32_t mark;
    uint16_t stack_limit;
    uint64_t cycle_limit;

    avr_cycle_count_t sample_start; /* of the run, or where the last sample ended */
    avr_cycle_count_t invoke_start;
    uint16_t caller_stack;
    uint16_t deepest_stack;
    int exit_status; /* below zero while the image runs */
    bool is_in_model;
    profile_t profile;
    watches_t watches;
    spi_memory_t memory;
    skips_t skips;
    unsigned long long read_before; /* of the memory's data, at the start of the invocation */
} run_t;

static void fault(run_t *run, const char *format, ...) {
    if (run->exit_status >= 0) {
        return; /* the first fault is the cause of the others */
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    run->exit_status = EXIT_FAULT;
    run->avr->state = cpu_Done;
}

/* ---- the image's port ---- */

static uint8_t read_data(avr_t *avr, avr_io_addr_t address, void *parameter) {
    (void)avr, (void)address;
    run_t *run = parameter;
    if (run->input_used == run->input_bytes) {
        fault(run, "crashed: read past the end of its input");
        return 0;
    }
    return run->input[run->input_used++];
}

static uint8_t read_status(avr_t *avr, avr_io_addr_t address, void *parameter) {
    (void)avr, (void)address;
    run_t *run = parameter;
    return run->input_used < run->input_bytes;
}

static void write_data(avr_t *avr, avr_io_addr_t address, uint8_t value, void *parameter) {
    (void)avr, (void)address;
    run_t *run = parameter;
    if (fputc(value, run->output) == EOF) {
        fault(run, "cannot write the output file");
    }
}

static void write_exit(avr_t *avr, avr_io_addr_t address, uint8_t value, void *parameter) {
    (void)address;
    run_t *run = parameter;
    if (run->exit_status < 0) {
        run->exit_status = value;
    }
    avr->state = cpu_Done;
}

/* ---- the stack pointer ---- */

/* The target of the CALL or RCALL at the program counter, and its cycles: one for each byte of the
 * return address, of which parts with more than 128 kB of flash have three.  False for others. */
static bool decode_call(const avr_t *avr, uint32_t *target, unsigned *cycles) {
    uint16_t opcode = word_of_flash(avr, avr->pc);
    if ((opcode & 0xfe0e) == 0x940e) {
        uint32_t high = (opcode & 1u) | (opcode >> 3 & 0x3eu);
        *target = (high << 16 | word_of_flash(avr, avr->pc + 2)) << 1;
        *cycles = avr->address_size + 2u;
        return true;
    }
    if ((opcode & 0xf000) == 0xd000) {
        int32_t words = (int16_t)(uint16_t)(opcode << 4) >> 4;
        *target = (avr->pc + 2 + 2 * (uint32_t)words) & avr->flashend;
        *cycles = avr->address_size + 1u;
        return true;
    }
    return false;
}

static void watch_call(run_t *run, uint32_t target, uint64_t arrival, uint16_t stack) {
    if (target == run->invoke) {
        run->invoke_start = arrival;
        run->caller_stack = (uint16_t)(stack + run->avr->address_size);
        run->deepest_stack = stack;
        run->read_before = run->memory.read_bytes;
        run->is_in_model = true;
        begin_profile(&run->profile, (counted_t){.count = arrival});
    } else if (target == run->mark) {
        printf("cycles=%llu stack_bytes=%u",
               (unsigned long long)(arrival - run->invoke_start),
               (unsigned)(run->caller_stack - run->deepest_stack));
        if (run->memory.bytes != NULL) {
            printf(" read_bytes=%llu", run->memory.read_bytes - run->read_before);
        }
        if (run->profile.account_count != 0) {
            printf(" accounts=");
            end_profile(&run->profile, (counted_t){.count = arrival}, stdout);
        }
        putchar('\n');
        run->is_in_model = false;
        run->sample_start = arrival;
    }
}

/* OUT writes the high byte before the low one, the simulator's own pushes and pops the low
 * byte first: the stack pointer is whole again after the second write. */
static void write_stack_pointer(avr_t *avr, avr_io_addr_t address, uint8_t value, void *parameter) {
    run_t *run = parameter;
    avr->data[address] = value;
    bool is_out = (word_of_flash(avr, avr->pc) & 0xf800) == 0xb800;
    if (address != (is_out ? STACK_POINTER_LOW : STACK_POINTER_HIGH)) {
        return;
    }
    uint16_t stack = (uint16_t)(avr->data[STACK_POINTER_LOW] | avr->data[STACK_POINTER_HIGH] << 8);
    uint32_t target;
    unsigned cycles;
    if (decode_call(avr, &target, &cycles)) {
        watch_call(run, target, avr->cycle + cycles, stack);
    }
    if (stack < run->deepest_stack) {
        run->deepest_stack = stack;
    }
    if (stack + 1u < run->stack_limit && run->exit_status < 0) {
        fault(run, "crashed: stack overflow at 0x%04x, the stack ends at 0x%04x",
              (unsigned)avr->pc, run->stack_limit);
    }
}

/* ---- the run ---- */

static run_t *logged_run; /* simavr's logger has no parameter of its own */

/* An error of the simulator is the image's fault, such as an invalid opcode. */
static void log_message(avr_t *avr, const int level, const char *format, va_list arguments) {
    if (level != LOG_ERROR || logged_run == NULL) {
        return;
    }
    char message[200];
    vsnprintf(message, sizeof message, format, arguments);
    message[strcspn(message, "\n")] = '\0';
    fault(logged_run, "crashed at 0x%04x: %s", (unsigned)avr->pc, message);
}

static uint8_t *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(name);
        exit(EXIT_FAULT);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    if (bytes == NULL || fread(bytes, 1, *size, file) != *size) {
        perror(name);
        exit(EXIT_FAULT);
    }
    fclose(file);
    return bytes;
}

static avr_t *make_part(const char *name, const char *flash_name) {
    avr_t *avr = avr_make_mcu_by_name(name);
    if (avr == NULL || avr_init(avr) != 0) {
        fprintf(stderr, "simavr does not know the part '%s'\n", name);
        exit(EXIT_FAULT);
    }
    size_t size;
    uint8_t *flash = read_file(flash_name, &size);
    if (size > avr->flashend + 1) {
        fprintf(stderr, "the image is larger than the flash of '%s'\n", name);
        exit(EXIT_FAULT);
    }
    avr_loadcode(avr, flash, (uint32_t)size, 0);
    free(flash);
    avr->codeend = avr->flashend;
    avr->run_cycle_limit = CYCLES_PER_RUN;
    return avr;
}

static void connect(run_t *run) {
    avr_t *avr = run->avr;
    avr_register_io_read(avr, PORT_DATA, read_data, run);
    avr_register_io_read(avr, PORT_STATUS, read_status, run);
    avr_register_io_write(avr, PORT_DATA, write_data, run);
    avr_register_io_write(avr, PORT_EXIT, write_exit, run);
    avr_register_io_write(avr, STACK_POINTER_LOW, write_stack_pointer, run);
    avr_register_io_write(avr, STACK_POINTER_HIGH, write_stack_pointer, run);
}

/* One instruction at a time, if there are marks. */
static void pass_mark(run_t *run) {
    const pass_t *pass = pass_at(&run->watches, run->avr->pc);
    for (; pass != NULL && pass->address == run->avr->pc; pass++) {
        pass_spot(&run->watches, pass->spot, run->avr->data);
        if (pass + 1 == run->watches.passes + run->watches.pass_count) {
            break;
        }
    }
    const mark_t *mark = mark_at(&run->profile, run->avr->pc);
    if (mark != NULL && run->is_in_model) {
        switch_account(&run->profile, mark->account, (counted_t){.count = run->avr->cycle});
    }
}

static void run_to_end(run_t *run) {
    avr_t *avr = run->avr;
    while (run->exit_status < 0) {
        int state = avr_run(avr);
        pass_mark(run);
        if (state == cpu_Crashed) {
            fault(run, "crashed at 0x%04x", (unsigned)avr->pc);
        } else if (state == cpu_Done) {
            fault(run, "crashed: unexpected interrupt, or the end of main");
        } else if (run->memory.is_wrong) {
            fault(run, "crashed: wrong command to the weights, or read past their end");
        } else if (avr->cycle - run->sample_start > run->cycle_limit) {
            fault(run, "did not finish within %llu cycles",
                  (unsigned long long)run->cycle_limit);
        }
    }
}

static void attach_weights(run_t *run, const char *pin, const char *file_name) {
    run->memory.bytes = read_file(file_name, &run->memory.size);
    if (!connect_memory(run->avr, &run->memory, pin)) {
        fprintf(stderr, "the part has no SPI, or no pin '%s' to select a memory\n", pin);
        exit(EXIT_FAULT);
    }
}

int main(int count, char **words) {
    if (count != 13 && count != 15) {
        fputs("usage: simavr_runner MCU FLASH INPUT OUTPUT INVOKE MARK STACK_LIMIT CYCLE_LIMIT "
              "SKIPS MARKS WATCHES RECORDS [SELECT_PIN WEIGHTS]\n",
              stderr);
        return EXIT_FAULT;
    }
    avr_global_logger_set(log_message);
    run_t run = {
        .avr = make_part(words[1], words[2]),
        .output = fopen(words[4], "wb"),
        .invoke = (uint32_t)strtoul(words[5], NULL, 0),
        .mark = (uint32_t)strtoul(words[6], NULL, 0),
        .stack_limit = (uint16_t)strtoul(words[7], NULL, 0),
        .cycle_limit = strtoull(words[8], NULL, 0),
        .exit_status = -1,
    };
    run.input = read_file(words[3], &run.input_bytes);
    if (run.output == NULL) {
        perror(words[4]);
        return EXIT_FAULT;
    }
    logged_run = &run;
    connect(&run);
    if (!replace_skips(run.avr, &run.skips, words[9])) {
        fprintf(stderr, "'%s' has the register that skips are replaced with\n", words[1]);
        return EXIT_FAULT;
    }
    if (words[10][0] != '\0') {
        if (!read_profile(&run.profile, words[10])) {
            perror(words[10]);
            return EXIT_FAULT;
        }
        run.avr->run_cycle_limit = 1;
    }
    if (words[11][0] != '\0') {
        if (!read_watches(&run.watches, words[11], words[12])) {
            perror(words[11]);
            return EXIT_FAULT;
        }
        run.avr->run_cycle_limit = 1;
    }
    if (count == 15) {
        attach_weights(&run, words[13], words[14]);
    }
    run_to_end(&run);
    if (run.watches.output != NULL && fclose(run.watches.output) != 0) {
        return EXIT_FAULT;
    }
    return fclose(run.output) == 0 ? run.exit_status : EXIT_FAULT;
}
