"""`make cluster`: the tour of docs/tour.md through the proxy while nodes are killed."""
import contextlib
import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from support.cluster import ROOT, Cluster, Unrest
from support.latchkey import binary

pytestmark = pytest.mark.engine("sqlite")

# What a person at the terminal does about a node that was killed while it had their call in hand: it once more. The log has the
# times at which the call began and ended.
AGAIN = """#!/bin/bash
for attempt in 1 2 3 4 5; do
    begun=${{EPOCHREALTIME/,/.}}
    {latchkey} "$@" && exit
    status=$?
    [ $status -eq 3 ] || exit $status
    echo "$begun ${{EPOCHREALTIME/,/.}} $*" >>{again}
    sleep 0.2
done
exit 3
"""

# The link of a mail to the domain that was not here before. A mail may come late, since its node was killed, or twice.
NEXT_LINK = """#!/usr/bin/python3
import json, pathlib, sys, time, urllib.request
seen = pathlib.Path({seen!r})
known = seen.read_text().split() if seen.exists() else []
for _ in range(600):
    with urllib.request.urlopen({url!r} + "/mailbox/messages") as answer:
        links = [message["links"][0] for message in json.load(answer)["messages"] if {domain!r} in message["to"][0]]
    if new := [link for link in links if link not in known]:
        seen.write_text("\\n".join(known + links))
        print(new[0])
        break
    time.sleep(0.1)
else:
    sys.exit("no mail has come")
"""


def tour() -> str:
    """The indented lines of docs/tour.md."""
    page = (ROOT / "docs/tour.md").read_text()
    return "\n".join(line[4:] for line in page.splitlines() if line.startswith("    "))


def script(cluster: Cluster, folder: Path, number: int) -> str:
    """The tour as it is for a cluster, with other addresses each time."""
    (folder / "latchkey").write_text(AGAIN.format(latchkey=binary(), again=folder / "again"))
    domain = f"tour-{number}.example.com"
    (folder / "next-link").write_text(NEXT_LINK.format(url=cluster.url, seen=str(folder / "links"), domain=domain))
    for name in ("latchkey", "next-link"):
        (folder / name).chmod(0o755)
    text, mails = re.subn(r"sleep 1; (link=\$\()?curl -s \S+/mailbox/messages \| jq -r '[^']*'",
                          rf"\g<1>{folder}/next-link", tour())
    text, tables = re.subn(r"sqlite3 latchkey-data/latchkey\.db", f"psql -XqAt '{cluster.status['database']}' -c", text)
    assert mails == 2 and tables == 2, "docs/tour.md has other commands than this test replaces"
    text = text.replace("http://127.0.0.1:9099", cluster.url).replace(".build/release/latchkey", str(folder / "latchkey"))
    text = text.replace("example.com", domain)
    # Without --fail the answer that is no success would stand before the one of the repetition.
    return f"shopt -s expand_aliases\ncurl() {{ command curl --fail --retry 5 --max-time 20 \"$@\"; }}\n{text}"


def take_tour(cluster: Cluster, folder: Path, number: int):
    folder.mkdir()
    (folder / "tour.sh").write_text(script(cluster, folder, number))
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LATCHKEY_")}
    # Into files, and all of it killed at the end: the listener in the background would hold the pipes of a tour that fails.
    with (folder / "output").open("w") as output, (folder / "errors").open("w") as errors:
        process = subprocess.Popen(
            ["bash", "-e", str(folder / "tour.sh")], cwd=folder, stdout=output, stderr=errors, start_new_session=True,
            env=environment | {"LATCHKEY_URL": cluster.url, "HOME": str(folder)},
        )
        try:
            returncode = process.wait(400)
        except subprocess.TimeoutExpired:
            returncode = "none after 400 s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    printed = (folder / "output").read_text()
    said = f"{printed}\n{(folder / 'errors').read_text()}"
    assert returncode == 0, f"{returncode}\n{said}"
    lines = printed.splitlines()
    uids = [line.split()[-1] for line in lines if line.startswith("  uid ")]
    assert len(uids) == 6 and len(set(uids)) == 2, said
    assert '  "number": 17' in lines, said
    assert 'favourites/number  {"number":42}' in lines, said
    assert "  documents  1 (notes 1)" in lines and "  table      todos 1" in lines, said
    assert f"Water the plants|{uids[0]}" in lines, said
    result = json.loads(printed[printed.rindex("\n{"):])
    assert result["email"] == f"me@tour-{number}.example.com", said


@pytest.mark.parametrize("options", [(), ("--pooler",)], ids=["direct", "pgbouncer"])
def test_the_tour_of_the_readme_goes_through_while_nodes_are_killed_and_restarted(start_cluster, tmp_path, options):
    cluster = start_cluster(*options)
    tours = 0
    with Unrest(cluster) as unrest:
        while tours < 3 or unrest.ended < 8:
            tours += 1
            take_tour(cluster, tmp_path / f"tour-{tours}", tours)
    again = [line for path in tmp_path.glob("tour-*/again") for line in path.read_text().splitlines()]

    def had_a_node_killed(line: str) -> bool:
        """Whether a node ended during the call. That node may have had the call in hand."""
        begun, ended = map(float, line.split()[:2])
        return any(begun <= after and before <= ended for before, after in unrest.moments)

    again = [line for line in again if not had_a_node_killed(line)]
    assert len(again) <= unrest.ended / 4, f"the proxy does not keep clients from dead nodes: {again}"
    assert cluster.sql("SELECT count(*) FROM users WHERE anonymous_since IS NULL").strip() == str(2 * tours)
