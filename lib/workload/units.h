/* SPDX-License-Identifier: MIT */
#ifndef IOBI_UNITS_H
#define IOBI_UNITS_H

#include "workload/workload_priv.h"

/* A user's text made fit for a message: cut, and all but printable ASCII as
 * \xNN, so that a no-break space in "4 k" can be seen. */
enum {
	IOBI_QUOTED = 64
};
const char *iobi_quote(char buf[IOBI_QUOTED], const char *text);
#define IOBI_QUOTE(text) iobi_quote((char[IOBI_QUOTED]){ 0 }, text)

/* Room for any number as text. */
enum {
	IOBI_NUMBER = 32
};

/* A decimal number at the start of a text; exact, nothing is rounded. */
struct iobi_number {
	uint64_t whole;
	const char *fraction; /* its digits, trailing zeros not counted */
	size_t fraction_len;
	bool point, too_large;
	const char *rest; /* what follows: the unit */
};

/* Reads one. An error where there is none, or a blank in the text, or a minus.
 * `example` is told to the user: "a size, as 4k". */
int iobi_read_number(const char *text, const char *where, const char *example,
		     struct iobi_number *n, struct iob_error *err);

/* "50,99.900" in the form that is kept, "50,99.9"; NULL and *err. The caller's. */
char *iobi_percentiles_text(const char *text, struct iob_error *err);

#endif
