/** Seeded in-dialog messages, valid and invalid, in random order: the same seed gives the same series. */
import { ABUSIVE_SDP } from './abusive-sdp.js'
import { pick } from './sip-corpus.js'
import { mutate } from './sip-fuzz.js'
import { headerOf, type PeerMessage, writeMessage } from './sip-peer-message.js'

/** The dialog from the caller's point of view. */
export interface FuzzedDialog {
  readonly callId: string
  /** From and To of the caller's requests, with tags. */
  readonly local: string
  readonly remote: string
  readonly target: string
  /** The caller's address, `host:port`. */
  readonly address: string
  /** A valid session description of the caller. */
  readonly sdp: string
}

type Random = () => number
type Header = readonly [string, string]

/** All methods but BYE, which would end the call legitimately. */
const METHODS = [
  ...['INVITE', 'INVITE', 'INVITE', 'UPDATE', 'UPDATE', 'INFO', 'INFO', 'OPTIONS', 'PRACK', 'ACK'],
  ...['CANCEL', 'REFER', 'NOTIFY', 'SUBSCRIBE', 'MESSAGE', 'PUBLISH', 'REGISTER', 'FOO'],
]
const STATUSES = ['100 Trying', '183 Progress', '200 OK', '302 Moved', '401 No', '481 No', '503 No']
const DIRECTIONS = ['sendrecv', 'sendonly', 'recvonly', 'inactive']
/** No interval is short enough to end the call legitimately. */
const EXTRAS: readonly Header[] = [
  ['Require', 'timer'],
  ['Require', '100rel'],
  ['Require', 'nothing-known'],
  ['Supported', 'timer, 100rel, replaces, outbound'],
  ['Session-Expires', '7200;refresher=uac'],
  ['Session-Expires', 'x'],
  ['Min-SE', '90'],
  ['RAck', '1 1 INVITE'],
  ['RSeq', '1'],
  ['Event', 'refer'],
  // Only a REFER subscription may be terminated: for any other, drachtio drops the dialog and the call ends.
  ['Subscription-State', 'active;expires=60'],
  ['Refer-To', '<sip:+15005550002@127.0.0.1>'],
  ['Refer-To', 'nobody'],
  ['Replaces', 'a@b;to-tag=1;from-tag=2'],
  ['Content-Disposition', 'render;handling=required'],
  ['Content-Encoding', 'gzip'],
  ['Accept', 'application/nothing'],
  ['Expires', '-1'],
  ['Max-Breadth', '0'],
  ['P-Asserted-Identity', '<tel:+15551112222>, <sip:x@y>'],
  ['Authorization', 'Digest username="a", realm="b", nonce="c", uri="d", response="e"'],
  ['X-Header', 'x'.repeat(500)],
]
const BODIES: readonly Header[] = [
  ['application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n'],
  ['application/dtmf', '#'],
  ['application/dtmf-relay', 'Signal=\r\nDuration=99999999999\r\n'],
  ['message/sipfrag;version=2.0', 'SIP/2.0 200 OK\r\n'],
  ['text/plain', 'hello'],
  ['multipart/mixed;boundary=x', '--x\r\nContent-Type: application/sdp\r\n\r\nv=0\r\n--x--\r\n'],
  ['application/nothing', '\u0000\u0001'],
]

/** Increment of CSeq between proper requests, leaving numbers for out-of-order ones. */
export const SEQUENCE_STEP = 10

/** One message of the series. `sequence`: CSeq of the dialog's next proper request. */
export function fuzzedMessage(
  dialog: FuzzedDialog,
  sequence: number,
  random: Random,
): string | Buffer {
  const text =
    random() < 0.1
      ? response(dialog, sequence, random)
      : request(dialog, pick(METHODS, random), sequence, random)
  if (random() < 0.9) return text
  const mutated = mutate(Buffer.from(text), random)
  // After a CSeq far ahead, every later request would legitimately be out of order (RFC 3261 §12.2.2).
  const number = Number(/^CSeq:\s*(\d+)/im.exec(mutated.toString('latin1'))?.[1] ?? 0)
  return number > sequence + SEQUENCE_STEP ? text : mutated
}

/** A proper request in the dialog, for example to check that it exists. */
export function properRequest(
  dialog: FuzzedDialog,
  method: 'INVITE' | 'OPTIONS' | 'BYE',
  sequence: number,
): string {
  const body: Header = method === 'INVITE' ? ['application/sdp', dialog.sdp] : ['', '']
  const branch = `z9hG4bKproper${String(sequence)}${method}`
  return written(dialog, { method, sequence, branch, extras: [], body })
}

