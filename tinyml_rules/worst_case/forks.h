/* A branch on unknown bits runs both ways, to where they meet: the larger count stays, and what is true of both. */
#ifndef TINYML_FORKS_H
#define TINYML_FORKS_H

#include "machine.h"

enum { MOST_DEPTH = 3000 };

static const stops_t no_stops;
static uint32_t *joined_in; /* for each cell, the last join that has looked at it */
static uint32_t join_count;
static uint64_t step_count;
static uint64_t most_steps;

static void step(void);
static void look_at_call(void);

/* Visits of limited places; false where there were too many. */
static bool visit(const place_t *place) {
    if (place->account != 0) {
        account = place->account - 1;
    }
    for (uint64_t left = place->begins; left != 0; left &= left - 1) {
        state.visits[__builtin_ctzll(left)] = 0;
    }
    return place->limit == 0 || ++state.visits[place->limit - 1] <= most_visits[place->limit - 1];
}

static bool is_at_stop(const stops_t *stops) {
    for (size_t index = 0; index < stops->count; index++) {
        if (state.pc == stops->at[index]) {
            return true;
        }
    }
    return false;
}

/* From here to `until`, or out of the function if that is END_OF_FUNCTION, or to one of the stops, at this depth. */
static void run(uint32_t until, int depth, const stops_t *stops) {
    for (;;) {
        if (until == END_OF_FUNCTION ? state.depth < depth : state.pc == until && state.depth == depth) {
            return;
        }
        if (state.is_impossible || (state.depth == depth && is_at_stop(stops))) {
            return;
        }
        if (state.pc == mark_address || state.pc == invoke_address) {
            look_at_call();
        }
        if (++step_count > most_steps) {
            refuse("a loop does not end, or takes too long");
        }
        if (watches_places && !visit(place_at(state.pc))) {
            if (fork_depth == 0) {
                refuse("a loop runs more often than its limit of %u", most_visits[place_at(state.pc)->limit - 1]);
            }
            state.is_impossible = true;
        }
        if (!state.is_impossible) {
            state.steps++;
            step();
        }
    }
}

/* Takes back what was written since `from`; the entries have what was there then. */
static entry_t *taken_back(size_t from, size_t *count) {
    *count = journal_count - from;
    entry_t *entries = allocated(*count, sizeof *entries);
    for (size_t index = 0; index < *count; index++) {
        entries[index] = (entry_t){journal[from + index].cell, cells[journal[from + index].cell]};
    }
    while (journal_count > from) {
        journal_count--;
        cells[journal[journal_count].cell] = journal[journal_count].before;
    }
    return entries;
}

static void put_back(const entry_t *entries, size_t count) {
    for (size_t index = 0; index < count; index++) {
        put_cell(entries[index].cell, entries[index].before);
    }
}

static void join_cells(const entry_t *entries, size_t count) {
    for (size_t index = 0; index < count; index++) {
        const entry_t each = entries[index];
        if (joined_in[each.cell] != join_count) {
            joined_in[each.cell] = join_count;
            put_cell(each.cell, joined_cell(cells[each.cell], each.before));
        }
    }
}

/* The memory of both ways: `left` has what one wrote, the journal since `from` what the other wrote over. */
static void join_memory(const entry_t *left, size_t left_count, size_t from) {
    const size_t right_count = journal_count - from;
    entry_t *right = allocated(right_count, sizeof *right);
    memcpy(right, journal + from, right_count * sizeof *right);
    join_count++;
    join_cells(left, left_count);
    join_cells(right, right_count); /* its first entry of a cell is what the left way still has there */
    free(right);
}

static void join_states(const state_t *left) {
    state.most = left->most > state.most ? left->most : state.most;
    state.least = left->least < state.least ? left->least : state.least;
    for (int index = 0; index < REGISTERS; index++) {
        state.registers[index] = either(state.registers[index], left->registers[index], REGISTER_BITS);
    }
    for (int index = 0; index < FLAGS; index++) {
        state.flags[index] = state.flags[index] == left->flags[index] ? state.flags[index] : UNKNOWN;
    }
    state.compared = 0;
    if (state.registers[STACK_POINTER].unknown != 0) {
        refuse("the ways of a branch that depends on data meet with different stacks");
    }
}

