"""The move from Firebase as web apps live through it: Firebase's SDK in Chromium, and many sessions through random faults."""
import concurrent.futures
import datetime
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import urllib.parse

import pytest

from support import guide, programs
from support.firebase_front import SHAPE, FirebaseFront, wrapped
from support.latchkey import Latchkey, binary
from support.ports import free_port
from support.waiting import wait_until

SDK = {"X-Client-Version": "Chrome/JsCore/11.3.1/FirebaseCore-web"}


@pytest.fixture
def old(tmp_path):
    """The project at Firebase: a Latchkey, and in front of it what behaves as Google's hosts."""
    folder = tmp_path / "old"
    folder.mkdir()
    server = Latchkey(folder, LATCHKEY_PROJECT_ID="old", LATCHKEY_SIGNING_ALGORITHM="RS256",
                      LATCHKEY_DATABASE=f"sqlite:{folder}/latchkey.db")
    server.front = FirebaseFront(server.url)
    yield server
    server.front.stop()
    server.stop()


def settings(old) -> dict[str, str]:
    until = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=30)
    return {"LATCHKEY_FIREBASE_PROJECT": "old", "LATCHKEY_FIREBASE_API_KEYS": "any", "LATCHKEY_FIREBASE_EXCHANGE_UNTIL": str(until),
            "LATCHKEY_FIREBASE_UPSTREAM": old.front.url}


def firebase(server, environment: dict[str, str], *arguments: str) -> dict:
    """`latchkey firebase …` beside the server; its report."""
    result = subprocess.run([str(binary()), "firebase", *arguments, "--json"], cwd=server.folder, env=programs.environment(**environment),
                            text=True, capture_output=True, timeout=180)
    assert result.returncode == 0, result.stdout + result.stderr
    return json.loads(result.stdout)


def change(server, environment: dict[str, str], phase: str) -> None:
    firebase(server, environment, "phase", phase, "--yes")
    if phase != "pass":
        server.wait_for_output(f"firebase.phase.*{phase}")


@pytest.mark.engine("sqlite")
@pytest.mark.parametrize("name", sorted(name for name in guide.names("firebase-move.md") if name.endswith(".json5")))
def test_the_settings_of_the_guide_are_accepted(name, tmp_path):
    soon = datetime.date.today() + datetime.timedelta(days=30)
    (tmp_path / "latchkey.json5").write_text(guide.example(name, {"2027-01-31": str(soon)}))
    result = subprocess.run([str(binary()), "check-config", "--config", "latchkey.json5"], cwd=tmp_path, text=True, capture_output=True)
    assert result.returncode == 0, result.stdout + result.stderr


EXPIRE = """
const isMeant = (key) => key.startsWith("firebase:authUser:") && (!args[0] || args[0].includes(key.split(":").pop()));
for (const key of Object.keys(localStorage).filter(isMeant)) {
  const user = JSON.parse(localStorage[key]);
  user.stsTokenManager.expirationTime = 1;
  localStorage[key] = JSON.stringify(user);
}
const database = await new Promise((resolve) => {
  indexedDB.open("firebaseLocalStorageDb").onsuccess = ({ target }) => resolve(target.result);
});
const transaction = database.transaction("firebaseLocalStorage", "readwrite");
const store = transaction.objectStore("firebaseLocalStorage");
store.getAll().onsuccess = ({ target: { result } }) => {
  for (const row of result.filter(({ fbase_key: key }) => isMeant(key))) {
    row.value.stsTokenManager.expirationTime = 1;
    store.put(row);
  }
};
await new Promise((resolve) => transaction.oncomplete = resolve);
database.close();
"""
UID = "return auth.currentUser?.uid ?? null"
# In the event of a null user an app that signs in anonymously would replace the old UID.
NULLS = "return events.filter(([, uid]) => uid === null).length"


def expire(browser, app, names=None):
    """Lets the ID tokens that an app has stored expire: those of the SDK's instances with these names, or all.

    No SDK runs on the empty page. Where one runs, it sees the change within 800 ms and refreshes the tokens at once.
    """
    (app.folder / "empty.html").write_text("<!doctype html><title>Empty</title>")
    browser.open(f"{app.url}empty.html")
    browser.run(EXPIRE, names)


