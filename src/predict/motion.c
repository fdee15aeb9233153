/* Motions from the command line and from files. */
#include "predict/motion.h"

#include "core/fail.h"
#include "core/memory.h"
#include "image/image_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 256, MOST_STEPS = 10000000 };

static const char *skip_blanks(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    return text;
}

static const char *read_number(const char *text, int *out) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || value < -TIPS_IMAGE_MAX_SIDE || value > TIPS_IMAGE_MAX_SIDE) return NULL;
    *out = (int)value;
    return end;
}

static bool read_pair(const char *text, int out[2]) {
    const char *end = read_number(text, &out[0]);
    if (!end) return false;
    const char *next = skip_blanks(end);
    if (*next == ',' || *next == ';') next++;
    else if (next == end) return false;
    next = read_number(next, &out[1]);
    return next && !*skip_blanks(next);
}

static tips_status add_step(tips_motion *m, const int step[2]) {
    if (m->n_steps == m->capacity) {
        const size_t old = (size_t)m->capacity, capacity = old ? 2 * old : 64;
        if (capacity > MOST_STEPS) TIPS_FAIL(TIPS_RANGE, "%s: too many lines", m->from);
        int(*steps)[2] = tips__grow(m->steps, old * sizeof *steps, capacity * sizeof *steps);
        if (!steps) TIPS_FAIL(TIPS_MEMORY, "out of memory for the motion of frames");
        m->steps = steps;
        m->capacity = (int)capacity;
    }
    memcpy(m->steps[m->n_steps++], step, sizeof *m->steps);
    return TIPS_OK;
}

static tips_status read_line(tips_motion *m, char *line, int number) {
    const char *text = skip_blanks(line);
    int step[2];
    if (!*text || *text == '#') return TIPS_OK;
    line[strcspn(line, "\r\n")] = '\0';
    if (!read_pair(text, step))
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%.40s' is not a motion; a line is DY,DX in whole pixels down and to the right",
                  m->from, number, text);
    return add_step(m, step);
}

static tips_status read_lines(tips_motion *m, FILE *file) {
    char line[LINE];
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        if (strlen(line) == sizeof line - 1) TIPS_FAIL(TIPS_FORMAT, "%s:%d: the line is too long", m->from, number);
        TIPS_TRY(read_line(m, line, number));
    }
    if (ferror(file)) TIPS_FAIL(TIPS_IO, "%s: %s", m->from, strerror(errno));
    if (m->n_steps == 0) TIPS_FAIL(TIPS_FORMAT, "%s: has no lines DY,DX", m->from);
    return TIPS_OK;
}

static tips_status read_file(tips_motion *m) {
    FILE *file = fopen(m->from, "r");
    if (!file) {
        TIPS_FAIL(TIPS_IO, "--motion %s: is not DY,DX in whole pixels, and as a file: %s", m->from, strerror(errno));
    }
    const tips_status status = read_lines(m, file);
    fclose(file);
    return status;
}

tips_status tips__motion_read(const char *text, tips_motion *out) {
    tips_motion motion = {.from = text};
    if (text && !read_pair(text, motion.each)) {
        const tips_status status = read_file(&motion);
        if (status != TIPS_OK) {
            tips__motion_clear(&motion);
            return status;
        }
    }
    *out = motion;
    return TIPS_OK;
}

void tips__motion_clear(tips_motion *motion) {
    tips__free(motion->steps);
    *motion = (tips_motion){0};
}

tips_status tips__motion_at(const tips_motion *m, int step, int out[2]) {
    if (m->steps && step >= m->n_steps)
        TIPS_FAIL(TIPS_FORMAT,
                  "%s: has %d lines, and the sequence more steps; it takes one for each frame but the first", m->from,
                  m->n_steps);
    memcpy(out, m->steps ? m->steps[step] : m->each, sizeof *m->steps);
    return TIPS_OK;
}

tips_status tips__motion_check(const tips_motion *m, int steps) {
    if (m->steps && m->n_steps != steps)
        TIPS_FAIL(TIPS_FORMAT, "%s: has %d lines for a sequence of %d steps; it takes one for each frame but the first",
                  m->from, m->n_steps, steps);
    return TIPS_OK;
}
