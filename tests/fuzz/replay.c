/* SPDX-License-Identifier: MIT */
/* Feeds every file of a corpus, and cuts of it, to a fuzz target: what the fuzzer
 * once found stays found without clang. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* In a block of its own length, so that a read past it is seen. */
static void feed(const char *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);
	if (!copy)
		abort();
	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static int replay(const char *path)
{
	static char data[1 << 20];
	FILE *f = fopen(path, "rb");
	if (!f)
		return -1;
	size_t len = fread(data, 1, sizeof(data), f);
	fclose(f);
	size_t step = len / 64 + 1;
	for (size_t cut = 0; cut < len; cut += step)
		feed(data, cut);
	feed(data, len);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	if (!dir) {
		fprintf(stderr, "usage: %s CORPUS-DIRECTORY\n", argv[0]);
		return 1;
	}
	int files = 0;
	for (struct dirent *e; (e = readdir(dir));) {
		char path[4096];
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
		if (replay(path)) {
			perror(path);
			return 1;
		}
		files++;
	}
	closedir(dir);
	printf("%d files\n", files);
	return files ? 0 : 1;
}
