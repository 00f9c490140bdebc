/* A QEMU plugin that counts the instructions between two addresses of the guest, and refuses what the
 * part's memory does not do.
 *
 *   -plugin qemu_plugin.so,start=ADDRESS,stop=ADDRESS,output=FILE[,marks=FILE][,cycles=FILE]
 *           [,memory=FIRST:LAST]...[,words=FIRST:LAST]...
 *
 * Each time the guest reaches `stop` after `start`, a line COUNT:CYCLES is written: the
 * instruction at `start` included, the one at `stop` not.  Both must be functions' first
 * instructions, which are called and therefore begin a translation block.
 *
 * With marks, the counts of each account follow the count.  Blocks without a mark count themselves as ever;
 * a block with marks is cut at them, and each piece counts when its first instruction is about to run.
 *
 * With rules of cycles, CYCLES is what the instructions take by them, which is an estimate; else 0.  A branch was
 * taken if the block that is run next does not begin directly after it.  Of two loads that follow each other, the
 * second one is as fast as its rule says if the addresses FIRST to LAST of one memory have both.
 *
 * From the addresses FIRST to LAST the guest may load aligned words only; anything else ends the run with a
 * message and the exit status of a fault.
 *
 * The few declarations of QEMU's plugin API that it needs are here, so that it compiles
 * without QEMU's headers, which Debian does not ship.
 */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "marks.h"
#include "pipeline.h"

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_INLINE_ADD_U64 = 0, QEMU_PLUGIN_MEM_RW = 3 };

typedef void (*block_translated_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*block_executed_t)(unsigned cpu, void *data);
typedef void (*memory_accessed_t)(unsigned cpu, uint32_t info, uint64_t address, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, block_translated_t function);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, block_executed_t function,
                                          int registers, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation,
                                              void *counter, uint64_t value);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            block_executed_t function, int registers, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      memory_accessed_t function, int registers, int accesses,
                                      void *data);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);

EXPORT int qemu_plugin_version = 1;

static uint64_t start_address;
static uint64_t stop_address;
static FILE *output;
static uint64_t executed; /* instructions of all blocks that were entered */
static uint64_t cycles;   /* of the same, with rules for them */
static counted_t at_start;
static bool is_counting;
static profile_t profile;
static rules_t rules;
static core_t core;

/* Instructions that follow each other in a block, the first of them at a landmark or a mark, or none. */
typedef struct {
    uint64_t instructions;
    schedule_t schedule; /* of them, with rules for cycles */
    uint64_t address;
    uint64_t end;
    bool is_start;
    bool is_stop;
    const mark_t *mark;
} piece_t;

enum { MOST_RANGES = 8, EXIT_FAULT = 70 /* as in firmware/port.h */ };

/* Addresses. */
typedef struct {
    struct {
        uint64_t first;
        uint64_t last;
    } ranges[MOST_RANGES];
    int count;
} ranges_t;

static ranges_t memories;
static ranges_t word_ranges;

/* The number of the range that has the address; -1 for none. */
static int range_of(const ranges_t *found, uint64_t address) {
    int index = found->count - 1;
    while (index >= 0
           && (address < found->ranges[index].first || address > found->ranges[index].last)) {
        index--;
    }
    return index;
}

/* It counts its instructions itself: QEMU does not promise whether a callback comes before or after an
 * addition to the same block. */
static void enter_piece(unsigned cpu, void *data) {
    static const piece_t *before;
    (void)cpu;
    piece_t *piece = data;
    if (rules.count != 0 && before != NULL && before->end != piece->address) {
        cycles += take(&rules, &core, &before->schedule);
    }
    before = piece;
    const counted_t now = {executed, cycles};
    if (piece->is_start) {
        at_start = now;
        is_counting = true;
        begin_profile(&profile, now);
    } else if (piece->is_stop && is_counting) {
        fprintf(output, "%" PRIu64 ":%" PRIu64, now.count - at_start.count,
                now.cycles - at_start.cycles);
        end_profile(&profile, now, output);
        fputc('\n', output);
        fflush(output); /* QEMU may leave without closing files */
        is_counting = false;
    }
    if (piece->mark != NULL && is_counting) {
        switch_account(&profile, piece->mark->account, now);
    }
    executed += piece->instructions;
    cycles += run(&rules, &core, &piece->schedule);
}

static void fail_without_memory(void) {
    fputs("qemu_plugin: no memory\n", stderr);
    _exit(EXIT_FAULT);
}

/* Memory that is kept as long as QEMU may run the block, which is to the end. */
static void *keep(size_t count, size_t size) {
    void *kept = calloc(count, size);
    if (kept == NULL) {
        fail_without_memory();
    }
    return kept;
}

static piece_t *make_piece(uint64_t address) {
    piece_t *piece = keep(1, sizeof *piece);
    piece->address = address;
    piece->is_start = address == start_address;
    piece->is_stop = address == stop_address;
    piece->mark = mark_at(&profile, address);
    return piece;
}

static bool has_mark(const struct qemu_plugin_tb *block, size_t instructions) {
    for (size_t index = 0; index < instructions && profile.mark_count != 0; index++) {
        if (mark_at(&profile, qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, index)))) {
            return true;
        }
    }
    return false;
}

/* A load, or what was taken to be behind one of the same memory. */
static void access_chained(unsigned cpu, uint32_t info, uint64_t address, void *data) {
    static int last_memory;
    (void)cpu, (void)info;
    const instruction_t *one = data;
    const int memory = range_of(&memories, address);
    if (one->is_chained && memory != last_memory) {
        cycles += one->rule->cost - one->rule->after_load;
    }
    last_memory = memory;
}

