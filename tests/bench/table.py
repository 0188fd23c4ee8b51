# SPDX-License-Identifier: MIT
"""What came out, as markdown, as JSON, and in docs/performance.md."""
import os

import machine
import rows

DOC = os.path.join(machine.SOURCE, "docs", "performance.md")


def verdict(row, value):
    if row.goal is None:
        return "-"
    if not rows.met(row, value):
        by = rows.off_by(row, value)
        return f"**no: {by:.1f} % {'over' if row.less else 'short'}**"
    if row.reach and value < row.reach:
        return f"met ({100 * (1 - value / row.reach):.0f} % short of {row.reach}x)"
    return "met"


def goal(row):
    if row.goal is None:
        return f"(reach {row.reach:g}x)" if row.reach else "-"
    text = f"{'<=' if row.less else '>='} {row.goal:g}{row.unit}"
    return text + (f" (reach {row.reach:g}x)" if row.reach else "")


def spread(taken):
    if len(taken.values) < 2:
        return "same every run"
    return f"{rows.rounded(min(taken.values))} .. {rows.rounded(max(taken.values))}"


def heading(facts, settings):
    load = f"load average {facts['load']} at the start"
    if facts["load"] > machine.QUIET:
        load = f"**{load}: not a quiet machine**"
    cpu = " **Times per I/O are processor time, not wall time.**" if settings["cpu"] else ""
    return (f"{facts['date']}, {facts['cores']} cores of {facts['cpu']}"
            f"{' (virtual)' if facts['hypervisor'] else ''}, "
            f"{facts['memory_kib'] / (1 << 20):.1f} GiB, Linux {facts['kernel']}, clock source "
            f"{facts['clocksource']}; iobench {facts['iobench']}, fio {facts['fio']}, "
            f"{facts['compiler']}; {load}. {settings['rounds']} rounds of {settings['seconds']} s "
            "a run; medians, and the smallest and largest of the rounds." + cpu)


def line(row, taken):
    value = taken.median()
    cells = [row.measure, goal(row), f"{rows.rounded(value)}{row.unit}", spread(taken),
             taken.ours or "-", taken.other or "-", taken.bare or "-", verdict(row, value)]
    return "| " + " | ".join(cells) + " |"


def markdown(facts, settings, results):
    """results: [(row, Taken or a text that says why there is none)]."""
    out = [heading(facts, settings), "",
           "| measure | goal | measured | spread | iobench | fio | bare | met |",
           "|---|---|---|---|---|---|---|---|"]
    for row, taken in results:
        out.append(line(row, taken) if isinstance(taken, rows.Taken) else
                   f"| {row.measure} | {goal(row)} | - | - | - | - | - | not measured: {taken} |")
    return "\n".join(out) + "\n"


def profile(results):
    """Instructions per I/O by function, a column a case."""
    cases = [taken.profile for _, taken in results
             if isinstance(taken, rows.Taken) and taken.profile]
    if not cases:
        return ""
    names = {}
    for case in cases:
        for f in case["functions"]:
            names.setdefault((f["function"], f["file"]), {})[case["case"]] = f["per_io"]
    keys = [case["case"] for case in cases]
    out = ["| function | file | " + " | ".join(keys) + " |", "|---|---|" + "---:|" * len(keys)]
    order = sorted(names.items(), key=lambda item: -sum(item[1].values()))
    for (function, file), costs in order:
        cells = [f"{costs[key]:.1f}" if key in costs else "" for key in keys]
        out.append(f"| `{function}` | {file} | " + " | ".join(cells) + " |")
    totals = [f"**{case['per_io']:.1f}**" for case in cases]
    goals = [f"{case['goal']}" for case in cases]
    out += ["| all | | " + " | ".join(totals) + " |", "| goal | | " + " | ".join(goals) + " |"]
    return "\n".join(out) + "\n"


def as_dict(facts, settings, results):
    table = []
    for row, taken in results:
        entry = {"key": row.key, "measure": row.measure, "goal": row.goal, "reach": row.reach,
                 "unit": row.unit.strip() or "instructions",
                 "better": "less" if row.less else "more"}
        if isinstance(taken, rows.Taken):
            value = taken.median()
            entry |= {"median": value, "min": min(taken.values), "max": max(taken.values),
                      "values": taken.values, "met": rows.met(row, value), "iobench": taken.ours,
                      "fio": taken.other, "bare": taken.bare, "profile": taken.profile,
                      "raw": taken.raw}
        else:
            entry["missing"] = taken
        table.append(entry)
    return {"machine": facts, "settings": settings, "rows": table}


def write_doc(name, text, path=DOC):
    """Puts text between the markers of that name."""
    with open(path, encoding="utf-8") as file:
        doc = file.read()
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    head, _, rest = doc.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise ValueError(f"{path} has no markers {begin.strip()} and {end}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + begin + text + end + tail)
