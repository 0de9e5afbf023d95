"""A merchant's server on Python's standard library alone. It verifies each delivery, keeps it once,
answers at once, and works afterwards.

WEBHOOK_SECRET is the `whsec_...` text that create_merchant_webhook showed once.
"""

import hashlib
import hmac
import json
import os
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]
PORT = int(os.environ.get("PORT", "8080"))
TOLERANCE_SECONDS = 300
MOST_BYTES = 1024 * 1024


def is_genuine(headers, body: bytes) -> bool:
    """Whether one of the signatures is of these very bytes, made within five minutes of now."""
    timestamp = headers.get("svc-webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = timestamp.encode() + b"." + body
    expected = "v1=" + hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
    # After a rotation there may be two, v1=<new>,v1=<old>; either will do.
    given = headers.get("svc-webhook-signature", "").split(",")
    return any(hmac.compare_digest(part.strip().encode(), expected.encode()) for part in given)


# Keep these in your database, the id as its primary key: insert, and answer 200 when it was there already.
seen: set[str] = set()
seen_lock = threading.Lock()
to_do: "queue.Queue[dict]" = queue.Queue()


def work() -> None:
    while True:
        event = to_do.get()
        if event["type"] == "payment_request.paid":
            paid = event["data"]["object"]
            print(f"{paid['externalReference']} is paid: {paid['amountUsd']} USD.", flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        body = self.rfile.read(length) if length <= MOST_BYTES else b""
        if length > MOST_BYTES or not is_genuine(self.headers, body):
            self.answer(400)
            return
        event = json.loads(body)
        with seen_lock:
            is_new = event["id"] not in seen
            seen.add(event["id"])
        self.answer(200)
        if is_new:
            to_do.put(event)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_args) -> None:
        pass


if __name__ == "__main__":
    threading.Thread(target=work, daemon=True).start()
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    print(f"Listening on http://127.0.0.1:{PORT}/webhooks", flush=True)
    server.serve_forever()
