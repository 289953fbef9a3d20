/** Probes the carriers' servers by OPTIONS, at the interval in each carrier's settings. */
import { repeat } from '../../platform/async/repeat.js'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import type { Telephony } from '../telephony/port.js'
import type { Carrier } from './carrier.js'
import type { CarrierHealth } from './carrier-health.js'
import {
  type CarrierServer,
  type CarrierServers,
  probeTarget,
  serverKey,
} from './carrier-servers.js'
import type { Carriers } from './carriers.js'

export interface CarrierProbesDeps {
  readonly carriers: Pick<Carriers, 'list'>
  readonly servers: CarrierServers
  readonly health: CarrierHealth
  readonly telephony: Pick<Telephony, 'probe' | 'health'>
  readonly clock: Clock
  readonly log: Logger
}

const STEP_MS = 1_000
/** Interval of probes while a server is down, in seconds, so that it is used again soon. */
const DOWN_SECONDS = 5
/** Maximum number of concurrent OPTIONS. */
const AT_ONCE = 50

export function startCarrierProbes(deps: CarrierProbesDeps): AsyncDisposable {
  const probes = new CarrierProbes(deps)
  const rounds = repeat({
    name: 'probes of the carriers',
    log: deps.log,
    everyMs: STEP_MS,
    work: () => probes.ask(),
  })
  return {
    [Symbol.asyncDispose]: async () => {
      const ended = rounds[Symbol.asyncDispose]()
      await probes.close()
      await ended
    },
  }
}

class CarrierProbes {
  readonly #deps: CarrierProbesDeps
  readonly #closed = new AbortController()
  /** The monotonic time at which each server is due, by its key. */
  readonly #due = new Map<string, number>()
  readonly #running = new Set<Promise<void>>()

  constructor(deps: CarrierProbesDeps) {
    this.#deps = deps
  }

  /** Cancels running probes and stops. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.all(this.#running)
  }

  /** Sends OPTIONS to the servers that are due, without waiting for their answers. */
  async ask(): Promise<void> {
    const { carriers, servers, telephony } = this.#deps
    if (telephony.health.signaling !== 'up') return
    const probed = (await carriers.list()).filter(
      ({ settings }) => settings.isEnabled && settings.probeSeconds > 0,
    )
    const seen = new Set<string>()
    for (const carrier of probed)
      for (const server of await servers.find(carrier, this.#closed.signal)) {
        seen.add(serverKey(server))
        this.#askWhenDue(carrier, server)
      }
    for (const key of this.#due.keys()) if (!seen.has(key)) this.#due.delete(key)
  }

  #askWhenDue(carrier: Carrier, server: CarrierServer): void {
    const { clock, health } = this.#deps
    const key = serverKey(server)
    const now = clock.monotonic()
    if (this.#closed.signal.aborted || this.#running.size >= AT_ONCE) return
    if ((this.#due.get(key) ?? now) > now) return
    const { probeSeconds } = carrier.settings
    const isDown = health.of(key).state === 'down'
    const pause = isDown ? Math.min(DOWN_SECONDS, probeSeconds) : probeSeconds
    this.#due.set(key, now + pause * 1_000)
    const asked = this.#probe(carrier, server).finally(() => this.#running.delete(asked))
    this.#running.add(asked)
  }

  async #probe(carrier: Carrier, server: CarrierServer): Promise<void> {
    const { clock, health, log, telephony } = this.#deps
    const key = serverKey(server)
    const wasUp = health.isUp(key)
    const askedAtMs = clock.monotonic()
    const outcome = await telephony.probe(probeTarget(carrier, server)).catch((err: unknown) => {
      log.debug({ err, carrier: carrier.name, server: key }, 'could not send OPTIONS')
      return undefined
    })
    const status = outcome?.status
    // RFC 3261 §11.2: any answer shows that the server is up, but a 503 that it accepts no calls.
    if (status !== undefined && status !== 503) {
      health.answered(key)
      if (!wasUp) log.info({ carrier: carrier.name, server: key }, 'a carrier is up again')
      return
    }
    const reason = status === undefined ? 'no answer to OPTIONS' : '503 to OPTIONS'
    // Several OPTIONS to a silent server may be in progress, and a later one may be answered first.
    health.failed(key, reason, status === undefined ? askedAtMs : undefined)
    if (wasUp && !health.isUp(key))
      log.warn({ carrier: carrier.name, server: key, reason }, 'a carrier is down')
  }
}