@pytest.mark.engine("sqlite")
def test_a_web_app_moves_and_nobody_is_signed_out(old, start_server, start_firebase_app, one_tab):
    new, browser = start_server(**settings(old)), one_tab
    environment = settings(old) | {"LATCHKEY_DATABASE": f"sqlite:{new.folder}/latchkey.db"}
    app, account = start_firebase_app(new.url), start_firebase_app(new.url)

    def load(app, line="new"):
        app.open(browser, f"{app.url}?server={urllib.parse.quote(old.front.url, safe='')}" if line == "old" else app.url)
        return browser.run(UID)

    # The old line: a guest in IndexedDB, and a linked user in localStorage.
    load(app, "old")
    guest = browser.run("return (await signInAnonymously(auth)).user.uid")
    load(account, "old")
    browser.run("await setPersistence(auth, browserLocalPersistence)")
    old.call("accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": "ann@example.com"})
    link = wait_until(lambda: next((link for message in old.get("/mailbox/messages")["messages"]
                                    for link in message["links"] if "mode=signIn" in link), None), 60, "the link")
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(link).query)["oobCode"][0]
    ann = browser.run("return (await signInWithEmailLink(auth, args[0], args[1])).user.uid",
                      "ann@example.com", f"https://app.example.com/?mode=signIn&oobCode={code}&apiKey=any")

    # One line changed, phase `pass`: both stay, with expired tokens too, and back with the old line.
    assert load(app) == guest and load(account) == ann
    load(app)
    expire(browser, app)
    assert load(app) == guest
    assert load(app, "old") == guest and load(account, "old") == ann and load(app) == guest
    for trouble in [(500, "{}"), (200, "{}"), (429, '{"error":{"code":429,"message":"RESOURCE_EXHAUSTED"}}'), (200, "<html>hotel</html>"),
                    (400, '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}')]:
        old.front.manner = lambda path: trouble
        assert load(app) == guest, trouble
        expire(browser, app)
        assert load(app) == guest, trouble
    old.front.manner = lambda path: None
    assert new.get("/emulator/v1/projects/x/oobCodes")["oobCodes"] == []

    # A second tab stays open through the change of the phase.
    first = browser.driver.current_window_handle
    second = browser.new_tab(app.url)
    browser.wait_for("globalThis.isReady", "the SDK")
    change(new, environment, "adopt")
    refresh = "return (await auth.currentUser.getIdTokenResult(true)).claims.iss"
    # The breaker may be open for some seconds after the troubles.
    def moved():
        try:
            return browser.run(refresh).endswith("/demo-latchkey")
        except AssertionError:
            return False
    wait_until(moved, 60, "the second tab has moved")
    assert browser.run(UID) == guest and browser.run(NULLS) == 0
    browser.driver.switch_to.window(first)
    assert browser.run(UID) == guest and browser.run(refresh).endswith("/demo-latchkey") and browser.run(NULLS) == 0
    assert load(app) == guest
    browser.driver.switch_to.window(second)
    assert load(app) == guest and browser.run("return auth.currentUser.isAnonymous")

    # The linked user moves at page load, by an ID token that is still good; an answer is lost on the way.
    lost = iter(["lose"])
    old.front.manner = lambda path: next(lost, None)
    assert load(account) == ann
    old.front.manner = lambda path: None
    assert load(account) == ann and browser.run("return auth.currentUser.email") == "ann@example.com"
    assert browser.run(refresh).endswith("/demo-latchkey")
    report = firebase(new, environment, "status")
    assert (report["movedUsers"], report["movedSessions"], report["unmovedUsers"]) == (2, 2, 0), report

    # A guest of the old side who is new here, while Firebase is dead, and once it is back.
    other = start_firebase_app(new.url)
    load(other, "old")
    late = browser.run("return (await signInAnonymously(auth)).user.uid")
    expire(browser, other)
    old.front.stop()
    assert load(other) == late and load(other) == late and browser.run(NULLS) == 0
    old.front = FirebaseFront(old.url, urllib.parse.urlsplit(old.front.url).port)
    wait_until(lambda: load(other) == late and not browser.run("return auth.currentUser.refreshToken").startswith(SHAPE), 60, "moved")

    # Firebase is slow: the page waits, other calls are answered, and the user stays.
    waiting = start_firebase_app(new.url)
    load(waiting, "old")
    patient = browser.run("return (await signInAnonymously(auth)).user.uid")
    expire(browser, waiting)
    is_asked, may_answer = threading.Event(), threading.Event()

    def slowly():
        is_asked.set()
        may_answer.wait(60)
    old.front.manner = lambda path: slowly
    browser.open(waiting.url)
    assert is_asked.wait(60), "Firebase is asked"
    assert browser.run("return globalThis.isReady ?? null") is None and browser.run("return events") == []
    assert new.call("accounts:signUp", {})["localId"]
    may_answer.set()
    browser.wait_for("globalThis.isReady", "the SDK")
    assert browser.run(UID) == patient and browser.run(NULLS) == 0
    old.front.manner = lambda path: None

    # Back to `pass` with open tabs: users who have moved stay, and others are at Firebase.
    load(waiting, "old")
    browser.run("await signOut(auth)")
    patient = browser.run("return (await signInAnonymously(auth)).user.uid")
    assert load(app) == guest
    change(new, environment, "pass")
    new.wait_for_output("firebase.phase.*pass")
    assert browser.run(refresh).endswith("/demo-latchkey") and browser.run(NULLS) == 0
    assert load(app) == guest and load(waiting) == patient
    assert browser.run(refresh).endswith("/old")
    change(new, environment, "adopt")
    wait_until(moved, 60, "the open tab has moved")
    assert browser.run(UID) == patient and browser.run(NULLS) == 0

    # The end, with an open tab: users who have moved stay.
    change(new, environment, "off")
    assert browser.run(refresh).endswith("/demo-latchkey") and browser.run(NULLS) == 0
    assert load(app) == guest and load(account) == ann and load(waiting) == patient


