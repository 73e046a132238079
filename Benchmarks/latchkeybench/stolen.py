"""Attacks with a stolen token or an unsolicited confirmation, on a release build in production mode behind a trusted proxy."""

import asyncio
import os
import subprocess
import urllib.parse

from .attacks import HOME, KEY, OFFICE, attacked, link_code, sign_in
from .raw import Connection



def recent_for_two_seconds(binary: str) -> dict[str, str]:
    """A setting for a sign-in to count as recent for 2 s in place of 15 minutes; none for a binary that does not know it."""
    with open(binary, "rb") as file:
        return {"LATCHKEY_LIFE_RECENT_SIGN_IN": "2s"} if b"recentSignIn" in file.read() else {}


def outcome(answer) -> str:
    return f"{answer.status} {answer.code}".strip()


async def ask_for_change(connection: Connection, token: str, email: str, client: str):
    body = {"requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": email}
    return await connection.call("POST", f"/v1/accounts:sendOobCode{KEY}", body, client)


async def press_button(connection: Connection, code: str, client: str):
    """What the button of a mail's page sends."""
    form = urllib.parse.urlencode({"oobCode": code, "action": "confirm", "lang": "en"}).encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return await connection.call("POST", "/auth/action", form, client, headers)


async def takeover_by_old_token(binary: str, folder: str, as_administrator: bool = False) -> dict:
    """A stolen ID token, older than a recent sign-in, asks to change the address to the thief's."""
    async with attacked(binary, folder, **recent_for_two_seconds(binary)) as (server, mail):
        connection = Connection(server.port)
        owner = await sign_in(connection, mail, "owner@example.com", HOME)
        if as_administrator:
            environment = os.environ | server.settings
            arguments = [binary, "admin", "add", owner["localId"]]
            await asyncio.to_thread(subprocess.run, arguments, env=environment, check=True)
        else:
            await asyncio.sleep(4)
        asked = await ask_for_change(connection, owner["idToken"], "thief@example.net", OFFICE)
        result = {"VERIFY_AND_CHANGE_EMAIL": outcome(asked)}
        if asked.status == 200:
            code = link_code(await mail.text_for("thief@example.net"))
            result["confirmed"] = outcome(await press_button(connection, code, OFFICE))
            mail.mails.clear()
            thief = await sign_in(connection, mail, "thief@example.net", OFFICE)
            result["the thief is now"] = "the owner" if thief["localId"] == owner["localId"] else "somebody else"
        deleted = await connection.call("POST", f"/v1/accounts:delete{KEY}", {"idToken": owner["idToken"]}, OFFICE)
        return result | {"accounts:delete": outcome(deleted)}


async def takeover_of_an_administrator(binary: str, folder: str) -> dict:
    """The same with the fresh ID token of an administrator."""
    return await takeover_by_old_token(binary, folder, as_administrator=True)


async def unsolicited_confirmation(binary: str, folder: str) -> dict:
    """An attacker's account asks for the victim's address; the victim presses the button, and later signs in by link."""
    async with attacked(binary, folder) as (server, mail):
        connection = Connection(server.port)
        attacker = await sign_in(connection, mail, "attacker@example.net", OFFICE)
        await ask_for_change(connection, attacker["idToken"], "victim@example.com", OFFICE)
        await press_button(connection, link_code(await mail.text_for("victim@example.com")), HOME)
        mail.mails.clear()
        victim = await sign_in(connection, mail, "victim@example.com", HOME)
        form = f"grant_type=refresh_token&refresh_token={attacker['refreshToken']}".encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        refreshed = await connection.call("POST", f"/v1/token{KEY}", form, OFFICE, headers)
        return {
            "same account": victim["localId"] == attacker["localId"],
            "the attacker's session": outcome(refreshed),
        }


async def old_mailbox_takes_back(binary: str, folder: str) -> dict:
    """As before; then the attacker opens the recovery link in his old mailbox."""
    async with attacked(binary, folder) as (server, mail):
        connection = Connection(server.port)
        attacker = await sign_in(connection, mail, "attacker@example.net", OFFICE)
        await ask_for_change(connection, attacker["idToken"], "victim@example.com", OFFICE)
        mail.mails = [kept for kept in mail.mails if kept[1] != "attacker@example.net"]
        await press_button(connection, link_code(await mail.text_for("victim@example.com")), HOME)
        recovery = link_code(await mail.text_for("attacker@example.net"))
        mail.mails.clear()
        victim = await sign_in(connection, mail, "victim@example.com", HOME)
        recovered = await connection.call("POST", f"/v1/accounts:update{KEY}", {"oobCode": recovery}, OFFICE)
        looked = await connection.call("POST", f"/v1/accounts:lookup{KEY}", {"idToken": victim["idToken"]}, HOME)
        return {
            "recovery": f"{outcome(recovered)}: address {recovered.json.get('email')}, contested {recovered.json.get('contested')}",
            "the victim's session": outcome(looked),
        }


ATTACKS = {
    "old-token": takeover_by_old_token,
    "administrator": takeover_of_an_administrator,
    "unsolicited": unsolicited_confirmation,
    "old-mailbox": old_mailbox_takes_back,
}