/** The ACK of a refused INVITE, within the same transaction (RFC 3261 §17.1.1.3). */
export function acknowledgement({ local, target }: FuzzedDialog, refusal: PeerMessage): string {
  const via = headerOf(refusal, 'via').replaceAll(/;(?:received|rport)(?:=[^;]*)?/g, '')
  return writeMessage(
    `ACK ${target} SIP/2.0`,
    [
      ['Via', `${via};rport`],
      ['Max-Forwards', '70'],
      ['From', local],
      ['To', headerOf(refusal, 'to')],
      ['Call-ID', headerOf(refusal, 'call-id')],
      ['CSeq', headerOf(refusal, 'cseq').replace('INVITE', 'ACK')],
    ],
    '',
  )
}

interface Wanted {
  readonly method: string
  readonly sequence: number
  readonly branch: string
  readonly extras: readonly Header[]
  readonly body: Header
}

function request(dialog: FuzzedDialog, method: string, sequence: number, random: Random): string {
  const extras = EXTRAS.filter(() => random() < 0.05)
  const number = random() < 0.8 ? sequence : pick([0, 1, sequence - 1, sequence + 1], random)
  const branch = `z9hG4bK${String(Math.floor(random() * 2 ** 32))}`
  const body: Header =
    random() < 0.6 ? ['application/sdp', description(dialog, random)] : pick(BODIES, random)
  const known = random() < 0.95 ? dialog : strange(dialog, random)
  return written(known, {
    ...{ method, sequence: number, branch, extras },
    body: random() < 0.2 ? ['', ''] : body,
  })
}

function response(dialog: FuzzedDialog, sequence: number, random: Random): string {
  const { callId, local, remote, address } = dialog
  return writeMessage(
    `SIP/2.0 ${pick(STATUSES, random)}`,
    [
      ['Via', `SIP/2.0/UDP ${address};branch=z9hG4bK${String(Math.floor(random() * 2 ** 32))}`],
      ['From', random() < 0.5 ? remote : local],
      ['To', random() < 0.5 ? local : remote],
      ['Call-ID', callId],
      ['CSeq', `${String(sequence)} ${pick(METHODS, random)}`],
    ],
    random() < 0.3 ? description(dialog, random) : '',
  )
}

function written(
  { callId, local, remote, target, address }: FuzzedDialog,
  { method, sequence, branch, extras, body: [type, body] }: Wanted,
): string {
  return writeMessage(
    `${method} ${target} SIP/2.0`,
    [
      ['Via', `SIP/2.0/UDP ${address};branch=${branch};rport`],
      ['Max-Forwards', '70'],
      ['From', local],
      ['To', remote],
      ['Call-ID', callId],
      ['CSeq', `${String(sequence)} ${method}`],
      ['Contact', `<sip:peer@${address}>`],
      ...extras.map(([name, value]): [string, string] => [name, value]),
      ...(type === '' ? [] : ([['Content-Type', type]] as [string, string][])),
    ],
    body,
  )
}

/** The dialog with an unknown tag or Call-ID. */
function strange(dialog: FuzzedDialog, random: Random): FuzzedDialog {
  const other = (text: string) => text.replace(/tag=.*$/, 'tag=nobody')
  return pick(
    [
      { ...dialog, local: other(dialog.local) },
      { ...dialog, remote: other(dialog.remote) },
      { ...dialog, callId: `x${dialog.callId}` },
      { ...dialog, remote: dialog.remote.replace(/;tag=.*$/, '') },
    ],
    random,
  )
}

/** A session description: proper, with another direction or version, abusive, mutated, or truncated. */
function description({ sdp }: FuzzedDialog, random: Random): string {
  const version = sdp.replace(/^(o=\S+ \S+ )\d+/m, `$1${String(Math.floor(random() * 2 ** 31))}`)
  const turned = version.replace(/a=sendrecv/, `a=${pick(DIRECTIONS, random)}`)
  const kind = random()
  if (kind < 0.4) return turned
  if (kind < 0.6) return pick(ABUSIVE_SDP, random)[1]
  if (kind < 0.9) return mutate(Buffer.from(turned), random).toString('latin1')
  return turned.slice(0, Math.floor(random() * turned.length))
}
