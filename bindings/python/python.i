/* SPDX-License-Identifier: MIT */
/*
 * Python: a handle is a capsule that frees what it holds; text is str (bytes
 * that are no UTF-8 as surrogates, as os.fsdecode has them) or bytes.
 */
%{
#define BORROWED "const "

/* ---- text ---- */

/* As bytes without a NUL in them; *held keeps them. */
static const char *text_in(PyObject *obj, PyObject **held)
{
	char *text = NULL;
	if (PyBytes_Check(obj)) {
		Py_INCREF(obj);
		*held = obj;
	} else if (PyUnicode_Check(obj)) {
		*held = PyUnicode_AsEncodedString(obj, "utf-8", "surrogateescape");
	} else {
		PyErr_Format(PyExc_TypeError, "expected str or bytes, not %s",
			     Py_TYPE(obj)->tp_name);
	}
	if (*held && PyBytes_AsStringAndSize(*held, &text, NULL) < 0)
		return NULL;
	return text;
}

static PyObject *text_out(const char *text)
{
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

/* ---- errors ---- */

/* An iobench.Error; a new reference, or NULL with an exception set. */
static PyObject *error_out(const struct iob_error *e)
{
	PyObject *package = PyImport_ImportModule("iobench"), *error = NULL;
	if (package)
		error = PyObject_CallMethod(package, "Error", "iNNNKi", (int)e->code,
					    text_out(e->message), text_out(e->file),
					    text_out(e->where), (unsigned long long)e->offset,
					    (int)e->line);
	Py_XDECREF(package);
	return error;
}

static void raise_error(const struct iob_error *e)
{
	PyObject *error = error_out(e);
	if (!error)
		return;
	PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_DECREF(error);
}

/* ---- handles ---- */

/* A run has threads, which a child of fork() does not have. */
static void free_run_capsule(PyObject *capsule)
{
	void *run = PyCapsule_GetPointer(capsule, "run");
	if ((pid_t)(intptr_t)PyCapsule_GetContext(capsule) != getpid())
		return;
	Py_BEGIN_ALLOW_THREADS
	drop_run(run);
	Py_END_ALLOW_THREADS
}

static PyObject *run_handle(struct iob_run *run)
{
	PyObject *capsule = PyCapsule_New(run, "run", free_run_capsule);
	if (!capsule)
		drop_run(run);
	else
		PyCapsule_SetContext(capsule, (void *)(intptr_t)getpid());
	return capsule;
}

#define OWNED_HANDLE(NAME)                                                                         \
	static void free_##NAME##_capsule(PyObject *capsule)                                       \
	{                                                                                          \
		iob_##NAME##_free(PyCapsule_GetPointer(capsule, #NAME));                           \
	}                                                                                          \
	static PyObject *NAME##_handle(struct iob_##NAME *p)                                       \
	{                                                                                          \
		PyObject *capsule = PyCapsule_New(p, #NAME, free_##NAME##_capsule);                \
		if (!capsule)                                                                      \
			iob_##NAME##_free(p);                                                      \
		return capsule;                                                                    \
	}
OWNED_HANDLE(workload)
OWNED_HANDLE(suite)
OWNED_HANDLE(result)
OWNED_HANDLE(hist)
OWNED_HANDLE(device)
OWNED_HANDLE(search)

/* Where it is only looked at, a borrowed handle will do. */
static void *const_handle(PyObject *obj, const char *name, const char *borrowed)
{
	return PyCapsule_GetPointer(obj, PyCapsule_IsValid(obj, borrowed) ? borrowed : name);
}

/* ---- what calls give back ---- */

static PyObject *bytes_out(struct bytes *b)
{
	PyObject *out = Py_None;
	if (b->data)
		out = PyBytes_FromStringAndSize(b->data, (Py_ssize_t)b->len);
	else
		Py_INCREF(out);
	free(b->data);
	return out;
}

static PyObject *grid_out(struct grid *g)
{
	const Py_ssize_t word = sizeof(uint64_t);
	PyObject *out = NULL;
	if (g->edges && g->counts)
		out = Py_BuildValue("y#y#", (char *)g->edges, ((Py_ssize_t)g->n + 1) * word,
				    (char *)g->counts, (Py_ssize_t)g->n * word);
	else
		PyErr_NoMemory();
	free(g->edges);
	free(g->counts);
	return out;
}

static PyObject *progress_out(const struct iob_progress *p)
{
	const double *i = p->iops, *b = p->bytes_per_s;
	return Py_BuildValue("(IIOsdK(ddddd)(ddddd)KII)", p->stage, p->stages,
			     p->done ? Py_True : Py_False, p->name, p->share,
			     (unsigned long long)p->eta_ns, i[0], i[1], i[2], i[3], i[4], b[0],
			     b[1], b[2], b[3], b[4], (unsigned long long)p->in_flight, p->round,
			     p->rounds);
}

/* ---- what calls take ---- */

/* A list of (parameter, values); the bytes are kept in `held`. */
static struct iob_axis *axes_in(PyObject *list, size_t *n, PyObject **held)
{
	struct iob_axis *axes = NULL;
	if (!PyList_Check(list) || !(*held = PyList_New(0))) {
		PyErr_SetString(PyExc_TypeError, "expected a list of axes");
		return NULL;
	}
	*n = (size_t)PyList_GET_SIZE(list);
	axes = calloc(*n + 1, sizeof(*axes));
	for (size_t i = 0; axes && i < *n; i++) {
		PyObject *pair = PyList_GET_ITEM(list, i), *kept[2] = { NULL, NULL };
		if (PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2) {
			axes[i].param = text_in(PyTuple_GET_ITEM(pair, 0), &kept[0]);
			if (axes[i].param)
				axes[i].values = text_in(PyTuple_GET_ITEM(pair, 1), &kept[1]);
		} else {
			PyErr_SetString(PyExc_TypeError, "expected a pair of texts");
		}
		for (int k = 0; k < 2; k++)
			if (kept[k] && PyList_Append(*held, kept[k]) < 0)
				axes[i].values = NULL;
		Py_XDECREF(kept[0]);
		Py_XDECREF(kept[1]);
		if (axes[i].param && axes[i].values)
			continue;
		free(axes);
		return NULL;
	}
	return axes ? axes : (struct iob_axis *)PyErr_NoMemory();
}

/* A list of texts; the bytes are kept in `held`. */
static const char **words_in(PyObject *list, int *n, PyObject **held)
{
	const char **words = NULL;
	if (!PyList_Check(list) || PyList_GET_SIZE(list) > INT_MAX || !(*held = PyList_New(0))) {
		PyErr_SetString(PyExc_TypeError, "expected a list of texts");
		return NULL;
	}
	*n = (int)PyList_GET_SIZE(list);
	words = calloc((size_t)*n + 1, sizeof(*words));
	for (int i = 0; words && i < *n; i++) {
		PyObject *kept = NULL;
		words[i] = text_in(PyList_GET_ITEM(list, i), &kept);
		if (words[i] && PyList_Append(*held, kept) < 0)
			words[i] = NULL;
		Py_XDECREF(kept);
		if (words[i])
			continue;
		free(words);
		return NULL;
	}
	return words ? words : (const char **)PyErr_NoMemory();
}

static const struct iob_result **parts_in(PyObject *list, size_t *n)
{
	const struct iob_result **parts;
	if (!PyList_Check(list)) {
		PyErr_SetString(PyExc_TypeError, "expected a list of results");
		return NULL;
	}
	*n = (size_t)PyList_GET_SIZE(list);
	parts = calloc(*n + 1, sizeof(*parts));
	for (size_t i = 0; parts && i < *n; i++) {
		parts[i] = const_handle(PyList_GET_ITEM(list, i), "result", BORROWED "result");
		if (parts[i])
			continue;
		free(parts);
		return NULL;
	}
	return parts ? parts : (const struct iob_result **)PyErr_NoMemory();
}
%}

%define HANDLE(NAME)
%typemap(in) struct iob_##NAME * {
	$1 = ($1_ltype)PyCapsule_GetPointer($input, #NAME);
	if (!$1)
		SWIG_fail;
}
%typemap(in) const struct iob_##NAME * {
	$1 = ($1_ltype)const_handle($input, #NAME, BORROWED #NAME);
	if (!$1)
		SWIG_fail;
}
%typemap(out) struct iob_##NAME * {
	$result = $1 ? NAME##_handle($1) : SWIG_Py_Void();
}
%typemap(out) const struct iob_##NAME * {
	$result = $1 ? PyCapsule_New((void *)$1, BORROWED #NAME, NULL) : SWIG_Py_Void();
}
%enddef

%define RUN_HANDLE
HANDLE(run)
%enddef

/* Other Python threads run while this one is in the call. */
%define BLOCKS(FUNCTION)
%exception FUNCTION {
	Py_BEGIN_ALLOW_THREADS
	$action
	Py_END_ALLOW_THREADS
}
%enddef

%typemap(in, numinputs=0) struct iob_error *err (struct iob_error e) {
	e.code = 0;
	$1 = &e;
}
%typemap(argout) struct iob_error *err {
	if ($1->code) {
		raise_error($1);
		Py_CLEAR($result);
		SWIG_fail;
	}
}
%typemap(out) const struct iob_error * {
	$result = $1 ? error_out($1) : SWIG_Py_Void();
}

%typemap(in) const char * (PyObject *held = NULL) {
	$1 = ($1_ltype)text_in($input, &held);
	if (!$1)
		SWIG_fail;
}
%typemap(in) const char *name (PyObject *held = NULL) {
	$1 = $input == Py_None ? NULL : ($1_ltype)text_in($input, &held);
	if (!$1 && $input != Py_None)
		SWIG_fail;
}
%typemap(freearg) const char *, const char *name {
	Py_XDECREF(held$argnum);
}
%typemap(in) (const char *data, size_t len) (Py_buffer view = { 0 }) {
	if (PyObject_GetBuffer($input, &view, PyBUF_SIMPLE) < 0)
		SWIG_fail;
	$1 = ($1_ltype)view.buf;
	$2 = (size_t)view.len;
}
%typemap(freearg) (const char *data, size_t len) {
	PyBuffer_Release(&view$argnum);
}

%typemap(in) (const struct iob_axis *axes, size_t n) (PyObject *held = NULL) {
	$1 = axes_in($input, &$2, &held);
	if (!$1)
		SWIG_fail;
}
%typemap(freearg) (const struct iob_axis *axes, size_t n) {
	free((void *)$1);
	Py_XDECREF(held$argnum);
}
%typemap(in) (int argc, const char *const *argv) (PyObject *held = NULL) {
	$2 = ($2_ltype)words_in($input, &$1, &held);
	if (!$2)
		SWIG_fail;
}
%typemap(freearg) (int argc, const char *const *argv) {
	free((void *)$2);
	Py_XDECREF(held$argnum);
}
%typemap(in) (const struct iob_result *const *parts, size_t n) {
	$1 = ($1_ltype)parts_in($input, &$2);
	if (!$1)
		SWIG_fail;
}
%typemap(freearg) (const struct iob_result *const *parts, size_t n) {
	free((void *)$1);
}

%typemap(out) struct bytes {
	$result = bytes_out(&$1);
	if (!$result)
		SWIG_fail;
}
%typemap(out) struct grid {
	$result = grid_out(&$1);
}
%typemap(in, numinputs=0) struct iob_progress *out (struct iob_progress p) {
	memset(&p, 0, sizeof(p));
	p.size = sizeof(p);
	$1 = &p;
}
%typemap(argout) struct iob_progress *out {
	Py_XDECREF($result);
	$result = progress_out($1);
}
