"""Firebase's own web SDK (firebase-js-sdk, Apache-2.0), in pages of the tests.

The source map of a package on PyPI holds the SDK's sources. They are unpacked into a temporary folder, get what the package
leaves out (`Tests/Interop/web_sdk`), and are bundled by esbuild as the modules that npm calls `firebase/app` and
`firebase/auth`. Nothing of the SDK is in this repository.
"""
import json
import posixpath
import re
import shutil
from importlib import metadata
from pathlib import Path

from .programs import run
from .site import Site

PACKAGE = "streamlit-firebase-auth"
VERSION = "11.3.1"

SUPPLIED = Path(__file__).resolve().parents[1] / "web_sdk"

# The modules that the package leaves out, by their paths in @firebase.
MISSING = {
    "app/index.ts": 'export * from "./src/index";',
    "app/src/public-types.ts": "",
    "app/src/firebaseServerApp.ts": 'export { FirebaseServerAppImpl } from "supplied/calls";',
    "auth/index.ts": 'export * from "./src"; export * from "./src/platform_browser/index";'
    + "".join(f'export {{ {name} }} from "./src/platform_browser/persistence/{file}";' for name, file in {
        "browserLocalPersistence": "local_storage", "browserSessionPersistence": "session_storage",
        "indexedDBLocalPersistence": "indexed_db"}.items()),
    "auth/internal.ts": 'export { DefaultConfig } from "./src/core/auth/auth_impl";',
    "auth/src/index.ts": 'export * from "supplied/constants"; export * from "./core/index";',
    "auth/src/model/enums.ts": 'export * from "supplied/constants";',
    "auth/src/model/public_types.ts": 'export * from "supplied/constants";',
    "auth/src/model/popup_redirect.ts": 'export * from "supplied/constants";',
    "auth/src/platform_browser/messagechannel/index.ts": 'export * from "supplied/constants";',
    "auth/src/core/credentials/index.ts": 'export { AuthCredential } from "./auth_credential";',
    **{f"auth/src/{path}.ts": 'export * from "supplied/calls";' for path in (
        "api/authentication/sign_up", "core/providers/saml", "core/strategies/anonymous", "core/strategies/custom_token",
        "core/strategies/email", "core/strategies/email_link", "core/user/account_info", "core/user/additional_user_info",
        "core/util/providers", "mfa/mfa_info")},
    "component/src/types.ts": 'export * from "supplied/constants";',
}


def build(folder: Path) -> Path:
    """Bundles the SDK; the folder of its modules."""
    modules = folder / "node_modules"
    for path, text in _sources().items():
        (modules / path).parent.mkdir(parents=True, exist_ok=True)
        (modules / path).write_text(text)
    shutil.copytree(SUPPLIED, modules / "supplied")
    for path, text in MISSING.items():
        file = modules / "@firebase" / path
        assert not file.exists(), f"{PACKAGE} has {path}, which is written here too"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for name in ("util", "component", "logger"):
        files = (modules / "@firebase" / name / "src").glob("*.ts")
        (modules / "@firebase" / name / "index.ts").write_text("".join(f'export * from "./src/{file.stem}";\n' for file in files))
    (modules / "firebase/auth").mkdir()
    (modules / "firebase/auth/index.ts").write_text('export * from "@firebase/auth";')
    # Old class fields: the SDK is compiled for ES2017.
    (folder / "tsconfig.json").write_text('{ "compilerOptions": { "useDefineForClassFields": false } }')
    for name in ("app", "auth"):
        (folder / f"{name}.ts").write_text(f'export * from "firebase/{name}";')
    built = folder / "built"
    run(["esbuild", "app.ts", "auth.ts", "--bundle", "--splitting", "--format=esm", "--log-level=error", "--tsconfig=tsconfig.json",
         f"--outdir={built}"], folder)
    return built


