/* SPDX-License-Identifier: MIT */
#include "result/machine.h"
#include "base/base.h"
#include <math.h>

#define FIELD(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct iobi_machine, name)                                         \
	}

static const struct iobi_machine_field fields[] = {
	FIELD(cpu_worker),    FIELD(cpu_wait),    FIELD(cpu_all),         FIELD(active),
	FIELD(in_flight),     FIELD(failing),     FIELD(steal),           FIELD(clock_is_tsc),
	FIELD(clock_read_ns), FIELD(holes),       FIELD(resident_before), FIELD(resident_after),
	FIELD(zero_blocks),   FIELD(blocks_seen), FIELD(harness_ns),      FIELD(idle),
};

const struct iobi_machine_field *iobi_machine_field(size_t i)
{
	return i < IOBI_LEN(fields) ? &fields[i] : NULL;
}

void iobi_machine_unknown(struct iobi_machine *m)
{
	for (size_t i = 0; i < IOBI_LEN(fields); i++)
		*iobi_machine_at(m, &fields[i]) = NAN;
}

/* To twelve digits, which are the same number in decimal and when read again: a
 * quotient of two whole numbers is rounded as the text is. */
static double twelve_digits(double v)
{
	double scale = isfinite(v) && v > 0 ? pow(10, 11 - floor(log10(v))) : 0;
	return scale >= 1 && scale <= 1e22 ? round(v * scale) / scale : v;
}

void iobi_machine_settle(struct iobi_machine *m)
{
	for (size_t i = 0; i < IOBI_LEN(fields); i++) {
		double *v = iobi_machine_at(m, &fields[i]);
		*v = twelve_digits(*v);
	}
}
