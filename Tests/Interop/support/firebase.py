"""firebase-admin as an app's back end uses it: unmodified, pointed at a server by the emulator's environment variable."""
import contextlib
import itertools
import urllib.parse

import firebase_admin

PROJECT = "demo-latchkey"

_names = (f"app-{number}" for number in itertools.count())


@contextlib.contextmanager
def admin_app(monkeypatch, host: str, credential=None):
    """An app of the SDK that talks to `host`, which is a name and a port."""
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", host)
    app = firebase_admin.initialize_app(credential, {"projectId": PROJECT}, name=next(_names))
    try:
        yield app
    finally:
        firebase_admin.delete_app(app)


def parameters(link: str) -> dict[str, str]:
    """The parameters of an action link."""
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))