def _sources() -> dict[str, str]:
    """The SDK's sources, by their paths in node_modules."""
    try:
        files = metadata.files(PACKAGE)
    except metadata.PackageNotFoundError:
        raise AssertionError(f"{PACKAGE} is missing; install Tests/Interop/requirements-without-dependencies.txt") from None
    map_file, = (file for file in files if re.search(r"static/js/main\.\w+\.js\.map$", str(file)))
    source_map = json.loads(map_file.locate().read_text())
    sources = {}
    for path, text in zip(source_map["sources"], source_map["sourcesContent"]):
        inside = path.removeprefix("../node_modules/")
        if re.match(r"(@firebase|firebase|idb|tslib)/", inside):
            sources[inside] = text
    # Names and versions of the SDK's packages.
    for path in list(sources):
        for imported in re.findall(r"from '(\S+/package\.json)'", sources[path]):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), imported))
            name = posixpath.basename(posixpath.dirname(target))
            sources[target] = json.dumps({"name": "firebase" if name == "firebase" else f"@firebase/{name}", "version": VERSION})
    sources["idb/package.json"] = json.dumps({"main": "build/index.js"})
    sources["tslib/package.json"] = json.dumps({"main": "tslib.es6.mjs"})
    return sources


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>app</title><link rel="icon" href="data:,">
<script type="importmap">{"imports": {"firebase/app": "/firebase/app.js", "firebase/auth": "/firebase/auth.js"}}</script>
<script>
globalThis.polls = [];
if (new URLSearchParams(location.search).has("misses-changes")) {
  const setInterval = globalThis.setInterval;
  globalThis.setInterval = (call, time, ...more) => time === 800 ? polls.push(call) : setInterval(call, time, ...more);
}
</script>
<script type="module">
import { initializeApp } from "firebase/app";
import * as sdk from "firebase/auth";
Object.assign(globalThis, sdk, { initializeApp });
globalThis.auth = getAuth(initializeApp({ apiKey: "any", projectId: "demo-latchkey" }));
connectAuthEmulator(auth, new URLSearchParams(location.search).get("server") ?? "SERVER", { disableWarnings: true });
globalThis.events = [];
onAuthStateChanged(auth, (user) => events.push(["auth", user?.uid ?? null]));
onIdTokenChanged(auth, (user) => events.push(["token", user?.uid ?? null]));
globalThis.problems = [];
addEventListener("unhandledrejection", ({ reason }) => problems.push(String(reason)));
addEventListener("error", ({ message }) => problems.push(message));
/** The user that the browser has stored, which a reload finds. */
globalThis.stored = () => new Promise((resolve) => {
  indexedDB.open("firebaseLocalStorageDb").onsuccess = ({ target: { result: database } }) => {
    database.transaction("firebaseLocalStorage").objectStore("firebaseLocalStorage").getAll().onsuccess = ({ target }) => {
      database.close();
      resolve(target.result.find(({ fbase_key: key }) => key.startsWith("firebase:authUser:"))?.value ?? null);
    };
  };
});
await auth.authStateReady();
globalThis.isReady = true;
</script>"""


class FirebaseApp(Site):
    """A web app on an origin of its own that uses the SDK with a server, or with `?server=` another one.

    Its page has each function of `firebase/auth`, and `initializeApp`, as a global variable, `auth`, and `events`: what the two
    listeners were told. `stored()` reads the stored user. The SDK looks for changes of its storage every 800 ms; with
    `?misses-changes` it does so only when a test calls `polls[0]()`, so the page is a tab that missed what another one did.
    Tests call these with `Browser.run`; a `ScriptError` has the SDK's code. Other pages of an app, such as an example of the
    guide, go into its folder and import from `/firebase/`.
    """

    def __init__(self, folder: Path, sdk: Path, server_url: str, **site):
        (folder / "firebase").symlink_to(sdk)
        (folder / "index.html").write_text(PAGE.replace("SERVER", server_url))
        self.folder = folder
        super().__init__(folder, **site)

    def open(self, browser, address: str = "") -> None:
        """Opens the app, or an address that leads to it; returns once the SDK knows whether there is a user."""
        browser.open(address or self.url)
        browser.wait_for("globalThis.isReady", "the SDK")
