/* ---- new folders ----------------------------------------------------------------------------------------------------- */
/*  The same for a folder of Zarr (new_file.h has files): where the system can exchange two names, an old array gives way to the new one in
    one step. Elsewhere it is called NAME.gpuarr.old for a moment; if the program is killed then, who opens or writes NAME next
    gives it its name back.                                                                                                      */

/* What .zarray is called while its folder is removed. Who has that open, and misses a chunk, learns so that it is gone. */
static const char gi_zarray_gone[] = ".zarray.gone";

static __attribute__((noinline)) void gi_folder_is_going(const char *path)
{
    char now[GI_PATH_ROOM], then[GI_PATH_ROOM];
    if (snprintf(now, sizeof now, "%s/.zarray", path) < (int)sizeof now &&
        snprintf(then, sizeof then, "%s/%s", path, gi_zarray_gone) < (int)sizeof then)
        (void)rename(now, then);
}

/* Removes all that is in a folder; what shows that it is Zarr, last. Links are removed, not followed. The path is written to, and as before
   in the end. */
static void gi_folder_clear(char path[GI_PATH_ROOM], int depth)
{
    const size_t n = strlen(path), left = GI_PATH_ROOM - n;
    struct stat  about;
    if (depth == 0) gi_folder_is_going(path);
    DIR *list = depth < 2 * GPUARR_MAX_DIMS && lstat(path, &about) == 0 && S_ISDIR(about.st_mode) ? opendir(path) : NULL;
    for (struct dirent *e; list && (e = readdir(list)) != NULL; path[n] = 0) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || (depth == 0 && !strcmp(e->d_name, gi_zarray_gone))) continue;
        if (snprintf(path + n, left, "/%s", e->d_name) >= (int)left || unlink(path) == 0) continue;
        gi_folder_clear(path, depth + 1);
        (void)rmdir(path);
    }
    if (list) (void)closedir(list);
    if (list && depth == 0 && snprintf(path + n, left, "/%s", gi_zarray_gone) < (int)left) (void)unlink(path);
    path[n] = 0;
}

static void gi_folder_remove(const char *path)
{
    char own[GI_PATH_ROOM];
    snprintf(own, sizeof own, "%s", path);
    gi_folder_clear(own, 0);
    (void)rmdir(path);
}

/* Is it empty, or Zarr? Nobody else's folder is emptied. False with errno, or 0: it is another's. */
static bool gi_folder_is_zarr(const char *path)
{
    char        member[GI_PATH_ROOM + 16];
    struct stat about;
    snprintf(member, sizeof member, "%s/.zarray", path);
    bool has = lstat(member, &about) == 0;
    if (!has) snprintf(member, sizeof member, "%s/%s", path, gi_zarray_gone);
    has   = has || lstat(member, &about) == 0;
    errno = 0;
    if (has) return S_ISREG(about.st_mode);
    DIR *list  = opendir(path);
    bool empty = list != NULL;
    for (struct dirent *e; empty && (e = readdir(list)) != NULL;) empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
    if (list) (void)closedir(list);
    return empty;
}

