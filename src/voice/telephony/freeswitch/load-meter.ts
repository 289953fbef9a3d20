import type { EslEvent } from './drachtio-fsmrf.js'

interface Heartbeat {
  readonly sessions: number
  readonly maxSessions: number | undefined
  readonly idlePercent: number | undefined
  /** The number of our channels when the heartbeat arrived. */
  readonly ours: number
}

/**
 * Measures the load of a FreeSWITCH server. A HEARTBEAT reports all its channels, those of other
 * programs too; between heartbeats, changes in our own channels are added.
 */
export class LoadMeter {
  #ours = 0
  #heartbeat: Heartbeat | undefined

  /** Counts a channel of ours from its request until the first `end`. */
  count(): { end(): void } {
    this.#ours++
    let isCounted = true
    return {
      end: () => {
        if (isCounted) this.#ours--
        isCounted = false
      },
    }
  }

  receive(event: Pick<EslEvent, 'getHeader'>): void {
    this.#heartbeat = {
      sessions: numberOf(event, 'Session-Count') ?? this.#ours,
      maxSessions: numberOf(event, 'Max-Sessions'),
      idlePercent: numberOf(event, 'Idle-CPU'),
      ours: this.#ours,
    }
  }

  /** The number of our own channels, including those being created. */
  get ours(): number {
    return this.#ours
  }

  get load() {
    const { sessions = 0, ours = 0, maxSessions, idlePercent } = this.#heartbeat ?? {}
    return {
      channels: Math.max(this.#ours, sessions + this.#ours - ours),
      maxSessions,
      idlePercent,
    }
  }
}

function numberOf(event: Pick<EslEvent, 'getHeader'>, name: string): number | undefined {
  const value = Number.parseFloat(event.getHeader(name) ?? '')
  return Number.isFinite(value) ? value : undefined
}
