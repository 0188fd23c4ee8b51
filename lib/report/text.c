/* SPDX-License-Identifier: MIT */
#include "report/report_priv.h"
void iobi_report_text(struct iobi_report *o, const struct iob_result *r)
{
	iobi_report_xdisk(o, r);
}
