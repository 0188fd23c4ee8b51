/* SPDX-License-Identifier: MIT */
/* What a thread that still runs has taken of the machine, as another one sees it. */
#ifndef IOBI_THREAD_H
#define IOBI_THREAD_H

#include "result/usage.h"
#include <stdbool.h>

/* Since it began, in the kernel's ticks of 10 ms: its times, switches and faults. False:
 * not known, or there is no such thread any more. Waits for nothing. */
bool iobi_thread_usage(int tid, struct iobi_usage *u);

#endif
