/* How many cores a control group leaves to its processes: containers are often given fewer than they see. */
#ifndef TIPS_CORE_CORES_H
#define TIPS_CORE_CORES_H

/* The smallest limit on the way from the process's group up to the root, rounded up to whole cores; 0: none is to be
 * found. `membership` is "/proc/self/cgroup", `root` "/sys/fs/cgroup", but for tests. Both versions of control
 * groups, and one beside the other, are understood. */
int tips__cores_of_group(const char *membership, const char *root);

#endif
