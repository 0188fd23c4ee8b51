/* SPDX-License-Identifier: MIT */
#include <iobench/version.h>

const char *iob_version(void)
{
	return IOB_VERSION_STRING;
}