# The kinds of stored users: what they are called, and where they are stored. One page has them all, as apps of these names.
STORES = {"IndexedDB": "indexedDBLocalPersistence", "localStorage": "browserLocalPersistence"}
LIVING = {f"{kind} in {store}, {age}": persistence for kind in ("guest", "linked") for store, persistence in STORES.items()
          for age in ("unexpired", "expired")}
ENDING = {f"{end} during {phase}": STORES["IndexedDB"] for end in ("revoked", "disabled", "deleted") for phase in ("pass", "adopt")}
# Starts the SDK for each of them, as a page does that loads, and returns the UIDs of their stored users.
START = """
globalThis.apps = {};
for (const [name, persistence] of Object.entries(args[0])) {
  apps[name] = initializeAuth(initializeApp({ apiKey: "any", projectId: "demo-latchkey" }, name), { persistence: globalThis[persistence] });
  connectAuthEmulator(apps[name], args[1], { disableWarnings: true });
}
await Promise.all(Object.values(apps).map((auth) => auth.authStateReady()));
return Object.fromEntries(Object.entries(apps).map(([name, auth]) => [name, auth.currentUser?.uid ?? null]));
"""


@pytest.mark.engine("sqlite")
def test_stored_users_of_each_kind_keep_their_uid_unless_firebase_ended_them(old, start_server, start_firebase_app, one_tab):
    new, browser = start_server(**settings(old)), one_tab
    environment = settings(old) | {"LATCHKEY_DATABASE": f"sqlite:{new.folder}/latchkey.db"}
    app = start_firebase_app(new.url)
    links = {name: administer(old, "sendOobCode", requestType="EMAIL_SIGNIN", email=f"user-{number}@example.com", returnOobLink=True)["oobLink"]
             for number, name in enumerate(LIVING) if name.startswith("linked")}

    def load(line=new.url):
        app.open(browser)
        return browser.run(START, LIVING | ENDING, line)

    def end(phase):
        for name, uid in uids.items():
            if name == f"revoked during {phase}":
                administer(old, "update", localId=uid, validSince=str(int(time.time()) + 1))
            elif name == f"disabled during {phase}":
                administer(old, "update", localId=uid, disableUser=True)
            elif name == f"deleted during {phase}":
                administer(old, "delete", localId=uid)

    load(old.front.url)
    uids = browser.run("""
        const uids = {};
        for (const [name, auth] of Object.entries(apps)) {
          const link = args[0][name];
          const { user } = await (link ? signInWithEmailLink(auth, args[1][name], link) : signInAnonymously(auth));
          uids[name] = user.uid;
        }
        return uids;
        """, links, {name: f"user-{number}@example.com" for number, name in enumerate(LIVING)})
    assert len(set(uids.values())) == len(LIVING) + len(ENDING)
    stored = browser.run("return Object.keys(localStorage).map((key) => key.split(':').pop())")
    assert sorted(stored) == sorted(name for name in LIVING if "localStorage" in name)
    expected = dict(uids)
    for phase in ("pass", "adopt"):
        if phase != "pass":
            change(new, environment, phase)
        end(phase)
        expired = [name for name in uids if name.endswith((", expired", f"during {phase}"))]
        expire(browser, app, expired)
        expected |= {name: None for name in uids if name.endswith(f"during {phase}")}
        old.front.seen.clear()
        assert load() == expected, phase
        assert sum(path.endswith("/v1/token") for path in old.front.seen) == len(expired)
    # The unexpired ones still have Firebase's refresh tokens.
    issuers = browser.run("""
        const names = Object.keys(apps).filter((name) => apps[name].currentUser);
        return Promise.all(names.map(async (name) => (await apps[name].currentUser.getIdTokenResult(true)).claims.iss));
        """)
    assert len(issuers) == len(LIVING) and all(issuer.endswith("/demo-latchkey") for issuer in issuers), issuers
    assert firebase(new, environment, "status")["movedSessions"] == len(LIVING)
    change(new, environment, "off")
    assert load() == expected


