"""Mails through real servers: postfix and aiosmtpd with STARTTLS and AUTH, and what must not happen without them."""
import json
import shutil
import time

import pytest

from conftest import smtp_settings
from support import aiosmtp, mails, postfix
from support.latchkey import Refused, binary
from support.programs import environment, run
from support.waiting import wait_until


def test_aiosmtpd_takes_a_mail_over_starttls_with_auth(aiosmtp_sender, aiosmtp_server):
    aiosmtp_sender.send_link("you@example.org")
    received = aiosmtp_server.wait_for_mail("you@example.org")
    assert received.encrypted
    assert received.user == aiosmtp.USER
    assert received.sender == "app@mail.example.org"
    assert received.recipients == ["you@example.org"]
    assert not received.utf8 and "SMTPUTF8" not in received.options


def test_postfix_takes_a_mail_over_starttls_with_auth(postfix_sender, real_postfix):
    postfix_sender.send_link("you@example.org")
    message = mails.parse(real_postfix.wait_for_mail("you@example.org"))
    assert "with ESMTPSA" in message["Received"]
    assert "sasl_method=PLAIN, sasl_username=app" in real_postfix.log()
    assert "warning:" not in real_postfix.log().replace("warning: dict_nis_init", "")
    assert message["Return-Path"] == "<app@mail.example.org>"


@pytest.mark.engine("sqlite")
@pytest.mark.parametrize("way", ["transport", "alias"])
def test_a_report_reaches_the_trace_through_postfix(start_server, real_postfix, way):
    sender = {"transport": "transport@auth.example.com", "alias": "no-reply@auth.example.com"}[way]
    # Not below pytest's folder, which only its owner may enter.
    folder = real_postfix.root / "bounce" / way
    folder.mkdir()
    settings = smtp_settings(real_postfix, postfix.USER, postfix.PASSWORD, real_postfix.authority)
    shared = {"database": f"sqlite:{folder}/latchkey.db", "secret": "a-secret-of-the-tests-with-more-than-32-bytes"}
    server = start_server(LATCHKEY_MAIL_FROM=f"Example <{sender}>", LATCHKEY_DATABASE=shared["database"],
                          LATCHKEY_SECRET=shared["secret"], **settings)
    real_postfix.bounce_configuration.write_text(json.dumps(shared))
    for path in (folder, *folder.iterdir(), real_postfix.bounce_configuration):
        shutil.chown(path, postfix.BOUNCE_USER)
    address = f"{way}@gone.example"
    server.send_link(address)

    def trace():
        return json.loads(run([binary(), "trace", address, "--json"], folder, env=environment(**server.settings)))

    def bounced():
        assert "bounced: Command" not in real_postfix.log() and "deferred (" not in real_postfix.log(), real_postfix.log()
        found = trace()
        return found if found["items"][0]["events"][-1]["event"] == "bounced" else None

    found = wait_until(bounced, 20, "the report")
    assert [event["event"] for event in found["items"][0]["events"]] == ["queued", "sent", "bounced"]
    assert found["summary"].startswith("The e-mail came back: 5.1.1 ") and "No such user here" in found["summary"]
    assert found["suppressedUntil"] and found["advice"].endswith(f"latchkey mail allow {address}")


@pytest.mark.parametrize("through", ["aiosmtpd", "postfix"])
def test_the_mailed_link_signs_in_once(request, through):
    if through == "postfix":
        sender, real = request.getfixturevalue("postfix_sender"), request.getfixturevalue("real_postfix")
        sender.send_link("once@example.org")
        raw = real.wait_for_mail("once@example.org")
    else:
        sender, real = request.getfixturevalue("aiosmtp_sender"), request.getfixturevalue("aiosmtp_server")
        sender.send_link("once@example.org")
        raw = real.wait_for_mail("once@example.org").raw
    code = mails.code(mails.parse(raw))
    user = sender.redeem("once@example.org", code)
    assert user["email"] == "once@example.org" and user["isNewUser"] is True
    with pytest.raises(Refused) as error:
        sender.redeem("once@example.org", code)
    assert error.value.code == "INVALID_OOB_CODE"


