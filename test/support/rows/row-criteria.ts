/** Criteria of each row: attacks, losses and crashes that a telephone service must survive. */
export const ROW_CRITERIA = {
  A1: 'each RFC 4475 message gets the outcome that the RFC owes it, and a normal request after it is answered',
  A2: '20,000 mutated messages at 500/s: no crash, no failure in the log, what both processes hold after a forced collection (heap and buffers) grows by less than 20 MB, and so does resident memory from the end of these to the end of 20,000 more (the first 20,000 also grow the allocators to their working size, which is shown, not judged), event loop p99 under 50 ms, a call every 5 s succeeds',
  A3: 'framing: closed or answered 400/413/513 within 1 s, memory bounded; in 100,000 fuzz cases the framer and the parser agree on every length',
  A4: '1,000 idle half-messages are closed at the timeout; new calls are unaffected',
  A5: 'seven copies of an INVITE are one call and one webhook; the same INVITE by another way gets 482',
  A6: 'a lost 200 is sent again from T1 to T2; without any ACK a BYE follows at 64×T1 and the call is completed',
  A7: 'CANCEL at every moment: 200 and 487, or 200 and BYE; one final status',
  A8: 're-INVITE glare: of two offers at once the second gets 491 or 500; our own re-INVITE that got 491 comes again after 2.1–4 s where we made the Call-ID, 0–2 s where they did, and no more than 40 ms of audio are missing. Ours are the refreshes of sessions, which the lab sends when the far end asks it to; on real servers the signalling server sends them',
  A9: 'BYE crossing BYE or re-INVITE: 200 or 481; one completed',
  A10: 'requests of no dialog: 481 or 405; nothing else changes',
  A11: 'abusive SDP: 488 or a valid answer, at most 5 ms of processor each',
  B12: 'scanners get not a byte, are counted, and cause neither calls nor webhooks',
  B13: '2,000 INVITEs a second of one stranger for 60 s: all good calls succeed, set-up p95 at most 3 times the idle one, memory back within 10 MB after 60 s',
  B14: 'digest follows the vectors of RFC 2617, 7616 and 8760; SHA-256 is offered first',
  B15: 'a replayed, expired or foreign nonce and a tampered realm get 401, stale=true only when expired',
  B16: 'ten wrong passwords throttle the source; a user that exists takes no longer than one that does not',
  B17: 'credentials go only to the configured realm, at most twice',
  B18: '10,000 requests with random credentials: 401 of one shape; absent and foreign resources look alike; 429 with Retry-After',
  B19: "ten times an account's rate is queued or refused, in order, nothing lost; others are unaffected",
  B20: 'an address outside AllowCidr gets 403, whatever X-Forwarded-For says',
  C21: 'newlines in any field make no command: 400 or cleaned',
  C22: '${…} is never expanded: the text arrives literally',
  C23: 'delimiters and foreign schemes are refused; only http and https reach the cache',
  C24: 'CRLF and angle brackets in SIP fields: 400, no extra header on the wire',
  C25: 'no spelling of a private address reaches a listener',
  C26: 'abusive XML is a parse error within 50 ms, without a fetch; redirects end',
  C27: "a peer's line breaks and escapes stay within one escaped JSON line of the log",
  C28: 'no secret in logs, API answers, event logs or SIP; default secrets are refused outside loopback',
  D29: "the convention's own validator accepts every signature",
  D30: 'a hanging application: the fallback is asked in time, with ErrorCode and ErrorUrl',
  D31: 'connection overrides are kept: three attempts, one idempotency token, no fragment sent',
  D32: 'a killed server delivers each of 200 callbacks at least once and in order',
  D33: "one slow customer costs another's webhooks less than half as much again; queues stay bounded",
  E34: "RTP of strangers is neither heard nor recorded; the peer's own new SSRC is",
  E35: 'garbage RTP and RTCP: the call lives, no exception',
  E36: 'loss, jitter and reordering: the recording has its length, all digits arrive',
  E37: 'with half of the RTP ports taken all calls succeed; no packet reaches the next call',
  E38: 'a fork whose consumer stalls holds at most 2 s of audio and disturbs no other',
  E39: 'a lost fork is reported once; the call goes on',
  E40: 'digits by RFC 4733, INFO and in-band are understood; speech makes none',
  E41: 'SRTP follows its vectors; replayed packets are dropped',
  F42: 'kill -9 with 50 calls: every row final, every peer gets BYE, no channel left after 10 s, callbacks delivered',
  F43: 'kill -9 while 20 recordings run: each opens, at most 200 ms lost, callback sent',
  F44: 'kill -9 during 1,000 creations: every acknowledged call exists, the database is whole, the same key gives the same call',
  F45: 'a full disk: 503 or 500 with a body, calls survive, recovery without restart',
  F46: 'media server lost: calls end within 2 s, the next call works within 5 s of its return',
  F47: 'signalling server lost: the same, and REST answers 503 meanwhile',
  F48: 'half as much again as the limit: exactly the excess is refused with Retry-After, nothing admitted is dropped',
  F49: 'all features at half capacity (three minutes unless told --minutes 60): none failed, what both processes hold after a forced collection in all their threads (heap and buffers) grows by at most 4 KB a call beside a swing of 4 MB, resident memory is shown and from half an hour on judged as well, what is open is back to the baseline; the stalls of the event loops are shown',
  F50: 'SIGTERM: new calls get 503, live ones finish, exit 0, the log of the database is checkpointed',
  F51: 'the clock jumps by an hour: durations stay right, nothing times out',
  F52: 'a command to the media server takes less than 5 ms (p95)',
  F53: 'baresip, Linphone, SIPp, FreeSWITCH and drachtio call and are called, press digits, hold and return, hang up and are hung up',
  F54: 'a whole call over ::1',
  F55: 'one of two media servers is killed under 40 calls: its calls end within 5 s with one callback each, the others go on, new calls are answered meanwhile, and it is used again',
  speech:
    'a Say of 3,000 characters starts at most half as late again as one of 40, and so does one of 40 beside four of 3,000 of another account',
  updates:
    '2,000 calls of random verbs to random parties, changed and ended at random moments: every call has one final status and one completed, numbered without a gap, and nothing is left',
  'streams-soak':
    'ten two-way streams for half an hour (three minutes unless told --minutes 30): marks keep to the audio before them, what both processes hold after a forced collection grows by less than 10 MB',
  detection:
    'fifty clips of the labelled set through real SIP and RTP: the detector says of each what it says of the file',
  'streams-clear':
    'clear, anywhere in a frame of a speaking stream: its last sound is over within 60 ms (p95, on the wire), and every pending mark is returned, in order',
  'messages-kill':
    '10,000 messages at the rate of their campaign, with three kill -9: none lost, none doubled, in order for each pair of numbers, segments and charges right',
  'messages-list':
    'pages of 100,000 messages, the first, one in the middle and those of each filter, beside pages of 1,000',
  fuzz: 'a million generated messages with generated descriptions inside ten dialogs, in any order: no call ends, sound comes back with a proper offer, no failure in the log, what both processes hold after a forced collection (heap and buffers) grows by less than 20 MB',
  'outage-frozen':
    'PostgreSQL hangs for 120 s under 30 live calls and 20 registered phones: the process lives, calls are heard, what must be stored gets 503, and afterwards every call ends once and every phone registers',
  'outage-gone': 'the same while PostgreSQL is killed and away for 120 s',
  'outage-disk': 'the same while the disk of SQLite is full for 180 s',
} as const

export type RowId = keyof typeof ROW_CRITERIA

export const ROW_IDS = Object.keys(ROW_CRITERIA).filter(isRowId)

export function isRowId(text: string): text is RowId {
  return Object.hasOwn(ROW_CRITERIA, text)
}
