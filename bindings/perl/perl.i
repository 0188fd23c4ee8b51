/* SPDX-License-Identifier: MIT */
/*
 * Perl: a handle is a reference blessed into IO::Bench::_swig::KIND, whose
 * DESTROY frees what it holds; one that is only borrowed is of another class
 * without a DESTROY. Handles are not cloned into new threads. Text is bytes, as
 * open() takes them; the classes above decode what is for people.
 */
%{
#define BORROWED "borrowed_"
#define HANDLE_CLASS "IO::Bench::_swig::"

/* ---- errors ---- */

/* An IO::Bench::Error; mortal. */
static SV *error_out(pTHX_ const struct iob_error *e)
{
	HV *fields = newHV();
	SV *message = newSVpv(e->message, 0), *where = newSVpv(e->where, 0);
	sv_utf8_decode(message);
	sv_utf8_decode(where);
	(void)hv_stores(fields, "errno", newSViv(e->code));
	(void)hv_stores(fields, "line", newSViv(e->line));
	(void)hv_stores(fields, "offset", newSVuv(e->offset));
	(void)hv_stores(fields, "where", where);
	(void)hv_stores(fields, "file", newSVpv(e->file, 0));
	(void)hv_stores(fields, "message", message);
	return sv_2mortal(sv_bless(newRV_noinc((SV *)fields),
				   gv_stashpvs("IO::Bench::Error", GV_ADD)));
}

/* In $@, with the place in the caller's program. */
static void raise_error(pTHX_ const struct iob_error *e)
{
	dSP;
	SV *error = error_out(aTHX_ e);
	PUSHMARK(SP);
	XPUSHs(error);
	PUTBACK;
	call_pv("IO::Bench::Error::_locate", G_VOID | G_DISCARD);
	sv_setsv(ERRSV, error);
}

/* ---- handles ---- */

static SV *handle_out(pTHX_ const char *kind, const void *p)
{
	SV *sv = sv_newmortal();
	sv_setref_pv(sv, kind, (void *)p);
	return sv;
}

/* NULL where it is no handle of either class. */
static void *handle_in(pTHX_ SV *sv, const char *kind, const char *borrowed)
{
	if (!sv_isobject(sv) || SvTYPE(SvRV(sv)) != SVt_PVMG)
		return NULL;
	if (!sv_derived_from(sv, kind) && !(borrowed && sv_derived_from(sv, borrowed)))
		return NULL;
	return INT2PTR(void *, SvIV(SvRV(sv)));
}

#define FREE_HANDLE(NAME)                                                                          \
	XS(free_##NAME##_handle);                                                                  \
	XS(free_##NAME##_handle)                                                                   \
	{                                                                                          \
		dXSARGS;                                                                           \
		if (items > 0 && SvROK(ST(0)))                                                     \
			iob_##NAME##_free(INT2PTR(struct iob_##NAME *, SvIV(SvRV(ST(0)))));        \
		XSRETURN_EMPTY;                                                                    \
	}
FREE_HANDLE(workload)
FREE_HANDLE(suite)
FREE_HANDLE(result)
FREE_HANDLE(hist)
FREE_HANDLE(device)
FREE_HANDLE(search)

/* A run has threads, which a child of fork() does not have: whose it is stands
 * beside the pointer. */
struct run_handle {
	struct iob_run *run;
	pid_t pid;
};

static SV *run_out(pTHX_ struct iob_run *run)
{
	struct run_handle *h = malloc(sizeof(*h));
	if (!h) {
		drop_run(run);
		return &PL_sv_undef;
	}
	*h = (struct run_handle){ run, getpid() };
	return handle_out(aTHX_ HANDLE_CLASS "run", h);
}

XS(free_run_handle);
XS(free_run_handle)
{
	dXSARGS;
	if (items > 0 && SvROK(ST(0))) {
		struct run_handle *h = INT2PTR(struct run_handle *, SvIV(SvRV(ST(0))));
		if (h->pid == getpid())
			drop_run(h->run);
		free(h);
	}
	XSRETURN_EMPTY;
}

/* Not cloned into new threads: there the reference is to undef. */
XS(clone_skip);
XS(clone_skip)
{
	dXSARGS;
	PERL_UNUSED_VAR(items);
	XSRETURN_YES;
}

/* ---- what calls give back ---- */

static SV *words_out(pTHX_ const uint64_t *word, size_t n)
{
	AV *list = newAV();
	av_extend(list, (SSize_t)n);
	for (size_t i = 0; i < n; i++)
		av_push(list, newSVuv((UV)word[i]));
	return newRV_noinc((SV *)list);
}

/* [edges, counts] */
static SV *grid_out(pTHX_ struct grid *g)
{
	AV *pair = newAV();
	av_push(pair, g->edges ? words_out(aTHX_ g->edges, g->n + 1) : newSV(0));
	av_push(pair, g->counts ? words_out(aTHX_ g->counts, g->n) : newSV(0));
	free(g->edges);
	free(g->counts);
	return sv_2mortal(newRV_noinc((SV *)pair));
}

static SV *bytes_out(pTHX_ struct bytes *b)
{
	SV *sv = b->data ? sv_2mortal(newSVpvn(b->data, b->len)) : &PL_sv_undef;
	free(b->data);
	return sv;
}

static SV *rates_out(pTHX_ const double rate[5])
{
	static const char *const op[] = { "all", "read", "write", "trim", "sync" };
	HV *rates = newHV();
	for (int i = 0; i < 5; i++)
		(void)hv_store(rates, op[i], (I32)strlen(op[i]), newSVnv(rate[i]), 0);
	return newRV_noinc((SV *)rates);
}

static SV *progress_out(pTHX_ const struct iob_progress *p)
{
	HV *fields = newHV();
	SV *name = newSVpv(p->name, 0);
	sv_utf8_decode(name);
	(void)hv_stores(fields, "stage", newSVuv(p->stage));
	(void)hv_stores(fields, "stages", newSVuv(p->stages));
	(void)hv_stores(fields, "done", newSViv(p->done != 0));
	(void)hv_stores(fields, "name", name);
	(void)hv_stores(fields, "share", newSVnv(p->share));
	(void)hv_stores(fields, "eta",
			p->eta_ns == UINT64_MAX ? newSV(0) : newSVnv((double)p->eta_ns / 1e9));
	(void)hv_stores(fields, "iops", rates_out(aTHX_ p->iops));
	(void)hv_stores(fields, "bytes_per_s", rates_out(aTHX_ p->bytes_per_s));
	(void)hv_stores(fields, "in_flight", newSVuv((UV)p->in_flight));
	(void)hv_stores(fields, "round", newSVuv(p->round));
	(void)hv_stores(fields, "rounds", newSVuv(p->rounds));
	return sv_2mortal(newRV_noinc((SV *)fields));
}

/* ---- what calls take ---- */

/* Bytes without a NUL in them, or NULL. */
static const char *text_in(pTHX_ SV *sv)
{
	STRLEN len;
	const char *text;
	if (!SvOK(sv) || (SvROK(sv) && !SvAMAGIC(sv)))
		return NULL;
	text = SvPV(sv, len);
	return strlen(text) == len ? text : NULL;
}

static AV *list_in(SV *sv)
{
	return SvROK(sv) && SvTYPE(SvRV(sv)) == SVt_PVAV ? (AV *)SvRV(sv) : NULL;
}

static SV *item(pTHX_ AV *list, size_t i)
{
	SV **sv = av_fetch(list, (SSize_t)i, 0);
	return sv ? *sv : &PL_sv_undef;
}

/* [[parameter, values], ...]; the texts stay the SVs'. */
static struct iob_axis *axes_in(pTHX_ SV *sv, size_t *n)
{
	AV *list = list_in(sv);
	struct iob_axis *axes;
	if (!list)
		return NULL;
	*n = (size_t)(av_len(list) + 1);
	axes = calloc(*n + 1, sizeof(*axes));
	for (size_t i = 0; axes && i < *n; i++) {
		AV *pair = list_in(item(aTHX_ list, i));
		axes[i].param = pair ? text_in(aTHX_ item(aTHX_ pair, 0)) : NULL;
		axes[i].values = pair ? text_in(aTHX_ item(aTHX_ pair, 1)) : NULL;
	}
	return axes;
}

/* A list of texts, which stay the SVs'. */
static const char **words_in(pTHX_ SV *sv, int *n)
{
	AV *list = list_in(sv);
	const char **words;
	if (!list || av_len(list) >= INT_MAX)
		return NULL;
	*n = (int)(av_len(list) + 1);
	words = calloc((size_t)*n + 1, sizeof(*words));
	for (int i = 0; words && i < *n; i++) {
		words[i] = text_in(aTHX_ item(aTHX_ list, (size_t)i));
		if (words[i])
			continue;
		free(words);
		return NULL;
	}
	return words;
}

static const struct iob_result **parts_in(pTHX_ SV *sv, size_t *n)
{
	AV *list = list_in(sv);
	const struct iob_result **parts;
	if (!list)
		return NULL;
	*n = (size_t)(av_len(list) + 1);
	parts = calloc(*n + 1, sizeof(*parts));
	for (size_t i = 0; parts && i < *n; i++) {
		parts[i] = handle_in(aTHX_ item(aTHX_ list, i), HANDLE_CLASS "result",
				     HANDLE_CLASS BORROWED "result");
		if (parts[i])
			continue;
		free(parts);
		return NULL;
	}
	return parts;
}
%}

%init %{
	newXS(HANDLE_CLASS "workload::DESTROY", free_workload_handle, __FILE__);
	newXS(HANDLE_CLASS "suite::DESTROY", free_suite_handle, __FILE__);
	newXS(HANDLE_CLASS "run::DESTROY", free_run_handle, __FILE__);
	newXS(HANDLE_CLASS "result::DESTROY", free_result_handle, __FILE__);
	newXS(HANDLE_CLASS "hist::DESTROY", free_hist_handle, __FILE__);
	newXS(HANDLE_CLASS "device::DESTROY", free_device_handle, __FILE__);
	newXS(HANDLE_CLASS "search::DESTROY", free_search_handle, __FILE__);
	newXS(HANDLE_CLASS "search::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS "workload::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS "suite::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS "run::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS "result::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS "hist::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS BORROWED "workload::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS BORROWED "result::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS BORROWED "hist::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS "device::CLONE_SKIP", clone_skip, __FILE__);
	newXS(HANDLE_CLASS BORROWED "device::CLONE_SKIP", clone_skip, __FILE__);
%}

%define HANDLE(NAME)
%typemap(in) struct iob_##NAME * {
	$1 = ($1_ltype)handle_in(aTHX_ $input, HANDLE_CLASS #NAME, NULL);
	if (!$1)
		SWIG_croak("expected a handle of a " #NAME);
}
%typemap(in) const struct iob_##NAME * {
	$1 = ($1_ltype)handle_in(aTHX_ $input, HANDLE_CLASS #NAME, HANDLE_CLASS BORROWED #NAME);
	if (!$1)
		SWIG_croak("expected a handle of a " #NAME);
}
%typemap(out) struct iob_##NAME * {
	$result = $1 ? handle_out(aTHX_ HANDLE_CLASS #NAME, $1) : &PL_sv_undef;
	argvi++;
}
%typemap(out) const struct iob_##NAME * {
	$result = $1 ? handle_out(aTHX_ HANDLE_CLASS BORROWED #NAME, $1) : &PL_sv_undef;
	argvi++;
}
%enddef

%define BLOCKS(FUNCTION)
%enddef

%define RUN_HANDLE
%typemap(in) struct iob_run * (struct run_handle *h) {
	h = handle_in(aTHX_ $input, HANDLE_CLASS "run", NULL);
	if (!h)
		SWIG_croak("expected a handle of a run");
	$1 = h->run;
}
%typemap(out) struct iob_run * {
	$result = $1 ? run_out(aTHX_ $1) : &PL_sv_undef;
	argvi++;
}
%enddef

%typemap(in, numinputs=0) struct iob_error *err (struct iob_error e) {
	e.code = 0;
	$1 = &e;
}
%typemap(argout) struct iob_error *err {
	if ($1->code) {
		raise_error(aTHX_ $1);
		SWIG_fail;
	}
}
%typemap(out) const struct iob_error * {
	$result = $1 ? error_out(aTHX_ $1) : &PL_sv_undef;
	argvi++;
}

/* A wrong text names its place; the classes above look before. */
%typemap(in) const char * {
	$1 = ($1_ltype)text_in(aTHX_ $input);
	if (!$1)
		SWIG_croak("expected text without a NUL");
}
%typemap(in) const char *name {
	$1 = ($1_ltype)text_in(aTHX_ $input);
}
%typemap(freearg) const char *, const char *name "";
%typemap(in) (const char *data, size_t len) (STRLEN len) {
	$1 = SvPVbyte($input, len);
	$2 = len;
}
%typemap(in) (const struct iob_axis *axes, size_t n) {
	$1 = axes_in(aTHX_ $input, &$2);
	if (!$1)
		SWIG_croak("expected a list of axes");
}
%typemap(freearg) (const struct iob_axis *axes, size_t n) {
	free((void *)$1);
}
%typemap(in) (int argc, const char *const *argv) {
	$2 = ($2_ltype)words_in(aTHX_ $input, &$1);
	if (!$2)
		SWIG_croak("expected a list of texts without a NUL");
}
%typemap(freearg) (int argc, const char *const *argv) {
	free((void *)$2);
}
%typemap(in) (const struct iob_result *const *parts, size_t n) {
	$1 = ($1_ltype)parts_in(aTHX_ $input, &$2);
	if (!$1)
		SWIG_croak("expected a list of results");
}
%typemap(freearg) (const struct iob_result *const *parts, size_t n) {
	free((void *)$1);
}

%typemap(out) struct bytes {
	$result = bytes_out(aTHX_ &$1);
	argvi++;
}
%typemap(out) struct grid {
	$result = grid_out(aTHX_ &$1);
	argvi++;
}
%typemap(in, numinputs=0) struct iob_progress *out (struct iob_progress p) {
	memset(&p, 0, sizeof(p));
	p.size = sizeof(p);
	$1 = &p;
}
%typemap(argout) struct iob_progress *out {
	ST(0) = progress_out(aTHX_ $1);
	argvi = 1;
}
