#!/bin/bash
# SPDX-License-Identifier: MIT
# A library is a guest: it prints nothing, never exits, leaves signals, locale and environment
# alone, and keeps no state between calls. ctest: nosan
set -eu
export LC_ALL=C
library=$IOBENCH_BUILD/lib/libiobench.a
failed=0

# Functions, with their fortified twins (__printf_chk), that the objects may not call.
forbidden='printf|vprintf|fprintf|vfprintf|dprintf|vdprintf|puts|putchar|putc|fputs|fputc|putwchar|
perror|psignal|psiginfo|err|errx|verr|verrx|warn|warnx|error|syslog|vsyslog|stdout|stderr|stdin|
exit|_exit|_Exit|quick_exit|abort|__assert_fail|__assert_perror_fail|atexit|at_quick_exit|__cxa_atexit|
signal|sigaction|sigset|sigignore|siginterrupt|sigaltstack|sigprocmask|bsd_signal|sysv_signal|
__sysv_signal|raise|kill|alarm|setitimer|pause|setlocale|uselocale|strtod|strtof|strtold|atof|
rand|srand|random|srandom|drand48|lrand48|srand48|strerror|strtok|localtime|gmtime|asctime|ctime|
setenv|unsetenv|putenv|clearenv|chdir|fchdir|umask|setuid|setgid|setrlimit|
system|popen|fork|vfork|execve|execvp|posix_spawn|dup2'
forbidden=$(tr -d '\n' <<<"$forbidden")
bad=$(nm -A -u "$library" | sed -E 's/@.*//; s/ U __([a-z0-9]+)_chk$/ U \1/' |
	grep -E " (U|w) ($forbidden)\$" || true)
if [ -n "$bad" ]; then
	echo "FAILED: the library calls"
	echo "$bad"
	failed=1
fi

# Writable data. The clock's rate is a constant of the machine, written once.
allowed='clock.c.o: (machine_clock|once)'
state=$(objdump -t "$library" | awk '
	/file format/ { object = $1 }
	/ O / && $0 ~ /[ \t](\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $0 !~ /\.data\.rel\.ro/ {
		print object, $NF }' | grep -vE "^($allowed)(\.[0-9]+)?\$" || true)
if [ -n "$state" ]; then
	echo "FAILED: writable data in the library"
	echo "$state"
	failed=1
fi

# Nor does the code ask for it by macro: a grep for what a linker does not see.
if grep -nE '\b(TODO|FIXME|XXX|HACK)\b|_Thread_local|__thread\b|\bassert\(' \
	-r "$IOBENCH_SOURCE/lib" "$IOBENCH_SOURCE/include" --include='*.[ch]'; then
	echo "FAILED: the words above do not belong into the library"
	failed=1
fi
exit $failed
