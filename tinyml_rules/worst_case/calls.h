/* The calls of the model, and the file that says what is run: see image.py.
 *
 * A run ends when the state after a call is one that was there after an earlier call: all calls that come are then those
 * that have been.  It begins with the reset of a test image, whose port reads the inputs, or with the model's own
 * function in a firmware: all of its RAM is unknown then, but for the model's variables.
 *
 * Standard output has a line `call MOST LEAST` for each call, in cycles from the first instruction of the model's
 * function to the first one after it, with lines below it for instructions for which unknown bits mattered, then the
 * end:
 *
 *   site PC ACCOUNT FORKS LARGEST TOTAL LOADS STORES
 *   repeats N | unfinished 0 | exit STATUS | refused PC WHY    N: the call whose turn it is after the last one
 */
#ifndef TINYML_CALLS_H
#define TINYML_CALLS_H

#include "forks.h"

typedef struct {
    uint32_t first;
    uint32_t bytes;
} range_t;

static range_t unknown_ranges[MOST_RANGES]; /* before each call of the model's function */
static size_t range_count;
static bool begins_in_model;
static state_t at_begin;
static uint64_t *states_seen;
static unsigned most_calls;

/* The port of a test image. */
static uint8_t *input; /* NULL: every byte is unknown, and there is no end */
static size_t input_bytes;
static size_t input_used;
static FILE *output;

static void enter_model(void);

/* What an architecture adds. */
static void push_return_address(void);
static bool read_architecture(const char *word, uint32_t first, uint32_t second);

static bool has_input(void) {
    return input == NULL || input_used < input_bytes;
}

static bits_t next_input(void) {
    if (input == NULL) {
        return any(8);
    }
    if (input_used == input_bytes) {
        refuse("the image reads past its input");
    }
    return known(input[input_used++]);
}

static void put_output(uint32_t byte) {
    if (output != NULL && fputc((int)byte, output) == EOF) {
        refuse("the output cannot be written");
    }
}

__attribute__((noreturn)) static void finish(const char *how, unsigned first) {
    printf("%s %u\n", how, first);
    if (output != NULL && fclose(output) != 0) {
        exit(1);
    }
    exit(0);
}

/* Eight bytes at a time: memory may have megabytes, and is looked at after each call. */
static uint64_t hashed(uint64_t hash, const void *data, size_t bytes) {
    for (size_t at = 0; at < bytes; at += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, (const uint8_t *)data + at, bytes - at < sizeof word ? bytes - at : sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32; /* or the upper bits of a word would only change those of the hash */
    }
    return hash;
}

/* Of all that the instructions to come depend on. */
static uint64_t hash_of_state(void) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int index = 0; index < REGISTERS; index++) {
        const bits_t each = state.registers[index];
        const uint32_t known_of_it[] = {each.value, each.unknown, notes[each.note].above, notes[each.note].below};
        hash = hashed(hash, known_of_it, sizeof known_of_it);
    }
    hash = hashed(hash, state.flags, sizeof state.flags);
    for (size_t index = 0; index < region_count; index++) {
        if (regions[index].is_written) {
            hash = hashed(hash, &cells[regions[index].cell], regions[index].bytes * sizeof *cells);
        }
    }
    return hash;
}

/* Ends the run if the state is one of those before; `first` of them is the call that comes next then. */
static void end_if_seen(void) {
    const uint64_t hash = hash_of_state();
    for (unsigned index = 0; index + 1 < call_count; index++) {
        if (states_seen[index] == hash) {
            finish("repeats", index + 1);
        }
    }
    states_seen = grown(states_seen, call_count - 1, sizeof *states_seen);
    states_seen[call_count - 1] = hash;
    if (call_count == most_calls) {
        finish("unfinished", 0);
    }
}

static void end_call(void) {
    if (fork_depth != 0) {
        refuse("the model returns inside of a branch that depends on data");
    }
    printf("call %" PRIu64 " %" PRIu64 "\n", state.most - most_before, state.least - least_before);
    print_sites();
    call_count++;
    is_in_model = false;
    if (begins_in_model) {
        enter_model();
    }
    if (input == NULL) {
        end_if_seen();
    }
}

/* At the first instruction of the model's function, and at the first one after it. */
static void look_at_call(void) {
    if (state.pc == mark_address && is_in_model) {
        end_call();
    }
    if (state.pc == invoke_address && !is_in_model) {
        most_before = state.most;
        least_before = state.least;
        is_in_model = true;
        forget_sites();
    }
}

/* The model's function is called again: what is not its own may have changed. */
static void enter_model(void) {
    const uint64_t most = state.most, least = state.least;
    state = at_begin;
    state.most = most;
    state.least = least;
    for (size_t index = 0; index < range_count; index++) {
        const region_t *region = region_of(unknown_ranges[index].first, unknown_ranges[index].bytes);
        for (uint32_t byte = 0; region != NULL && byte < unknown_ranges[index].bytes; byte++) {
            cells[region->cell + unknown_ranges[index].first - region->first + byte] = (cell_t){.unknown = UINT8_MAX};
        }
    }
    push_return_address();
    state.pc = invoke_address;
}

/* ---- the file ---- */

static void add_region(uint32_t first, uint32_t bytes, uint32_t is_written) {
    if (region_count == MOST_REGIONS) {
        exit(1);
    }
    regions[region_count++] = (region_t){first, bytes, cell_count, is_written != 0};
    cell_count += bytes;
}

