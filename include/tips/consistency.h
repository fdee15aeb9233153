/* Figures with their intervals, and how consistency is measured. */
#ifndef TIPS_CONSISTENCY_H
#define TIPS_CONSISTENCY_H

/* A share in percent and its 95 % interval; not a number where nothing was counted. */
typedef struct tips_share {
    double value, low, high;
} tips_share;

/* What is 0 takes the default. */
typedef struct tips_consistency_options {
    int pairs; /* per picture and kind, 1..1000; 0: 1 */
    int seed;  /* of the shifts; 0: 1 */
} tips_consistency_options;

#endif
