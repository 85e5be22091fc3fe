/* ---- new files ----------------------------------------------------------------------------------------------------- */
/*  The one way in which files are written: whatever happens, a name stands for the old file or for the new one, whole. NAME is called
    NAME.gpuarr.part until all of it is on the disk, and then takes its name in one step. What a killed program leaves of it, the next
    one that writes NAME removes. Symbolic links are followed: what they lead to is replaced, not they.                              */

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#ifndef O_CLOEXEC /* hidden though there, see platform.h */
#define O_CLOEXEC   __O_CLOEXEC
#define O_DIRECTORY __O_DIRECTORY
#define O_NOFOLLOW  __O_NOFOLLOW
#define AT_FDCWD    (-100)
extern ssize_t pread(int, void *, size_t, off_t);
extern ssize_t pwrite(int, const void *, size_t, off_t);
extern ssize_t readlink(const char *, char *, size_t);
extern int     fchmod(int, mode_t);
extern int     fchown(int, __uid_t, __gid_t);
extern int     fsync(int);
extern int     ftruncate(int, off_t);
extern int     lstat(const char *, struct stat *);
extern int     openat(int, const char *, int, ...);
extern FILE   *fdopen(int, const char *);
extern void    sync(void);
#elif defined(GI_HIDES_SYSTEM)
extern FILE *fdopen(int, const char *);
extern void  sync(void);
#endif

enum { GI_PATH_ROOM = 4096 };

typedef struct gi_new_file {
    FILE *file;   /* of what fd is; NULL: who writes, writes to fd, or to the part by its name */
    int   fd;     /* -1: not begun */
    bool  direct; /* a device or a pipe is written to as it is */
    bool  anew;   /* there was no part */
    bool  kept;   /* an old part may have been continued */
    char  path[GI_PATH_ROOM], part[GI_PATH_ROOM]; /* where links lead; until it is whole */
    int   error;                                  /* errno of what has failed, or 0 */
    char  why[400];                               /* what has failed */
} gi_new_file;

/* What a call says that the system has refused a file. */
static ga_status gi_file_status(int error) { return error == ENOMEM ? GA_NO_MEMORY : GA_NO_FILE; }

/* The error of such a call: what it cannot do, and errno's words; 0: a file that is read has no more bytes. Always returns NULL. */
GI_PRINTS(3, 4) static void *gi_file_fail(const char *site, int error, const char *format, ...)
{
    char    what[GI_PATH_ROOM + 200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return gi_fail(site, error ? gi_file_status(error) : GA_BAD_FILE, "%s: %s", what,
                   error ? strerror(error) : "it has become shorter");
}

static bool gi_file_failed(gi_new_file *f, int error)
{
    f->error = error;
    snprintf(f->why, sizeof f->why, "%s", strerror(error));
    return false;
}

/* Descriptors of the program itself, /dev/stdout: who reads them would not see a new file of their name. */
static bool gi_file_is_descriptor(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

static const char *gi_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void gi_file_folder(const char *path, char folder[GI_PATH_ROOM])
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, GI_PATH_ROOM, "%.*s", slash > path ? (int)(slash - path) : 1, slash ? path : ".");
}

/* The path from the root on: a function of the program's that runs meanwhile may change the working directory. Where that has no name, or
   a long one, the path stays as it is. */
static void gi_file_absolute(char to[GI_PATH_ROOM], const char *path)
{
    size_t n = 0;
    if (*path && *path != '/' && getcwd(to, GI_PATH_ROOM) && *to == '/') n = strlen(to);
    if (n > 1) to[n++] = '/';
    if (n + strlen(path) >= GI_PATH_ROOM) n = 0;
    strcpy(to + n, path);
}