@pytest.mark.engine("sqlite")
def test_the_rehearsal_of_the_guide_as_it_stands_there(start_server, start_firebase_app, one_tab, tmp_path):
    browser, environment = one_tab, {"LATCHKEY_PROJECT_ID": "old", "LATCHKEY_SIGNING_ALGORITHM": "RS256"}
    (tmp_path / "old").mkdir()
    old = Latchkey(tmp_path / "old", **environment)
    listen = free_port()
    proxy = tmp_path / "rehearsal.py"
    proxy.write_text(textwrap.dedent(guide.example("rehearsal.py", {"9100, 9101": f"{listen}, {urllib.parse.urlsplit(old.url).port}"})))
    google = subprocess.Popen([sys.executable, str(proxy)], stderr=subprocess.DEVNULL)
    soon = str(datetime.date.today() + datetime.timedelta(days=30))
    settings_file = tmp_path / "latchkey.json5"
    settings_file.write_text(guide.example("firebase-rehearsal.json5", {"2027-01-31": soon, ":9100": f":{listen}"}))
    new = start_server(LATCHKEY_CONFIG=str(settings_file))
    try:
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", listen)) == 0, 60, "the proxy")
        line = f"http://127.0.0.1:{listen}"
        guests = start_firebase_app(new.url)
        guests.open(browser, f"{guests.url}?server={urllib.parse.quote(line, safe='')}")
        guest = browser.run("return (await signInAnonymously(auth)).user.uid")
        users = start_firebase_app(new.url)
        users.open(browser, f"{users.url}?server={urllib.parse.quote(line, safe='')}")
        browser.run("await signInAnonymously(auth)")
        old.call("accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": "ann@example.com"}, **SDK)
        link = wait_until(lambda: next((link for message in old.get("/mailbox/messages")["messages"]
                                        for link in message["links"] if "mode=signIn" in link), None), 60, "the link")
        ann = browser.run("""
            const credential = EmailAuthProvider.credentialWithLink("ann@example.com", args[0]);
            return (await linkWithCredential(auth.currentUser, credential)).user.uid;
            """, link)
        # The line is changed; a second tab stays open.
        for app, uid in [(users, ann), (guests, guest)]:
            app.open(browser)
            assert browser.run(UID) == uid
        first = browser.driver.current_window_handle
        second = browser.new_tab(guests.url)
        browser.wait_for("globalThis.isReady", "the SDK")

        def command(*arguments):
            result = subprocess.run([str(binary()), "firebase", *arguments, "--config", str(settings_file), "--json"], cwd=new.folder,
                                    env=programs.environment(LATCHKEY_DATABASE=f"sqlite:{new.folder}/latchkey.db"), text=True,
                                    capture_output=True, timeout=180)
            assert result.returncode == 0, result.stdout + result.stderr
            return json.loads(result.stdout)
        wait_until(lambda: {user["uid"] for user in command("status")["unmoved"]} == {ann, guest}, 60, "status lists them")
        command("phase", "adopt", "--yes")
        new.wait_for_output("firebase.phase.*adopt")
        for tab in (first, second):
            browser.driver.switch_to.window(tab)
            browser.open(guests.url)
            browser.wait_for("globalThis.isReady", "the SDK")
            assert browser.run(UID) == guest
        users.open(browser)
        assert browser.run(UID) == ann and browser.run("return auth.currentUser.email") == "ann@example.com"
        report = command("status")
        assert (report["movedUsers"], report["unrefreshedSessions"]) == (2, 2)
        for app in (users, guests):
            app.open(browser)
            browser.run("await auth.currentUser.getIdToken(true)")
        assert command("status")["unrefreshedSessions"] == 0
        command("phase", "off", "--yes")
        new.wait_for_output("firebase.phase.*off")
        google.terminate()
        old.stop()
        for app, uid in [(users, ann), (guests, guest)]:
            app.open(browser)
            assert browser.run(UID) == uid
            assert browser.run("return (await auth.currentUser.getIdTokenResult(true)).claims.iss").endswith("/demo-latchkey")
    finally:
        google.kill()
        google.wait()
        old.stop()


