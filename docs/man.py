#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the man pages: man3 from the comments in the public headers, man1 from the
tool's own help, man7 from both.

    man.py --include DIR --tool build/bin/iobench --out DIR
"""
import argparse
import pathlib
import re
import subprocess

HEADERS = ["workload", "suite", "fio", "run", "search", "steady", "pts", "result", "hist", "device", "finding", "compare", "report", "error", "engine", "version"]
RETURNS_INT = ("On success a value of 0 or more; on failure a negative errno, and then *err "
               "(where err is not NULL) says what is wrong, with which value, and what would be "
               "right.")
RETURNS_POINTER = "NULL on failure, and then *err (where err is not NULL) says why."


# ---- reading the headers ----

class Item:
    """A declaration with the comment above it."""

    def __init__(self, kind, name, text, comment, header):
        self.kind, self.name, self.text, self.comment, self.header = (
            kind, name, text, comment, header)


def clean_comment(raw):
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in raw[2:-2].split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip()


def tokens(source):
    """Comments and declarations of the outermost level, with the blank lines between."""
    pos = 0
    while pos < len(source):
        if source.startswith("/*", pos):
            end = source.index("*/", pos) + 2
            yield "comment", source[pos:end]
        elif source[pos] == "#":
            end = pos
            while True:
                end = source.index("\n", end)
                if source[end - 1] != "\\":
                    break
                end += 1
            yield "directive", source[pos:end]
        elif source[pos].isspace():
            end = pos + 1
            if source[pos] == "\n" and source[end:end + 1] == "\n":
                yield "blank", ""
        else:
            end = declaration_end(source, pos)
            yield "declaration", source[pos:end]
        pos = end


def declaration_end(source, pos):
    depth = 0
    while True:
        if source.startswith("/*", pos):
            pos = source.index("*/", pos) + 2
            continue
        c = source[pos]
        depth += (c in "{(") - (c in "})")
        pos += 1
        if c == ";" and depth == 0:
            rest = re.match(r"[ \t]*/\*.*?\*/", source[pos:], re.S)
            return pos + (rest.end() if rest else 0)


def classify(text):
    for kind, pattern in (("typedef", r"typedef .*\(\*(\w+)\)"),
                          ("function", r"IOB_API[^;{]*?\b(iob_\w+)\("),
                          ("struct", r"struct (iob_\w+) \{"),
                          ("enum", r"enum (iob_\w+) \{"),
                          ("opaque", r"struct (iob_\w+);"),
                          ("constants", r"enum \{\s*(IOB_\w+)")):
        match = re.match(pattern, text, re.S)
        if match:
            return kind, match.group(1)
    return None, None


def read_header(path):
    """(overview, items)"""
    source = re.sub(r'#ifdef __cplusplus\n.*?#endif\n', "", path.read_text(), flags=re.S)
    overview, comment, items, free = "", "", [], False
    for kind, text in tokens(source):
        if kind == "comment":
            comment, free = clean_comment(text), "SPDX" not in text
        elif kind == "declaration":
            what, name = classify(text)
            if what == "opaque" and free:
                overview = overview or comment
            if what:
                items.append(Item(what, name, text, comment, path.stem))
            free = False
        elif kind == "blank":
            if free:
                overview = overview or comment
            comment, free = "", False
    return overview, items


# ---- writing roff ----

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def as_it_stands(block):
    """Lines that begin with a tab; a tab inside one begins a second column."""
    cells = [line.strip("\t").split("\t", 1) for line in block.split("\n")]
    return ".nf\n" + roff("\n".join(c[0].ljust(14) + c[1].strip("\t") if c[1:] else c[0]
                                   for c in cells)) + "\n.fi"


def paragraphs(text):
    return "\n.PP\n".join(as_it_stands(block) if block.startswith("\t")
                          else roff(re.sub(r"\s*\n\s*", " ", block))
                          for block in re.split(r"\n\s*\n", text))


def first_sentence(text):
    flat, depth = re.sub(r"\s+", " ", text) + " ", 0
    for i, c in enumerate(flat):
        depth += (c == "(") - (c == ")")
        if c in ".:;" and flat[i + 1:i + 2] == " " and depth == 0:
            flat = flat[:i]
            break
    if re.match(r"[A-Z]([a-z]| )", flat):
        flat = flat[0].lower() + flat[1:]
    return flat.strip()


def code(text):
    text = text.replace("IOB_API ", "").expandtabs(8)
    return ".nf\n" + roff(text) + "\n.fi"


def page(name, section, version, parts):
    lines = [f'.TH {name.upper()} {section} "" "libiobench {version}" "libiobench"']
    for title, body in parts:
        if body:
            lines += [f".SH {title}", body]
    return "\n".join(lines) + "\n"


def refer(names):
    return ",\n".join(f".BR {n} ({s})" for n, s in names).replace(",\n.BR", " ,\n.BR")


def returns(item):
    declared = item.text[:item.text.index(item.name)].replace("IOB_API", "").strip()
    if declared == "int" and "err" in item.text:
        return RETURNS_INT
    if declared.endswith("*") and "struct iob_error *err" in item.text:
        return RETURNS_POINTER
    return ""


def comment_or_inherited(item, items):
    """Declarations that stand together share the comment above the first."""
    return item.comment or f"See {item.header}.h."


def man3(item, items, known, version):
    text = comment_or_inherited(item, items)
    also = [i.name for i in items if i.header == item.header and i.kind == "function"
            and i.name != item.name]
    mentioned = [n for n in sorted(known) if n != item.name and n not in also
                 and re.search(rf"\b{n}\b", item.text + text)]
    synopsis = (f".B #include <iobench/{item.header}.h>\n.PP\n" + code(item.text))
    return page(item.name, 3, version, [
        ("NAME", f"{item.name} \\- {roff(first_sentence(text))}"),
        ("SYNOPSIS", synopsis + "\n.PP\nLink with \\fI\\-liobench\\fP."),
        ("DESCRIPTION", paragraphs(text)),
        ("RETURN VALUE", roff(returns(item)) if item.kind == "function" else ""),
        ("SEE ALSO", refer([(n, 3) for n in mentioned + also] + [("iobench", 7)])),
    ])


# ---- the tool ----

def tool_output(tool, *args):
    return subprocess.run([tool, *args], check=True, capture_output=True, text=True).stdout


def help_items(help_text, title):
    """[("--target PATH", "A block device ...")] from a part of a --help."""
    part = re.split(rf"\n{title}[^\n]*:\n", help_text)[1].split("\n\n")[0]
    found = []
    for line in part.split("\n"):
        match = re.match(r"  (--\S+(?: [A-Z]+)?)(?: +(.*))?$", line)
        if match:
            found.append([match.group(1), match.group(2) or ""])
        else:
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    return found


def tagged(left, text):
    return f".TP\n.B {roff(left)}\n{roff(text)}"


def about(tool, command):
    return re.sub(r"\s*\n\s*", " ", tool_output(tool, command, "--help").split("\n\n")[1].strip())


def usage(tool, command):
    line = tool_output(tool, command, "--help").split("\n")[0]
    return re.sub(r"^usage: iobench \w+ *", "", line)


EXIT = [("0", "Done."),
        ("1", "Some I/O failed (what was measured is reported), a stage could not start, or the "
              "report could not be written."),
        ("2", "Bad arguments, or a target that was refused; nothing was opened for writing."),
        ("130", "Interrupted by SIGINT or SIGTERM. What was measured until then is reported, "
                "marked as partial, with the number of I/Os still with the kernel. A second "
                "signal ends the tool at once.")]

MAN1_FILES = """Reports go to standard output, or to the file that
.B \\-\\-output
names; everything else goes to standard error. A report file appears under its name
once it is whole; until then it is written under a temporary name beside it, so that
a name that cannot be written is found out before the run starts."""

MAN1_SAFETY = """Targets are only read unless
.B \\-\\-allow\\-destroy
is given and the workload writes. A block device that is mounted, holds swap, or is
part of another device in use is refused whatever is given. See
.BR iobench (7)."""

EXAMPLES = [
    ("Random 4 KiB reads for ten seconds, nothing is written:",
     "iobench run --target /dev/nvme0n1"),
    ("A new file of 1 GiB, 70 % reads, 32 I/Os in flight:",
     "iobench run --target scratch --create --size 1g --allow-destroy \\\n"
     "    --read-percent 70 --queue-depth 32 --format text,json --output report"),
    ("The storage matrix, 48 cells, in XDISK's form:",
     "iobench matrix --target scratch --allow-destroy --block-size 8k,16k,1m \\\n"
     "    --workers 1,16 --pattern random,sequential --read-percent 100,0,50,80 \\\n"
     "    --runtime 1s --format xdisk"),
    ("Block sizes that are themselves mixes, as an axis (quote the semicolon):",
     "iobench matrix --target scratch --block-size '4k:60,64k:40;8k'"),
]


def man1(tool, version):
    helps = tool_output(tool, "--help")
    run_help = tool_output(tool, "run", "--help")
    commands = re.findall(r"^  (\w+) {2,}(\w.*)$", helps.split("\n\n")[1], re.M)
    examples = "\n".join(f".PP\n{roff(text)}\n.PP\n.nf\n    {roff(line)}\n.fi"
                         for text, line in EXAMPLES)
    return page("iobench", 1, version, [
        ("NAME", "iobench \\- run storage workloads and report latencies that can be trusted"),
        ("SYNOPSIS", "\n.br\n".join(f".B iobench {name}\n{roff(usage(tool, name))}".strip()
                                   for name, _ in commands)),
        ("DESCRIPTION", "\n".join(tagged(name, about(tool, name)) for name, _ in commands)),
        ("OPTIONS", "Of \\fBrun\\fP and \\fBmatrix\\fP. \\fB\\-\\-name value\\fP and "
         "\\fB\\-\\-name=value\\fP are the same.\n"
         + "\n".join(tagged(*o) for o in help_items(run_help, "Options"))),
        ("PARAMETERS", "\n".join(tagged(*o) for o in help_items(run_help, "Parameters"))),
        ("REPORTS", MAN1_FILES),
        ("WHAT IS WRITTEN", MAN1_SAFETY),
        ("EXIT STATUS", "\n".join(tagged(*e) for e in EXIT)),
        ("EXAMPLES", examples),
        ("SEE ALSO", refer([("iobench", 7), ("iob_workload_set", 3), ("fio", 1)])),
    ])


MAN7_BUILD = """A program is built with
.PP
.nf
    cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs iobench)
