import type { Logger } from '../../platform/log.js'
import type { ServerHealth } from './port.js'
import { type Connected, keepConnected } from './reconnect.js'

interface Closable {
  /** Why the connected server cannot be used, in a sentence. */
  readonly fault?: string | undefined
  close(): Promise<void>
}

/** Owns the connection to one server, drachtio or FreeSWITCH, and reports its health. */
export class ServerLink<C extends Connected & Closable> {
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  #health: ServerHealth = 'connecting'
  #fault: string | undefined
  #connection: C | undefined

  constructor(deps: {
    readonly open: (stop: AbortSignal) => Promise<C>
    readonly onHealth: () => void
    readonly log: Logger
  }) {
    const enter = (health: ServerHealth, connection?: C, fault?: string) => {
      this.#connection = connection
      if (health === this.#health && fault === this.#fault) return
      this.#health = health
      this.#fault = fault
      deps.onHealth()
    }
    this.#done = keepConnected<C>({
      connect: deps.open,
      onUp: (connection) => {
        enter('up', connection)
      },
      onDown: (fault) => {
        enter('down', undefined, fault?.message)
      },
      signal: this.#stop.signal,
      log: deps.log,
    })
  }

  get health(): ServerHealth {
    return this.#health
  }

  /**
   * Why the last attempt to connect failed, or why the connected server cannot be used; undefined
   * after a mere connection loss.
   */
  get fault(): string | undefined {
    return this.#fault ?? this.#connection?.fault
  }

  get connection(): C | undefined {
    return this.#connection
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#connection?.close()
    await this.#done
  }
}

/** Returns the combined health of servers of one kind: `up` while any of them is up. */
export function overallHealth(links: readonly { readonly health: ServerHealth }[]): ServerHealth {
  if (links.some((link) => link.health === 'up')) return 'up'
  return links.some((link) => link.health === 'connecting') ? 'connecting' : 'down'
}

export interface FaultyMember {
  readonly name: string
  readonly link: { readonly fault: string | undefined }
}

/**
 * Returns the first fault among servers of one kind, prefixed with the server's name when there are several.
 */
export function firstFault(members: readonly FaultyMember[]): string | undefined {
  const faulty = members.find(({ link }) => link.fault !== undefined)
  if (faulty === undefined || members.length === 1) return faulty?.link.fault
  return `${faulty.name}: ${faulty.link.fault ?? ''}`
}
