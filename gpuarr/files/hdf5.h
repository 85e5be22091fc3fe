/* ---- HDF5, and NetCDF-4, which is that; through libhdf5, which lets one thread in at a time ---- */

#ifdef GPUARR_USE_HDF5
#include <hdf5.h>

static pthread_mutex_t gi_hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct gi_hdf5_plan {
    hid_t file, set, type; /* type: of elements in memory */
    char  what[GI_NAME_ROOM];
} gi_hdf5_plan;

/* The program's own way to print HDF5's errors is put aside meanwhile. */
typedef struct gi_hdf5_quiet {
    H5E_auto2_t print;
    void       *user;
} gi_hdf5_quiet;

static gi_hdf5_quiet gi_hdf5_enter(void)
{
    gi_hdf5_quiet q;
    pthread_mutex_lock(&gi_hdf5_lock);
    (void)H5Eget_auto2(H5E_DEFAULT, &q.print, &q.user);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static void gi_hdf5_leave(const gi_hdf5_quiet *q)
{
    (void)H5Eset_auto2(H5E_DEFAULT, q->print, q->user);
    pthread_mutex_unlock(&gi_hdf5_lock);
}

static herr_t gi_hdf5_deepest(unsigned n, const H5E_error2_t *error, void *text)
{
    (void)n;
    snprintf((char *)text, 200, "%s", error->desc ? error->desc : "");
    return 0;
}

static void gi_hdf5_fail(const char *site, ga_status status, const char *doing, const char *what)
{
    char why[200] = "";
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, gi_hdf5_deepest, why);
    gi_fail(site, status, "cannot %s %s; HDF5 says: %s", doing, what, why);
}

static ga_array *gi_eval_hdf5(gi_worker *w, const gi_lazy *n, const gi_box *box, ga_array *out)
{
    const gi_hdf5_plan *p = (const gi_hdf5_plan *)n->plan;
    ga_array           *r = out && ga_is_contiguous(out) ? gi_array_hold(n->site, out)
                                                         : gi_array_new(n->site, n->dtype, GA_CPU, n->ndim, box->count);
    hsize_t             start[GPUARR_MAX_DIMS], step[GPUARR_MAX_DIMS], count[GPUARR_MAX_DIMS];
    (void)w;
    if (!r) return NULL;
    for (int d = 0; d < n->ndim; d++) {
        start[d] = (hsize_t)box->start[d];
        count[d] = (hsize_t)box->count[d];
        step[d]  = (hsize_t)(box->count[d] > 1 ? box->step[d] : 1);
    }
    gi_hdf5_quiet q     = gi_hdf5_enter();
    hid_t         there = n->ndim > 0 ? H5Dget_space(p->set) : H5S_ALL,
          here          = n->ndim > 0 ? H5Screate_simple(n->ndim, count, NULL) : H5S_ALL;
    bool ok             = there >= 0 && here >= 0;
    if (n->ndim > 0) ok = ok && H5Sselect_hyperslab(there, H5S_SELECT_SET, start, step, count, NULL) >= 0;
    ok = ok && H5Dread(p->set, p->type, here, there, H5P_DEFAULT, r->data) >= 0;
    if (!ok) gi_hdf5_fail(n->site, GA_BAD_FILE, "read", p->what);
    if (n->ndim > 0 && there >= 0) (void)H5Sclose(there);
    if (n->ndim > 0 && here >= 0) (void)H5Sclose(here);
    gi_hdf5_leave(&q);
    if (!ok) {
        ga_free(r);
        return NULL;
    }
    if (n->dtype == GA_BOOL)
        for (unsigned char *b = (unsigned char *)r->data, *end = b + r->size; b < end; b++) *b = *b != 0;
    return r;
}

/* libhdf5 unpacks in memory of its own. */
static int64_t gi_hdf5_unpacking(const gi_lazy *n) { return (void)n, 0; }

GI_TABLE(gi_lazy_kind, gi_kind_hdf5, { "HDF5", gi_eval_hdf5, GI_LOCAL, NULL })
GI_TABLE(gi_lazy_kind, gi_kind_chunked_hdf5, { "HDF5", gi_eval_hdf5, 0, gi_hdf5_unpacking })

