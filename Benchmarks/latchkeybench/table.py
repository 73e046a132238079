"""The numbers for people."""

from statistics import median

from . import postgresql, signup_floor

AIMS = {"healthz": 0.7, "signUp": 0.14, "lookup": 0.2, "refresh": 0.14, "refreshFixed": 0.25, "redeem": 0.1}
NAMES = {
    "nginx": "nginx return 200",
    "healthz": "/healthz",
    "jwks": "JWKS",
    "signUp": "anonymous signUp",
    "lookup": "lookup",
    "set": "set document",
    "read": "read document",
    "refreshFixed": "refresh, fixed",
    "refresh": "refresh, rotating",
    "redeem": "redeem link",
}


def table(results: dict) -> str:
    """Everything that was measured, the median of the rounds in each place."""
    lines = [
        f"{'':18} {'conns':>5} {'requests/s':>10} {'of nginx':>8} {'p50 ms':>8} {'p99 ms':>8} {'MiB':>6} {'errors':>6}"
    ]
    rounds = results["rounds"]
    for call in NAMES:
        for connections in rounds[0].get(call, {}):
            lines.append(row(call, connections, rounds))
    lines.append("")
    lines += facts(results)
    return "\n".join(lines)


def row(call: str, connections: int, rounds: list[dict]) -> str:
    results = [each[call][connections] for each in rounds]
    ratio = ratios(call, connections, rounds)
    memory = [result["memory"] for result in results if "memory" in result]
    errors = sum(result["status"] + result["socket"] for result in results)
    aim = f"  aim {AIMS[call]}" if call in AIMS and connections == 64 and ratio else ""
    return (
        f"{NAMES[call]:18} {connections:5} {median(r['rate'] for r in results):10.0f} "
        f"{f'{ratio:.3f}' if ratio else '':>8} {median(r['p50'] for r in results) / 1000:8.2f} "
        f"{median(r['p99'] for r in results) / 1000:8.2f} {f'{median(memory):.1f}' if memory else '':>6} {errors:6}{aim}"
    )


def ratios(call: str, connections: int, rounds: list[dict]) -> float | None:
    if not all(connections in each.get("nginx", {}) for each in rounds):
        return None
    return median(each[call][connections]["rate"] / each["nginx"][connections]["rate"] for each in rounds)


def facts(results: dict) -> list[str]:
    lines = [f"durable 4 KiB writes of this disk: {results['syncs']:.0f}/s (what bounds commits without company)"]
    end = results["memory_at_end"]
    lines.append(
        f"memory: {results['memory_at_start']:.1f} MiB at the start, {end['now']:.1f} MiB after {end['requests']} requests, "
        f"{end['peak']:.1f} MiB at most  (aim: under 60 after a million)"
    )
    if rounds := results.get("signUpFloor"):
        lines.append(signup_floor.line(rounds))
    if rounds := results.get("mail"):
        rate, reference = median(r["rate"] for r in rounds), median(r["reference"] for r in rounds)
        ratio = median(r["rate"] / r["reference"] for r in rounds)
        lines.append(
            f"mail: {rate:.0f}/s through the outbox, {ratio:.3f} of smtp-source's {reference:.0f}/s  (aim 0.4)"
        )
    if delay := results.get("delay"):
        lines.append(
            f"a user's mail behind a flood of {delay['accepted']} in {delay['seconds']:.0f} s, at 150 ms a mail: "
            f"{delay['median']:.1f} s, at most {delay['longest']:.1f} s, {delay['lost']} lost  (aim 2 s)"
        )
    for each in results.get("listen", []):
        lines.append(
            f"{each['count']} listeners: {each['each']:.1f} KiB each  (aim: under 25); an event after {each['p50']:.1f} ms, "
            f"p99 {each['p99']:.1f} ms, at most {each['max']:.1f} ms  (aim: p99 under 100); signUp beside them "
            f"{each['signUp']:.0f}/s, {each['signUp'] / each['signUp_alone']:.2f} of the rate without  (aim 0.8)"
        )
    if merge := results.get("merge"):
        lines += merges(merge)
    if sweep := results.get("sweep"):
        alone, beside = sweep["alone"], sweep["beside"]
        before, during = beside["before"], beside["during"]
        lines.append(
            f"sweep: {alone['rate']:.0f} of {sweep['guests']} guests/s  (aim 20000); status in {alone['preview']:.2f} s; "
            f"beside sign-ups {beside['rate']:.0f}/s"
        )
        lines.append(
            f"  sign-ups then {during['rate']:.0f}/s of {before['rate']:.0f}/s, p99 {during['p99'] / 1000:.1f} ms of "
            f"{before['p99'] / 1000:.1f} ms: {during['p99'] / before['p99']:.2f} times  (aim: at most 2)"
        )
    if others := results.get("federated"):
        for name, noun in [("idp", "signInWithIdp with the issuer's keys at hand"), ("custom", "custom token sign-in")]:
            one, reference = others[name], others["nginx"]["rate"]
            lines.append(
                f"{noun}, {others['connections']} at once: {one['rate']:.0f}/s, {one['rate'] / reference:.3f} of nginx; "
                f"p99 {one['p99'] / 1000:.1f} ms; {one['status'] + one['socket']} errors"
            )
    if transfer := results.get("transfer"):
        lines += transfers(transfer)
    if server := results.get("postgresql"):
        lines += on_postgresql(server)
    if replies := results.get("replies"):
        lines += ["", f"sendOobCode, {replies['count']} replies each, interleaved, in µs:"]
        names = list(replies["known"])
        lines.append(f"{'':10}" + "".join(f"{name:>8}" for name in names))
        for kind in ("known", "unknown"):
            lines.append(f"{kind:10}" + "".join(f"{replies[kind][name]:8.0f}" for name in names))
        comparison = replies["comparison"]
        lines.append(
            f"a known address takes longer than an unknown one in {comparison['greater']:.1%} of pairs "
            f"(50 % is no difference; Mann-Whitney z = {comparison['z']:+.2f}, p = {comparison['p']:.2f})"
        )
    return lines


