/*  DLPack's capsules, and what is called when memory shared with Python is let go of: in C, as that may happen while an exception is on
    its way, when no Python code can run. Linked into the shared libraries (Makefile); Python's functions are those of the process.    */
#include "gpuarr.h"

#define OF_PYTHON __attribute__((weak))
OF_PYTHON void *PyCapsule_New(void *pointer, const char *name, void (*destructor)(void *capsule));
OF_PYTHON int   PyCapsule_IsValid(void *capsule, const char *name);
OF_PYTHON void *PyCapsule_GetPointer(void *capsule, const char *name);
OF_PYTHON int   PyCapsule_SetName(void *capsule, const char *name);
OF_PYTHON int   Py_IsInitialized(void);
OF_PYTHON int   PyGILState_Ensure(void);
OF_PYTHON void  PyGILState_Release(int state);
OF_PYTHON void  Py_DecRef(void *object);

void *gpuarr_capsule(void *tensor, bool versioned);
void *gpuarr_take(void *capsule, bool *versioned);
void  gpuarr_end(void *tensor, bool versioned);
void  gpuarr_let_go(void *p, void *object);

static const char *const names[] = { "dltensor", "dltensor_versioned" }, *const used_names[] = { "used_dltensor",
                                                                                                 "used_dltensor_versioned" };

/* The tensor of a capsule that nobody has taken yet, and which struct it is; or NULL. */
static void *tensor_of(void *capsule, bool *versioned)
{
    *versioned = PyCapsule_IsValid(capsule, names[1]);
    return *versioned || PyCapsule_IsValid(capsule, names[0]) ? PyCapsule_GetPointer(capsule, names[*versioned]) : NULL;
}

void gpuarr_end(void *tensor, bool versioned)
{
    ga_dl_versioned *v = (ga_dl_versioned *)tensor;
    ga_dl_managed   *m = (ga_dl_managed *)tensor;
    if (versioned && v->deleter) v->deleter(v);
    if (!versioned && m->deleter) m->deleter(m);
}

static void end_capsule(void *capsule)
{
    bool  versioned;
    void *tensor = tensor_of(capsule, &versioned);
    if (tensor) gpuarr_end(tensor, versioned);
}

void *gpuarr_capsule(void *tensor, bool versioned) { return PyCapsule_New(tensor, names[versioned], end_capsule); }

/* As tensor_of; the tensor is then the caller's. */
void *gpuarr_take(void *capsule, bool *versioned)
{
    void *tensor = tensor_of(capsule, versioned);
    if (tensor) PyCapsule_SetName(capsule, used_names[*versioned]);
    return tensor;
}

/* ga_wrap's .release for the memory of a Python object. */
void gpuarr_let_go(void *p, void *object)
{
    (void)p;
    if (!Py_IsInitialized()) return;
    const int state = PyGILState_Ensure();
    Py_DecRef(object);
    PyGILState_Release(state);
}
