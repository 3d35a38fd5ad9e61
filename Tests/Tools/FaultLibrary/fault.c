/* Faults of the machine, for a process that is started with this library in LD_PRELOAD.
 *
 * MOBIUS_FAULT_FSYNC=PART  fsync and fdatasync of files whose path contains PART fail with EIO ...
 * MOBIUS_FAULT_HANG=PART   ... or hang ...
 * MOBIUS_FAULT_SLOW=PART   ... or take 50 ms longer ...
 * MOBIUS_FAULT_WHEN=FILE   ... while this file exists.
 * MOBIUS_FAULT_CLOCK=FILE  the wall clock is wrong by the number of seconds in this file; the monotonic clock is right.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Whether the file is one of those that a variable names, and the time is now. */
static int is_meant(const char *variable, int fd) {
    const char *part = getenv(variable);
    const char *when = getenv("MOBIUS_FAULT_WHEN");
    if (!part || !when || access(when, F_OK) != 0) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, part) != NULL;
}

static int sync_with(const char *name, int fd) {
    while (is_meant("MOBIUS_FAULT_HANG", fd)) poll(NULL, 0, 5);
    if (is_meant("MOBIUS_FAULT_SLOW", fd)) poll(NULL, 0, 50);
    if (is_meant("MOBIUS_FAULT_FSYNC", fd)) {
        errno = EIO;
        return -1;
    }
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return real(fd);
}

int fsync(int fd) { return sync_with("fsync", fd); }

int fdatasync(int fd) { return sync_with("fdatasync", fd); }

/* Read each time: tests make the clock jump by writing the file. Nothing but system calls, for it may be called anywhere. */
static long long jump(void) {
    const char *path = getenv("MOBIUS_FAULT_CLOCK");
    if (!path) return 0;
    int saved = errno;
    long long seconds = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        char text[32] = {0};
        if (read(file, text, sizeof text - 1) > 0) seconds = atoll(text);
        close(file);
    }
    errno = saved;
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += jump();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    static int (*real)(struct timeval *, void *);
    if (!real) real = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    int result = real(time, zone);
    if (result == 0) time->tv_sec += jump();
    return result;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
