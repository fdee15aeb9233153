/* Drawing a scene of shapes: a background, then the objects from back to front, with smooth edges by 4x4 samples a
 * pixel, then a little noise. */
#include "core/memory.h"
#include "core/rng.h"
#include "data/shapes.h"

#include <math.h>

enum { SAMPLES = 4, TRIES = 16, STREAM_SHAPES = 0x5348 };
static const double pi = 3.14159265358979323846;

const char *const tips__shape_names[TIPS_SHAPE_KINDS] = {"disc", "ring",  "square", "frame",    "triangle",
                                                         "plus", "cross", "star",   "crescent", "diamond"};

/* Random numbers in the order in which they are asked for. */
typedef struct draw {
    tips_rng rng;
    uint64_t next;
} draw;

static double uniform(draw *d, double low, double high) {
    return low + (high - low) * tips__rng_uniform(d->rng, d->next++);
}

static int below(draw *d, int n) { return (int)tips__rng_below(d->rng, d->next++, (uint32_t)n); }

typedef struct object {
    int kind;
    double y, x, radius, sine, cosine;
    double colour[3];
} object;

static bool in_star(double u, double v) {
    const double tip = 2 * pi / 5, angle = atan2(u, -v) + pi;
    const double off = fabs(fmod(angle + pi, tip) - tip / 2);
    return sqrt(u * u + v * v) < 0.38 + 0.62 * (2 * off / tip);
}

/* Whether (u, v), in units of the object's radius and turned with it, is inside; v points down. */
static bool is_inside(int kind, double u, double v) {
    const double a = fabs(u), b = fabs(v), square = u * u + v * v, most = fmax(a, b);
    switch (kind) {
    case 0: return square < 0.9 * 0.9;
    case 1: return square < 1 && square > 0.5 * 0.5;
    case 2: return most < 0.75;
    case 3: return most < 0.82 && most > 0.42;
    case 4: return v < 0.65 && a < (v + 0.95) * 0.58;
    case 5: return most < 0.95 && fmin(a, b) < 0.28;
    case 6: return is_inside(5, (u + v) * 0.70710678, (u - v) * 0.70710678);
    case 7: return in_star(u, v);
    case 8: return square < 1 && (u - 0.45) * (u - 0.45) + v * v > 0.75 * 0.75;
    default: return a / 0.62 + b < 1;
    }
}

/* Two colours and how they are mixed. */
typedef struct background {
    int kind;
    double colour[2][3], fy, fx, phase;
} background;

static background draw_background(draw *d) {
    background b = {.kind = below(d, 4)};
    for (int k = 0; k < 3; k++) {
        b.colour[0][k] = uniform(d, 0.05, 0.95);
        b.colour[1][k] = fmin(fmax(b.colour[0][k] + uniform(d, -0.3, 0.3), 0), 1);
    }
    const double angle = uniform(d, 0, 2 * pi), frequency = uniform(d, 1, 5);
    b.fy = frequency * sin(angle);
    b.fx = frequency * cos(angle);
    b.phase = uniform(d, 0, 2 * pi);
    return b;
}

/* How much of the second colour is at (y, x), both in 0..1. */
static double mix_at(const background *b, double y, double x) {
    const double wave = sin(2 * pi * (b->fy * y + b->fx * x) + b->phase);
    switch (b->kind) {
    case 0: return 0;
    case 1: return 0.5 + 0.5 * sin(b->fy * (y - 0.5) + b->fx * (x - 0.5));
    case 2: return wave > 0 ? 1 : 0;
    default: return 0.5 + 0.25 * wave + 0.25 * sin(2 * pi * (b->fx * y - b->fy * x) + 2 * b->phase);
    }
}

static double distance(const double *a, const double *b) {
    return fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]);
}

/* Of several colours, the first that stands out. */
static void draw_colour(draw *d, const background *b, double *colour) {
    for (int try = 0; try < TRIES; try++) {
        for (int k = 0; k < 3; k++) colour[k] = uniform(d, 0, 1);
        if (fmin(distance(colour, b->colour[0]), distance(colour, b->colour[1])) > 0.8) return;
    }
}

static bool overlaps(const object *a, const object *others, int count) {
    for (int i = 0; i < count; i++) {
        const double dy = a->y - others[i].y, dx = a->x - others[i].x, reach = a->radius + others[i].radius;
        if (dy * dy + dx * dx < reach * reach) return true;
    }
    return false;
}

/* Objects lie wholly within the picture; the first is the largest. */
static void draw_object(draw *d, const tips_shapes_options *o, object *objects, int i) {
    object *it = &objects[i];
    const int shorter = o->size[0] < o->size[1] ? o->size[0] : o->size[1];
    const double scale = i == 0 ? (o->objects > 1 ? 0.75 : 1) : 0.5;
    const double angle = uniform(d, -0.25, 0.25);
    it->radius = scale * shorter * uniform(d, 0.2, 0.34);
    it->sine = sin(angle);
    it->cosine = cos(angle);
    for (int try = 0; try < TRIES; try++) {
        it->y = uniform(d, it->radius, o->size[0] - it->radius);
        it->x = uniform(d, it->radius, o->size[1] - it->radius);
        if (!overlaps(it, objects, i)) break;
    }
}

