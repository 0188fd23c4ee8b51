/* SPDX-License-Identifier: MIT */
#include "target/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a file that begins with `key`, from behind the key's ": ";
 * key "" is the first line. */
static int read_line(const char *path, const char *key, char *value, size_t n)
{
	char line[256];
	FILE *f = fopen(path, "re");
	int found = 0;
	while (f && !found && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key))) {
			const char *colon = *key ? strchr(line, ':') : NULL;
			const char *text = colon ? colon + 1 : line;
			text += strspn(text, " \t");
			snprintf(value, n, "%.*s", (int)strcspn(text, "\n"), text);
			found = 1;
		}
	if (f)
		fclose(f);
	return found;
}

int iobi_host_facts(int (*fn)(void *user, const char *name, const char *value), void *user)
{
	static const char clocksource[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char text[256];
	struct utsname u;
	int rc = 0;
	if (!uname(&u)) {
		snprintf(text, sizeof(text), "%.64s %.64s %.64s", u.sysname, u.release, u.machine);
		rc = fn(user, "kernel", text);
	}
	if (!rc && read_line("/proc/cpuinfo", "model name", text, sizeof(text)))
		rc = fn(user, "cpu", text);
	if (!rc) {
		snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
		rc = fn(user, "cores", text);
	}
	if (!rc) {
		snprintf(text, sizeof(text), "%" PRIu64,
			 (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
		rc = fn(user, "memory", text);
	}
	if (!rc && read_line(clocksource, "", text, sizeof(text)))
		rc = fn(user, "clocksource", text);
	return rc;
}

uint64_t iobi_host_memory(void)
{
	char text[256];
	uint64_t kib;
	if (!read_line("/proc/meminfo", "MemAvailable", text, sizeof(text)) ||
	    sscanf(text, "%" SCNu64, &kib) != 1 || kib > UINT64_MAX / 1024)
		return UINT64_MAX;
	return kib * 1024;
}
