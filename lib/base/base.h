/* SPDX-License-Identifier: MIT */
/* What every part of the library uses: errors, text, numbers as text. Internal
 * names start with iobi_, so that a static library clashes with nobody. */
#ifndef IOBI_BASE_H
#define IOBI_BASE_H

#include <iobench/error.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 iobi_u128;

#define IOBI_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* error.c: both fill *err (which may be NULL) and return -code. Never %f in a
 * message: its decimal point follows the locale. */
int iobi_fail(struct iob_error *err, int code, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int iobi_fail_at(struct iob_error *err, int code, const char *where, const char *file,
		 uint64_t offset, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
int iobi_no_memory(struct iob_error *err);

/* EINVAL: an argument that may not be NULL is; `what` is its name. */
int iobi_is_null(struct iob_error *err, const char *what);

/* A struct that begins with its size, as the caller's version of the header has it, into ours:
 * members that it has not got are 0. `last`: the last member of the first version, which all
 * have. What it has beyond ours must be 0: it would ask for what this library does not know. */
#define IOBI_TAKE(type, last, to, from, where, err)                                                \
	iobi_take_struct(to, sizeof(type), offsetof(type, last) + sizeof(((type *)0)->last), from, \
			 where, #type, err)
int iobi_take_struct(void *to, size_t size, size_t least, const void *from, const char *where,
		     const char *type, struct iob_error *err);

/* The text of an errno without strerror's locale and static buffer:
 * "EIO (Input/output error)"; "unknown error" for a number without a name. Static. */
const char *iobi_errno_text(int code);

/* text.c: text that grows. After a failed allocation it stays as it is and
 * `failed` is set, so that only the end needs a check. */
struct iobi_text {
	char *data; /* NUL-terminated once anything was added */
	size_t len, cap;
	int failed;
};
void iobi_text_free(struct iobi_text *t);
void iobi_text_add(struct iobi_text *t, const char *s);
void iobi_text_add_n(struct iobi_text *t, const char *s, size_t n);
void iobi_text_printf(struct iobi_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Numbers as text, the same under any locale. Each writes at most n bytes, NUL
 * included, and returns buf; what does not fit is "***", for a number cut short
 * is another number (64 bytes hold any). NaN is "-"; from 2^127 on "inf". Half
 * is rounded away from zero; 0 to 18 decimals. */
char *iobi_format_fixed(char *buf, size_t n, double v, int decimals); /* 1234.50 */
char *iobi_format_digits(char *buf, size_t n, double v, int digits);  /* 3 -> 1.23, 12.3, 1234 */
char *iobi_format_u128(char *buf, size_t n, iobi_u128 v);

/* To the nearest whole number; 0 for NaN and what is below it, 2^62 for what is above. */
uint64_t iobi_whole(double v);

/* The name of an enum iob_op: "all", "read", "write", "trim", "sync"; else "?". Static. */
const char *iobi_op_name(unsigned op);

/* How near two words are: edit distance. */
unsigned iobi_edit_distance(const char *a, const char *b);

/* For "did you mean": the one of the names known(0), known(1), .. to its NULL that
 * is nearest, by letters or as a part of it; NULL: none is near. */
const char *iobi_nearest(const char *name, const char *(*known)(size_t i));

#endif