def on_postgresql(results: dict) -> list[str]:
    reference = median(results["pgbench"])
    lines = [
        "",
        f"on PostgreSQL, all on this machine, 64 at once; pgbench's simple-update here: {reference:.0f}/s",
        f"{'':18} {'nodes':>5} {'requests/s':>10} {'of pgbench':>10} {'p50 ms':>8} {'p99 ms':>8} {'errors':>6} "
        f"{'round trips':>11} {'statements':>10} {'repeats':>8}",
    ]
    for call, kind in postgresql.KINDS.items():
        for nodes, rounds in results["nodes"].items():
            each = [measured[call] for measured in rounds]
            ratio = median(one["rate"] / other for one, other in zip(each, results["pgbench"]))
            cost = results["costs"].get(kind) if nodes == 1 else None
            lines.append(
                f"{NAMES[call]:18} {nodes:5} {median(r['rate'] for r in each):10.0f} {ratio:10.3f} "
                f"{median(r['p50'] for r in each) / 1000:8.2f} {median(r['p99'] for r in each) / 1000:8.2f} "
                f"{sum(r['status'] + r['socket'] for r in each):6} "
                + (f"{cost['trips']:11.1f} {cost['statements']:10.1f} {cost['repeats']:8.2f}" if cost else "")
                + ("  aim 0.5" if call == "signUp" and nodes == 1 else "")
            )
    small, large = results["sizes"]
    lines.append(
        f"latency, {postgresql.FEW} at once, with {small['users']} users and with {large['users']}  (aim: the same)"
    )
    for call in postgresql.CALLS:
        one, other = small["calls"][call], large["calls"][call]
        lines.append(
            f"  {NAMES[call]:18} p50 {one['p50'] / 1000:.2f} and {other['p50'] / 1000:.2f} ms, "
            f"p99 {one['p99'] / 1000:.2f} and {other['p99'] / 1000:.2f} ms"
        )
    return lines


def merges(results: dict) -> list[str]:
    lines = []
    for each in results["documents"]:
        aim = "  (aim: under 10)" if each["documents"] == 100 else ""
        noun = "document" if each["documents"] == 1 else "documents"
        lines.append(
            f"merge of a guest with {each['documents']} {noun}: {each['p50']:.1f} ms, at most {each['max']:.1f} ms "
            f"of {each['count']}{aim}"
        )
    rows, memory = results["rows"], results["memory"]
    lines.append(
        f"merge of a guest with {rows['rows']} rows in a table: {rows['p50'] / 1000:.2f} s, at most "
        f"{rows['max'] / 1000:.2f} s of {rows['count']}  (aim: under 2)"
    )
    reads, quiet = rows["lookup"], rows["lookup_alone"]
    lines.append(
        f"  beside it signUp takes at most {rows['signUp']['max']:.0f} ms (without: {rows['signUp_alone']['max']:.0f})  "
        f"(aim: as long as the merge); lookup {reads['max']:.1f} ms, p99 {reads['p99']:.1f} (without: {quiet['max']:.1f}, "
        f"p99 {quiet['p99']:.1f})  (aim: does not wait)"
    )
    kept = memory["rounds"]
    lines.append(
        f"  memory after {len(kept)} rounds of {memory['guests']} guests with documents, linked or merged: "
        f"{kept[-1]:.1f} MiB, {memory['ratio']:.2f} of that after two  (aim: within 10 %)"
    )
    return lines


def transfers(results: dict) -> list[str]:
    count, first, again, export = (results[name] for name in ("users", "import", "again", "export"))
    lines = [
        f"import of {count} users: {count / first['seconds']:.0f}/s  (aim 20000), {first['memory']:.0f} MiB at most, the writer "
        f"held for {first['report']['longestTransactionMilliseconds']} ms at most  (aim: 50); again, with all of them there, "
        f"{count / again['seconds']:.0f}/s",
        f"export: {count / export['seconds']:.0f}/s, {export['memory']:.0f} MiB at most",
    ]
    if pages := results["pages"]:
        lines.append(
            f"pages of 1000 users: {pages['first']:.1f} ms at the beginning, {pages['middle']:.1f} ms in the middle, "
            f"{pages['last']:.1f} ms at the end of {pages['pages']}  (aim: the same)"
        )
    return lines
