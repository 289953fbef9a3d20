/**
 * Keeps one connection to a short message centre bound, and binds it again after each loss, later and
 * later. After `ESME_RTHROTTLED` it sends nothing for a while, longer each time.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { SmscSettings } from '../../config/smpp-settings.js'
import { linkAbort } from '../../platform/async/abort.js'
import { pause } from '../../platform/async/sleep.js'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import { textField } from './codec/fields.js'
import { COMMAND, STATUS } from './codec/pdu.js'
import { type LinkTimes, SmppLink, SmppLinkError } from './smpp-link.js'

export type BindRole = 'transceiver' | 'transmitter' | 'receiver'

export interface SmppTimes extends LinkTimes {
  readonly connectMs: number
  /** Pause before the second attempt, ms; it doubles up to the limit. */
  readonly retryMs: number
  readonly maxRetryMs: number
}

export interface BindOptions {
  readonly smsc: SmscSettings
  readonly role: BindRole
  readonly times: SmppTimes
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
  /** Handles a `deliver_sm`; resolves with the response status and never rejects. */
  readonly deliver: (body: Buffer) => Promise<number>
  /** PEM certificate of the SMSC's authority, instead of those of Node.js. */
  readonly authority?: string | undefined
}

export type PartOutcome =
  | { readonly type: 'taken'; readonly id: string }
  /** A permanent refusal, with its status. */
  | { readonly type: 'refused'; readonly status: number }
  | { readonly type: 'busy'; readonly reason: string }

const BIND_COMMANDS: Readonly<Record<BindRole, number>> = {
  transceiver: COMMAND.bindTransceiver,
  transmitter: COMMAND.bindTransmitter,
  receiver: COMMAND.bindReceiver,
}
/** Temporary refusals. */
const PASSING: readonly number[] = [STATUS.systemError, STATUS.queueFull, STATUS.throttled, 0x04]
/** Maximum stored length of an id; the specification allows 64 octets. */
const MAX_ID = 200

const VERSION_3_4 = 0x34

interface BindIdentity {
  readonly systemId: string
  readonly password: string
  readonly systemType: string
}

export class SmppBind {
  readonly #options: BindOptions
  readonly #stop = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #link: SmppLink | undefined
  #restMs = 0
  #restUntil = 0

  constructor(options: BindOptions) {
    this.#options = options
  }

  /** Starts connecting. */
  start(): void {
    this.#running = this.#run()
  }

  get role(): BindRole {
    return this.#options.role
  }

  get isBound(): boolean {
    return this.#link !== undefined && !this.#link.isOver && !this.#stop.signal.aborted
  }

  /** True while parts can be sent. */
  get canSend(): boolean {
    const { role, clock } = this.#options
    return role !== 'receiver' && this.isBound && clock.monotonic() >= this.#restUntil
  }

  get load(): number {
    return this.#link?.load ?? 0
  }

  /** Sends a `submit_sm`. If the connection ends first, the part may be retried. */
  async submit(body: Buffer): Promise<PartOutcome> {
    const link = this.#link
    if (link === undefined || !this.canSend) return { type: 'busy', reason: 'not bound' }
    try {
      const { status, body: answer } = await link.request(COMMAND.submitSm, body, {
        isOpen: () => this.canSend,
        hear: (heard) => {
          this.#hear(heard)
        },
      })
      if (status === STATUS.ok) return { type: 'taken', id: idOf(answer) }
      if (!PASSING.includes(status)) return { type: 'refused', status }
      return { type: 'busy', reason: `the SMSC answered ${statusName(status)}` }
    } catch (error) {
      return { type: 'busy', reason: error instanceof Error ? error.message : 'unknown' }
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort(new SmppLinkError('stopped'))
    await this.#link?.unbind()
    await this.#running
  }

  #hear(status: number): void {
    if (status === STATUS.ok) this.#restMs = 0
    if (status === STATUS.throttled) this.#rest()
  }

  /** Starts the throttle pause. Throttled responses to requests from before it do not lengthen it. */
  #rest(): void {
    const { times, clock } = this.#options
    if (clock.monotonic() < this.#restUntil) return
    this.#restMs = Math.min(Math.max(times.retryMs, this.#restMs * 2), times.maxRetryMs)
    this.#restUntil = clock.monotonic() + this.#restMs
  }

  async #run(): Promise<void> {
    const { smsc, role, times, log } = this.#options
    const { signal } = this.#stop
    const about = { host: smsc.host, port: smsc.port, role }
    const isStopped = () => signal.aborted
    for (let retryMs = times.retryMs; !isStopped(); ) {
      try {
        const link = await this.#connect()
        this.#link = link
        retryMs = times.retryMs
        log.info(about, 'bound to an SMSC')
        const reason = await link.ended
        if (!isStopped()) log.warn({ ...about, reason: reason.message }, 'lost an SMSC')
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'unknown'
        if (!isStopped()) log.warn({ ...about, reason }, 'could not bind to an SMSC')
      }
      await pause(retryMs, signal)
      retryMs = Math.min(retryMs * 2, times.maxRetryMs)
    }
  }

  async #connect(): Promise<SmppLink> {
    const { smsc, role, times, deliver } = this.#options
    const socket = await this.#dial()
    const { window } = smsc
    const link = new SmppLink(socket, { ...times, window, deliver })
    const { signal } = this.#stop
    const onStop = () => {
      link.close(new SmppLinkError('stopped'))
    }
    signal.addEventListener('abort', onStop)
    try {
      const { status } = await link.request(BIND_COMMANDS[role], bindBody(smsc))
      if (status === STATUS.ok) return link
      const error = new SmppLinkError(`the bind was answered ${statusName(status)}`)
      link.close(error)
      throw error
    } finally {
      signal.removeEventListener('abort', onStop)
    }
  }

  async #dial(): Promise<Socket> {
    const { authority: ca, smsc, times } = this.#options
    const place = { host: smsc.host, port: smsc.port }
    const socket = smsc.isSecure ? connectSecurely({ ...place, ca }) : connect(place)
    using limit = linkAbort([this.#stop.signal], {
      ms: times.connectMs,
      reason: () => new SmppLinkError('no connection in time'),
    })
    try {
      const { signal } = limit
      await once(socket, smsc.isSecure ? 'secureConnect' : 'connect', { signal })
      return socket
    } catch (error) {
      socket.on('error', () => undefined) // it is told already
      socket.destroy()
      throw error
    }
  }
}

/** The body of a bind (SMPP 3.4 §4.1.1, §4.1.3, §4.1.5). */
function bindBody({ systemId, password, systemType }: BindIdentity): Buffer {
  return Buffer.concat([
    textField(systemId),
    textField(password),
    textField(systemType),
    // No type, no plan and no range of addresses: the SMSC knows them.
    Buffer.from([VERSION_3_4, 0, 0]),
    textField(''),
  ])
}

/**
 * The id in a response, as well as it is written: the status alone says that the message was taken, and
 * it must not be sent again for an id that is missing, too long or without an end.
 */
function idOf(answer: Buffer): string {
  return answer.toString('latin1').replace(/\0.*/s, '').slice(0, MAX_ID)
}

function statusName(status: number): string {
  return `0x${status.toString(16).padStart(8, '0')}`
}
