"""What arrived in the development mailbox of a server."""
import re

from .waiting import wait_until


def newest(server, email: str, count: int = 1) -> dict:
    """The newest e-mail to an address, once it has got `count`."""
    def found():
        messages = [one for one in server.get("/mailbox/messages")["messages"] if one["to"] == [email]]
        return messages[0] if len(messages) >= count else None
    return wait_until(found, 15, f"{count} e-mails to {email}")


def link(message: dict) -> str:
    return message["links"][0]


def code(message: dict) -> str:
    return re.search(r"\b\d{4} \d{4}\b", message["text"]).group(0)
