# SPDX-License-Identifier: MIT
"""The READMEs' Python and Perl run, and print what they say: numbers with a unit or a fraction may be
others, everything else is as it stands. ctest: serial nosan"""

import os
import re
import subprocess
import unittest

import support

FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.M | re.S)
# A number that is measured.
MEASURED = re.compile(r"\d+(?:[.,]\d+)*")
COMMANDS = {"python": os.environ.get("PYTHON"), "perl": os.environ.get("PERL")}


def snippets(path):
    """(language, program, what it prints or None)"""
    with open(path, encoding="utf-8") as f:
        fences = FENCE.findall(f.read())
    for i, (language, program) in enumerate(fences):
        if language in COMMANDS:
            after = fences[i + 1] if i + 1 < len(fences) else ("none", "")
            yield language, program, after[1] if after[0] == "" else None


def exact(path):
    return os.path.basename(os.path.dirname(path)) == "python"


class Readme(support.FileCase):
    SIZE = 16 << 20

    def run_all(self, path, languages):
        os.rename(self.path, os.path.join(self.dir, "FILE"))
        done = 0
        for language, program, printed in snippets(path):
            if language not in languages:
                continue
            if not COMMANDS[language]:
                continue
            if "numpy" in program and subprocess.run([COMMANDS[language], "-c", "import numpy"],
                                                     capture_output=True).returncode:
                continue
            script = os.path.join(self.dir, "snippet")
            with open(script, "w", encoding="utf-8") as f:
                f.write(program)
            with self.subTest(program=program[:200]):
                run = subprocess.run([COMMANDS[language], script], cwd=self.dir, text=True,
                                     capture_output=True, timeout=60)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                if printed is None:
                    continue
                if exact(path):
                    self.assertEqual(run.stdout, printed)
                else:
                    shape = [re.sub(r"\s+", " ", MEASURED.sub("N", t)) for t in (run.stdout, printed)]
                    self.assertEqual(*shape)
            done += 1
        self.assertGreater(done, 0)

    def test_readme(self):
        self.run_all(os.path.join(support.SOURCE, "README.md"), ["python", "perl"])

    def test_python_readme(self):
        self.run_all(os.path.join(support.SOURCE, "bindings/python/README.md"), ["python"])


if __name__ == "__main__":
    support.main()
