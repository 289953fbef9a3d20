"""Lists, fetches and removes transcriptions with the convention's own Python client, unmodified."""
import json
import sys

from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

base, sid, token, recording = sys.argv[1:5]


class ToTrunkline(TwilioHttpClient):
    """Sends every request to the server under test."""

    def request(self, method, url, *args, **kwargs):
        return super().request(method, url.replace("https://api.twilio.com", base), *args, **kwargs)


client = Client(sid, token, http_client=ToTrunkline())
listed = client.transcriptions.list(page_size=2)
of_recording = client.recordings(recording).transcriptions.list()
text = client.transcriptions(listed[0].sid).fetch().transcription_text
client.transcriptions(listed[0].sid).delete()
print(
    json.dumps(
        {
            "listed": len(listed),
            "of_recording": len(of_recording),
            "text": text,
            "left": len(client.transcriptions.list()),
        }
    )
)