static void add_stop(uint32_t at, uint32_t stop) {
    place_t *place = place_at(at);
    if (place->stops == 0) {
        all_stops = grown(all_stops, stops_count, sizeof *all_stops);
        all_stops[stops_count].count = 0;
        place->stops = stops_count++;
    }
    stops_t *stops = &all_stops[place->stops];
    if (stops->count < MOST_STOPS) {
        stops->at[stops->count++] = stop;
    }
}

static void add_case(uint32_t at, uint32_t target) {
    place_t *place = place_at(at);
    if (place->cases == 0) {
        all_cases = grown(all_cases, cases_count, sizeof *all_cases);
        all_cases[cases_count] = (cases_t){NULL, 0};
        place->cases = cases_count++;
    }
    cases_t *cases = &all_cases[place->cases];
    cases->at = grown(cases->at, cases->count, sizeof *cases->at);
    cases->at[cases->count++] = target;
}

static bool is_word(const char *found, const char *word) {
    return strcmp(found, word) == 0;
}

/* One line about an instruction. */
static bool read_place(const char *word, uint32_t at, uint32_t value) {
    if (is_word(word, "meet")) {
        place_at(at)->meeting = value;
    } else if (is_word(word, "stop")) {
        add_stop(at, value);
    } else if (is_word(word, "case")) {
        add_case(at, value);
    } else if (is_word(word, "jump")) {
        place_at(at)->is_jump = true;
    } else if (is_word(word, "limit")) {
        place_at(at)->limit = (uint8_t)(value + 1);
    } else if (is_word(word, "begin")) {
        place_at(at)->begins |= UINT64_C(1) << value;
    } else if (is_word(word, "account")) {
        place_at(at)->account = value + 1;
    } else {
        return false;
    }
    watches_places = watches_places || place_at(at)->limit != 0 || place_at(at)->account != 0;
    return true;
}

/* One line about the whole. */
static bool read_setting(const char *word, uint32_t first, uint32_t second, uint32_t third) {
    if (is_word(word, "region")) {
        add_region(first, second, third);
    } else if (is_word(word, "code")) {
        code_first = first;
        code_end = second;
        places = allocated((code_end - code_first) / 2 + 1, sizeof *places);
    } else if (is_word(word, "most") && first < MOST_LIMITS) {
        most_visits[first] = (uint16_t)second;
    } else if (is_word(word, "unknown") && range_count < MOST_RANGES) {
        unknown_ranges[range_count++] = (range_t){first, second};
    } else if (is_word(word, "model")) {
        invoke_address = first;
        mark_address = second;
        begins_in_model = third != 0;
    } else if (is_word(word, "pc")) {
        state.pc = first;
        most_steps = (uint64_t)second * 1000000;
        most_calls = third;
    } else if (is_word(word, "register") && first < REGISTERS) {
        state.registers[first] = of_bits(second, third);
    } else {
        return read_architecture(word, first, second);
    }
    return true;
}

/* Lines `word number number number`, in hexadecimal digits. */
static void read_lines(FILE *file) {
    char word[16];
    uint32_t first, second, third;
    while (fscanf(file, "%15s %" SCNx32 " %" SCNx32 " %" SCNx32, word, &first, &second, &third) == 4) {
        if (!read_place(word, first, second) && !read_setting(word, first, second, third)) {
            fprintf(stderr, "unknown line '%s'\n", word);
            exit(1);
        }
    }
}

/* Records of the address, the number of bytes, and these. */
static void read_memory(FILE *file) {
    uint32_t head[2];
    while (fread(head, sizeof *head, 2, file) == 2) {
        const region_t *region = region_of(head[0], head[1]);
        for (uint32_t index = 0; index < head[1]; index++) {
            const int byte = fgetc(file);
            if (region != NULL) {
                cells[region->cell + head[0] - region->first + index] = (cell_t){.value = (uint8_t)byte};
            }
        }
    }
}

static FILE *opened(const char *name, const char *mode) {
    FILE *file = fopen(name, mode);
    if (file == NULL) {
        perror(name);
        exit(1);
    }
    return file;
}

/* LINES MEMORY [INPUT OUTPUT]: the input is read to its end, and every byte is known. */
static void run_image(int count, char **words) {
    if (count < 3) {
        exit(2);
    }
    read_lines(opened(words[1], "r"));
    cells = allocated(cell_count, sizeof *cells);
    joined_in = allocated(cell_count, sizeof *joined_in);
    if (begins_in_model) {
        for (uint32_t cell = 0; cell < cell_count; cell++) {
            cells[cell] = (cell_t){.unknown = UINT8_MAX};
        }
    }
    read_memory(opened(words[2], "rb"));
    if (count > 4) {
        FILE *file = opened(words[3], "rb");
        fseek(file, 0, SEEK_END);
        input_bytes = (size_t)ftell(file);
        rewind(file);
        input = allocated(input_bytes, 1);
        input_bytes = fread(input, 1, input_bytes, file);
        output = opened(words[4], "wb");
    }
    at_begin = state;
    if (begins_in_model) {
        enter_model();
    }
    run(UINT32_MAX - 1, INT32_MIN, &no_stops);
    refuse("no input comes here");
}

#endif
