/** Writes a call's events as lines that a person reads. Pure. */
import { ERROR_CATALOGUE, isErrorNumber } from '../../../voice/errors/error-catalogue.js'
import type { CallEvent } from '../servers/call-events.js'
import { hopText, makerText, sipRemedy } from './sip-text.js'

export interface LineStyle {
  /** The epoch milliseconds that the line counts from. */
  readonly startedAt: number
  /** True when the terminal shows colour. */
  readonly isColoured: boolean
  /** The call that the event belongs to, when calls are shown together. */
  readonly label?: string
}

const COLOURS: Readonly<Record<string, number>> = {
  status: 35,
  sip: 36,
  media: 36,
  webhook: 33,
  callback: 33,
  verb: 32,
  digits: 32,
  warning: 31,
  error: 31,
}

/** Column of the text of an event. */
const INDENT = 21

/** Writes one event as `+  1.234s  sip        → INVITE`. */
export function timelineLine(event: CallEvent, style: LineStyle): string {
  const seconds = ((event.at - style.startedAt) / 1_000).toFixed(3).padStart(7)
  const name = event.kind.padEnd(9)
  const kind = style.isColoured ? `\u001b[${COLOURS[event.kind] ?? 0}m${name}\u001b[0m` : name
  const label = style.label === undefined ? '' : `${style.label} `
  return `+${seconds}s  ${label}${kind} ${describe(event)}`
}

/**
 * Returns what stands below an event: what to do about a refusal or an error number, and the beginning of the
 * application's answer. `shownCode` is the number whose remedy stands just above.
 */
export function explanationLines({ kind, detail }: CallEvent, shownCode?: unknown): string[] {
  return explanations(kind, detail, shownCode).map((line) => `${' '.repeat(INDENT)}${line}`)
}

function explanations(
  kind: CallEvent['kind'],
  detail: CallEvent['detail'],
  shownCode: unknown,
): string[] {
  if (kind === 'sip') {
    const remedy = sipRemedy(detail)
    return remedy === '' ? [] : [`remedy: ${remedy}`]
  }
  if (kind !== 'error' && kind !== 'warning') return []
  const { code } = detail
  const answer = textOf(detail['answer'])
  const lines = answer === '' ? [] : [`answered: ${answer}`]
  if (isErrorNumber(code) && code !== shownCode)
    lines.push(`remedy: ${ERROR_CATALOGUE[code].remedy}`)
  return lines
}

function describe({ kind, detail }: CallEvent): string {
  switch (kind) {
    case 'sip':
      return `${detail['direction'] === 'sent' ? '→' : '←'} ${textOf(detail['message'])}${headersOf(detail)}${hopText(detail)}${makerText(detail)}`
    case 'media':
      return mediaText(detail)
    case 'status':
      return statusText(detail)
    // What the document does stands below what the call does.
    case 'verb':
      return `  ${[`<${textOf(detail['verb'])}>`, textOf(detail['text'])].join(' ').trim()}`
    case 'digits':
      return `    pressed ${textOf(detail['digits'])}${textOf(detail['finishedOnKey'])}`
    case 'webhook':
    case 'callback':
      return requestText(detail)
    case 'queue':
      return queueText(detail)
    case 'warning':
      return `! ${problemText(detail)}`
    case 'error':
      return `‼ ${problemText(detail)}`
    default:
      return otherText(kind, detail)
  }
}

/** Returns a leg's channel, or what its audio was once the leg is over. */
function mediaText({ server, channel, figures }: CallEvent['detail']): string {
  if (typeof figures !== 'object' || figures === null) return `${textOf(server)} ${textOf(channel)}`
  const all = new Map<string, unknown>(Object.entries(figures))
  const figure = (name: string) => textOf(all.get(name))
  const where = (name: string, text: string) => (figure(name) === '' ? [] : [text])
  const parts = [
    `${figure('codec')}${figure('isSecure') === 'true' ? ' SRTP' : ''}`,
    `received ${figure('packetsReceived')}, sent ${figure('packetsSent')} packets`,
    `lost ${figure('lossPercent')} %`,
    `jitter ${figure('jitterMs')} ms`,
    ...where('largestGapMs', `gap ${figure('largestGapMs')} ms`),
    ...where('roundTripMs', `round trip ${figure('roundTripMs')} ms`),
    ...where('mos', `MOS ${figure('mos')}`),
    `${figure('remote')} → ${figure('local')}`,
  ]
  return parts.join(' · ')
}

function headersOf({ headers }: CallEvent['detail']): string {
  if (typeof headers !== 'object' || headers === null) return ''
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${textOf(value)}`)
  return shown.length === 0 ? '' : `  (${shown.join('; ')})`
}

function statusText(detail: CallEvent['detail']): string {
  const sipStatus = textOf(detail['sipStatus'])
  const maker = makerText(detail)
  return `${textOf(detail['status'])}${sipStatus === '' ? '' : ` (SIP ${sipStatus})`}${maker}`
}

function otherText(kind: CallEvent['kind'], detail: CallEvent['detail']): string {
  return kind === 'synthesis' ? `    ${synthesisText(detail)}` : JSON.stringify(detail)
}

function synthesisText({ engine, characters, durationMs, error }: CallEvent['detail']): string {
  const took = `${textOf(characters)} characters in ${textOf(durationMs)} ms`
  return error === undefined
    ? `spoken by the engine ${textOf(engine)}, ${took}`
    : `! not spoken by the engine ${textOf(engine)}, ${took}: ${textOf(error)}`
}

function queueText(detail: CallEvent['detail']): string {
  const words = ['event', 'queue', 'queueSid', 'result', 'by', 'callSid']
  return words
    .map((word) => textOf(detail[word]))
    .filter((text) => text !== '')
    .join(' ')
}

function problemText(detail: CallEvent['detail']): string {
  return [textOf(detail['code']), textOf(detail['message']), textOf(detail['url'])]
    .filter((text) => text !== '')
    .join(' ')
}

function requestText(detail: CallEvent['detail']): string {
  const { error, durationMs } = detail
  const outcome = isProblem(error) ? `! ${problemText(error)}` : textOf(detail['status'])
  const took = typeof durationMs === 'number' ? ` in ${Math.round(durationMs)} ms` : ''
  const what = textOf(detail['callStatus'])
  return `${textOf(detail['method'])} ${textOf(detail['url'])}${what === '' ? '' : ` (${what})`} ← ${outcome}${took}`
}

function isProblem(error: unknown): error is CallEvent['detail'] {
  return typeof error === 'object' && error !== null
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
