"""Exercises numbers and applications with the convention's own Python client, unmodified."""
import json
import sys

from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

base, sid, token = sys.argv[1:4]


class ToTrunkline(TwilioHttpClient):
    """Sends every request to the server under test."""

    def request(self, method, url, *args, **kwargs):
        return super().request(method, url.replace("https://api.twilio.com", base), *args, **kwargs)


client = Client(sid, token, http_client=ToTrunkline())
numbers = client.incoming_phone_numbers

claimed = [numbers.create(phone_number=f"+1555300000{index}") for index in range(6)]
claimed.append(
    numbers.create(
        phone_number="+18335551212", voice_url="https://app.test/voice", voice_method="GET"
    )
)
last = claimed[-1]
updated = numbers(last.sid).update(voice_url="https://app.test/other")
seen = {
    "claimed": len(claimed),
    "listed": len(list(numbers.stream(page_size=3))),
    "toll-free": len(numbers.toll_free.list()),
    "local": len(numbers.local.list()),
    "mobile": len(numbers.mobile.list()),
    "updated url": updated.voice_url,
    "kept method": numbers(last.sid).fetch().voice_method,
    "voice can": last.capabilities["voice"],
}
for number in numbers.stream(page_size=2):
    number.delete()
numbers(last.sid).delete()
seen["left"] = len(numbers.list())
try:
    numbers(last.sid).fetch()
except TwilioRestException as error:
    seen["fetch of one that is gone"] = error.status

for index in range(5):
    client.applications.create(friendly_name=f"python {index}")
seen["applications"] = len(list(client.applications.stream(page_size=2)))
found = client.applications.list(friendly_name="python 2")
seen["by name"] = len(found)
found[0].update(friendly_name="renamed", voice_url="https://app.test/voice")
seen["changed name"] = client.applications(found[0].sid).fetch().friendly_name
for application in client.applications.stream(page_size=2):
    application.delete()
seen["applications left"] = len(client.applications.list())
print(json.dumps(seen))
