"""Lists, deletes during paging, and downloads, with the convention's own Python client, unmodified."""
import base64
import datetime
import json
import sys
import urllib.request

from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

base, sid, token, day = sys.argv[1:5]


class ToTrunkline(TwilioHttpClient):
    """Sends every request to the server under test."""

    def request(self, method, url, *args, **kwargs):
        return super().request(method, url.replace("https://api.twilio.com", base), *args, **kwargs)


client = Client(sid, token, http_client=ToTrunkline())
made = datetime.date.fromisoformat(day)

for index in range(13):
    client.queues.create(friendly_name=f"python {index}")
deleted = 0
for queue in client.queues.stream(page_size=5):
    queue.delete()
    deleted += 1

recording = client.recordings.list(limit=1)[0]
credentials = base64.b64encode(f"{sid}:{token}".encode()).decode()
uri = base + recording.uri.replace(".json", ".wav")
sound = urllib.request.urlopen(
    urllib.request.Request(uri, headers={"Authorization": f"Basic {credentials}"})
).read()

print(
    json.dumps(
        {
            "calls of the day": len(client.calls.list(start_time=made)),
            "calls of the day before": len(
                client.calls.list(start_time=made - datetime.timedelta(days=1))
            ),
            "queues deleted": deleted,
            "queues left": len(client.queues.list()),
            "sound": sound[:4].decode(),
        }
    )
)