/* Where a path leads when the links at its end are followed, even if nothing is there yet; and the part beside it. */
static bool gi_file_find(gi_new_file *f, const char *path)
{
    enum { MOST_LINKS = 40 };
    char to[GI_PATH_ROOM];
    memset(f, 0, sizeof *f);
    f->fd = -1;
    if (strlen(path) >= sizeof f->path) return gi_file_failed(f, ENAMETOOLONG);
    gi_file_absolute(f->path, path);
    for (int links = 0; !gi_file_is_descriptor(f->path); links++) {
        const ssize_t n = readlink(f->path, to, sizeof to - 1);
        if (n < 0) break; /* no link, or nothing */
        if (links == MOST_LINKS) return gi_file_failed(f, ELOOP);
        to[n]             = 0;
        const char *slash = strrchr(f->path, '/');
        size_t      kept  = slash && *to != '/' ? (size_t)(slash - f->path) + 1 : 0;
        if (kept + (size_t)n >= sizeof f->path) return gi_file_failed(f, ENAMETOOLONG);
        memcpy(f->path + kept, to, (size_t)n + 1);
    }
    enum { MOST_BYTES = 255 }; /* of a name, on every file system in use */
    const size_t name = strlen(gi_file_name(f->path)), more = sizeof ".gpuarr.part" - 1;
    if (name <= MOST_BYTES && name + more > MOST_BYTES) {
        snprintf(f->why, sizeof f->why,
                 "its name has %zu bytes, and at most %zu are possible: it is written as NAME.gpuarr.part first", name,
                 MOST_BYTES - more);
        return false;
    }
    if (snprintf(f->part, sizeof f->part, "%s.gpuarr.part", f->path) < (int)sizeof f->part) return true;
    return gi_file_failed(f, ENAMETOOLONG);
}

