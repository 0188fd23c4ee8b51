/* SPDX-License-Identifier: MIT */
/* --latency-target: a run whose stages are the steps of a search. */
#include "tool.h"

/* As iob_search_set has them, and as the options are called. */
static const struct {
	const char *name, *option;
} words[SEARCH_WORDS] = {
	{ "latency_target", "latency-target" },
	{ "over", "search-over" },
	{ "op", "search-op" },
	{ "low", "search-low" },
	{ "high", "search-high" },
	{ "resolution", "search-resolution" },
	{ "confidence", "search-confidence" },
	{ "tries", "search-tries" },
};

static const char *given(const struct opts *o)
{
	for (size_t i = 0; i < SEARCH_WORDS; i++)
		if (o->search_word[i])
			return words[i].option;
	return NULL;
}

int search_refuse(const struct opts *o)
{
	const char *option = given(o);

	if (!option)
		return EXIT_GO_ON;
	complain("--%s: a search is of one workload; use iobench run, once for each cell", option);
	return EXIT_BAD;
}

/* The library names what it was given; the user gave an option. */
static int complain_of_word(size_t i, const struct iob_error *err)
{
	complain("--%s: %s", words[i].option, err->message);
	return EXIT_BAD;
}

int search_make(const struct opts *o, struct iob_search **out)
{
	struct iob_error err = { 0 };

	if (!given(o))
		return EXIT_GO_ON;
	if (!o->search_word[0]) {
		complain("--%s: there is nothing to search for without --latency-target, as "
			 "--latency-target p99=1ms",
			 given(o));
		return EXIT_BAD;
	}
	*out = iob_search_new(o->workload, &err);
	if (!*out) {
		complain_of(&err);
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < SEARCH_WORDS; i++)
		if (o->search_word[i] &&
		    iob_search_set(*out, words[i].name, o->search_word[i], &err) < 0)
			return complain_of_word(i, &err);
	return EXIT_GO_ON;
}

/* An answer, and not what a script that asked for a rate can go on with. */
bool search_found_nothing(const struct iob_result *r)
{
	const struct iob_search_outcome *o = iob_result_search(r);

	return o && o->answer == IOB_SEARCH_NOTHING;
}
