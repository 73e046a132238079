"""The npm package of latchkey.js: what Node, a bundler and a type checker make of it."""
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support.programs import run
from support.web_client import install, version

pytestmark = pytest.mark.engine("sqlite")

PROGRAMS = Path(__file__).resolve().parent / "web_client"


@pytest.fixture
def project(server, tmp_path):
    """A folder with the package installed."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "package.json").write_text('{"name": "app", "private": true, "type": "module"}')
    install(server.url, folder)
    return folder


def test_the_package_says_what_it_is(project):
    package = json.loads((project / "node_modules/latchkey/package.json").read_text())
    assert (package["name"], package["version"], package["license"]) == ("latchkey", version(), "Apache-2.0")
    assert not {"dependencies", "peerDependencies", "scripts", "bin"} & package.keys()
    names = {file.name for file in (project / "node_modules/latchkey").iterdir()}
    assert {"latchkey.js", "latchkey.d.ts", "package.json", "README.md", "LICENSE"} <= names


# Each name of a browser throws when it is touched, also by `typeof`.
TRAPS = """
const touched = [];
for (const name of ["window", "self", "document", "navigator", "location", "history", "localStorage", "sessionStorage", "indexedDB",
                    "BroadcastChannel", "MessageChannel", "fetch", "addEventListener", "crypto", "caches", "XMLHttpRequest", "EventSource"]) {
  Object.defineProperty(globalThis, name, { get() { touched.push(name); }, configurable: true });
}
const module = await import("latchkey");
console.log(JSON.stringify({ touched, names: Object.keys(module).sort(), version: module.version }));
"""


def test_importing_it_on_a_server_touches_no_browser_api(project):
    (project / "main.js").write_text(TRAPS)
    answer = json.loads(run(["node", "main.js"], project))
    assert answer == {"touched": [], "names": ["LatchkeyError", "createLatchkey", "version"], "version": version()}


ON_A_SERVER = """
import { createLatchkey, LatchkeyError } from "latchkey";
const calls = [];
globalThis.fetch = async (input) => { calls.push(String(input.url ?? input)); throw new TypeError("no network"); };
const auth = createLatchkey({ url: "https://auth.example.com" });
const events = [];
auth.onChange(({ user }) => events.push(user));
await auth.ready;
const refused = await auth.token().catch((error) => [error instanceof LatchkeyError, error.code]);
const { user, storage, pending } = auth;
const isShared = auth === createLatchkey({ url: "https://auth.example.com" });
process.on("exit", () => console.log(JSON.stringify({ calls, user, storage, pending, refused, isShared, last: events.at(-1) })));
"""


def test_on_a_server_it_has_no_user_asks_for_nothing_and_lets_the_program_end(project):
    (project / "main.js").write_text(ON_A_SERVER)
    assert json.loads(run(["node", "main.js"], project)) == {
        "calls": [], "user": None, "storage": "memory", "pending": None, "refused": [True, "no-user"],
        "isShared": False, "last": None,
    }


def test_a_bundler_finds_the_module_and_drops_it_where_it_is_not_used(project):
    (project / "main.js").write_text('import { createLatchkey } from "latchkey"; globalThis.auth = createLatchkey;')
    run(["esbuild", "main.js", "--bundle", "--format=iife", "--target=es2022", "--log-level=warning", "--outfile=main.bundle.js"], project)
    bundle = (project / "main.bundle.js").read_text()
    assert "/v1/documents:listen" in bundle and "import " not in bundle.splitlines()[0]
    run(["node", "--input-type=commonjs", "--eval", "eval(require('fs').readFileSync('main.bundle.js', 'utf8')); auth.name.at(0)"], project)
    (project / "none.js").write_text('import { createLatchkey } from "latchkey"; globalThis.answer = 42;')
    run(["esbuild", "none.js", "--bundle", "--log-level=error", "--outfile=none.bundle.js"], project)
    assert (project / "none.bundle.js").stat().st_size < 500


def check_types(project, program, module, resolution):
    """What the compiler says about a program, in `--strict --noEmit`."""
    shutil.copy(PROGRAMS / program, project / program)
    (project / "tsconfig.json").write_text(json.dumps({
        "compilerOptions": {"strict": True, "noEmit": True, "target": "es2022", "lib": ["es2022", "dom", "dom.iterable"],
                            "types": [], "module": module, "moduleResolution": resolution},
        "files": [program],
    }))
    done = subprocess.run(["tsc", "--project", "."], cwd=project, text=True, capture_output=True, timeout=360)
    return done.stdout + done.stderr


@pytest.mark.parametrize("module, resolution", [("es2022", "node"), ("node16", "node16")])
def test_a_typed_program_uses_the_whole_client(project, module, resolution):
    assert check_types(project, "uses.ts", module, resolution) == ""


def test_the_types_catch_mistakes(project):
    assert check_types(project, "misuses.ts", "es2022", "node") == ""