.fi"""

MAN7_SAFETY = """Nothing is written unless the workload writes (read_percent under 100, or trims) and
the target carries IOB_TARGET_ALLOW_DESTROY. A missing path is an error unless
IOB_TARGET_CREATE is set. A block device that is mounted, holds swap or is part of a device in
use is refused always; one with a file system or a partition table needs
IOB_TARGET_OVERWRITE_SIGNATURE as well. A file that was there before never grows or shrinks."""


def man7(overviews, items, version):
    parts = [("NAME", "iobench \\- a library that runs storage workloads"),
             ("SYNOPSIS", ".B #include <iobench/iobench.h>"),
             ("DESCRIPTION", paragraphs(overviews["iobench"])),
             ("BUILDING", MAN7_BUILD),
             ("WHAT IS WRITTEN", MAN7_SAFETY)]
    for header in HEADERS:
        own = [i for i in items if i.header == header]
        lines = [tagged_page(i) for i in own if i.kind == "function"]
        lines += [".PP\n" + paragraphs(i.comment) + "\n.PP\n" + code(i.text)
                  for i in own if i.kind == "constants"]
        parts.append((f"{header.upper()}.H",
                      "\n".join(filter(None, [paragraphs(overviews[header])] + lines))))
    parts.append(("SEE ALSO", refer([("iobench", 1), ("iob_workload_new", 3),
                                     ("iob_run_start", 3), ("iob_result_hist", 3)])))
    return page("iobench", 7, version, parts)


def tagged_page(item):
    return f".TP\n.BR {item.name} (3)\n{roff(first_sentence(item.comment))}"


def inherit_comments(items):
    for before, item in zip(items, items[1:]):
        if not item.comment and before.header == item.header and before.kind == item.kind:
            item.comment = before.comment


def main():
    ap = argparse.ArgumentParser()
    for name in ("include", "tool", "out"):
        ap.add_argument("--" + name, required=True)
    args = ap.parse_args()
    include = pathlib.Path(args.include) / "iobench"
    overviews, items = {}, []
    for header in HEADERS + ["iobench"]:
        overviews[header], own = read_header(include / (header + ".h"))
        items += own
    inherit_comments(items)
    version = re.search(r'VERSION_STRING "(.*?)"', (include / "version.h").read_text()).group(1)
    paged = [i for i in items if i.kind in ("function", "struct", "enum", "typedef")]
    known = {i.name for i in paged}
    out = pathlib.Path(args.out)
    for section in ("man1", "man3", "man7"):
        (out / section).mkdir(parents=True, exist_ok=True)
        for old in (out / section).iterdir():
            old.unlink()
    for item in paged:
        (out / "man3" / (item.name + ".3")).write_text(man3(item, items, known, version))
    (out / "man1" / "iobench.1").write_text(man1(args.tool, version))
    (out / "man7" / "iobench.7").write_text(man7(overviews, items, version))


main()
