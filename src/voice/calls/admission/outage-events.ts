import type { Clock } from '../../../platform/clock.js'
import { newSid } from '../../../platform/ids.js'
import type { EventLog } from '../../events/event-log.js'
import type { Telephony } from '../../telephony/port.js'

/** The error number of a drachtio or FreeSWITCH that is of no use. */
const SERVER_FAULT = 32013
/** While nothing works many calls are refused: one event in so long tells of them all. */
const EVENT_EVERY_MS = 5_000

export interface OutageEventsDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly events: Pick<EventLog, 'append'>
  readonly telephony: Pick<Telephony, 'health'>
}

/** Tells the event log why calls are refused before there is any row of theirs. */
export class OutageEvents {
  readonly #deps: OutageEventsDeps
  #eventAt = Number.NEGATIVE_INFINITY
  #untold = 0

  constructor(deps: OutageEventsDeps) {
    this.#deps = deps
  }

  /** Notes a refused call of the account. */
  refused(accountSid: string): void {
    const { clock, events, telephony } = this.#deps
    this.#untold += 1
    if (clock.monotonic() - this.#eventAt < EVENT_EVERY_MS) return
    const { signalingFault, mediaFault, signaling } = telephony.health
    const faults = [signalingFault, mediaFault].filter((fault) => fault !== undefined)
    const away = `${signaling === 'up' ? 'FreeSWITCH' : 'drachtio'} is not connected`
    const why = faults.length === 0 ? away : faults.join('; ')
    const detail = {
      code: SERVER_FAULT,
      message: `no call can be placed: ${why}`,
      calls: this.#untold,
    } as const
    events.append({ callSid: newSid('CA'), accountSid, kind: 'error', detail })
    this.#eventAt = clock.monotonic()
    this.#untold = 0
  }
}
