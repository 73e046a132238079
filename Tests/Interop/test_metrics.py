"""Metrics as Prometheus, promtool and prometheus-client's parser read them."""
import contextlib
import json
import subprocess
import urllib.request

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from support.ports import free_port
from support.prometheus import MONITORING, Prometheus
from support.waiting import wait_until


@pytest.fixture
def measured(start_server):
    """A server with a metrics listener, on which a guest, an e-mail and a refusal have happened: server and address."""
    address = f"127.0.0.1:{free_port()}"
    server = start_server(LATCHKEY_METRICS_LISTEN=address)
    guest = server.call("accounts:signUp", {})
    server.call("accounts:sendOobCode", {"requestType": "EMAIL_SIGNIN", "email": "ann@example.org"})
    with pytest.raises(Exception):
        server.call("accounts:lookup", {"idToken": guest["idToken"] + "x"})
    return server, address


def scrape(address: str, accept: str = "") -> tuple[str, str]:
    request = urllib.request.Request(f"http://{address}/metrics", headers={"Accept": accept} if accept else {})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_promtool_and_the_parsers_find_nothing_wrong(measured):
    _, address = measured
    kind, text = scrape(address)
    assert kind == "text/plain; version=0.0.4; charset=utf-8"
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    assert "latchkey_users" in {family.name for family in parse_text(text)} or "latchkey_ready" in text

    kind, text = scrape(address, "application/openmetrics-text; version=1.0.0")
    assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    families = {family.name: family for family in parse_openmetrics(text)}
    assert families["latchkey_build"].type == "info"
    assert families["latchkey_http_requests"].type == "counter"
    assert families["latchkey_http_request_duration_seconds"].type == "histogram"
    for family in families.values():
        assert family.documentation
    assert "ann@example.org" not in text


def test_prometheus_scrapes_it_and_answers_every_query_of_the_dashboard(measured, tmp_path):
    server, address = measured
    prometheus = Prometheus(tmp_path, [address])
    try:
        prometheus.wait_for('latchkey_users{user="guest"}')
        # A rate needs two scrapes.
        prometheus.wait_for("count_over_time(latchkey_ready[1m]) >= 3")

        def is_up() -> bool:
            target = prometheus.get("targets")["activeTargets"][0]
            return (target["health"], target["lastError"]) == ("up", "")

        wait_until(is_up, 60, "a scrape without an error", prometheus.process)
        signed_up = prometheus.wait_for('latchkey_user_events_total{event="user.created",user="guest"}')
        assert signed_up[0]["value"][1] == "1"
        assert prometheus.wait_for('latchkey_links_total{stage="asked"}')[0]["value"][1] == "1"
        prometheus.wait_for('latchkey_links_total{stage="sent"} == 1')

        dashboard = json.loads((MONITORING / "dashboard.json").read_text())
        expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        assert len(expressions) >= 25

        def silent() -> list[str]:
            return [e for e in expressions if not prometheus.query(e.replace("$job", "latchkey"))]

        # A series that a slow server began late has a rate after one more scrape.
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not silent(), 30, "an answer to every query")
        assert silent() == []

        rules = prometheus.get("rules")["groups"][0]["rules"]
        assert len(rules) >= 12 and all(rule["health"] in ("ok", "unknown") and not rule.get("lastError") for rule in rules)
        firing = {alert["labels"]["alertname"] for alert in prometheus.get("alerts")["alerts"] if alert["state"] == "firing"}
        assert firing == set()

        server.stop()
        prometheus.wait_for('up{job="latchkey"} == 0')
    finally:
        prometheus.stop()


@pytest.mark.engine("sqlite")
def test_each_alert_fires_on_bad_numbers_only():
    for command in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts-test.yaml"]):
        result = subprocess.run(["promtool", *command], cwd=MONITORING, text=True, capture_output=True)
        assert result.returncode == 0, result.stdout + result.stderr
