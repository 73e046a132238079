"""What a received mail says, read with Python's own `email` package under its strict policy."""
import email
import email.policy
import re
import urllib.parse
from email.message import EmailMessage


def parse(raw: bytes) -> EmailMessage:
    if raw.isascii():
        message = email.message_from_bytes(raw, policy=email.policy.SMTP)
    else:
        # From bytes, the package would leave the UTF-8 of an international header (RFC 6532) undecoded.
        message = email.message_from_string(raw.decode(), policy=email.policy.SMTPUTF8)
    assert isinstance(message, EmailMessage)
    return message


def defects(message: EmailMessage) -> list:
    """Everything that the package has to complain about: structure, headers, bodies."""
    found = list(message.defects)
    for part in message.walk():
        found += part.defects
        for _, value in part.items():
            found += getattr(value, "defects", [])
        if not part.is_multipart():
            part.get_content()
            found += part.defects
    return found


def text(message: EmailMessage) -> str:
    return message.get_body(("plain",)).get_content()


def html(message: EmailMessage) -> str:
    return message.get_body(("html",)).get_content()


def links(message: EmailMessage) -> list[str]:
    return re.findall(r"https?://\S+", text(message))


def action_link(message: EmailMessage) -> str:
    found = [link for link in links(message) if "oobCode=" in link]
    assert len(found) == 1, f"one link with a code expected, found {found} in:\n{text(message)}"
    return found[0]


def link_parameters(message: EmailMessage) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(action_link(message)).query))


def code(message: EmailMessage) -> str:
    return link_parameters(message)["oobCode"]


def digits(message: EmailMessage) -> str:
    """The sign-in code as the mail shows it, in two groups of four."""
    found = re.findall(r"(?m)^\s*(\d{4} \d{4})\s*$", text(message))
    assert len(found) == 1, text(message)
    return found[0]
