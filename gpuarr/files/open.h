/* ---- ga_open ---- */

ga_array *(ga_open)(const char *path, ga_open_options o)
{
    if (!gi_options_open(&o)) return NULL;
    if (!path) return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT, "the path is NULL");
    struct stat   about;
    unsigned char start[8] = { 0 };
    int           fd       = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT && gi_folder_recovered(path)) fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &about) != 0) {
        gi_file_fail(o.site, errno, "cannot open '%s'", path);
        if (fd >= 0) (void)close(fd);
        return NULL;
    }
    if (S_ISDIR(about.st_mode)) return gi_open_zarr(o.site, path, o.name, fd, &o.chunks);
    bool read = gi_pread(fd, 0, start, about.st_size < 8 ? (size_t)about.st_size : 8);
    bool hdf5 = read && !memcmp(start, "\x89HDF\r\n\x1a\n", 8), npy = read && !memcmp(start, "\x93NUMPY", 6);
    if (S_ISREG(about.st_mode) && npy && !o.name) return gi_open_npy(o.site, path, fd, &about, &o.chunks);
    (void)close(fd);
    if (hdf5) return gi_open_hdf5(o.site, path, o.name, &about, &o.chunks);
    if (npy)
        return (ga_array *)gi_fail(o.site, GA_BAD_ARGUMENT,
                                   "'%s' is an .npy file, which holds one array without a name: leave .name out", path);
    const char *is = "is no .npy file, no HDF5 file and no folder of Zarr";
    if (!S_ISREG(about.st_mode)) is = "is neither a file nor a folder";
    else if (!memcmp(start, "PK\3\4", 4))
        is = "is an .npz archive, whose arrays can only be read whole: use ga_load_from(path, name)";
    else if (!memcmp(start, "SIMPLE  ", 8)) is = "is FITS, which is read whole: use ga_fits_read";
    else if (!memcmp(start, "CDF\1", 4) || !memcmp(start, "CDF\2", 4) || !memcmp(start, "CDF\5", 4))
        is = "is a NetCDF file of the classic kind: make it HDF5, nccopy -k nc4 old.nc new.nc";
    return (ga_array *)gi_fail(o.site, GA_BAD_FILE, "'%s' %s", path, is);
}
