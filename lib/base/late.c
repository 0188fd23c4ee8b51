/* SPDX-License-Identifier: MIT */
#include "base/late.h"

#include <dlfcn.h>
#include <string.h>

void *iobi_late_open(const char *soname, const char *const *name, void *fn, size_t n)
{
	void *lib = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
	for (size_t i = 0; lib && i < n; i++) {
		void *at = dlsym(lib, name[i]);
		if (!at) {
			dlclose(lib);
			return NULL;
		}
		memcpy((char *)fn + i * sizeof(at), &at, sizeof(at));
	}
	return lib;
}
