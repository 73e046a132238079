"""Addresses: which are taken, in which form they reach a real mail server, and which are refused before anything is sent."""
import pytest

from support import mails
from support.latchkey import Refused

# What is typed, and the envelope's recipient with the need for SMTPUTF8 that come of it.
TAKEN = [
    ("you@example.org", "you@example.org", False),
    ("  You@Example.ORG ", "you@example.org", False),
    ("first.last+tag@example.org", "first.last+tag@example.org", False),
    ("o'brien@example.org", "o'brien@example.org", False),
    ("you@exämple.org", "you@xn--exmple-cua.org", False),
    ("you@XN--EXMPLE-CUA.org", "you@xn--exmple-cua.org", False),
    ("you@EXA\u0308MPLE.org", "you@xn--exmple-cua.org", False),
    ("you@faß.de", "you@xn--fa-hia.de", False),
    ("jörg@example.org", "jörg@example.org", True),
    ("jo\u0308rg@example.org", "jörg@example.org", True),
    ("用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v", True),
]

REFUSED = [
    "", " ", "you", "@example.org", "you@", "you@@example.org", "a@b@example.org", "you@exam ple.org", "y ou@example.org",
    "you@example..org", ".you@example.org", "you.@example.org", "you..me@example.org", "you@-example.org",
    "you@example.org\r\nBcc: victim@example.org", "you@example.org\nBcc: victim@example.org", "you@example.org\rX: y",
    "you\r\n@example.org", "you@example.org\u0000", "you\u0000@example.org", "you@example.org\u2028x", "you\u0007@example.org",
    "you\u202e@example.org", "<you@example.org>", "You <you@example.org>", "you@example.org, me@example.org",
    "you@example.org>\r\nRCPT TO:<victim@example.org", "a" * 65 + "@example.org", "you@" + "a" * 64 + ".org",
    "you@" + ".".join(["abcdefgh"] * 40) + ".org", "you@xn--a.org", "you@xn--zzzzzz-.org",
]


@pytest.mark.parametrize("typed, recipient, utf8", TAKEN)
def test_an_address_reaches_aiosmtpd_in_its_canonical_form(aiosmtp_sender, aiosmtp_server, typed, recipient, utf8):
    aiosmtp_sender.send_link(typed)
    received = aiosmtp_server.wait_for_mail(recipient)
    assert received.recipients == [recipient]
    assert received.utf8 == utf8, "SMTPUTF8 when the local part needs it, and only then"
    message = mails.parse(received.raw)
    assert message["To"].addresses[0].addr_spec == recipient
    # What Python calls a defect is what SMTPUTF8 is for.
    assert {type(defect).__name__ for defect in mails.defects(message)} == ({"NonASCIILocalPartDefect"} if utf8 else set())
    assert received.raw.isascii() != utf8


@pytest.mark.parametrize("typed, recipient, utf8", [case for case in TAKEN if case[1].isascii()][:5] + [TAKEN[8]])
def test_an_address_reaches_postfix_in_its_canonical_form(postfix_sender, real_postfix, typed, recipient, utf8):
    postfix_sender.send_link(typed)
    raw = real_postfix.wait_for_mail(recipient)
    assert (b"SMTPUTF8" in raw.split(b"\n\n")[0] or b"UTF8SMTP" in raw.split(b"\n\n")[0]) == utf8


@pytest.mark.parametrize("typed, recipient, utf8", TAKEN)
def test_every_spelling_is_one_user(aiosmtp_sender, aiosmtp_server, typed, recipient, utf8):
    aiosmtp_sender.send_link(typed)
    code = mails.code(mails.parse(aiosmtp_server.wait_for_mail(recipient).raw))
    # The mail was asked for in one spelling and is redeemed in another.
    assert aiosmtp_sender.redeem(recipient, code)["isNewUser"] is True
    aiosmtp_server.mails.clear()
    aiosmtp_sender.send_link(recipient)
    code = mails.code(mails.parse(aiosmtp_server.wait_for_mail(recipient).raw))
    assert aiosmtp_sender.redeem(typed, code)["isNewUser"] is False


def test_a_refused_address_is_answered_and_nothing_is_sent(aiosmtp_sender, aiosmtp_server):
    for address in REFUSED:
        with pytest.raises(Refused) as error:
            aiosmtp_sender.send_link(address)
        assert error.value.status == 400, repr(address)
        expected = {"MISSING_EMAIL"} if address == "" else {"INVALID_EMAIL", "MISSING_EMAIL"}
        if "\u0000" in address:  # Refused before it is looked at.
            expected.add("INVALID_ARGUMENT")
        assert error.value.code in expected or "\u0000" in address, f"{address!r}: {error.value}"
    aiosmtp_sender.send_link("after@example.org")
    aiosmtp_server.wait_for_mail("after@example.org")
    assert [mail.recipients for mail in aiosmtp_server.mails] == [["after@example.org"]]


@pytest.mark.parametrize("name", ["Eve\r\nBcc: victim@example.org", "Eve\nSubject: forged", "\u202eEve", "x" * 5000, "\u0000"])
def test_a_display_name_never_reaches_a_header(aiosmtp_sender, aiosmtp_server, name):
    guest = aiosmtp_sender.call("accounts:signUp", {})
    try:
        aiosmtp_sender.call("accounts:update", {"idToken": guest["idToken"], "displayName": name})
    except Refused as error:
        assert error.status == 400
    aiosmtp_sender.send_link("you@example.org", idToken=guest["idToken"])
    received = aiosmtp_server.wait_for_mail("you@example.org")
    message = mails.parse(received.raw)
    assert received.recipients == ["you@example.org"]
    assert message["Bcc"] is None and "forged" not in message["Subject"]
    assert mails.defects(message) == []
