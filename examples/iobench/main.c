/* SPDX-License-Identifier: MIT */
#include "tool.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
	{ "run", "[OPTIONS]", "run one workload and report what it measured",
	  "Runs one workload on one or more targets. Without parameters: random 4k reads at queue "
	  "depth 1 for 10 seconds.",
	  cmd_run, OF_ROUNDS },
	{ "matrix", "[OPTIONS]", "run a workload once for each combination of listed values",
	  "Runs a workload once for each combination of the parameters that are given as a list, "
	  "as "
	  "in --block-size 8k,16k,1m --workers 1,16. block-size varies slowest, then workers, "
	  "pattern and read-percent, then other listed parameters in the order given. Where a "
	  "value "
	  "holds commas itself, semicolons separate the list: --block-size '4k:60,64k:40;8k'.",
	  cmd_matrix, OF_ROUNDS },
	{ "precondition", "--target PATH --allow-destroy [OPTIONS]",
	  "write a device twice over, as before a test of SNIA's",
	  "Writes the region of each target from its start to its end, twice, in sequential writes of "
	  "128 KiB: the preconditioning that the SNIA Performance Test Specification has before its "
	  "tests. What was on the target is lost; without --allow-destroy nothing is touched.",
	  cmd_precondition, 0 },
	{ "pts", "iops|throughput|latency --target PATH --allow-destroy [OPTIONS]",
	  "run a test of the SNIA Performance Test Specification",
	  "Preconditions the targets, then runs the test's matrix in rounds until its tracked cells "
	  "are steady over five of them, 25 rounds at most, and reports the means over these. iops: "
	  "random, 7 mixes by 8 block sizes; throughput: sequential, 1m reads and writes; latency: "
	  "random, one I/O at a time, 3 mixes by 3 sizes. A cell runs for 60 s (--runtime). Purging a "
	  "device is up to you: --purge tells the report how. What was on the target is lost; without "
	  "--allow-destroy nothing is touched.",
	  cmd_pts, OF_ROUNDS | OF_PTS },
	{ "fio", "[JOBFILE...] [FIO OPTIONS]", "run fio's job files and command lines",
	  "Runs job files of fio, or jobs given as on its command line: iobench fio --name=a "
	  "--filename=FILE --rw=randread --bs=4k. Nothing is written without --allow-destroy.",
	  cmd_fio, 0 },
	{ "device", "PATH [--format text|json] [--facts]", "tell what a device is and who uses it",
	  "Tells what is known of a block device, or of a file and the device it is on: its facts, "
	  "who uses it, what is on it, and all layers below it. --facts lists every fact that there "
	  "is, with what it means.",
	  cmd_device, 0 },
	{ "check",
	  "FILE [--link-limit RATE] [--round-trip TIME] [--claim direct] [--from FORMAT] [--format "
	  "text|json] [--strict]",
	  "tell what cannot be believed of a recorded result",
	  "Reads a result that was recorded: the library's own JSON, rows of XDISK, the text or JSON "
	  "of fio (--from json, xdisk, fio-text, fio-json; else whichever it looks like), and tells "
	  "row by row what cannot be believed of it and why, and what could not be checked. "
	  "--link-limit declares what the way to the storage can carry, as 3.2GB/s, --round-trip the "
	  "least time a request can take, as 30us, --claim direct that caches were bypassed. With "
	  "--strict it exits 3 where a finding is invalid. FILE - is stdin.",
	  cmd_check, 0 },
	{ "compare", "A [B] [--format text|json|csv|markdown] [--from FORMAT]",
	  "compare two results cell by cell",
	  "Compares two results, or two sets of rows (FILE#1-40): rates, means and p99, their ratio, "
	  "and where both have a series its 95 % interval by batch means. Results are read as check "
	  "reads them. With one file that holds a table twice, its two halves.",
	  cmd_compare, 0 },
	{ "findings", "[--format text|markdown]", "list what findings there are, with their rules",
	  "Lists every kind of finding: when it is raised, and what to do about it.", cmd_findings, 0 },
	{ "engines", "", "list the I/O engines and whether they work here",
	  "Lists the ways to issue I/O, what each can do, and whether it works on this machine.",
	  cmd_engines, 0 },
	{ "params", "[--format text|markdown|json]", "list every parameter with its default",
	  "Lists every parameter of a workload.", cmd_params, 0 },
};
enum {
	N_COMMANDS = sizeof(commands) / sizeof(commands[0])
};

/* A closed descriptor 1 would be given to the next file opened, perhaps a
 * target, and the report written into it. Those that are closed are opened the
 * wrong way round, so that using them fails. */
static void hold_standard_fds(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			_exit(EXIT_FAILED);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[N_COMMANDS], *near;

	for (size_t i = 0; i < N_COMMANDS; i++)
		names[i] = commands[i].name;
	near = nearest(name, names, N_COMMANDS);
	if (near)
		complain("unknown command %s; did you mean %s?", name, near);
	else
		complain("unknown command %s; iobench --help lists the commands", name);
	return EXIT_BAD;
}

static int print_help(void)
{
	help_main(stdout, commands, N_COMMANDS);
	return finish_stdout();
}

static int print_version(void)
{
	printf("iobench %s\n", iob_version());
	return finish_stdout();
}

int main(int argc, char **argv)
{
	const struct command *c;

	hold_standard_fds();
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		help_main(stderr, commands, N_COMMANDS);
		return EXIT_BAD;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return print_version();
	c = find_command(argv[1]);
	return c ? c->run(c, argc - 2, argv + 2) : unknown_command(argv[1]);
}
