"""The form of our mails, judged by Python's `email` package, aiosmtpd, postfix and SpamAssassin."""
import base64
import re
import time
from email.utils import parsedate_to_datetime

import pytest

from conftest import smtp_settings
from support import aiosmtp, mails, spamassassin

pytestmark = pytest.mark.engine("sqlite")

LOCALES = ["en", "it", "id", "de", "es", "fr", "pt-BR", "ja"]


def check_form(raw: bytes, recipient: str):
    """What every mail of ours must be, whatever it says."""
    assert b"\n" not in raw.replace(b"\r\n", b""), "a lone LF"
    assert b"\r" not in raw.replace(b"\r\n", b""), "a lone CR"
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    head = raw.split(b"\r\n\r\n")[0]
    assert head.isascii()
    # RFC 5322 2.1.1: should be no more than 78. The boundary is libcurl's, and one token.
    long = [line for line in head.split(b"\r\n") if len(line) > 78 and not line.startswith(b"Content-Type: ")]
    assert long == []

    message = mails.parse(raw)
    assert mails.defects(message) == []
    for name in ["From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type", "Auto-Submitted"]:
        assert len(message.get_all(name, [])) == 1, f"{name} must stand there exactly once"
    assert message["To"].addresses[0].addr_spec == recipient
    assert message["From"].addresses[0].display_name == "Schlüsseldienst"
    assert message["From"].addresses[0].addr_spec == "app@mail.example.org"
    assert message["Auto-Submitted"] == "auto-generated"
    assert re.fullmatch(r"<[^<>@\s]+@mail\.example\.org>", message["Message-ID"])
    assert abs(parsedate_to_datetime(message["Date"]).timestamp() - time.time()) < 300
    assert message.get_content_type() == "multipart/alternative"
    parts = list(message.iter_parts())
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert all(part.get_content_charset() == "utf-8" for part in parts)
    assert all(part["Content-Transfer-Encoding"] == "quoted-printable" for part in parts)
    # The name of the app and the time to the minute, so that mails do not thread.
    assert re.search(r"Latchkey · (?=.*\d{1,2}[:.]\d\d)(?=.*\d{4})(?=.*UTC).+$", message["Subject"]), message["Subject"]
    assert not re.search(r"(?<![\d:-])\d{4} ?\d{4}(?![\d:-])", message["Subject"]), "the subject holds the code"
    for body in (mails.text(message), mails.html(message)):
        assert "{{" not in body and "�" not in body
    return message


@pytest.mark.parametrize("locale", LOCALES)
def test_a_sign_in_mail_in_every_language(aiosmtp_sender, aiosmtp_server, locale):
    recipient = f"you-{locale.lower()}@example.org"
    aiosmtp_sender.send_link(recipient, locale)
    received = aiosmtp_server.wait_for_mail(recipient)
    message = check_form(received.raw, recipient)
    assert re.search(rf'<html[^>]* lang="{locale}"', mails.html(message))
    assert re.search(r'<html[^>]* dir="ltr"', mails.html(message))
    assert mails.link_parameters(message)["lang"].lower() == locale.lower()
    # The same link and the same code in both forms.
    assert mails.action_link(message).split("?")[1].replace("&", "&amp;") in mails.html(message)
    assert mails.digits(message) in mails.html(message)


def test_subjects_differ_between_languages(aiosmtp_sender, aiosmtp_server):
    subjects = set()
    for locale in LOCALES:
        aiosmtp_sender.send_link(f"{locale.lower()}@example.org", locale)
        message = mails.parse(aiosmtp_server.wait_for_mail(f"{locale.lower()}@example.org").raw)
        subjects.add(message["Subject"].rsplit("Latchkey", 1)[0])
    assert len(subjects) == len(LOCALES)