/* Instructions that may be chained to what is before or behind them; others are not worth a callback. */
static void watch_chains(const schedule_t *schedule, const struct qemu_plugin_tb *block,
                         size_t first) {
    for (size_t index = 0; index < schedule->count && memories.count != 0; index++) {
        instruction_t *one = &schedule->instructions[index];
        const bool follows = index == 0 || one[-1].rule->is_load;
        const bool leads = index + 1 == schedule->count || can_be_chained(&one[1]);
        if ((follows && can_be_chained(one)) || (leads && one->rule->is_load)) {
            qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, first + index),
                                             access_chained, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW, one);
        }
    }
}

static void add_instruction(piece_t *piece, const struct qemu_plugin_insn *instruction) {
    const uint8_t *bytes = qemu_plugin_insn_data(instruction);
    const size_t size = size_of(&rules, bytes);
    schedule_t *schedule = &piece->schedule;
    schedule->instructions[schedule->count++] = decode(&rules, bytes, size);
    piece->end = qemu_plugin_insn_vaddr(instruction) + size;
}

static void cut_at_marks(const struct qemu_plugin_tb *block, size_t instructions) {
    piece_t *piece = NULL;
    for (size_t index = 0; index < instructions; index++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, index);
        const uint64_t address = qemu_plugin_insn_vaddr(instruction);
        if (piece == NULL || mark_at(&profile, address) != NULL) {
            if (piece != NULL) {
                watch_chains(&piece->schedule, block, index - piece->schedule.count);
            }
            piece = make_piece(address);
            if (rules.count != 0) {
                piece->schedule.instructions = keep(instructions - index, sizeof(instruction_t));
            }
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, enter_piece,
                                                   QEMU_PLUGIN_CB_NO_REGS, piece);
        }
        piece->instructions++;
        if (rules.count != 0) {
            add_instruction(piece, instruction);
        }
    }
    watch_chains(&piece->schedule, block, instructions - piece->schedule.count);
}

static void access_memory(unsigned cpu, uint32_t info, uint64_t address, void *instruction_address) {
    (void)cpu;
    const unsigned size_bytes = 1u << qemu_plugin_mem_size_shift(info);
    if ((size_bytes == 4 && address % 4 == 0) || qemu_plugin_mem_is_store(info)) {
        return;
    }
    if (range_of(&word_ranges, address) >= 0) {
        fprintf(stderr,
                "fault: load of %u bytes from 0x%" PRIx64
                ", where only aligned words can be loaded, at 0x%" PRIxPTR "\n",
                size_bytes, address, (uintptr_t)instruction_address);
        fflush(stderr);
        _exit(EXIT_FAULT);
    }
}

static void watch_loads(const struct qemu_plugin_tb *block, size_t instructions) {
    for (size_t index = 0; index < instructions; index++) {
        struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, index);
        qemu_plugin_register_vcpu_mem_cb(instruction, access_memory, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, /* 7.2 has R and W exchanged */
                                         (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction));
    }
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    uint64_t address = qemu_plugin_tb_vaddr(block);
    size_t instructions = qemu_plugin_tb_n_insns(block);
    if (word_ranges.count != 0) {
        watch_loads(block, instructions);
    }
    if (rules.count != 0 || has_mark(block, instructions)) {
        cut_at_marks(block, instructions);
    } else if (address == start_address || address == stop_address) {
        piece_t *piece = make_piece(address);
        piece->instructions = instructions;
        qemu_plugin_register_vcpu_tb_exec_cb(block, enter_piece, QEMU_PLUGIN_CB_NO_REGS, piece);
    } else {
        qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed,
                                                 instructions);
    }
}

/* The text after `key=` if the option is that one, else NULL. */
static const char *value_of(const char *option, const char *key) {
    size_t size = strlen(key);
    return strncmp(option, key, size) == 0 && option[size] == '=' ? option + size + 1 : NULL;
}

/* Reads FIRST:LAST; false if it is no such text, or one range too many. */
static bool add_range(ranges_t *ranges, const char *text) {
    char *rest;
    if (ranges->count == MOST_RANGES) {
        return false;
    }
    ranges->ranges[ranges->count].first = strtoull(text, &rest, 0);
    if (*rest != ':') {
        return false;
    }
    ranges->ranges[ranges->count].last = strtoull(rest + 1, NULL, 0);
    ranges->count++;
    return true;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count,
                               char **options);
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count,
                               char **options) {
    (void)info;
    for (int index = 0; index < count; index++) {
        const char *value;
        if ((value = value_of(options[index], "start")) != NULL) {
            start_address = strtoull(value, NULL, 0);
        } else if ((value = value_of(options[index], "stop")) != NULL) {
            stop_address = strtoull(value, NULL, 0);
        } else if ((value = value_of(options[index], "output")) != NULL) {
            output = fopen(value, "w");
        } else if ((value = value_of(options[index], "marks")) != NULL
                   && !read_profile(&profile, value)) {
            fputs("qemu_plugin: cannot read the marks\n", stderr);
            return 1;
        } else if ((value = value_of(options[index], "cycles")) != NULL
                   && !read_rules(&rules, value)) {
            fputs("qemu_plugin: cannot read the rules of cycles\n", stderr);
            return 1;
        } else if ((value = value_of(options[index], "memory")) != NULL
                   && !add_range(&memories, value)) {
            fputs("qemu_plugin: 'memory' is no range\n", stderr);
            return 1;
        } else if ((value = value_of(options[index], "words")) != NULL
                   && !add_range(&word_ranges, value)) {
            fputs("qemu_plugin: 'words' is no range\n", stderr);
            return 1;
        }
    }
    if (output == NULL) {
        fputs("qemu_plugin: cannot open the output file\n", stderr);
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    return 0;
}
