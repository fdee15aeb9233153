/* One process at a time at a folder, or at a file that grows. Who holds it is written into a small file beside, which
 * goes when it is released; the lock is the system's, so that a process that was killed holds nothing. */
#ifndef TIPS_CORE_FOLDER_LOCK_H
#define TIPS_CORE_FOLDER_LOCK_H

#include <tips/status.h>

typedef struct tips_folder_lock tips_folder_lock;

/* The lock of a folder in which a run, or what a command answers, is written. */
extern const char tips__run_lock_name[];

/* Makes the folder if need be, and takes the lock `name` in it; fails, naming the holder, where another has it. File
 * systems without locks refuse nothing. */
tips_status tips__folder_lock(const char *folder, const char *name, tips_folder_lock **out) TIPS_MUST_CHECK;
/* Waits for it; TIPS_INTERRUPTED where a signal comes first. */
tips_status tips__folder_lock_wait(const char *folder, const char *name, tips_folder_lock **out) TIPS_MUST_CHECK;
/* A folder made for the lock goes too if nothing was put into it. Takes NULL. */
void tips__folder_unlock(tips_folder_lock *lock);

#endif
