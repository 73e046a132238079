"""docs/client.md: the compiler accepts its examples as they stand there."""
import shutil
import subprocess
from pathlib import Path

import pytest

from support import guide
from support.latchkey import binary

pytestmark = pytest.mark.engine("sqlite")

# What an app has of its own.
APP = """
import Foundation
import LatchkeyApp
import LatchkeyClient

func show(_ items: Any?...) {}
func show(_ report: MergeReport, to user: User) {}
func show(_ request: Any, approve: URL, deny: @escaping () async throws -> Void) {}
func showWelcomePage() {}
func showApp(_ user: User, offeringSignIn: Bool) {}
func welcome(_ user: User) {}
func explainThatItIsDone() {}
func offerANewLink() {}
func offerToMerge(_ credential: Any?) {}
func askForTheAddressAgain() {}
func tryAgainLater() {}
func wait(_ seconds: Any?) {}
func remove(_ path: DocumentPath) {}
func leave(_ reason: Any) {}
func readAll() async throws {}
func askWhetherToMerge(_ report: MergeReport?) async -> Bool { true }
"""

EXAMPLE = """
func example{number}(auth: Auth, email: String, link: String, path: String) async throws {{
    {variables}
{text}}}
"""


def compile(sources: list[str], folder: Path) -> subprocess.CompletedProcess:
    modules = binary().parent / "Modules"
    compiler = shutil.which("swiftc")
    assert compiler, "swiftc is missing: put the Swift toolchain on the PATH"
    (folder / "main.swift").write_text("\n".join(sources))
    command = [compiler, "-typecheck", "-swift-version", "6", "-I", modules, "main.swift"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def examples() -> list[str]:
    made = []
    for number, name in enumerate(sorted(guide.names("client.md"))):
        text = guide.example(name).removeprefix("import LatchkeyApp\nimport LatchkeyClient\n")
        variables = "var outcome: Any" if name == "report.swift" else ""
        made.append(EXAMPLE.format(number=number, variables=variables, text=text))
    return made


def test_the_compiler_accepts_every_example(tmp_path):
    assert len(guide.names("client.md")) == guide.PAGES["client.md"].count("```swift") == 8
    result = compile([APP, *examples()], tmp_path)
    assert result.returncode == 0, result.stderr


def test_an_example_of_another_version_is_refused(tmp_path):
    broken = [text.replace("auth.continueWithEmail(", "auth.continueByEmail(") for text in examples()]
    result = compile([APP, *broken], tmp_path)
    assert result.returncode != 0 and "continueByEmail" in result.stderr
