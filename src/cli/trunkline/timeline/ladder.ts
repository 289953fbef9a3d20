/** Draws the SIP messages of a call as a ladder: a column for each party, an arrow for each message. Pure. */
import type { SipMessage } from './sip-messages.js'
import { makerText, partyName, placeText } from './sip-text.js'

/** Width of a column, in characters; a longer label is cut. */
const WIDTH = 30
const TIME_WIDTH = 11
const OURS = 'trunkline'

/** A message as a row of the ladder. */
export interface LadderRow {
  readonly at: number
  readonly callSid: string
  readonly callId: string
  readonly from: string
  readonly to: string
  readonly text: string
  /** Who made a response that the peer did not send, and why; empty otherwise. */
  readonly note: string
}

interface Party {
  readonly name: string
  readonly place: string
}

/** Returns the messages as rows; a re-INVITE and a response's method are marked. */
export function ladderRows(messages: readonly SipMessage[]): readonly LadderRow[] {
  const parties = partiesOf(messages)
  const answered = new Set<string>()
  return messages.map((message) => {
    const { at, call, callId, isSent, detail } = message
    const peer = titleOf(parties.get(callId))
    const text = labelOf(message, answered.has(callId))
    if (/^2\d\d\b/.test(message.text) && methodOf(message) === 'INVITE') answered.add(callId)
    const [from, to] = isSent ? [OURS, peer] : [peer, OURS]
    return {
      ...{ at, callSid: call.sid, callId, text, to },
      from: detail['madeBy'] === 'own-stack' ? OURS : from,
      note: makerText(detail).trim(),
    }
  })
}

/** Returns the lines of the ladder: the parties, then a line for each message. */
export function ladderLines(messages: readonly SipMessage[]): readonly string[] {
  const parties = partiesOf(messages)
  const [first, ...others] = [...parties.keys()]
  if (first === undefined) return ['the call has no SIP messages']
  // The caller's dialog is on the left, the dialled ones are on the right.
  const columns = [first, undefined, ...others]
  const startedAt = messages[0]?.at ?? 0
  const heads = columns.map((callId) => (callId === undefined ? undefined : parties.get(callId)))
  const title = (line: 'name' | 'place') =>
    [
      ' '.repeat(TIME_WIDTH),
      ...heads.map((party) => centred(party?.[line] ?? (line === 'name' ? OURS : ''))),
    ]
      .join('')
      .trimEnd()
  const rows = ladderRows(messages)
  return [
    title('name'),
    title('place'),
    ...messages.flatMap((message, index) => {
      const row = rows[index]
      const seconds = `+${((message.at - startedAt) / 1_000).toFixed(3)}s`.padStart(TIME_WIDTH - 2)
      const arrow = drawn(message, row?.text ?? '', columns)
      const note = row?.note === '' ? '' : `  ${row?.note ?? ''}`
      return [`${seconds}  ${arrow}${note}`.trimEnd()]
    }),
  ]
}

/** Returns the party of each dialog, in the order of their first messages. */
function partiesOf(messages: readonly SipMessage[]): ReadonlyMap<string, Party> {
  const parties = new Map<string, Party>()
  for (const { call, callId, detail } of messages) {
    if (parties.has(callId)) continue
    const place = placeText(detail['peer'])
    const name = partyName(detail)
    parties.set(callId, {
      name: name === '' ? (call.sid === messages[0]?.call.sid ? 'peer' : call.to) : name,
      place: place === '' ? 'this server' : place,
    })
  }
  return parties
}

function titleOf(party: Party | undefined): string {
  return `${party?.name ?? ''} ${party?.place ?? ''}`.trim()
}

/** Returns the label of a message: `re-INVITE`, `REFER sip:…`, `202 Accepted (REFER)`. */
function labelOf(message: SipMessage, isAnswered: boolean): string {
  const { text, headers } = message
  if (text === 'INVITE' && isAnswered) return 're-INVITE'
  if (text === 'REFER') return `REFER ${(headers['Refer-To'] ?? '').replace(/[<>]/g, '')}`.trim()
  const method = /^\d/.test(text) ? methodOf(message) : 'INVITE'
  return method === 'INVITE' || method === '' ? text : `${text} (${method})`
}

/** Returns the method that a response belongs to; empty when the event has no CSeq. */
function methodOf({ headers }: SipMessage): string {
  return headers['CSeq']?.split(' ')[1] ?? ''
}

/** Draws the columns with an arrow between the peer's and ours. */
function drawn(
  { callId, isSent, detail }: SipMessage,
  label: string,
  columns: readonly (string | undefined)[],
): string {
  const middle = Math.floor(WIDTH / 2)
  const line = Array.from(columns, () => centred('│'))
    .join('')
    .split('')
  const [left = 0, right = 0] = [columns.indexOf(callId), columns.indexOf(undefined)]
    .map((column) => column * WIDTH + middle)
    .toSorted((a, b) => a - b)
  const isRightwards = isSent === columns.indexOf(callId) > columns.indexOf(undefined)
  const shaft = detail['madeBy'] === 'own-stack' ? '┄' : '─'
  for (let at = left + 1; at < right; at += 1) line[at] = shaft
  if (isRightwards) line[right - 1] = '▶'
  else line[left + 1] = '◀'
  // The label stands beside our column, even when the arrow crosses other columns.
  const ours = columns.indexOf(undefined) * WIDTH + middle
  const near = left === ours ? left : right - WIDTH
  const shown = ` ${label.length > WIDTH - 6 ? `${label.slice(0, WIDTH - 7)}…` : label} `
  const start = near + Math.ceil((WIDTH - shown.length) / 2)
  for (const [index, letter] of Array.from(shown).entries()) line[start + index] = letter
  return line.join('').trimEnd()
}

function centred(text: string): string {
  const shown = text.length > WIDTH - 2 ? `${text.slice(0, WIDTH - 3)}…` : text
  const before = Math.floor((WIDTH - shown.length + 1) / 2)
  return `${' '.repeat(before)}${shown}`.padEnd(WIDTH)
}
