"""Messages to hooks verify with the library of Standard Webhooks, as their receivers would."""
import base64
import json
import os
import time
import urllib.parse

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from support.hooks import HookReceiver


def new_secret():
    return "whsec_" + base64.b64encode(os.urandom(32)).decode()


@pytest.fixture
def receiver():
    started = HookReceiver()
    yield started
    started.stop()


def start(start_server, tmp_path, receiver, *secrets):
    """A server whose hook at the receiver is told of everything, and asked about merges."""
    file = tmp_path / "latchkey.json5"
    events = ["user.created", "user.linked", "user.deleted", "merge.prepare"]
    file.write_text(json.dumps({"hooks": [{"name": "app", "url": receiver.url, "events": events}]}))
    return start_server(LATCHKEY_CONFIG=str(file), LATCHKEY_HOOK_SECRETS_APP=",".join(secrets))


def test_every_message_verifies(start_server, tmp_path, receiver):
    secret = new_secret()
    server = start(start_server, tmp_path, receiver, secret)
    uids = [server.call("accounts:signUp", {})["localId"] for _ in range(20)]
    seen = {}
    for headers, body in receiver.wait_for(20):
        message = Webhook(secret).verify(body, headers)
        assert message["type"] == "user.created" and message["timestamp"].endswith("Z")
        seen[headers["webhook-id"]] = message["data"]["uid"]
        assert message["data"] == {"uid": seen[headers["webhook-id"]], "isAnonymous": True}
        assert headers["content-type"] == "application/json"
    assert sorted(seen.values()) == sorted(uids)


def test_the_question_of_a_merge_and_its_outcome_verify(start_server, tmp_path, receiver):
    secret = new_secret()
    server = start(start_server, tmp_path, receiver, secret)
    server.send_link("ann@example.org")
    code = wait_for_code(server)
    owner = server.redeem("ann@example.org", code)
    guest = server.call("accounts:signUp", {})
    merged = server.call("accounts:merge", {"idToken": owner["idToken"], "anonymousIdToken": guest["idToken"]})
    messages = [Webhook(secret).verify(body, headers) for headers, body in receiver.wait_for(4)]
    merges = [message for message in messages if message["type"].startswith("merge.")]
    assert [message["type"] for message in merges] == ["merge.prepare", "merge.commit"]
    expected = {"mergeId": merged["report"]["mergeId"], "anonymousUid": guest["localId"], "uid": owner["localId"]}
    assert all(message["data"] == expected for message in merges)


def wait_for_code(server):
    """The action code of the newest mail in the server's own mailbox."""
    deadline = time.monotonic() + 10
    while not (messages := server.get("/mailbox/messages")["messages"]):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    link = next(link for link in messages[0]["links"] if "oobCode=" in link)
    return urllib.parse.parse_qs(urllib.parse.urlsplit(link).query)["oobCode"][0]


def test_while_secrets_are_exchanged_both_verify_and_no_other(start_server, tmp_path, receiver):
    new, old = new_secret(), new_secret()
    server = start(start_server, tmp_path, receiver, new, old)
    server.call("accounts:signUp", {})
    [(headers, body)] = receiver.wait_for(1)
    assert len(headers["webhook-signature"].split(" ")) == 2
    for secret in (new, old):
        Webhook(secret).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new_secret()).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new).verify(body.replace(b"true", b"false"), headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new).verify(body, headers | {"webhook-id": "msg_other"})
