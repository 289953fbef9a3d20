/** Keeps this node registered at the carriers whose settings require it (RFC 3261 §10.2). */
import { randomUUID } from 'node:crypto'
import { endedWithin, LONGEST_TIMER_MS } from '../../platform/async/limit.js'
import { repeat } from '../../platform/async/repeat.js'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import { nextHopTo } from '../sip-location/next-hop.js'
import type { RegisterOutcome, Telephony } from '../telephony/port.js'
import type { Carrier } from './carrier.js'
import { type CarrierServers, hostOf } from './carrier-servers.js'
import type { Carriers } from './carriers.js'

export type RegistrationState = 'registering' | 'registered' | 'refused' | 'unanswered'

export interface Registration {
  readonly state: RegistrationState
  /** The registrar's last status; undefined before the first one. */
  readonly status?: number | undefined
  /** The end of the registration in epoch milliseconds. */
  readonly expiresAt?: number | undefined
}

export interface CarrierRegistrationsDeps {
  readonly carriers: Pick<Carriers, 'list'>
  readonly servers: CarrierServers
  readonly telephony: Pick<Telephony, 'register' | 'health'>
  readonly clock: Clock
  readonly log: Logger
}

const STEP_MS = 1_000
const FIRST_RETRY_MS = 2_000
const LONGEST_RETRY_MS = 300_000
/**
 * First retry after a refusal, ms: credentials are probably wrong, and a registrar may lock the account after
 * frequent retries.
 */
const REFUSED_RETRY_MS = 60_000
/** Fraction of the lifetime after which it is refreshed (RFC 3261 §10.2.4), which leaves time for a retry. */
const REFRESH_AT = 0.8
const UNREGISTER_LIMIT_MS = 2_000
const TOO_BRIEF = 423

export class CarrierRegistrations implements AsyncDisposable {
  readonly #deps: CarrierRegistrationsDeps
  readonly #lines = new Map<string, Line>()
  readonly #rounds: AsyncDisposable

