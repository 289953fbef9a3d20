/** What each number in an error body means, for `/docs/errors`, where `more_info` points. */
export const ERROR_TEXTS: Readonly<Record<number, string>> = {
  11100: 'A URL in a document is not valid.',
  11200: 'A web server of yours could not be fetched, or answered with an error.',
  11201: 'A web server of yours did not accept the connection in time.',
  11202: 'A web server of yours refused the connection.',
  11203: 'A web server of yours did not answer in time (15 seconds in all).',
  11205: 'The connection to a web server of yours failed.',
  11206: 'A web server of yours did not speak HTTP.',
  11210: 'The host name of a URL does not resolve, or to an address that may not be reached.',
  11215: 'A web server of yours redirected too often.',
  11220: 'The TLS connection to a web server of yours failed.',
  11750: 'A web server of yours answered with more than 64 KB.',
  12100: 'The document is not well-formed XML.',
  12102: 'The root element of a document must be Response.',
  12200: 'An element or attribute is unknown, misspelled or out of place; it was ignored.',
  12300: 'The content type of a document is not markup, text or audio.',
  12400: 'The document could not be run, through no fault of yours.',
  13240: 'The call to coach is not in the conference, or none was named.',
  13420: 'What a Play names is not audio of a supported type.',
  15002: 'Nobody came into the queue that a Dial waited at, within its timeout.',
  15004:
    'A relative URL in markup that was given inline: there is nothing it could be relative to.',
  16101: 'Nothing was recorded: it was too short.',
  16102: 'Nothing was recorded but silence.',
  16108: 'The call has more than one recording in progress: name the one that is meant.',
  16111: 'Recordings cannot be stored as the Storage settings say: one is missing or wrong.',
  16112: 'The bucket of the Storage settings refused the access.',
  16113: 'A recording of one channel cannot be had with two.',
  16020: 'The conference is full.',
  16023: 'A participant label has 1 to 128 characters, no slash, and is not the sid of a call.',
  16025: 'The participant label is in use in that conference.',
  20003: 'The account or its token is wrong, or none was given.',
  20002: 'FriendlyName has at most 64 characters, in one line.',
  20004: 'The resource exists; it has no such method.',
  20005: 'The account is not active.',
  20006: 'The account allows no requests from this address.',
  20007: 'PageSize is at most 1000.',
  20009: 'The call is still in progress, or callers wait in the queue: it cannot be deleted.',
  20404: 'The resource does not exist, or belongs to another account.',
  20413: 'The body of the request is too large.',
  20422: 'A parameter is not valid; the message names it.',
  20429: 'Too many requests or calls at once; nothing was done. Try again after Retry-After.',
  20500: 'The server failed; it is logged.',
  20503: 'Calls cannot be placed at this moment: a server is away or shutting down. Try again.',
  21201: 'To is missing.',
  21205: 'Url is missing or not an absolute http or https URL, and there is no Markup.',
  21206: 'SendDigits takes at most 32 of 0-9 A-D * # w W.',
  21208: 'Timeout is a whole number of seconds, at least 1.',
  21209: 'A method is GET or POST.',
  21211: 'To is neither a phone number nor a SIP URI.',
  21212: 'From is neither a phone number nor a SIP URI.',
  21213: 'From is missing.',
  21216: 'The operator of this service does not allow calls to this number.',
  21218: 'ApplicationSid is not the sid of an application of this account.',
  21220: 'The call, or the conference, is not in progress.',
  21221: 'SipAuthUsername has at most 128 characters.',
  21222: 'SipAuthPassword has at most 128 characters.',
  21223: 'SipAuthUsername has characters that are not allowed.',
  21224: 'SipAuthPassword has characters that are not allowed.',
  21225: 'SipAuthPassword is given without SipAuthUsername.',
  21227: 'The headers behind the SIP URI of To have 1024 characters or more.',
  21228:
    'A header behind the SIP URI of To may not be sent: X-…, User-to-User and Remote-Party-ID may.',
  21229: 'The value of a header behind the SIP URI of To is not percent-encoded text of one line.',
  21234:
    'MachineDetection is Enable or DetectMessageEnd; its timeout is 3 to 60 s, its speech threshold 1000 to 6000 ms, its speech end threshold 500 to 5000 ms, its silence timeout 2000 to 10000 ms.',
  21402: 'A URL is not an absolute http or https URL.',
  21403: 'A method is GET or POST.',
  21405: 'VoiceFallbackUrl needs a VoiceUrl.',
  21481: 'PageToken did not come from this list.',
  21609: 'StatusCallback is not an absolute http or https URL, or its host name has an underscore.',
  22003: 'The account has a queue of that name already.',
  31900: 'A stream ended because the audio of its call could not be had, or for an unknown reason.',
  31901: 'The server of a stream did not accept the connection in time.',
  31902: 'The server of a stream refused the connection.',
  31903: 'The connection of a stream was lost.',
  31904: 'The server of a stream could not be reached, or has an address that may not be reached.',
  31910: 'The TLS connection to the server of a stream failed.',
  31920: 'The server of a stream did not answer the websocket upgrade as it should.',
  31921: 'The server of a stream closed the connection with a code that is not a normal one.',
  31922: 'The URL of a stream begins with wss://; ws:// leads to allowed private addresses only.',
  31923: 'The URL of a stream is not a web address.',
  31924: 'The server of a stream broke the websocket protocol, or sent a message of over 640 KB.',
  31930: 'The server of a stream reads too slowly: the oldest audio was thrown away.',
  31931: 'More than ten minutes of audio is buffered for a stream: media was thrown away.',
  31941:
    'The track of a stream is inbound_track, outbound_track or both_tracks, in Connect the first.',
  31950: 'A message that the server of a stream sent is not a JSON text.',
  31951: 'A message that the server of a stream sent means nothing here.',
  31960: 'The call has a stream already: there is one at a time.',
  32018: 'Inline markup has at most 4000 characters.',
}

export function errorsPage(): string {
  const rows = Object.entries(ERROR_TEXTS)
    .map(([number, text]) => `<tr id="${number}"><td>${number}</td><td>${text}</td></tr>`)
    .join('\n')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Errors</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
td{border-top:1px solid #d0d7de;padding:.3rem 1rem .3rem 0;vertical-align:top}tr:target{background:#fff8c5}</style>
</head><body><h1>Errors</h1><table>
${rows}
</table></body></html>
`
}