/* Is the open file still what stands under the name of the part? */
static bool gi_file_has_part(const gi_new_file *f, int fd)
{
    struct stat mine, there;
    return fstat(fd, &mine) == 0 && lstat(f->part, &there) == 0 && mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* False if another program has the lock. Where the file system has no locks, everybody has it. */
static bool gi_file_lock(int fd, bool wait)
{
    int status;
    do status = flock(fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
    while (status != 0 && errno == EINTR);
    return status == 0 || errno != EWOULDBLOCK;
}

static void gi_file_close(gi_new_file *f)
{
    if (f->fd < 0) return;
    (void)flock(f->fd, LOCK_UN); /* also for those who have inherited it */
    if (f->file) (void)fclose(f->file);
    else (void)close(f->fd);
    f->file = NULL;
    f->fd   = -1;
}

static bool gi_file_in_the_way(gi_new_file *f)
{
    gi_file_close(f);
    snprintf(f->why, sizeof f->why, "'%.255s' is in the way, and gpuarr did not make it: remove it", gi_file_name(f->part));
    return false;
}

static bool gi_file_busy(gi_new_file *f)
{
    gi_file_close(f);
    snprintf(f->why, sizeof f->why, "another program is writing it: wait for that, or take another name");
    return false;
}

/* The part could not be made. */
static bool gi_file_not_made(gi_new_file *f, int error)
{
    gi_file_failed(f, error);
    if (error != EACCES && error != EPERM && error != EROFS) return false;
    const size_t used = strlen(f->why);
    snprintf(f->why + used, sizeof f->why - used,
             ": it is written beside the old one first, as '%.255s', so its folder must be writable", gi_file_name(f->part));
    return false;
}

/* An old part, open: of a program that was killed, or of one that is at work. */
static bool gi_file_open_part(gi_new_file *f)
{
    struct stat about;
    f->fd = open(f->part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (f->fd >= 0 && fstat(f->fd, &about) == 0 && S_ISREG(about.st_mode)) return true;
    if (f->fd < 0 && errno != ELOOP && errno != EISDIR && errno != ENXIO) return gi_file_failed(f, errno);
    return gi_file_in_the_way(f);
}

/* Who may read and write the old file may do so with the new one. */
static void gi_file_inherit(const gi_new_file *f)
{
    struct stat old;
    if (stat(f->path, &old) != 0) return;
    if (fchown(f->fd, old.st_uid, old.st_gid) != 0) errno = 0; /* as far as this program may */
    (void)fchmod(f->fd, old.st_mode & 07777);
}

/* What becomes of a part that is there already. */
typedef enum gi_file_left {
    GI_FILE_WAIT,    /* replaced; if another program is writing it, when that is done */
    GI_FILE_REPLACE, /* replaced; but not if another program is writing it */
    GI_FILE_GO_ON    /* kept, unless another program is writing it */
} gi_file_left;

/* Removes the journal (files/new_files.h) of a part that is replaced: it must not stand beside another one. */
static void gi_file_forget_journal(const gi_new_file *f)
{
    char journal[GI_PATH_ROOM + 16];
    if (snprintf(journal, sizeof journal, "%s.gpuarr.journal", f->path) < (int)sizeof journal) (void)unlink(journal);
}

/* Begins a file where gi_file_find has led. False: f->why tells why. */
static bool gi_file_begin_there(gi_new_file *f, gi_file_left left)
{
    struct stat old, there;
    const bool  exists = stat(f->path, &old) == 0;
    f->kept            = left == GI_FILE_GO_ON;
    if (!*f->path) return gi_file_failed(f, ENOENT);
    if (exists && S_ISDIR(old.st_mode)) return gi_file_failed(f, EISDIR);
    f->direct = exists && (!S_ISREG(old.st_mode) || gi_file_is_descriptor(f->path));
    if (f->direct) f->fd = open(f->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (f->direct) return f->fd >= 0 || gi_file_failed(f, errno);
    if (exists && access(f->path, W_OK) != 0) return gi_file_failed(f, errno); /* a rename would not ask */
    for (;;) {
        f->fd   = open(f->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, exists ? 0600 : 0666);
        f->anew = f->fd >= 0;
        if (f->fd < 0 && errno != EEXIST) return gi_file_not_made(f, errno);
        if (f->fd < 0 && !gi_file_open_part(f)) {
            if (lstat(f->part, &there) != 0 && errno == ENOENT) continue; /* gone meanwhile */
            return false;
        }
        if (!gi_file_lock(f->fd, left == GI_FILE_WAIT)) return gi_file_busy(f);
        const bool has = gi_file_has_part(f, f->fd);
        if (has && left != GI_FILE_GO_ON) gi_file_forget_journal(f);
        if (has && (f->anew || left == GI_FILE_GO_ON)) break;
        if (has && unlink(f->part) != 0) {
            int error = errno;
            gi_file_close(f);
            return gi_file_failed(f, error);
        }
        gi_file_close(f);
    }
    gi_file_inherit(f);
    return true;
}

/* Begins the file `path`, which is written to f->file. False: f->why tells why. */
static bool gi_file_begin(gi_new_file *f, const char *path)
{
    if (!gi_file_find(f, path) || !gi_file_begin_there(f, GI_FILE_WAIT)) return false;
    f->file = fdopen(f->fd, "wb");
    if (f->file) return true;
    int error = errno;
    if (!f->direct) (void)unlink(f->part);
    gi_file_close(f);
    return gi_file_failed(f, error);
}

/* A library that makes its files itself has made the part again. False: another program has it now. */
__attribute__((unused)) static bool gi_file_made_again(gi_new_file *f)
{
    gi_file_close(f);
    f->fd = open(f->part, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (f->fd < 0) return errno == ENOENT ? gi_file_busy(f) : gi_file_failed(f, errno);
    if (!gi_file_lock(f->fd, false) || !gi_file_has_part(f, f->fd)) return gi_file_busy(f);
    gi_file_inherit(f);
    return true;
}

/* Whether new files are on the disk before they take their names: ga_set_fsync. */
static bool gi_fsync_off;

void ga_set_fsync(bool on) { __atomic_store_n(&gi_fsync_off, !on, __ATOMIC_RELAXED); }

static bool gi_fsync_is_off(void) { return __atomic_load_n(&gi_fsync_off, __ATOMIC_RELAXED); }

bool ga_get_fsync(void) { return !gi_fsync_is_off(); }

/* Lets the disk begin with what has been written there, so that there is less to wait for at the end. */
static void gi_file_begin_sync(int fd, int64_t at, int64_t bytes)
{
#if defined(__linux__) && defined(SYS_sync_file_range)
    if (!gi_fsync_is_off())
        (void)syscall(SYS_sync_file_range, fd, (long)at, (long)bytes, 2L); /* SYNC_FILE_RANGE_WRITE: waits for nothing */
#else
    (void)fd, (void)at, (void)bytes;
#endif
}

/* What has been written is on the disk. False with errno. */
static bool gi_file_sync(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP; /* pipes; file systems without it */
}

/* The same of a new file, unless nobody wants to wait. */
static bool gi_file_sync_new(int fd) { return gi_fsync_is_off() || gi_file_sync(fd); }

/* So is what its folder says of it. (Where that cannot be opened or synced, nothing can be done.) */
static void gi_file_sync_folder(const char *path)
{
    char folder[GI_PATH_ROOM];
    if (gi_fsync_is_off()) return;
    gi_file_folder(path, folder);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

/* All of it is there, but not under its name: it is kept. */
static bool gi_file_not_renamed(gi_new_file *f, int error)
{
    gi_file_close(f);
    f->error = error;
    snprintf(f->why, sizeof f->why, "%s; all of it is in '%.255s'", strerror(error), gi_file_name(f->part));
    return false;
}

static bool gi_file_exchange(const char *one, const char *other)
{
#ifdef SYS_renameat2
    return syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2U /* RENAME_EXCHANGE */) == 0;
#else
    (void)one, (void)other;
    errno = ENOSYS;
    return false;
#endif
}

/* The part takes the name of a file that is there, which gets the name of the part, and is removed: ext4 begins to write to the disk, and
   waits for it, when a file is renamed over another one, but not then. The old file is locked until it is gone: others would take it for
   a part that nobody writes. False: nothing has happened. */
static bool gi_file_swap(const gi_new_file *f)
{
    struct stat old;
    const int   there = open(f->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool  done  = there >= 0 && fstat(there, &old) == 0 && S_ISREG(old.st_mode) && flock(there, LOCK_EX | LOCK_NB) == 0 &&
                      gi_file_exchange(f->part, f->path);
    if (done) (void)unlink(f->part);
    if (there >= 0) (void)flock(there, LOCK_UN); /* also for those who have inherited it */
    if (there >= 0) (void)close(there);
    return done;
}

/* The part takes the name, in one step. False with errno. Who goes on with a part must not find the old file instead of it, beside a
   journal that says that it is complete. */
static bool gi_file_rename(const gi_new_file *f)
{
    return (gi_fsync_is_off() && !f->kept && gi_file_swap(f)) || rename(f->part, f->path) == 0;
}

/* Gives the file its name if it is complete, else removes what there is of it. False: f->why tells why, unless it was not complete. */
static bool gi_file_end(gi_new_file *f, bool complete)
{
    int error = 0;
    errno     = 0;
    if (f->file && (fflush(f->file) != 0 || ferror(f->file))) error = errno ? errno : EIO;
    if (complete && !error && !gi_file_sync_new(f->fd)) error = errno;
    /* Where there are no locks, another program may have taken the part. */
    const bool mine = !f->direct && gi_file_has_part(f, f->fd);
    if (complete && !error && !f->direct && !mine) error = ESTALE;
    if (complete && !error && mine) {
        if (!gi_file_rename(f)) return gi_file_not_renamed(f, errno);
        gi_file_sync_folder(f->path);
    } else if (mine) (void)unlink(f->part);
    gi_file_close(f);
    if (error) gi_file_failed(f, error);
    return complete && !error;
}