def every_kind(sender, aiosmtp_server, locale) -> dict[str, tuple[str, bytes]]:
    """Makes the server send a mail of each kind in a language; gives recipient and raw bytes."""
    kinds = {}
    language = {"X-Firebase-Locale": locale}
    handed_out = set()

    def next_mail(recipient: str) -> bytes:
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            for index, mail in enumerate(list(aiosmtp_server.mails)):
                if recipient in mail.recipients and index not in handed_out:
                    handed_out.add(index)
                    return mail.raw
            time.sleep(0.05)
        raise AssertionError(f"no further mail for {recipient}")

    def sign_in(recipient: str) -> str:
        sender.send_link(recipient, locale)
        raw = next_mail(recipient)
        kinds.setdefault("sign-in", (recipient, raw))
        return sender.redeem(recipient, mails.code(mails.parse(raw)))["idToken"]

    def ask(kind: str, recipient: str, **body):
        sender.call("accounts:sendOobCode", body, **language)
        kinds[kind] = (recipient, next_mail(recipient))

    firebase = {"X-Client-Version": "Chrome/JsCore/11.3.1/FirebaseCore-web"}
    sender.call("accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": "app@example.org"}, **firebase, **language)
    kinds["sign-in-link"] = ("app@example.org", next_mail("app@example.org"))
    token = sign_in("kinds@example.org")
    sign_in("taken@example.org")
    ask("verify-email", "kinds@example.org", requestType="VERIFY_EMAIL", idToken=token)
    change = {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token}
    # While privacy is on, only the owner of a taken address learns that it is taken.
    ask("email-in-use", "taken@example.org", newEmail="taken@example.org", **change)
    ask("change-email", "new@example.org", newEmail="new@example.org", **change)
    sender.call("accounts:update", {"oobCode": mails.code(mails.parse(kinds["change-email"][1]))}, **language)
    kinds["email-changed"] = ("kinds@example.org", next_mail("kinds@example.org"))
    # An unsigned token of Google, as development mode takes it.
    google = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"none"}', b'{"sub":"1"}', b""))
    linking = {"idToken": sign_in("adding@example.org"), "requestUri": "http://localhost", "returnSecureToken": True,
               "postBody": f"providerId=google.com&id_token={google}"}
    sender.call("accounts:signInWithIdp", linking, **language)
    kinds["method-added"] = ("adding@example.org", next_mail("adding@example.org"))
    removal = {"idToken": sign_in("leaving@example.org"), "deleteAttribute": ["EMAIL"]}
    sender.call("accounts:update", removal, **language)
    kinds["method-removed"] = ("leaving@example.org", next_mail("leaving@example.org"))
    return kinds


@pytest.mark.parametrize("locale", ["en", "de", "ar"])
def test_every_kind_of_mail_is_well_formed_and_no_spam(start_server, aiosmtp_server, tmp_path, locale):
    settings = smtp_settings(aiosmtp_server, aiosmtp.USER, aiosmtp.PASSWORD, aiosmtp_server.authority)
    sender = start_server(LATCHKEY_EMAIL_PRIVACY="true", **settings)
    kinds = every_kind(sender, aiosmtp_server, locale)
    assert len({raw for _, raw in kinds.values()}) == 8
    for kind, (recipient, raw) in kinds.items():
        message = check_form(raw, recipient)
        if kind == "email-in-use":
            assert "oobCode" not in mails.text(message) + mails.html(message), "there is nothing to confirm"
        else:
            assert mails.action_link(message)
    verdicts = spamassassin.judge([raw for _, raw in kinds.values()], tmp_path)
    for kind, verdict in zip(kinds, verdicts, strict=True):
        assert verdict.score < 1.0, f"{kind}: {verdict.report}"


def test_spamassassin_finds_nothing_in_what_postfix_delivered(postfix_sender, real_postfix, tmp_path):
    recipients = {locale: f"spam-{locale.lower()}@example.org" for locale in LOCALES}
    for locale, recipient in recipients.items():
        postfix_sender.send_link(recipient, locale)
    delivered = [real_postfix.wait_for_mail(recipient) for recipient in recipients.values()]
    for locale, verdict in zip(LOCALES, spamassassin.judge(delivered, tmp_path), strict=True):
        assert verdict.score < 1.0, f"{locale}: {verdict.report}"


def test_spamassassin_would_find_something(tmp_path):
    """The judge is awake, and tells mails apart: GTUBE is spam by definition."""
    head = b"Subject: x\r\nFrom: a@example.org\r\nTo: b@example.org\r\n\r\n"
    spam = head + b"XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n"
    innocent = head + b"Hello\r\n"
    verdicts = spamassassin.judge([innocent, spam, innocent], tmp_path)
    assert [verdict.score > 100 for verdict in verdicts] == [False, True, False]