static void gi_close_hdf5_ids(const gi_hdf5_plan *p)
{
    if (p->type >= 0) (void)H5Tclose(p->type);
    if (p->set >= 0) (void)H5Dclose(p->set);
    if (p->file >= 0) (void)H5Fclose(p->file);
}

static void gi_close_hdf5(gi_lazy *n)
{
    gi_hdf5_quiet q = gi_hdf5_enter();
    gi_close_hdf5_ids((const gi_hdf5_plan *)n->plan);
    gi_hdf5_leave(&q);
}

/* The dtype that a type of the file has here, and its type in memory; 0 if it has none. */
static ga_dtype gi_hdf5_dtype(hid_t type, hid_t *memory)
{
    size_t      size   = H5Tget_size(type);
    H5T_class_t class_ = H5Tget_class(type);
    *memory            = -1;
    if (class_ == H5T_ENUM && size == 1 && H5Tget_nmembers(type) == 2) { /* h5py's bool */
        *memory = H5Tcopy(type);
        return GA_BOOL;
    }
    if (class_ == H5T_INTEGER) {
        bool  is_signed = H5Tget_sign(type) == H5T_SGN_2;
        hid_t wide[4]   = { is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8, is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16,
                          is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32, is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64 };
        for (int k = 0; k < 4; k++)
            if (size == (size_t)1 << k) {
                static const ga_dtype with[4]    = { GA_I8, GA_I16, GA_I32, GA_I64 },
                                      without[4] = { GA_U8, GA_U16, GA_U32, GA_U64 };
                *memory                          = H5Tcopy(wide[k]);
                return is_signed ? with[k] : without[k];
            }
    }
    if (class_ == H5T_FLOAT && (size == 2 || size == 4 || size == 8)) { /* halves become float32 */
        *memory = H5Tcopy(size < 8 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
        return size < 8 ? GA_F32 : GA_F64;
    }
    if (class_ == H5T_COMPOUND && H5Tget_nmembers(type) == 2 &&
        (size == 8 || size == 16)) { /* h5py's complex numbers: r and i */
        char *r = H5Tget_member_name(type, 0), *i = H5Tget_member_name(type, 1);
        bool  ok = r && i && !strcmp(r, "r") && !strcmp(i, "i") && H5Tget_member_class(type, 0) == H5T_FLOAT;
        if (r) (void)H5free_memory(r);
        if (i) (void)H5free_memory(i);
        if (!ok) return GA_DTYPE_DEFAULT;
        hid_t part = size == 8 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
        *memory    = H5Tcreate(H5T_COMPOUND, size);
        if (H5Tinsert(*memory, "r", 0, part) < 0 || H5Tinsert(*memory, "i", size / 2, part) < 0) return GA_DTYPE_DEFAULT;
        return size == 8 ? GA_C64 : GA_C128;
    }
    return GA_DTYPE_DEFAULT;
}

/* The arrays in the outermost group, but for NetCDF's axes. */
typedef struct gi_hdf5_names {
    int  n;
    char first[100], all[300];
} gi_hdf5_names;

static herr_t gi_hdf5_name(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    gi_hdf5_names *names = (gi_hdf5_names *)user;
    (void)info;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET && H5Aexists(object, "CLASS") <= 0) {
        if (names->n++ == 0) snprintf(names->first, sizeof names->first, "%s", name);
        size_t used = strlen(names->all);
        snprintf(names->all + used, sizeof names->all - used, used ? ", %s" : "%s", name);
    }
    if (object >= 0) (void)H5Oclose(object);
    return 0;
}

