# SPDX-License-Identifier: MIT
"""Writes _workload.pyi from _workload.pyi.in and the library's table: stubs.py OUTPUT"""

import pathlib
import sys

sys.path.pop(0)  # beside this file is the package without its module
import iobench  # noqa: E402

READ = {"int": "int", "size": "int", "time": "float", "bool": "bool", "choice": "str",
        "blocks": "int | str", "text": "str", "rate": "int"}
WRITTEN = {"int": "int | str", "size": "int | float | str", "time": "float | str | timedelta",
           "bool": "bool | str", "blocks": "int | str | Mapping[int | str, int]", "text": "str",
           "rate": "int | float | str"}
LISTED = "float | str | Iterable[float | str]"


def written(p):
    if p.type == "choice":
        return "Literal[" + ", ".join(f'"{choice}"' for choice in p.choices) + "]"
    return LISTED if p.name in ("cpus", "percentiles") else WRITTEN[p.type]


def attribute(p):
    return (f"    @property\n    def {p.name}(self) -> {READ[p.type]}:\n"
            f'        """{p.help}"""\n'
            f"    @{p.name}.setter\n    def {p.name}(self, value: {written(p)}) -> None: ...\n")


def main():
    table = iobench.params()
    template = pathlib.Path(__file__).with_name("_workload.pyi.in").read_text(encoding="utf-8")
    keywords = "".join(f"        {p.name}: {written(p)} = ...,\n" for p in table)
    text = template.replace("@KEYWORDS@", keywords.rstrip("\n"))
    text = text.replace("@ATTRIBUTES@", "".join(attribute(p) for p in table).rstrip("\n"))
    pathlib.Path(sys.argv[1]).write_text(text, encoding="utf-8")


main()