/* The share of pixel (y, x) that the object covers. */
static double coverage(const object *it, int y, int x) {
    int hits = 0;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        const double dy = (y + (i / SAMPLES + 0.5) / SAMPLES - it->y) / it->radius;
        const double dx = (x + (i % SAMPLES + 0.5) / SAMPLES - it->x) / it->radius;
        hits += is_inside(it->kind, it->cosine * dx + it->sine * dy, it->cosine * dy - it->sine * dx);
    }
    return (double)hits / (SAMPLES * SAMPLES);
}

/* A picture in the making. */
typedef struct canvas {
    int h, w;
    double *colours; /* (h, w, 3) */
    uint8_t *owner;  /* (h, w): 0 background, else object + 1 */
} canvas;

static void paint_background(const canvas *c, const background *b) {
    for (int i = 0; i < c->h * c->w; i++) {
        const double mix = mix_at(b, (double)(i / c->w) / c->h, (double)(i % c->w) / c->w);
        for (int k = 0; k < 3; k++)
            c->colours[(ptrdiff_t)3 * i + k] = (1 - mix) * b->colour[0][k] + mix * b->colour[1][k];
    }
}

static void paint_object(const canvas *c, const object *it, int number) {
    const int top = (int)fmax(it->y - 1.1 * it->radius, 0), left = (int)fmax(it->x - 1.1 * it->radius, 0);
    for (int y = top; y < c->h && y < it->y + 1.1 * it->radius; y++)
        for (int x = left; x < c->w && x < it->x + 1.1 * it->radius; x++) {
            const ptrdiff_t at = (ptrdiff_t)y * c->w + x;
            const double share = coverage(it, y, x);
            for (int k = 0; k < 3; k++) c->colours[3 * at + k] += share * (it->colour[k] - c->colours[3 * at + k]);
            if (share >= 0.5) c->owner[at] = (uint8_t)(number + 1);
        }
}

static void find_box(const canvas *c, int number, int label, tips_scene *scene) {
    int top = c->h, left = c->w, bottom = -1, right = -1, area = 0;
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            if (c->owner[(ptrdiff_t)y * c->w + x] != number + 1) continue;
            area++;
            top = y < top ? y : top;
            bottom = y;
            left = x < left ? x : left;
            right = x > right ? x : right;
        }
    if (bottom < 0) return;
    scene->boxes[scene->n_boxes++] =
        (tips_box){.top = top, .left = left, .bottom = bottom + 1, .right = right + 1, .label = label, .area = area};
}

static void finish(const canvas *c, draw *d, const object *objects, tips_scene *scene) {
    for (ptrdiff_t i = 0; i < (ptrdiff_t)3 * c->h * c->w; i++) {
        const double value = 255 * (c->colours[i] + uniform(d, -0.03, 0.03));
        scene->image.pixels[i] = (uint8_t)fmin(fmax(value + 0.5, 0), 255);
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)c->h * c->w; i++)
        scene->mask[i] = c->owner[i] ? (uint8_t)(objects[c->owner[i] - 1].kind + 1) : 0;
}

static void paint(const tips_shapes_options *o, draw *d, const canvas *c, tips_scene *scene) {
    object objects[TIPS_SHAPES_MOST_OBJECTS];
    const background b = draw_background(d);
    paint_background(c, &b);
    for (int i = 0; i < o->objects; i++) {
        objects[i].kind = i == 0 ? scene->label : below(d, o->classes);
        draw_object(d, o, objects, i);
        draw_colour(d, &b, objects[i].colour);
    }
    for (int i = o->objects - 1; i >= 0; i--) paint_object(c, &objects[i], i);
    for (int i = 0; i < o->objects; i++) find_box(c, i, objects[i].kind, scene);
    finish(c, d, objects, scene);
}

tips_status tips__shapes_scene(const tips_shapes_options *o, tips_split split, int index, tips_scene *out) {
    const size_t pixels = (size_t)o->size[0] * (size_t)o->size[1];
    const uint64_t stream = tips__rng_mix(tips__rng_mix(STREAM_SHAPES, (uint64_t)split), (uint64_t)index);
    draw d = {.rng = {(uint64_t)o->seed, stream}};
    tips_scene scene = {.label = index % o->classes};
    canvas c = {.h = o->size[0], .w = o->size[1]};
    tips_status status = tips__image_allocate("shapes", c.w, c.h, 3, &scene.image);
    if (status == TIPS_OK) status = tips__new_zero(&scene.mask, pixels, "a mask");
    if (status == TIPS_OK) status = tips__new(&c.colours, 3 * pixels * sizeof *c.colours, "a picture");
    if (status == TIPS_OK) status = tips__new_zero(&c.owner, pixels, "a mask");
    if (status == TIPS_OK) paint(o, &d, &c, &scene);
    tips__free(c.colours);
    tips__free(c.owner);
    if (status != TIPS_OK) tips__scene_free(&scene);
    else *out = scene;
    return status;
}

void tips__scene_free(tips_scene *scene) {
    if (!scene) return;
    tips__image_free(&scene->image);
    tips__free(scene->mask);
    scene->mask = NULL;
}
