import type { Clock } from '../../../platform/clock.js'
import { newSid } from '../../../platform/ids.js'
import type { EventLog } from '../../events/event-log.js'
import type { Telephony } from '../../telephony/port.js'

/** Error number of an unusable drachtio or FreeSWITCH server. */
const SERVER_FAULT = 32013
/** Minimum interval of events, ms: during an outage one event covers many refused calls. */
const EVENT_EVERY_MS = 5_000

export interface OutageEventsDeps {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly events: Pick<EventLog, 'append'>
  readonly telephony: Pick<Telephony, 'health'>
}

/** Writes into the event log why calls are refused before they are stored. */
export class OutageEvents {
  readonly #deps: OutageEventsDeps
  #eventAt = Number.NEGATIVE_INFINITY
  #unreported = 0

  constructor(deps: OutageEventsDeps) {
    this.#deps = deps
  }

  /** Records a refused call of the account. */
  refused(accountSid: string): void {
    const { clock, events, telephony } = this.#deps
    this.#unreported += 1
    if (clock.monotonic() - this.#eventAt < EVENT_EVERY_MS) return
    const { signalingFault, mediaFault, signaling } = telephony.health
    const faults = [signalingFault, mediaFault].filter((fault) => fault !== undefined)
    const away = `${signaling === 'up' ? 'FreeSWITCH' : 'drachtio'} is not connected`
    const why = faults.length === 0 ? away : faults.join('; ')
    const detail = {
      code: SERVER_FAULT,
      message: `no call can be placed: ${why}`,
      calls: this.#unreported,
    } as const
    events.append({ callSid: newSid('CA'), accountSid, kind: 'error', detail })
    this.#eventAt = clock.monotonic()
    this.#unreported = 0
  }
}