static int gi_folder_open(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

/* Makes the part of a folder, or opens the one that is there: `go_on`, to be filled further, else emptied. False: f->why tells why. */
static bool gi_folder_begin(gi_new_file *f, bool go_on)
{
    if (access(f->path, W_OK) != 0 && errno != ENOENT) return gi_file_failed(f, errno); /* a rename would not ask */
    for (;;) {
        f->anew = mkdir(f->part, 0777) == 0;
        if (!f->anew && errno != EEXIST) return gi_file_not_made(f, errno);
        f->fd = gi_folder_open(f->part);
        if (f->fd < 0 && errno == ENOENT) continue; /* gone meanwhile */
        if (f->fd < 0 && errno != ELOOP && errno != ENOTDIR) return gi_file_failed(f, errno);
        if (f->fd < 0) return gi_file_in_the_way(f);
        if (!gi_file_lock(f->fd, false)) return gi_file_busy(f);
        const bool has = gi_file_has_part(f, f->fd);
        if (has && !f->anew && !gi_folder_is_zarr(f->part)) { /* nobody is at work on it, who has the lock */
            const int error = errno;
            gi_file_close(f); /* it is not ours to remove */
            return error ? gi_file_failed(f, error) : gi_file_in_the_way(f);
        }
        if (has && !go_on) gi_file_forget_journal(f);
        if (has && (f->anew || go_on)) return true;
        if (has) gi_folder_remove(f->part);
        if (has && gi_file_has_part(f, f->fd)) return gi_file_in_the_way(f); /* it cannot be removed */
        gi_file_close(f);
    }
}

/* All that was written to its files is on the disk (unless nobody wants to wait). False with errno. */
static bool gi_folder_sync(int fd)
{
    if (gi_fsync_is_off()) return true;
#ifdef SYS_syncfs /* with one call for all chunks */
    if (syscall(SYS_syncfs, fd) == 0) return true;
    if (errno != ENOSYS) return false;
#endif
    sync();
    return gi_file_sync(fd);
}

/* The part takes the place of an array that is locked. False with errno; then what was there is there. */
static bool gi_folder_replace(const gi_new_file *f, const char *old, const char *journal)
{
    const char *replaced = f->part;
    (void)unlink(journal); /* of the part, which in the next moment is the old array */
    gi_folder_remove(old);
    gi_file_sync_folder(f->path);
    if (!gi_file_exchange(f->part, f->path)) {
        if (errno != ENOSYS && errno != EINVAL && errno != EOPNOTSUPP) return false;
        if (rename(f->path, old) != 0) return false;
        if (rename(f->part, f->path) != 0) {
            int error = errno;
            (void)rename(old, f->path);
            errno = error;
            return false;
        }
        replaced = old;
    }
    gi_file_sync_folder(f->path);
    gi_folder_remove(replaced);
    return true;
}

/* The part takes the name. False with errno; then what was there is there. An old array is locked until nothing is left of it: by the
   name of the part, which it gets, others would take it for a part that nobody writes, and begin theirs where it is being removed. If
   it is locked, the program that has made it is still removing the one before. */
static bool gi_folder_rename(const gi_new_file *f, const char *old, const char *journal)
{
    const int there = gi_folder_open(f->path);
    if (there < 0) return errno == ENOENT && rename(f->part, f->path) == 0;
    (void)gi_file_lock(there, true);
    bool ok    = gi_folder_replace(f, old, journal);
    int  error = errno;
    (void)flock(there, LOCK_UN); /* also for those who have inherited it */
    (void)close(there);
    errno = error;
    return ok;
}

/* Gives the folder its name if it is complete, else removes what there is of it. False: f->why tells why, unless it was not complete. */
static bool gi_folder_end(gi_new_file *f, const char *old, const char *journal, bool complete)
{
    bool synced = complete && gi_folder_sync(f->fd);
    if (complete && !synced) gi_file_failed(f, errno);
    if (synced && !gi_folder_rename(f, old, journal)) return gi_file_not_renamed(f, errno);
    if (synced) gi_file_sync_folder(f->path);
    else if (gi_file_has_part(f, f->fd)) gi_folder_remove(f->part);
    gi_file_close(f);
    return synced;
}

/* Is an array missing because a program was killed while it replaced it? Then it is called as before again. */
static void gi_folder_recover(const gi_new_file *f, const char *old)
{
    struct stat about;
    if (lstat(f->path, &about) == 0 || lstat(old, &about) != 0 || !S_ISDIR(about.st_mode)) return;
    int fd = gi_folder_open(f->part);
    if (fd >= 0) (void)gi_file_lock(fd, true); /* a program that is alive ends what it does */
    if (lstat(f->path, &about) != 0) (void)rename(old, f->path);
    if (fd < 0) return;
    (void)flock(fd, LOCK_UN); /* also for those who have inherited it */
    (void)close(fd);
}

/* The same for who opens a path. (Its names would take stack in all that calls it.) */
static __attribute__((noinline)) bool gi_folder_recovered(const char *path)
{
    gi_new_file f;
    struct stat about;
    char        old[GI_PATH_ROOM];
    if (!gi_file_find(&f, path) || snprintf(old, sizeof old, "%s.gpuarr.old", f.path) >= (int)sizeof old) return false;
    gi_folder_recover(&f, old);
    return lstat(f.path, &about) == 0;
}
