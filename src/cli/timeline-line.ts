/** A call's events as lines that a person reads. Pure. */
import type { CallEvent } from './call-events.js'

const COLOURS: Readonly<Record<string, number>> = {
  status: 35,
  sip: 36,
  webhook: 33,
  callback: 33,
  verb: 32,
  digits: 31,
  warning: 31,
  error: 31,
}

/** `+ 1.234s  sip       → INVITE`; colour only where a terminal shows it. */
export function timelineLine(event: CallEvent, startedAt: number, isColoured: boolean): string {
  const seconds = ((event.at - startedAt) / 1_000).toFixed(3).padStart(7)
  const kind = event.kind.padEnd(9)
  const text = `${isColoured ? `\u001b[${COLOURS[event.kind] ?? 0}m${kind}\u001b[0m` : kind} ${describe(event)}`
  return `+${seconds}s  ${text}`
}

function describe({ kind, detail }: CallEvent): string {
  switch (kind) {
    case 'sip':
      return `${detail['direction'] === 'sent' ? '→' : '←'} ${textOf(detail['message'])}`
    case 'status':
      return textOf(detail['status'])
    case 'verb':
      return [`<${textOf(detail['verb'])}>`, textOf(detail['text'])].join(' ').trim()
    case 'digits':
      return `pressed ${textOf(detail['digits'])}`
    case 'webhook':
    case 'callback':
      return describeRequest(detail)
    default:
      return [textOf(detail['code']), textOf(detail['message'])].join(' ').trim()
  }
}

function describeRequest(detail: CallEvent['detail']): string {
  const outcome = detail['error'] === undefined ? textOf(detail['status']) : textOf(detail['error'])
  const took =
    typeof detail['durationMs'] === 'number' ? ` in ${Math.round(detail['durationMs'])} ms` : ''
  const what = textOf(detail['callStatus'])
  return `${textOf(detail['method'])} ${textOf(detail['url'])}${what === '' ? '' : ` (${what})`} ← ${outcome}${took}`
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
