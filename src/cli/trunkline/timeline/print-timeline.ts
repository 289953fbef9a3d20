/** Prints why a call did what it did: its event log, and those of the calls that it dialled. */
import { pause } from '../../../platform/async/sleep.js'
import type { CallEvent } from '../servers/call-events.js'
import type { VoiceServer } from '../servers/voice-server.js'
import type { Surroundings } from '../surroundings.js'
import { eventReader, fetchCall, fetchChildren, type ShownCall } from './event-reader.js'
import { explanationLines, timelineLine } from './timeline-line.js'

const POLL_MS = 500
/**
 * The number of looks that bring nothing new after which the log is over: callbacks and the end of
 * the log come a little after the call's end.
 */
const QUIET_POLLS = 4
const FINAL = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])

export interface TimelineWish {
  readonly sid: string
  /** True to go on until the call is over and its events have come. */
  readonly isFollowing: boolean
  /** True for one line of JSON for each event, and nothing else. */
  readonly isJson: boolean
}

/** Resolves with the call as it was at the end; after Ctrl-C, as it is then. */
export async function printTimeline(
  server: VoiceServer,
  { sid, isFollowing, isJson }: TimelineWish,
  around: Surroundings,
): Promise<ShownCall> {
  const signal = isFollowing ? around.interrupted() : AbortSignal.abort()
  const call = await fetchCall(server, sid)
  if (!isJson) around.print(`${call.sid}  ${call.direction}  ${call.from} → ${call.to}\n`)
  const printer = new TimelinePrinter(server, call, { ...around, isJson })
  for (let quiet = 0; quiet < QUIET_POLLS; ) {
    const isOver = FINAL.has((await fetchCall(server, sid)).status)
    const printed = await printer.printNew()
    quiet = isOver && printed === 0 ? quiet + 1 : 0
    if (signal.aborted) break
    await pause(POLL_MS, signal)
  }
  const last = await fetchCall(server, sid)
  if (!isJson) around.print(`\n${summaryOf(last)}`)
  return last
}

/** Prints the events of a call and of the calls that it dialled, each once. */
class TimelinePrinter {
  readonly #server: VoiceServer
  readonly #call: ShownCall
  readonly #output: Pick<Surroundings, 'print' | 'isColoured'> & { readonly isJson: boolean }
  readonly #readers: Map<string, () => Promise<readonly CallEvent[]>>
  readonly #labels = new Map<string, string>()
  #startedAt: number | undefined
  /** Error number of the event that was printed last; undefined when that was none. */
  #shownCode: unknown

  constructor(
    server: VoiceServer,
    call: ShownCall,
    output: Pick<Surroundings, 'print' | 'isColoured'> & { readonly isJson: boolean },
  ) {
    this.#server = server
    this.#call = call
    this.#output = output
    this.#readers = new Map([[call.sid, eventReader(server, call.sid)]])
  }

  /** Resolves with the number of events that came since the last time. */
  async printNew(): Promise<number> {
    for (const child of await fetchChildren(this.#server, this.#call.sid)) {
      if (this.#readers.has(child.sid)) continue
      this.#readers.set(child.sid, eventReader(this.#server, child.sid))
      this.#labels.set(child.sid, labelOf(child))
    }
    const events = await readAll([...this.#readers.values()])
    for (const event of events) this.#print(event)
    return events.length
  }

  #print(event: CallEvent): void {
    const { print, isJson, isColoured } = this.#output
    this.#startedAt ??= event.at
    const style = { startedAt: this.#startedAt, isColoured }
    const label = this.#labels.get(event.callSid)
    // `logs --sip --full` prints whole messages.
    if (event.kind === 'sip-message' && !isJson) return
    if (isJson) {
      print(JSON.stringify(event))
      return
    }
    print(timelineLine(event, label === undefined ? style : { ...style, label }))
    for (const line of explanationLines(event, this.#shownCode)) print(line)
    this.#shownCode = event.detail['code']
  }
}

async function readAll(
  readers: readonly (() => Promise<readonly CallEvent[]>)[],
): Promise<readonly CallEvent[]> {
  const events: CallEvent[] = []
  for (const read of readers) events.push(...(await read()))
  return events.sort((a, b) => a.at - b.at)
}

/** A call's label, as `[…1a2b3c +15005550002]`. */
function labelOf({ sid, to }: ShownCall): string {
  return `[…${sid.slice(-6)} ${to}]`
}

function summaryOf({ status, duration }: ShownCall): string {
  return duration === null ? status : `${status}, ${duration} s`
}