/* One way of a branch: where it ended, and what it wrote. */
typedef struct {
    state_t end;
    entry_t *written;
    size_t count;
} way_t;

static void go(way_t *way, uint32_t until, int depth, const stops_t *stops, size_t from) {
    run(until, depth, stops);
    way->end = state;
    way->written = taken_back(from, &way->count);
}

/* On from where a way has ended; the memory has what it wrote. */
static void go_on(way_t *way, uint32_t until, int depth, size_t from) {
    state = way->end;
    put_back(way->written, way->count);
    free(way->written);
    go(way, until, depth, &no_stops, from);
}

static void count_fork(uint32_t at, const state_t *left) {
    site_t *site = site_at(at);
    const uint64_t difference = state.most > left->most ? state.most - left->most : left->most - state.most;
    site->forks++;
    site->total += difference;
    site->largest = difference > site->largest ? difference : site->largest;
}

/* Both ways have been run; the memory is as before. */
static void join_ways(uint32_t at, way_t *left, way_t *right, size_t from) {
    const bool is_left_possible = !left->end.is_impossible, is_right_possible = !right->end.is_impossible;
    const way_t *kept = is_right_possible ? right : left;
    state = kept->end;
    put_back(kept->written, kept->count);
    if (is_left_possible && is_right_possible) {
        if (left->end.pc != right->end.pc || left->end.depth != right->end.depth) {
            refuse("the ways of the branch at %#x do not meet", at);
        }
        count_fork(at, &left->end);
        join_states(&left->end);
        join_memory(left->written, left->count, from);
    }
    free(left->written);
    free(right->written);
}

static bool do_not_meet(const way_t *one, const way_t *other) {
    return !one->end.is_impossible && !other->end.is_impossible
           && (one->end.pc != other->end.pc || one->end.depth != other->end.depth);
}

/* Whether one of the ways has left the loop and another one has not. */
static bool are_apart(const way_t *ways, size_t count) {
    for (size_t index = 1; index < count; index++) {
        for (size_t before = 0; before < index; before++) {
            if (do_not_meet(&ways[index], &ways[before])) {
                return true;
            }
        }
    }
    return false;
}

/* Joins them one after the other, with the memory as before. */
static void join_all(uint32_t at, way_t *ways, size_t count, size_t from) {
    for (size_t index = 1; index < count; index++) {
        join_ways(at, &ways[index - 1], &ways[index], from);
        if (index + 1 < count) {
            ways[index].end = state;
            ways[index].written = taken_back(from, &ways[index].count);
        }
    }
}

/* Runs all ways of the branch `at`, which begin in these states, at the same depth. */
static void fork_among(uint32_t at, const state_t *begins, size_t count) {
    const place_t *place = place_at(at);
    const int depth = begins[count - 1].depth;
    const uint32_t account_before = account;
    const size_t from = journal_count;
    const stops_t *stops = place->stops == 0 ? &no_stops : &all_stops[place->stops];
    way_t *ways = allocated(count, sizeof *ways);
    if (place->meeting == 0) {
        refuse("a branch depends on data, and its ways do not meet");
    }
    if (++fork_depth > MOST_DEPTH) {
        refuse("a loop whose end depends on data");
    }
    for (size_t index = 0; index < count; index++) {
        state = begins[index];
        account = account_before;
        go(&ways[index], place->meeting, depth, stops, from);
    }
    for (size_t index = 0, apart = are_apart(ways, count); apart && index < count; index++) {
        go_on(&ways[index], place->meeting, depth, from);
    }
    join_all(at, ways, count, from);
    free(ways);
    memcpy(state.visits, begins[count - 1].visits, sizeof state.visits);
    if (--fork_depth == 0) {
        journal_count = 0;
    }
}

