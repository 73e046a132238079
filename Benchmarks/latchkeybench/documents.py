"""Documents of guests, for measuring how they are set and read, and what becomes of them in a merge."""

from .client import Client, in_parallel

TEXT = "All work and no play. " * 8
# At most so many writes go in one call.
BATCH = 500


def names(count: int, prefix: str = "d") -> list[str]:
    return [f"{prefix}{number}" for number in range(count)]


def write(client: Client, token: str, ids: list[str]) -> None:
    """Gives a user documents of about 200 bytes, as few calls as it takes."""
    for start in range(0, len(ids), BATCH):
        writes = [
            {"collection": "bench", "id": id, "set": {"number": start + place, "text": TEXT}}
            for place, id in enumerate(ids[start : start + BATCH])
        ]
        client.call("PATCH", "/v1/documents", {"writes": writes}, token)


def guests(port: int, count: int, each: int) -> list[str]:
    """Signs up guests with so many documents each: lines with a token and the paths, for documents.lua."""

    def guest(client: Client) -> str:
        token = client.post("/v1/accounts:signUp", {})["idToken"]
        write(client, token, names(each))
        return " ".join([token] + [f"/v1/documents/bench/{id}" for id in names(each)])

    return in_parallel(port, [guest] * count)
