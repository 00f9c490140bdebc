/* A QEMU plugin that counts the instructions between two addresses of the guest.
 *
 *   -plugin qemu_plugin.so,start=ADDRESS,stop=ADDRESS,output=FILE
 *
 * Each time the guest reaches `stop` after `start`, a line with the count is written: the
 * instruction at `start` included, the one at `stop` not.  Both must be functions' first
 * instructions, which are called and therefore begin a translation block.
 *
 * The few declarations of QEMU's plugin API that it needs stand here, so that it compiles
 * without QEMU's headers, which Debian does not ship.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info qemu_info_t;
struct qemu_plugin_tb;

enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_INLINE_ADD_U64 = 0 };

typedef void (*block_translated_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*block_executed_t)(unsigned cpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, block_translated_t function);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, block_executed_t function,
                                          int registers, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation,
                                              void *counter, uint64_t value);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);

EXPORT int qemu_plugin_version = 1;

static uint64_t start_address;
static uint64_t stop_address;
static FILE *output;
static uint64_t executed; /* instructions of all blocks that were entered */
static uint64_t executed_at_start;
static bool is_counting;

/* These two count their own block themselves: QEMU does not promise whether a callback comes
 * before or after an addition to the same block. */
static void enter_start(unsigned cpu, void *instructions) {
    (void)cpu;
    executed_at_start = executed;
    is_counting = true;
    executed += (uintptr_t)instructions;
}

static void enter_stop(unsigned cpu, void *instructions) {
    (void)cpu;
    if (is_counting) {
        fprintf(output, "%" PRIu64 "\n", executed - executed_at_start);
        fflush(output); /* QEMU may leave without closing files */
        is_counting = false;
    }
    executed += (uintptr_t)instructions;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    uint64_t address = qemu_plugin_tb_vaddr(block);
    size_t instructions = qemu_plugin_tb_n_insns(block);
    if (address == start_address || address == stop_address) {
        qemu_plugin_register_vcpu_tb_exec_cb(
            block, address == start_address ? enter_start : enter_stop, QEMU_PLUGIN_CB_NO_REGS,
            (void *)(uintptr_t)instructions);
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
        }
    }
    if (output == NULL) {
        fputs("qemu_plugin: cannot open the output file\n", stderr);
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    return 0;
}
