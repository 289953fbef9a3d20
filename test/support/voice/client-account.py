"""Uses an account, its keys and its caller IDs with the convention's own Python client, unmodified."""
import json
import sys

from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.rest import Client

base, sid, token, number = sys.argv[1:5]


class ToTrunkline(TwilioHttpClient):
    """Sends every request to the server under test."""

    def request(self, method, url, *args, **kwargs):
        return super().request(method, url.replace("https://api.twilio.com", base), *args, **kwargs)


def code_of(work):
    try:
        work()
    except TwilioRestException as error:
        return [error.status, error.code]
    return None


client = Client(sid, token, http_client=ToTrunkline())
account = client.api.accounts(sid).fetch()
renamed = client.api.accounts(sid).update(friendly_name="From Python")

made = client.new_keys.create(friendly_name="robot")
by_key = Client(made.sid, made.secret, account_sid=sid, http_client=ToTrunkline())
with_key = len(by_key.calls.list(limit=1))
key = client.keys(made.sid).update(friendly_name="renamed")
listed = [each.sid for each in client.keys.list()]
client.keys(made.sid).delete()
signing = client.new_signing_keys.create()
signing_keys = [each.sid for each in client.signing_keys.list()]
client.signing_keys(signing.sid).delete()

validation = client.validation_requests.create(phone_number=number, call_delay=60)
client.calls(validation.call_sid).update(status="canceled")
caller_id = client.outgoing_caller_ids.list()[0]
client.outgoing_caller_ids(caller_id.sid).update(friendly_name="python")
shown = client.outgoing_caller_ids(caller_id.sid).fetch()
client.outgoing_caller_ids(caller_id.sid).delete()

print(
    json.dumps(
        {
            "account": [account.status, account.type, account.owner_account_sid == sid],
            "renamed": renamed.friendly_name,
            "balance": [client.balance.fetch().balance, client.balance.fetch().currency],
            "notifications": len(client.notifications.list(log=1)),
            "notification": code_of(lambda: client.notifications("NO" + "0" * 32).fetch()),
            "calls with a key": with_key,
            "key": key.friendly_name,
            "keys": listed == [made.sid],
            "signing keys": signing_keys == [signing.sid],
            "deleted key": code_of(lambda: by_key.calls(validation.call_sid).fetch()),
            "code": len(validation.validation_code),
            "caller id": [shown.friendly_name, shown.phone_number],
            "caller ids left": len(client.outgoing_caller_ids.list()),
        }
    )
)
