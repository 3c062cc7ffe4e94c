/* Functions that compiled modules call only when an exception is raised. The compiler moves such code away from the
   code that usually runs. The cache for instructions is too small for a run, so this saves time. */

#include <Python.h>

#define RARE __attribute__((cold))

RARE void PyErr_SetObject(PyObject *, PyObject *);
RARE void PyErr_SetString(PyObject *, const char *);

RARE void CPyError_OutOfMemory(void);
RARE void CPy_AddTraceback(const char *, const char *, int, PyObject *);
RARE void CPy_AttributeError(const char *, const char *, const char *, const char *, int, PyObject *);
RARE void CPy_TypeError(const char *, PyObject *);
RARE void CPy_TypeErrorTraceback(const char *, const char *, int, PyObject *, const char *, PyObject *);
RARE static void CPy_DecRef(PyObject *);
RARE static void CPy_XDecRef(void *);
