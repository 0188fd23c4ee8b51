/* SPDX-License-Identifier: MIT */
/* fio's command line: options before the first --name are global, others belong
 * to the job before them; job files are read last, and so override. */
#include "fio/fio_priv.h"
#include "workload/units.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Switches of the program fio, which are no options of a job. */
enum effect {
	SECTION,
	READONLY,
	REPORTS, /* for whoever prints: nothing to do here */
	REFUSED
};
struct program_switch {
	const char *name;
	bool value; /* takes one */
	enum effect effect;
};
static const struct program_switch switches[] = {
	{ "section", true, SECTION },
	{ "readonly", false, READONLY },
	{ "output", true, REPORTS },
	{ "output-format", true, REPORTS },
	{ "eta", true, REPORTS },
	{ "eta-newline", true, REPORTS },
	{ "eta-interval", true, REPORTS },
	{ "status-interval", true, REPORTS },
	{ "bandwidth-log", false, REPORTS },
	{ "minimal", false, REFUSED },
	{ "append-terse", false, REFUSED },
	{ "terse-version", true, REFUSED },
	{ "parse-only", false, REPORTS },
	{ "showcmd", false, REPORTS },
	{ "warnings-fatal", false, REPORTS },
	{ "max-jobs", true, REPORTS },
	{ "alloc-size", true, REPORTS },
	{ "aux-path", true, REFUSED },
	{ "client", true, REFUSED },
	{ "server", false, REFUSED },
	{ "daemonize", true, REFUSED },
	{ "remote-config", true, REFUSED },
	{ "idle-prof", true, REFUSED },
	{ "inflate-log", true, REFUSED },
	{ "trigger-file", true, REFUSED },
	{ "trigger-timeout", true, REFUSED },
	{ "trigger", true, REFUSED },
	{ "trigger-remote", true, REFUSED },
	{ "debug", true, REFUSED },
};

static const struct iobi_fio_place command_line = { "", 0 };

const char *iobi_fio_false_dash(const char *text)
{
	static const struct {
		const char *bytes, *name;
	} dashes[] = {
		{ "\xe2\x80\x90", "U+2010 (hyphen)" },
		{ "\xe2\x80\x91", "U+2011 (non-breaking hyphen)" },
		{ "\xe2\x80\x92", "U+2012 (figure dash)" },
		{ "\xe2\x80\x93", "U+2013 (en dash)" },
		{ "\xe2\x80\x94", "U+2014 (em dash)" },
		{ "\xe2\x80\x95", "U+2015 (horizontal bar)" },
		{ "\xe2\x88\x92", "U+2212 (minus sign)" },
		{ "\xef\xbc\x8d", "U+FF0D (fullwidth hyphen)" },
	};
	text += strspn(text, "-");
	for (size_t i = 0; i < IOBI_LEN(dashes); i++)
		if (!strncmp(text, dashes[i].bytes, strlen(dashes[i].bytes)))
			return dashes[i].name;
	return NULL;
}

/* What a name stands for: an option of a job or a switch. */
struct meaning {
	const char *name; /* its full one; NULL: none */
	const struct program_switch *sw;
	int key; /* of an accepted option, else -1 */
};

static struct meaning exact(const char *name, size_t len)
{
	struct meaning m = { .key = iobi_fio_key(name, len) };
	const struct iob_fio_option *refused = iobi_fio_refused(name, len);
	if (m.key >= 0)
		m.name = iobi_fio_row(m.key)->name;
	else if (refused)
		m.name = refused->name;
	for (size_t i = 0; i < IOBI_LEN(switches); i++)
		if (!strncmp(switches[i].name, name, len) && !switches[i].name[len]) {
			m.name = switches[i].name;
			m.sw = &switches[i];
		}
	return m;
}

/* Names that begin so, as far as they are different options. */
struct search {
	const char *name;
	size_t len;
	const char *found; /* the first */
	size_t n;
	char list[160];
};

static void try_name(struct search *s, const char *name, const char *stands_for)
{
	if (!name || strncmp(name, s->name, s->len) != 0)
		return;
	if (s->found && !strcmp(s->found, stands_for))
		return;
	if (!s->found)
		s->found = stands_for;
	size_t used = strlen(s->list);
	snprintf(s->list + used, sizeof(s->list) - used, "%s%s", s->n++ ? ", " : "", name);
}

static int abbreviated(struct iobi_fio *f, const char *name, size_t len, struct meaning *m)
{
	struct search s = { .name = name, .len = len };
	const struct iob_fio_option *o;
	for (size_t i = 0; (o = iob_fio_option(i)); i++) {
		try_name(&s, o->name, o->name);
		try_name(&s, o->alias, o->name);
	}
	for (size_t i = 0; i < IOBI_LEN(switches); i++) /* whoever prints looks for whole names */
		if (switches[i].effect != REPORTS)
			try_name(&s, switches[i].name, switches[i].name);
	if (s.n > 1)
		return iobi_fio_fail(f, EINVAL, "abbreviation", command_line,
				     "\"%.*s\" could be %s", (int)(len < 64 ? len : 64), name,
				     s.list);
	if (s.n)
		*m = exact(s.found, strlen(s.found));
	return 0;
}

