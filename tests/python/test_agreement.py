# SPDX-License-Identifier: MIT
"""The C API (by the iobench tool), Python and Perl, the same seed on the null engine: the same I/O,
bytes and parameters. ctest: nosan"""

import json
import os
import subprocess
import unittest

import iobench
import support

CASES = [
    dict(io_size="4m"),
    dict(io_size="10m", block_size="4k:60,64k:40", workers=3, queue_depth=16, read_percent=70),
    dict(io_size="3m", block_size="8k", block_size_write="16k", read_percent=50, trim_percent=10,
         pattern="sequential", fsync_every=7, repeats=True, workers=2),
    dict(io_size="1m", percentiles="1,99.99", precision=5, buffer="pattern:deadbeef", direct=False,
         name="N\u00fc \u20ac", offset="1m", on_error="continue", ramp_time=0),
]
PERL = """
use strict; use warnings;
use IO::Bench; use JSON::PP;
my $params = JSON::PP->new->utf8->decode($ARGV[0]);
my %p = map { my $v = $params->{$_}; $_ => JSON::PP::is_bool($v) ? ($v ? 1 : 0) : $v } keys %$params;
my $r = IO::Bench::Workload->new(%p)->run;
my %ops = map { my $o = $r->$_; ($_ => [$o->ios, $o->bytes, $o->errors, $o->short, $o->latency->count]) }
    qw(all read write trim sync);
print JSON::PP->new->utf8->canonical->encode(
    { ops => \\%ops, params => $r->params, effective => $r->effective, json => $r->to_hash });
"""


def counts(result):
    """ios, bytes, ... by operation, from a JSON report's workload."""
    return {op: [result[op][k] for k in ("ios", "bytes", "errors", "short")]
            for op in ("all", "read", "write", "trim", "sync")}


class Agreement(unittest.TestCase):
    def three(self, params):
        words = [w for name, value in params.items()
                 for w in ("--" + name.replace("_", "-"), str(value).lower()
                           if isinstance(value, bool) else str(value))]
        done = subprocess.run(["iobench", "run", *words, "--format", "json"], capture_output=True,
                              text=True, check=True)
        tool = json.loads(done.stdout)
        result = iobench.Workload(**params).run()
        if not os.environ.get("PERL"):
            return tool, result, None
        done = subprocess.run([os.environ["PERL"], "-e", PERL, json.dumps(params)],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return tool, result, json.loads(done.stdout)

    def test_all(self):
        for case in CASES:
            with self.subTest(case):
                params = dict(support.NULL, runtime=0, **case)
                tool, result, perl = self.three(params)
                c = tool["stages"][0]["workloads"][0]
                python = result.to_dict()["stages"][0]["workloads"][0]
                self.assertGreater(c["all"]["ios"], 0)
                self.assertEqual(counts(python), counts(c))
                for key in ("params", "effective", "name"):
                    self.assertEqual(python[key], c[key])
                for op, (ios, bytes_, errors, short) in counts(c).items():
                    o = getattr(result, op)
                    self.assertEqual((o.ios, o.bytes, o.errors, o.short, o.latency.count),
                                     (ios, bytes_, errors, short, ios))
                if not perl:
                    continue
                theirs = perl["json"]["stages"][0]["workloads"][0]
                self.assertEqual(counts(theirs), counts(c))
                for key in ("params", "effective", "name"):
                    self.assertEqual(theirs[key], c[key])
                self.assertEqual({op: v[:4] for op, v in perl["ops"].items()}, counts(c))
                for of in ("params", "effective"):
                    ours, other = getattr(result, of), perl[of]
                    self.assertEqual(set(ours), set(other))
                    for name, value in ours.items():
                        same = str(other[name]) if isinstance(value, str) else float(other[name])
                        self.assertEqual(value, same, name)

    def test_what_is_measured_is_the_same_number(self):
        """One result, written by one and read by the others."""
        result = iobench.Workload(**support.NULL, runtime=0.1, read_percent=50).run()
        with support.scratch() as d:
            path = os.path.join(d, "r.json")
            result.save(path)
            told = [result.read.ios, result.read.latency.percentile(99), result.write.latency.max,
                    result.elapsed_ns, result.started_ns, sum(result.read.latency.counts)]
            again = iobench.read(path)
            self.assertEqual(told, [again.read.ios, again.read.latency.percentile(99),
                                    again.write.latency.max, again.elapsed_ns, again.started_ns,
                                    sum(again.read.latency.counts)])
            if not os.environ.get("PERL"):
                return
            code = ("my $r = IO::Bench::read($ARGV[0]); my $n = 0; $n += $_ for @{$r->read->latency->counts};"
                    "print join ' ', $r->read->ios, $r->read->latency->percentile(99), "
                    "$r->write->latency->max, $r->elapsed_ns, $r->started_ns, $n")
            done = subprocess.run([os.environ["PERL"], "-MIO::Bench", "-we", code, path],
                                  capture_output=True, text=True)
            self.assertEqual((done.stdout, done.stderr), (" ".join(map(str, told)), ""))


if __name__ == "__main__":
    support.main()