def administer(server, call: str, **body) -> dict:
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=15)
    connection.request("POST", f"/v1/projects/old/accounts:{call}", json.dumps(body),
                       {"Authorization": "Bearer owner", "Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 200, text
    return json.loads(text)


class Node:
    """A server that a test kills and starts again at the same address."""

    def __init__(self, folder, **settings):
        self._folder, self._settings = folder, settings
        self._lock = threading.Lock()
        self.server = Latchkey(folder, **settings)
        self.port = urllib.parse.urlsplit(self.server.url).port

    def kill(self) -> None:
        with self._lock:
            self.server.process.send_signal(signal.SIGKILL)
            self.server.stop()
            self.server = Latchkey(self._folder, self.port, **self._settings)


def test_many_sessions_move_once_through_random_faults_and_kills(old, make_database, tmp_path):
    """A thousand with DEPTH=full. Prints its seed, which LATCHKEY_SEED repeats."""
    count, kills = (1000, 40) if os.environ.get("DEPTH") == "full" else (40, 3)
    seed = int(os.environ.get("LATCHKEY_SEED") or random.randrange(1 << 32))
    print(f"LATCHKEY_SEED={seed}")
    chance = random.Random(seed)
    database = make_database(tmp_path)
    environment = settings(old) | {"LATCHKEY_DATABASE": database, "LATCHKEY_SECRET": "interop-" * 8,
                                   "LATCHKEY_FIREBASE_ASKS_PER_SECOND": "1000"}
    nodes = []
    for number in range(1 if database.startswith("sqlite") else 2):
        folder = tmp_path / f"node-{number}"
        folder.mkdir()
        nodes.append(Node(folder, **environment))
    change(nodes[0].server, environment, "adopt")
    for node in nodes:
        node.server.wait_for_output("firebase.phase.*adopt")

    def sign_up(_):
        answer = old.call("accounts:signUp", {}, **SDK)
        return answer["localId"], wrapped(answer["refreshToken"])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        stored = list(pool.map(sign_up, range(count)))

    # Faults of Firebase, and kills between its answer and ours.
    lock = threading.Lock()
    kill_at = set(chance.sample(range(count), kills))
    asked = iter(range(1 << 30))

    def manner(path):
        with lock:
            if "token" in path and next(asked) in kill_at:
                node = chance.choice(nodes)
                return node.kill
            dice = chance.random()
        if dice < 0.03:
            return (500, "{}")
        if dice < 0.05:
            return (200, "<html>page</html>")
        if dice < 0.07:
            return (200, "{}")
        if dice < 0.10:
            return "lose"
        return (lambda: time.sleep(0.2)) if dice < 0.15 else None
    old.front.manner = manner

    def live(number: int) -> str | None:
        """What an SDK does until it has moved, in two tabs; what it has lost, or None."""
        uid, token = stored[number]
        own = set()
        source = f"127.{1 + number // 250}.{1 + number % 250}.1"
        deadline = time.monotonic() + 240
        for tab in range(2):
            while True:
                if time.monotonic() > deadline:
                    return f"{uid}: never moved"
                node = nodes[(number + tab) % len(nodes)]
                connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=30, source_address=(source, 0))
                try:
                    connection.request("POST", "/securetoken.googleapis.com/v1/token?key=any",
                                       f"grant_type=refresh_token&refresh_token={token}",
                                       {"Content-Type": "application/x-www-form-urlencoded"} | SDK)
                    answer = connection.getresponse()
                    text = answer.read().decode()
                except OSError:
                    text = None
                except http.client.HTTPException:
                    text = None
                finally:
                    connection.close()
                try:
                    body = json.loads(text) if text is not None else None
                except ValueError:
                    body = None
                if body is None:
                    time.sleep(0.2)
                    continue
                if answer.status != 200 or body["user_id"] != uid:
                    return f"{uid}: {text}"
                own.add(body["refresh_token"])
                break
        return None if len(own) == 1 else f"{uid}: {len(own)} sessions"

    started = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        lost = [loss for loss in pool.map(live, range(count)) if loss]
    old.front.manner = lambda path: None
    report = firebase(nodes[0].server, environment, "status")
    print(f"{count} sessions, {kills} kills, {len(old.front.seen)} questions, {time.monotonic() - started:.0f} s")
    try:
        assert lost == []
        assert (report["movedUsers"], report["movedSessions"], report["unmovedUsers"]) == (count, count, 0)
    finally:
        for node in nodes:
            node.server.stop()