def test_an_anonymous_user_keeps_the_uid(aiosmtp_sender, aiosmtp_server):
    guest = aiosmtp_sender.call("accounts:signUp", {})
    aiosmtp_sender.send_link("guest@example.org", idToken=guest["idToken"])
    code = mails.code(mails.parse(aiosmtp_server.wait_for_mail("guest@example.org").raw))
    linked = aiosmtp_sender.redeem("guest@example.org", code, idToken=guest["idToken"])
    assert linked["localId"] == guest["localId"]
    users = aiosmtp_sender.call("accounts:lookup", {"idToken": linked["idToken"]})["users"]
    assert users[0]["email"] == "guest@example.org" and users[0]["emailVerified"] is True


def test_the_eight_digits_of_the_mail_redeem_its_ticket(aiosmtp_sender, aiosmtp_server):
    ticket = aiosmtp_sender.send_link("digits@example.org")["ticket"]
    message = mails.parse(aiosmtp_server.wait_for_mail("digits@example.org").raw)
    session = aiosmtp_sender.redeem_ticket(ticket, mails.digits(message))
    assert session["idToken"].count(".") == 2


def test_several_mails_use_one_connection_or_few(aiosmtp_sender, aiosmtp_server):
    for number in range(10):
        aiosmtp_sender.send_link(f"many-{number}@example.org")
    for number in range(10):
        aiosmtp_server.wait_for_mail(f"many-{number}@example.org")
    assert len(aiosmtp_server.mails) == 10, "none twice"
    assert len({mails.parse(mail.raw)["Message-ID"] for mail in aiosmtp_server.mails}) == 10


def nothing_arrives(server, seconds=3.0):
    time.sleep(seconds)
    return server.mails == []


def test_a_wrong_password_sends_nothing(start_server, aiosmtp_server):
    settings = smtp_settings(aiosmtp_server, aiosmtp.USER, "wrong", aiosmtp_server.authority)
    server = start_server(**settings)
    assert server.send_link("you@example.org")["ticket"]
    wait_until(lambda: aiosmtp_server.rejected > 0, 20, "the rejected password")
    assert nothing_arrives(aiosmtp_server)


def test_an_untrusted_certificate_sends_nothing(start_server, aiosmtp_server):
    settings = smtp_settings(aiosmtp_server, aiosmtp.USER, aiosmtp.PASSWORD, authority=None)
    server = start_server(**settings)
    assert server.send_link("you@example.org")["ticket"]
    assert nothing_arrives(aiosmtp_server)
    assert aiosmtp_server.rejected == 0, "no credentials for a stranger"


def test_a_certificate_for_another_name_sends_nothing(start_server, start_aiosmtp):
    other = start_aiosmtp(names=("DNS:mail.example.net",))
    server = start_server(**smtp_settings(other, aiosmtp.USER, aiosmtp.PASSWORD, other.authority))
    assert server.send_link("you@example.org")["ticket"]
    assert nothing_arrives(other)


def test_a_server_without_starttls_gets_neither_mail_nor_password(start_server, start_aiosmtp):
    stripped = start_aiosmtp(offers_tls=False)
    settings = smtp_settings(stripped, aiosmtp.USER, aiosmtp.PASSWORD, stripped.authority)
    server = start_server(**settings)
    assert server.send_link("you@example.org")["ticket"]
    assert nothing_arrives(stripped)
    assert stripped.rejected == 0


def test_no_secret_of_the_mail_server_is_printed(start_server, aiosmtp_server):
    settings = smtp_settings(aiosmtp_server, aiosmtp.USER, "wrong-pass-word", aiosmtp_server.authority)
    server = start_server(**settings)
    server.send_link("private-person@example.org")
    time.sleep(2)
    server.stop()
    printed = "\n".join(server.output)
    assert "wrong-pass-word" not in printed
    assert "private-person@example.org" not in printed
