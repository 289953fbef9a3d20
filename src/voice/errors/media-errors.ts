/** Errors of calls, conferences, recordings and streams. */
export const MEDIA_ERRORS = {
  10004: {
    name: 'too-many-calls',
    text: 'There is no room for another call, or a limit of the account stops it.',
    remedy:
      'Wait until a call has ended, or ask the operator for more: `MAX_CALLS`, `MAX_CALL_DELAY_MS`, `callsToOneNumber`, `minutesPerDay`, `dollarsPerDay`.',
  },
  16020: {
    name: 'conference-full',
    text: 'The conference is full.',
    remedy: 'Raise maxParticipants, at most 250, or wait until somebody has left.',
  },
  16023: {
    name: 'invalid-participant-label',
    text: 'A participant label is empty, too long, has a slash, or is the sid of a call.',
    remedy: 'Use 1 to 128 characters without a slash.',
  },
  16025: {
    name: 'participant-label-in-use',
    text: 'The participant label is in use in that conference.',
    remedy: 'Use another label, or remove the participant who has it.',
  },
  16101: {
    name: 'recording-too-short',
    text: 'Nothing was recorded: it was too short.',
    remedy: 'Nothing needs to be done; an absent recording costs nothing.',
  },
  16102: {
    name: 'recording-silent',
    text: 'Nothing was recorded but silence.',
    remedy: 'Check that the caller can be heard; an absent recording costs nothing.',
  },
  16108: {
    name: 'several-recordings',
    text: 'The call has more than one recording in progress.',
    remedy: 'Name the recording by its sid instead of `Twilio.CURRENT`.',
  },
  16111: {
    name: 'storage-invalid-configuration',
    text: 'Recordings cannot be stored as the storage settings say: one is missing or wrong.',
    remedy: "Check the bucket, region, endpoint and keys of the account's settings.",
  },
  16112: {
    name: 'storage-access-denied',
    text: 'The bucket of the storage settings refused the access.',
    remedy: 'Permit the keys to write and delete objects in the bucket.',
  },
  16113: {
    name: 'recording-not-dual-channel',
    text: 'A recording of one channel cannot be had with two.',
    remedy: 'Ask for one channel, or record with `RecordingChannels=dual`.',
  },
  31900: {
    name: 'stream-failed',
    text: 'A stream ended before it had begun, or because the audio of its call could not be had, or for an unknown reason.',
    remedy: 'Start it again; tell the operator when it happens often.',
  },
  31901: {
    name: 'stream-connection-timeout',
    text: 'The server of a stream did not accept the connection in time.',
    remedy: 'Check that it runs and that a firewall lets this server in.',
  },
  31902: {
    name: 'stream-connection-refused',
    text: 'The server of a stream refused the connection.',
    remedy: 'Start the server, or correct the port in the URL.',
  },
  31903: {
    name: 'stream-connection-lost',
    text: 'The connection of a stream was lost.',
    remedy: 'Look for crashes and proxies that cut idle connections on your side.',
  },
  31904: {
    name: 'stream-unreachable',
    text: 'The server of a stream could not be reached, or has an address that may not be reached.',
    remedy:
      'Correct the host. For a private network the operator lists its range in `WEBHOOK_ALLOW_CIDRS`.',
  },
  31910: {
    name: 'stream-tls-failed',
    text: 'The TLS connection to the server of a stream failed.',
    remedy: 'Offer TLS 1.2 or newer with a certificate for the host.',
  },
  31920: {
    name: 'stream-handshake-failed',
    text: 'The server of a stream did not answer the websocket upgrade as it should.',
    remedy: 'Answer with 101 and the right Sec-WebSocket-Accept (RFC 6455 §4.2.2).',
  },
  31921: {
    name: 'stream-closed-by-remote',
    text: 'The server of a stream closed the connection with a code that is not a normal one.',
    remedy: 'Close with 1000 when all is well; the event log shows the code.',
  },
  31922: {
    name: 'stream-scheme-not-supported',
    text: 'The URL of a stream does not begin with wss://; ws:// leads to allowed private addresses only.',
    remedy: 'Use a wss:// URL.',
  },
  31923: {
    name: 'stream-invalid-url',
    text: 'The URL of a stream is not a web address, or has a fragment.',
    remedy: 'Give an absolute wss:// URL without ? and #; parameters go into Parameter elements.',
  },
  31924: {
    name: 'stream-protocol-violation',
    text: 'The server of a stream broke the websocket protocol, or sent a message of over 640 KB.',
    remedy: 'Send smaller messages with a websocket library.',
  },
  31930: {
    name: 'stream-reads-too-slowly',
    text: 'The server of a stream reads too slowly: the oldest audio was thrown away.',
    remedy: 'Read messages at once and work on them beside.',
  },
  31931: {
    name: 'stream-buffer-full',
    text: 'More than ten minutes of audio is buffered for a stream: media was thrown away.',
    remedy: 'Send audio at most ten minutes ahead, or send `clear` first.',
  },
  31941: {
    name: 'stream-invalid-track',
    text: 'The track of a stream is not known, or is not the inbound one in a Connect; the default is used.',
    remedy: 'Write `inbound_track`, `outbound_track` or `both_tracks`, in Connect the first.',
  },
  31950: {
    name: 'stream-malformed-message',
    text: 'A message that the server of a stream sent is not a JSON text.',
    remedy: 'Send one JSON object in each text message.',
  },
  31951: {
    name: 'stream-invalid-message',
    text: 'A message that the server of a stream sent means nothing here.',
    remedy: 'Send `media`, `mark` or `clear` with their documented fields.',
  },
  31960: {
    name: 'stream-already-active',
    text: 'The call has a stream already: there is one at a time.',
    remedy: 'Stop the first one before you start another.',
  },
  32016: {
    name: 'no-ringing-in-time',
    text: 'The network that a call was placed to did not say in time that it rings.',
    remedy: 'Try again; ask the carrier when it happens often.',
  },
  32022: {
    name: 'answer-not-acknowledged',
    text: 'The answer to an incoming call was never acknowledged (RFC 3261 §13.3.1.4), so the call was ended.',
    remedy: "The caller's network lost the ACK: check `SIP_HOST` and the firewall between.",
  },
} as const