static int add_section(struct iobi_fio *f, const char *value)
{
	const char *name = iobi_fio_keep(f, value, strlen(value));
	const char **more = reallocarray(f->section, f->n_sections + 1, sizeof(*more));
	if (more)
		f->section = more;
	if (!name || !more)
		return iobi_no_memory(f->err);
	more[f->n_sections++] = name;
	return 0;
}

static int throw_switch(struct iobi_fio *f, const struct program_switch *sw, const char *value)
{
	switch (sw->effect) {
	case SECTION:
		return add_section(f, value);
	case READONLY:
		f->readonly = true;
		return 0;
	case REFUSED:
		return iobi_fio_fail(f, ENOTSUP, sw->name, command_line, "not supported: --%s",
				     sw->name);
	default:
		return iobi_fio_note(f, command_line,
				     "--%s is for the program fio and has no effect here",
				     sw->name);
	}
}

/* --name starts a job, or goes back to the globals. */
static int start_job(struct iobi_fio *f, const char *value)
{
	if (!*value)
		return iobi_fio_fail(f, EINVAL, "name", command_line, "the job has no name");
	if (!strcmp(value, "global")) {
		f->into = &f->global;
		return 0;
	}
	const char *name = iobi_fio_keep(f, value, strlen(value));
	f->into = name ? iobi_fio_new_job(f, name, command_line) : NULL;
	return f->into ? 0 : -ENOMEM;
}

/* A line break would end the line of a label. */
static int judge_value(struct iobi_fio *f, const struct meaning *m, const char *value)
{
	if (value && strpbrk(value, "\n\r"))
		return iobi_fio_fail(f, EINVAL, m->name, command_line,
				     "\"%s\" has a line break in it", IOBI_QUOTE(value));
	return 0;
}

static int apply(struct iobi_fio *f, const struct meaning *m, const char *value)
{
	int rc = judge_value(f, m, value);
	if (rc)
		return rc;
	if (m->sw)
		return throw_switch(f, m->sw, value);
	if (m->key == IOBI_FIO_NAME)
		return start_job(f, value);
	return iobi_fio_set(f, m->name, strlen(m->name), value, command_line);
}

/* Flags take a value only behind a =. */
static bool wants_value(const struct meaning *m)
{
	if (m->sw)
		return m->sw->value;
	return iobi_fio_type(m->key) != IOBI_FIO_IS_FLAG;
}

/* One option; *used: how many arguments it is. */
static int read_option(struct iobi_fio *f, int argc, const char *const *argv, int *used)
{
	const char *name = argv[0] + strspn(argv[0], "-"), *value = strchr(name, '=');
	size_t len = value ? (size_t)(value++ - name) : strlen(name);
	struct meaning m = exact(name, len);
	int rc = m.name ? 0 : abbreviated(f, name, len, &m);
	*used = 1;
	if (rc)
		return rc;
	if (!m.name || (!m.sw && m.key < 0)) /* says that it is unknown, or not supported */
		return iobi_fio_set(f, m.name ? m.name : name, m.name ? strlen(m.name) : len, NULL,
				    command_line);
	if (!value && wants_value(&m)) {
		if (argc < 2)
			return iobi_fio_fail(f, EINVAL, m.name, command_line,
					     "it needs a value: --%s=...", m.name);
		value = argv[1];
		*used = 2;
	}
	if (m.sw && !m.sw->value && value)
		return iobi_fio_fail(f, EINVAL, m.name, command_line, "--%s takes no value",
				     m.name);
	return apply(f, &m, value);
}

static int read_options(struct iobi_fio *f, int argc, const char *const *argv, const char **file,
			size_t *n)
{
	for (int i = 0, used; i < argc; i += used) {
		const char *dash = iobi_fio_false_dash(argv[i]);
		used = 1;
		int rc = 0;
		if (dash)
			rc = iobi_fio_fail(
				f, EINVAL, "dash", command_line,
				"\"%s\" begins with %s, a dash of a web page or a text program; "
				"type - instead",
				IOBI_QUOTE(argv[i]), dash);
		else if (argv[i][0] == '-' && argv[i][1])
			rc = read_option(f, argc - i, argv + i, &used);
		else
			file[(*n)++] = argv[i];
		if (rc)
			return rc;
	}
	return 0;
}

int iobi_fio_read_args(struct iobi_fio *f, int argc, const char *const *argv)
{
	int skip = argc && !strcmp(argv[0], "fio");
	const char **file = calloc((size_t)argc + 1, sizeof(*file));
	size_t n = 0;
	if (!file)
		return iobi_no_memory(f->err);
	f->into = &f->global;
	int rc = read_options(f, argc - skip, argv + skip, file, &n);
	for (size_t i = 0; !rc && i < n; i++)
		rc = iobi_fio_read_file(f, file[i], f->n_jobs > 0);
	free(file);
	return rc;
}