/* Opens the array; the plan tells what has been opened when it fails. */
static ga_array *gi_find_hdf5(const char *site, const char *path, const char *name, gi_hdf5_plan *p, int64_t *chunk)
{
    gi_hdf5_names names;
    hsize_t       n[GPUARR_MAX_DIMS], c[GPUARR_MAX_DIMS];
    int64_t       shape[GPUARR_MAX_DIMS];
    memset(&names, 0, sizeof names);
    p->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (p->file < 0) return gi_hdf5_fail(site, GA_BAD_FILE, "open", p->what), (ga_array *)NULL;
    if (!name) {
        (void)H5Literate(p->file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, gi_hdf5_name, &names);
        if (names.n != 1)
            return (ga_array *)gi_fail(site, GA_BAD_ARGUMENT,
                                       "say which array of %s, ga_open(path, .name = \"...\"); in its outermost group are: %s",
                                       p->what, names.n ? names.all : "none");
        name = names.first;
    }
    snprintf(p->what, sizeof p->what, "'%.100s' of '%.250s'", name, path);
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    (void)H5Pset_chunk_cache(access, 12421, (size_t)GI_KEPT_BYTES, 0.75);
    p->set = H5Dopen2(p->file, name, access);
    (void)H5Pclose(access);
    if (p->set < 0) return gi_hdf5_fail(site, GA_BAD_FILE, "open", p->what), (ga_array *)NULL;
    hid_t    space = H5Dget_space(p->set), type = H5Dget_type(p->set), made = H5Dget_create_plist(p->set);
    int      ndim  = H5Sget_simple_extent_ndims(space);
    ga_dtype dtype = gi_hdf5_dtype(type, &p->type);
    bool     many = ndim > GPUARR_MAX_DIMS, ok = ndim >= 0 && !many && H5Sget_simple_extent_dims(space, n, NULL) >= 0,
         chunked = false;
    if (ok && H5Sget_simple_extent_type(space) == H5S_NULL) ok = false;
    for (int d = 0; d < ndim && ok; d++) ok = (shape[d] = (int64_t)n[d]) >= 0;
    chunked = ok && ndim > 0 && H5Pget_layout(made) == H5D_CHUNKED && H5Pget_chunk(made, ndim, c) == ndim;
    for (int d = 0; d < ndim && ok; d++) chunk[d] = chunked ? (int64_t)c[d] : 0;
    (void)H5Pclose(made);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    if (many)
        return (ga_array *)gi_fail(site, GA_BAD_SHAPE,
                                   "%s has %d dimensions; at most %d are possible (#define GPUARR_MAX_DIMS for more)", p->what,
                                   ndim, GPUARR_MAX_DIMS);
    if (!ok) return gi_hdf5_fail(site, GA_BAD_FILE, "find the shape of", p->what), (ga_array *)NULL;
    if (dtype == GA_DTYPE_DEFAULT)
        return (ga_array *)gi_fail(site, GA_BAD_DTYPE,
                                   "the elements of %s are none that gpuarr can hold (numbers of 1 to 8 bytes, complex ones, "
                                   "bool): save them as float64",
                                   p->what);
    return gi_lazy_new(site, chunked ? gi_kind_chunked_hdf5() : gi_kind_hdf5(), dtype, ndim, shape, 0, NULL, p, sizeof *p);
}

static ga_array *gi_open_hdf5(const char *site, const char *path, const char *name, const struct stat *about,
                              const ga_shape *chunks)
{
    gi_hdf5_plan p;
    int64_t      chunk[GPUARR_MAX_DIMS];
    memset(&p, 0, sizeof p);
    memset(chunk, 0, sizeof chunk);
    p.file = p.set = p.type = -1;
    gi_show_path(p.what, path);
    gi_hdf5_quiet q = gi_hdf5_enter();
    ga_array     *a = gi_find_hdf5(site, path, name, &p, chunk);
    if (!a) gi_close_hdf5_ids(&p);
    gi_hdf5_leave(&q);
    return a ? gi_opened(site, a, gi_close_hdf5, gi_file_seed(about), chunks, chunk) : NULL;
}
#else
static ga_array *gi_open_hdf5(const char *site, const char *path, const char *name, const struct stat *about,
                              const ga_shape *chunks)
{
    (void)name, (void)about, (void)chunks;
    return (ga_array *)gi_fail(
        site, GA_NO_LIBRARY,
        "'%.300s' is HDF5, and this program was built without it: install it (apt-get install libhdf5-dev) and compile with "
        "-DGPUARR_USE_HDF5 $(pkg-config --cflags --libs hdf5)",
        path);
}
#endif
