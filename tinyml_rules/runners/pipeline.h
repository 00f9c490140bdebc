/* How long instructions take one after the other, by the rules of a core: they begin in order, as many in a cycle as
 * the core's width, pairing and pipes allow, and each waits until its operands are there.
 *
 * All of a core's state counts from the present cycle.  A block of instructions that begins in the state in which it
 * began the last time takes what it took then, which is how loops go.
 */
#ifndef TINYML_PIPELINE_H
#define TINYML_PIPELINE_H

#include <string.h>

#include "operands.h"

enum { REGISTERS = PC + 1 };

/* What a core's next instructions depend on: without gaps, as it is compared byte by byte. */
typedef struct {
    int16_t ready[REGISTERS]; /* the cycle in which an instruction can use it as an ordinary operand */
    int16_t now;              /* the present cycle; 0 between schedules */
    uint16_t begun;           /* instructions in it */
    uint16_t pipes;           /* in use in it */
    uint16_t loaded;          /* registers, a bit each, of which a load is not long ago */
    uint16_t saved;           /* cycles less than its rule's that the last instruction took */
    uint16_t is_behind_load;
    uint16_t last_result; /* of the load that it is behind, a bit each: the register that was loaded */
    uint16_t last_base;   /* the one whose address was written back */
    uint16_t is_behind_short;
} core_t;

/* Instructions that follow each other. */
typedef struct {
    instruction_t *instructions;
    size_t count;
    bool was_run;
    core_t before; /* of its last run */
    core_t after;
    uint32_t cycles;
} schedule_t;

static void pass(core_t *core, uint32_t cycles) {
    if (cycles != 0) {
        core->now = (int16_t)(core->now + (int32_t)cycles);
        core->begun = 0;
        core->pipes = 0;
    }
}

/* Counts from now on.  How long a register has been ready for all uses is no part of the state. */
static void settle(const rules_t *rules, core_t *core) {
    for (int number = 0; number < REGISTERS; number++) {
        const int32_t left = core->ready[number] - core->now;
        core->ready[number] = (int16_t)left;
        if (left <= -rules->most_lead) {
            core->ready[number] = (int16_t)-rules->most_lead;
            core->loaded &= (uint16_t) ~(1u << number);
        }
    }
    core->now = 0;
}

/* Cycles from the present one until the instruction can begin. */
static uint32_t cycles_until(const rules_t *rules, const core_t *core, const instruction_t *one) {
    const bool joins = core->begun < rules->issue_width && (core->pipes & one->rule->pipes) == 0
                       && (one->rule->pairing & (ALONE | FIRST)) == 0;
    int32_t wait = core->begun != 0 && !joins;
    for (uint32_t index = 0; index < one->count; index++) {
        const uint8_t number = one->registers[index].number;
        uint8_t role = one->registers[index].role;
        if (role == FACTOR && (core->loaded >> number & 1) != 0) {
            role = LOADED_FACTOR;
        }
        if (role < ROLES_READ && core->ready[number] - core->now + rules->leads[role] > wait) {
            wait = core->ready[number] - core->now + rules->leads[role];
        }
    }
    return (uint32_t)wait;
}

static void write_register(core_t *core, uint8_t number, uint32_t later, bool is_loaded) {
    core->ready[number] = (int16_t)(core->now + (int32_t)later);
    core->loaded &= (uint16_t) ~(1u << number);
    core->loaded |= (uint16_t)(is_loaded << number);
}

/* Results of several registers, as of a list, come one after the other while the instruction goes on. */
static void write_results(core_t *core, const instruction_t *one, uint32_t cycles) {
    const rule_t *rule = one->rule;
    const bool is_forwarded = (rule->pairing & FORWARDED) != 0 && core->begun == 0;
    uint32_t results = 0;
    for (uint32_t index = 0; index < one->count; index++) {
        results += one->registers[index].role == RESULT;
    }
    for (uint32_t index = 0, result = 0; index < one->count; index++) {
        const uint8_t number = one->registers[index].number;
        if (one->registers[index].role == RESULT) {
            const uint32_t later = rule->result + result++ * cycles / results - is_forwarded;
            write_register(core, number, later, rule->loads != 0);
        } else if (one->registers[index].role == BASE) {
            write_register(core, number, 0, false); /* an address in the next cycle */
        }
    }
}

/* Whether an access takes what it takes directly after a load, if both are of one memory: its address is not what is
 * loaded, and not both of them write back the same one. */
static bool is_chained(const core_t *core, const instruction_t *one) {
    return core->is_behind_load && can_be_chained(one)
           && (registers_of(one, ADDRESS) & core->last_result) == 0
           && (registers_of(one, BASE) & core->last_base) == 0;
}

/* The cycles that go by until the next instruction. */
static uint32_t issue(const rules_t *rules, core_t *core, instruction_t *one) {
    const rule_t *rule = one->rule;
    const uint32_t wait = cycles_until(rules, core, one);
    pass(core, wait);
    one->is_chained = is_chained(core, one);
    uint32_t cost = one->is_chained ? rule->after_load : rule->cost;
    if (core->is_behind_short && rule->bits == 16 && rule->after_short < cost) {
        cost = rule->after_short;
    }
    core->saved = (uint8_t)(rule->cost - cost);
    core->is_behind_load = rule->is_load != 0 && rules->knows_chains;
    core->last_result = core->is_behind_load ? registers_of(one, RESULT) : 0;
    core->last_base = core->is_behind_load ? registers_of(one, BASE) : 0;
    core->is_behind_short = rules->knows_short && rule->bits == 16;
    const uint32_t cycles
        = cost + (rule->per_cycle == 0 ? 0 : (one->listed + rule->per_cycle - 1) / rule->per_cycle);
    write_results(core, one, cycles);
    if (rules->issue_width <= 1 || (rule->pairing & ALONE) != 0 || cycles > 1) {
        pass(core, cycles);
        core->begun = 0;
        return wait + cycles;
    }
    core->saved = (uint8_t)rule->cost;
    core->begun++;
    core->pipes |= (uint8_t)rule->pipes;
    return wait;
}

/* The same of all instructions of a schedule. */
static uint32_t run(const rules_t *rules, core_t *core, schedule_t *schedule) {
    if (!schedule->was_run || memcmp(&schedule->before, core, sizeof *core) != 0) {
        schedule->was_run = true;
        schedule->before = *core;
        schedule->cycles = 0;
        for (size_t index = 0; index < schedule->count; index++) {
            schedule->cycles += issue(rules, core, &schedule->instructions[index]);
        }
        settle(rules, core);
        schedule->after = *core;
    }
    *core = schedule->after;
    return schedule->cycles;
}

/* The cycles that go by as well if the last instruction of the schedule was a branch that was taken. */
static uint32_t take(const rules_t *rules, core_t *core, const schedule_t *schedule) {
    const rule_t *rule = schedule->instructions[schedule->count - 1].rule;
    const uint32_t cycles = rule->taken - rule->cost + core->saved;
    pass(core, cycles);
    settle(rules, core);
    core->is_behind_load = false;
    core->last_result = 0;
    core->last_base = 0;
    core->is_behind_short = false;
    return cycles;
}

#endif
