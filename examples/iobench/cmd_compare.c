/* SPDX-License-Identifier: MIT */
/* iobench compare A B: two results, or two sets of rows, cell by cell. */
#include "tool.h"
#include <stdlib.h>
#include <string.h>

struct side {
	char *path;      /* owned */
	size_t from, to; /* rows, from 1; 0: all */
	struct iob_result *r;
	const struct iob_result **node;
	size_t n;
};

struct compare {
	const char *format, *from;
	struct side side[2];
	size_t n_sides;
};

static int to_stdout(void *user, const char *data, size_t len)
{
	(void)user;
	return fwrite(data, 1, len, stdout) == len ? 0 : -1;
}

/* FILE#1-40: some of its rows. */
static int take_side(struct compare *c, const char *arg)
{
	char *hash, *end;

	if (c->n_sides == 2) {
		complain("compare takes two files, and \"%s\" is a third one", arg);
		return EXIT_BAD;
	}
	struct side *s = &c->side[c->n_sides++];
	s->path = strdup(arg);
	hash = s->path ? strrchr(s->path, '#') : NULL;
	if (!hash)
		return s->path ? EXIT_GO_ON : EXIT_FAILED;
	s->from = strtoul(hash + 1, &end, 10);
	s->to = *end == '-' ? strtoul(end + 1, &end, 10) : s->from;
	if (*end || !s->from || s->to < s->from) {
		complain("\"%s\": rows are given as FILE#1-40", arg);
		return EXIT_BAD;
	}
	*hash = '\0';
	return EXIT_GO_ON;
}

static int take_option(struct compare *c, const struct command *self, int argc, char **argv, int *i)
{
	const char **value = !strncmp(argv[*i], "--format", 8) ? &c->format
			     : !strncmp(argv[*i], "--from", 6) ? &c->from
							       : NULL;
	const char *equals = strchr(argv[*i], '=');

	if (!strcmp(argv[*i], "--help")) {
		help_command(stdout, self, false);
		return finish_stdout();
	}
	if (value && (equals || *i + 1 < argc)) {
		*value = equals ? equals + 1 : argv[++*i];
		return EXIT_GO_ON;
	}
	complain(value ? "%s needs a value"
		       : "unknown option %s; iobench compare --help lists them",
		 argv[*i]);
	return EXIT_BAD;
}

static int take(struct compare *c, const struct command *self, int argc, char **argv)
{
	int status = EXIT_GO_ON;

	for (int i = 0; i < argc && status == EXIT_GO_ON; i++)
		status = argv[i][0] == '-' && argv[i][1] ? take_option(c, self, argc, argv, &i)
							 : take_side(c, argv[i]);
	if (status == EXIT_GO_ON && !c->n_sides) {
		complain("compare wants two files: iobench compare A B");
		return EXIT_BAD;
	}
	return status;
}

static int read_side(struct compare *c, struct side *s)
{
	s->r = read_result(s->path, c->from);
	if (!s->r)
		return EXIT_BAD;
	size_t rows = iob_result_child_count(s->r);
	s->from = s->from ? s->from : 1;
	s->to = s->to ? s->to : rows;
	if (s->to > rows) {
		complain("%s has %zu rows, and %zu-%zu were asked for", s->path, rows, s->from,
			 s->to);
		return EXIT_BAD;
	}
	s->n = s->to - s->from + 1;
	s->node = calloc(s->n + 1, sizeof(*s->node));
	for (size_t i = 0; s->node && i < s->n; i++)
		s->node[i] = iob_result_child(s->r, s->from - 1 + i);
	return s->node ? EXIT_GO_ON : EXIT_FAILED;
}

/* One file that holds the same table twice: its two halves. */
static int halve(struct compare *c)
{
	struct side *a = &c->side[0], *b = &c->side[1];
	size_t half = a->n / 2;

	if (a->n % 2 || !half) {
		complain("compare wants two files, or one with a table twice; %s has %zu rows",
			 a->path, a->n);
		return EXIT_BAD;
	}
	b->node = calloc(half, sizeof(*b->node));
	if (!b->node)
		return EXIT_FAILED;
	memcpy(b->node, a->node + half, half * sizeof(*b->node));
	a->n = b->n = half;
	return EXIT_GO_ON;
}

static int report(const struct compare *c)
{
	const struct side *a = &c->side[0], *b = &c->side[1];
	struct iob_error err = { 0 };
	struct iob_comparison *x = iob_compare(a->node, a->n, b->node, b->n, &err);
	int rc = x ? iob_comparison_report(x, c->format ? c->format : "text", to_stdout, NULL, &err)
		   : -1;

	iob_comparison_free(x);
	if (!rc)
		return finish_stdout();
	if (!ferror(stdout))
		complain_of(&err);
	return EXIT_BAD;
}

int cmd_compare(const struct command *self, int argc, char **argv)
{
	struct compare c = { 0 };
	int status = take(&c, self, argc, argv);

	for (size_t i = 0; i < c.n_sides && status == EXIT_GO_ON; i++)
		status = read_side(&c, &c.side[i]);
	if (status == EXIT_GO_ON && c.n_sides == 1)
		status = halve(&c);
	if (status == EXIT_GO_ON)
		status = report(&c);
	for (int i = 0; i < 2; i++) {
		free(c.side[i].path);
		free(c.side[i].node);
		iob_result_free(c.side[i].r);
	}
	return status;
}
