/* Faults on demand: a library that is loaded before the C library (LD_PRELOAD) and counts the calls that
 * read, write, sync or create files in one folder.
 *
 *   FAULT_FOLDER  only files below this folder count
 *   FAULT_AT      the number of the call that goes wrong, from 1
 *   FAULT_HOW     an error number: this call fails; `sticky:` before it: and so do all writes after it;
 *                 `short`: a write takes only half of the bytes; `kill`: the process is killed before the call
 *   FAULT_LOG     at the end the number of calls is written to this file
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int calls;

static int below(const char *path) {
    const char *folder = getenv("FAULT_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int counts(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlink, link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

/* 0: go on; -1: fail with errno; 1: do half of it. */
static int fault(int writes) {
    const char *at = getenv("FAULT_AT"), *how = getenv("FAULT_HOW");
    int call = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (!at || !how) return 0;
    int sticky = strncmp(how, "sticky:", 7) == 0;
    int first = atoi(at);
    if (!(call == first || (sticky && writes && call > first))) return 0;
    if (strcmp(how, "kill") == 0) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    if (strcmp(how, "short") == 0) return 1;
    errno = atoi(sticky ? how + 7 : how);
    return -1;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    if (counts(fd)) {
        int what = fault(1);
        if (what < 0) return -1;
        if (what > 0 && length > 1) length /= 2;
    }
    return syscall(SYS_write, fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int n_parts) {
    if (counts(fd)) {
        int what = fault(1);
        if (what < 0) return -1;
        if (what > 0 && n_parts > 1) n_parts = 1;
    }
    return syscall(SYS_writev, fd, parts, n_parts);
}

ssize_t read(int fd, void *bytes, size_t length) {
    if (counts(fd)) {
        int what = fault(0);
        if (what < 0) return -1;
        if (what > 0 && length > 1) length /= 2;
    }
    return syscall(SYS_read, fd, bytes, length);
}

int fsync(int fd) {
    if (counts(fd) && fault(1) < 0) return -1;
    return syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    if (counts(fd) && fault(1) < 0) return -1;
    return syscall(SYS_fdatasync, fd);
}

int fchmod(int fd, mode_t mode) {
    if (counts(fd) && fault(1) < 0) return -1;
    return syscall(SYS_fchmod, fd, mode);
}

int close(int fd) {
    /* The result of closing is ignored by all; only a kill makes a difference here. */
    if (counts(fd)) (void)fault(0);
    return syscall(SYS_close, fd);
}

static int opened(int folder, const char *path, int flags, mode_t mode) {
    if (below(path) && fault((flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0) < 0) return -1;
    return syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE(flags) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }

int rename(const char *from, const char *to) {
    if (below(to) && fault(1) < 0) return -1;
    return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

__attribute__((destructor)) static void tell(void) {
    const char *log = getenv("FAULT_LOG");
    if (!log) return;
    char text[32];
    int length = snprintf(text, sizeof text, "%d\n", calls);
    int fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    syscall(SYS_write, fd, text, (size_t)length);
    syscall(SYS_close, fd);
}
