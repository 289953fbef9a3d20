/** Prints whole SIP messages, each below its time and its way. Pure. */
import type { fetchFullMessages, SipMessage } from './sip-messages.js'
import { partyName, placeText } from './sip-text.js'

const NOTHING_KEPT =
  'no whole messages: the operator keeps them for an account or number with `keepSipMessages`'

/** Returns the lines of the kept messages; with `isJson` one object for each message. */
export function fullLines(
  { messages, notKept }: Awaited<ReturnType<typeof fetchFullMessages>>,
  isJson: boolean,
): readonly string[] {
  const kept = messages.filter(({ full }) => full !== undefined)
  const startedAt = kept[0]?.at ?? 0
  if (isJson)
    return kept.map(({ at, call, callId, isSent, full }) =>
      JSON.stringify({ at, callSid: call.sid, callId, isSent, text: full }),
    )
  if (kept.length === 0) return [NOTHING_KEPT]
  const lines = kept.flatMap((message) => [titleOf(message, startedAt), ...textOf(message), ''])
  return notKept === 0 ? lines : [...lines, `${String(notKept)} more messages were not kept`]
}

function titleOf({ at, isSent, detail }: SipMessage, startedAt: number): string {
  const seconds = ((at - startedAt) / 1_000).toFixed(3)
  const place = [partyName(detail), placeText(detail['peer'])].join(' ').trim()
  return `+${seconds}s  ${isSent ? '→' : '←'} ${place === '' ? 'our own stack' : place}`
}

/** Returns the lines of a message; control characters, which could steer a terminal, are replaced. */
function textOf({ full = '' }: SipMessage): readonly string[] {
  return full
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `    ${line.replace(/\p{Cc}/gu, '?')}`)
}
