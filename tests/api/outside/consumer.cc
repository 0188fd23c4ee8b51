// SPDX-License-Identifier: MIT
// A program outside the tree, in C++17.
#include <iobench/engine.h>
#include <iobench/iobench.h>
#include <cstdio>
#include <memory>
#include <string>

template <auto Free> struct Deleter {
	template <class T> void operator()(T *p) const
	{
		Free(p);
	}
};
using Suite = std::unique_ptr<iob_suite, Deleter<iob_suite_free>>;
using Workload = std::unique_ptr<iob_workload, Deleter<iob_workload_free>>;
using Result = std::unique_ptr<iob_result, Deleter<iob_result_free>>;

static int write_text(void *user, const char *data, size_t len)
{
	static_cast<std::string *>(user)->append(data, len);
	return 0;
}

int main()
{
	iob_error err{};
	Workload w{iob_workload_new(&err)};
	Suite s{iob_suite_new(&err)};
	const iob_axis axis{"block_size", "4k,8k"};
	if (iob_workload_set(w.get(), "engine", "null", &err) ||
	    iob_workload_set_int(w.get(), IOB_PARAM_SIZE, 1 << 30, &err) ||
	    iob_workload_set_int(w.get(), IOB_PARAM_RUNTIME, 50000000, &err) ||
	    iob_suite_add_matrix(s.get(), w.get(), &axis, 1, &err)) {
		std::fprintf(stderr, "%s: %s\n", err.where, err.message);
		return 1;
	}
	Result r{iob_suite_run(s.get(), &err)};
	std::string report;
	if (!r || iob_result_report(r.get(), "json", write_text, &report, &err)) {
		std::fprintf(stderr, "%s: %s\n", err.where, err.message);
		return 1;
	}
	std::printf("%zu stages, %zu bytes of JSON\n", iob_result_child_count(r.get()), report.size());
	return iob_result_child_count(r.get()) == 2 && report.find("\"stages\"") != report.npos ? 0 : 1;
}