/* A jump by a table, to each of its targets that this may be. */
static void jump_by_cases(bits_t target) {
    const cases_t *cases = &all_cases[place_at(state.pc)->cases];
    const size_t known_count = place_at(state.pc)->cases == 0 ? 0 : cases->count;
    state_t *begins = allocated(known_count, sizeof *begins);
    size_t count = 0;
    for (size_t index = 0; index < known_count; index++) {
        if (((cases->at[index] ^ target.value) & ~target.unknown) == 0) {
            begins[count] = state;
            begins[count++].pc = cases->at[index];
        }
    }
    if (count == 0) {
        refuse("jumps to an address that depends on data");
    }
    fork_among(state.pc, begins, count);
    free(begins);
}

/* ---- what a branch tells of the numbers that were compared before it ---- */

static bool is_unknown(int number) {
    return number != NO_REGISTER && state.registers[number].unknown != 0;
}

/* The present instruction sets the flags by a difference, which is the upper part of a longer one, or not. */
FAST void compare(int left, int right, bits_t number, bit_t borrow, bool is_part) {
    if (is_unknown(left) || is_unknown(right)) {
        state.comparison.left = left;
        state.comparison.right = right;
        state.comparison.number = number;
        state.comparison.borrow = borrow;
        state.comparison.is_result = false;
        state.comparison.is_part = is_part;
        state.compared = state.steps;
    }
}

/* By what is in this register then. */
FAST void compare_result(int number, bool is_part) {
    if (is_unknown(number)) {
        state.comparison.left = number;
        state.comparison.right = NO_REGISTER;
        state.comparison.number = known(0);
        state.comparison.borrow = 0;
        state.comparison.is_result = true;
        state.comparison.is_part = is_part;
        state.compared = state.steps;
    }
}

/* Whether the instruction before this one set the flags. */
static bool has_comparison(void) {
    return state.compared != 0 && state.compared + 1 == state.steps;
}

/* The present instruction leaves flags and registers as they are. */
static void keep_comparison(void) {
    state.compared += has_comparison();
}

/* All registers that have the number of this one become `found`. */
static void learn_register(state_t *way, int number, bits_t found) {
    const uint32_t name = name_of(way->registers[number]);
    way->registers[number] = found;
    for (int index = 0; name != 0 && index < REGISTERS; index++) {
        if (name_of(way->registers[index]) == name) {
            way->registers[index] = found;
        }
    }
}

/* On this way the relation holds; it is impossible if it cannot. */
static void learn(state_t *way, const comparison_t *one, relation_t relation) {
    if (relation == NO_RELATION || one->left == NO_REGISTER) {
        return;
    }
    bits_t left = way->registers[one->left];
    bits_t right = one->right == NO_REGISTER ? one->number : way->registers[one->right];
    if (!hold(relation, &left, &right, one->borrow, REGISTER_BITS)) {
        way->is_impossible = true;
        return;
    }
    learn_register(way, one->left, left);
    if (one->right != NO_REGISTER) {
        learn_register(way, one->right, right);
    }
}

/* A branch to one of two places, each with the cycles of going there: `there` if the relation holds. */
static void fork_to(const comparison_t *one, relation_t relation, uint32_t there, unsigned there_cycles, uint32_t next, unsigned next_cycles) {
    const uint32_t at = state.pc;
    state_t *begins = allocated(2, sizeof *begins); /* branches may be many levels deep */
    begins[0] = begins[1] = state;
    begins[0].pc = there;
    begins[0].most += there_cycles;
    begins[0].least += there_cycles;
    learn(&begins[0], one, relation);
    begins[1].pc = next;
    begins[1].most += next_cycles;
    begins[1].least += next_cycles;
    learn(&begins[1], one, opposite(relation));
    fork_among(at, begins, 2);
    free(begins);
}

#endif
