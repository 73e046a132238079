"""Calls of the API, for preparing what is measured."""

import http.client
import json
import threading


# The header by which Firebase's SDKs are known: their sessions keep one refresh token.
FIREBASE = {"X-Client-Version": "Chrome/JsCore/11.0.0/FirebaseCore-web"}


class Client:
    """One connection to the server."""

    def __init__(self, port: int):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def post(self, path: str, body: dict, headers: dict | None = None) -> dict:
        return self.call("POST", f"{path}?key=bench", body, headers=headers)

    def call(self, method: str, path: str, body: dict, token: str | None = None, headers: dict | None = None) -> dict:
        headers = {"Content-Type": "application/json"} | (headers or {})
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.connection.request(method, path, json.dumps(body), headers)
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        if response.status not in (200, 201):
            raise RuntimeError(f"{path}: {response.status} {answer}")
        return answer

    def renew(self, token: str) -> dict:
        """Exchanges a refresh token."""
        return self.post("/v1/token", {"grant_type": "refresh_token", "refresh_token": token})

    def close(self) -> None:
        self.connection.close()


def guests(port: int, count: int, headers: dict[str, str] | None = None) -> list[dict]:
    """Signs up that many anonymous users; with the headers `FIREBASE`, their sessions keep one refresh token."""
    return in_parallel(port, [lambda client: client.post("/v1/accounts:signUp", {}, headers)] * count)


def in_parallel(port: int, calls: list, connections: int = 16) -> list:
    """Makes calls over several connections; what they answer, in any order."""
    answers: list = []
    waiting = iter(calls)
    lock = threading.Lock()
    failures: list[BaseException] = []

    def work() -> None:
        client = Client(port)
        try:
            while not failures:
                with lock:
                    call = next(waiting, None)
                if call is None:
                    return
                answers.append(call(client))
        except BaseException as failure:
            failures.append(failure)
        finally:
            client.close()

    workers = [threading.Thread(target=work) for _ in range(connections)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
    return answers