  constructor(deps: CarrierRegistrationsDeps) {
    this.#deps = deps
    this.#rounds = repeat({
      name: 'registrations at the carriers',
      log: deps.log,
      everyMs: STEP_MS,
      work: () => this.#follow(),
    })
  }

  /** Returns the registration at the carrier; undefined when its settings require none. */
  of(name: string): Registration | undefined {
    return this.#lines.get(name)?.now
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rounds[Symbol.asyncDispose]()
    const ended = Promise.all([...this.#lines.values()].map((line) => line.end()))
    await endedWithin(ended, UNREGISTER_LIMIT_MS)
  }

  /** Applies the carriers' current settings: starts, refreshes and ends registrations. */
  async #follow(): Promise<void> {
    const { carriers, telephony } = this.#deps
    const wanted = (await carriers.list()).filter(
      ({ settings }) => settings.isEnabled && settings.registerSeconds > 0,
    )
    for (const [name, line] of this.#lines) {
      if (wanted.some((carrier) => carrier.name === name && line.isFor(carrier))) continue
      this.#lines.delete(name)
      void line.end()
    }
    for (const carrier of wanted)
      if (!this.#lines.has(carrier.name))
        this.#lines.set(carrier.name, new Line(carrier, this.#deps))
    if (telephony.health.signaling === 'up') for (const line of this.#lines.values()) line.refresh()
  }
}

/** The registration at one carrier. */
class Line {
  readonly #carrier: Carrier
  readonly #deps: CarrierRegistrationsDeps
  readonly #callId = randomUUID()
  readonly #closed = new AbortController()
  #cseq = 1
  #seconds: number
  #dueMs = 0
  #failures = 0
  #now: Registration = { state: 'registering' }
  #running: Promise<void> | undefined

  constructor(carrier: Carrier, deps: CarrierRegistrationsDeps) {
    this.#carrier = carrier
    this.#deps = deps
    this.#seconds = carrier.settings.registerSeconds
  }

  get now(): Registration {
    return this.#now
  }

  /** True while the carrier's settings are unchanged since this registration was started. */
  isFor(carrier: Carrier): boolean {
    return JSON.stringify(carrier) === JSON.stringify(this.#carrier)
  }

  /** Registers when it is due. */
  refresh(): void {
    if (this.#deps.clock.monotonic() < this.#dueMs) return
    this.#running ??= this.#register().finally(() => {
      this.#running = undefined
    })
  }

  /** Removes the registration, if there is one. Never rejects. */
  async end(): Promise<void> {
    this.#closed.abort()
    await this.#running
    if (this.#now.state === 'registered') await this.#send(0)
  }

  async #register(): Promise<void> {
    const outcome = await this.#send(this.#seconds)
    const { minExpiresSeconds = 0, status } = outcome ?? {}
    // RFC 3261 §10.2.8: retries at once, with the lifetime that the registrar requires.
    if (status === TOO_BRIEF && minExpiresSeconds > this.#seconds) this.#seconds = minExpiresSeconds
    else if (status === 200) this.#granted(outcome?.expiresSeconds ?? this.#seconds)
    else this.#failed(outcome)
  }

  #granted(seconds: number): void {
    const { clock, log } = this.#deps
    if (this.#now.state !== 'registered')
      log.info({ carrier: this.#carrier.name, seconds }, 'registered at a carrier')
    this.#failures = 0
    this.#dueMs = clock.monotonic() + Math.max(1, seconds * REFRESH_AT) * 1_000
    this.#now = { state: 'registered', status: 200, expiresAt: clock.now() + seconds * 1_000 }
  }

  #failed(outcome: RegisterOutcome | undefined): void {
    const { clock, log } = this.#deps
    const state = outcome === undefined ? 'unanswered' : 'refused'
    const status = outcome?.status
    if (this.#now.state !== state)
      log.warn({ carrier: this.#carrier.name, status }, 'could not register at a carrier')
    this.#failures += 1
    this.#dueMs = clock.monotonic() + this.#pauseAfter(outcome)
    this.#now = { state, status, expiresAt: this.#stillUntil() }
  }

  /** A registration lasts until it expires, even if refreshing it fails. */
  #stillUntil(): number | undefined {
    const { expiresAt } = this.#now
    return expiresAt !== undefined && expiresAt > this.#deps.clock.now() ? expiresAt : undefined
  }

  #pauseAfter(outcome: RegisterOutcome | undefined): number {
    const asked = (outcome?.retryAfterSeconds ?? 0) * 1_000
    const isFinal = outcome !== undefined && outcome.status >= 400 && outcome.status < 500
    const first = isFinal ? REFUSED_RETRY_MS : FIRST_RETRY_MS
    const own = Math.min(LONGEST_RETRY_MS, first * 2 ** Math.min(this.#failures - 1, 10))
    return Math.min(LONGEST_TIMER_MS, Math.max(asked, own))
  }

  async #send(expiresSeconds: number): Promise<RegisterOutcome | undefined> {
    const { log, servers, telephony } = this.#deps
    const { auth, name, settings } = this.#carrier
    this.#cseq += 2
    try {
      const [server] = await servers.find(this.#carrier, this.#closed.signal)
      if (server === undefined) return undefined
      const host = hostOf(this.#carrier)
      return await telephony.register({
        registrar: `sip:${host}`,
        proxy: nextHopTo(server),
        user: settings.callerId.fromUser ?? auth?.username ?? name,
        host: settings.callerId.fromHost ?? host,
        expiresSeconds,
        callId: this.#callId,
        cseq: this.#cseq,
        auth: auth && { ...auth, realm: settings.realm },
      })
    } catch (err) {
      log.warn({ err, carrier: name }, 'could not send REGISTER to a carrier')
      return undefined
    }
  }
}
