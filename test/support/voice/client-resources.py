"""Exercises every resource with the convention's own Python client, unmodified; prints the results.

Arguments: the server's URL, the account's sid and token, and a JSON object with the given sids.
"""
import json
import sys
from urllib.parse import urlsplit

from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

base, sid, token = sys.argv[1:4]
given = json.loads(sys.argv[4])
exchanges = []


class ToTrunkline(TwilioHttpClient):
    """Sends every request to the server under test, and records its answers."""

    def request(self, method, url, *args, **kwargs):
        local = url.replace("https://api.twilio.com", base)
        answer = super().request(method, local, *args, **kwargs)
        parts = urlsplit(local)
        target = parts.path + ("?" + parts.query if parts.query else "")
        body = json.loads(answer.text) if answer.text else ""
        exchanges.append(
            {"method": method, "target": target, "status": answer.status_code, "body": body}
        )
        return answer


def refused(work):
    try:
        work()
    except TwilioRestException as error:
        return error.status
    raise AssertionError("it was not refused")


def life(collection, create, change, remaining=0):
    """Creates three, lists them page by page, changes one and removes all; returns the number listed."""
    made = [create(index) for index in range(3)]
    listed = len(collection.list(page_size=2))
    first = made[0].sid
    collection(first).update(**change)
    collection(first).fetch()
    for each in made:
        collection(each.sid).delete()
    refused(lambda: collection(first).fetch())
    assert len(collection.list()) == remaining
    return listed


client = Client(sid, token, http_client=ToTrunkline())
account = client.api.accounts(sid)
account.fetch()
account.update(friendly_name="python")
client.balance.fetch()
counts = {}

numbers = client.incoming_phone_numbers
stock = client.available_phone_numbers
counts["countries"] = len(stock.list())
stock("US").fetch()
refused(lambda: stock("FR").fetch())
free = stock("US").local.list(page_size=2)
counts["free"] = len(free)
counts["toll-free"] = len(stock("US").toll_free.list(contains="800555"))
counts["free mobile"] = len(stock("US").mobile.list())
counts["numbers"] = life(
    numbers,
    lambda index: numbers.create(phone_number=free[index].phone_number),
    {"voice_url": "https://app.test/voice"},
)
refused(lambda: numbers.create(phone_number=given["claimed"]))
for kind in (numbers.local, numbers.toll_free, numbers.mobile):
    made = kind.create(phone_number=free[0].phone_number)
    kind.list()
    numbers(made.sid).delete()

applications = client.applications
counts["applications"] = life(
    applications,
    lambda index: applications.create(friendly_name=f"python {index}"),
    {"status_callback": "https://app.test/status", "voice_method": "GET"},
)
counts["keys"] = life(
    client.keys, lambda index: client.new_keys.create(), {"friendly_name": "renamed"}
)
counts["signing keys"] = life(
    client.signing_keys,
    lambda index: client.new_signing_keys.create(friendly_name="python"),
    {"friendly_name": "renamed"},
)

caller_ids = client.outgoing_caller_ids
client.validation_requests.create(phone_number=given["unverified"])
verified = caller_ids.list(page_size=2)
counts["caller ids"] = len(verified)
caller_ids(verified[0].sid).update(friendly_name="renamed")
caller_ids(verified[0].sid).fetch()
caller_ids(verified[0].sid).delete()
refused(lambda: caller_ids(verified[0].sid).fetch())

nothing = "NO" + "0" * 32
for owner in (client, client.calls(given["call"])):
    owner.notifications.list()
    refused(lambda: owner.notifications(nothing).fetch())

for owner in (client, client.recordings(given["recording"])):
    texts = owner.transcriptions
    found = texts.list(page_size=2)
    counts.setdefault("transcriptions", []).append(len(found))
    texts(found[0].sid).fetch()
    texts(found[0].sid).delete()
    refused(lambda: texts(found[0].sid).fetch())

print(json.dumps({"counts": counts, "exchanges": exchanges}))
