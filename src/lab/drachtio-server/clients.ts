/** Holds the connected clients, and the requests that each wants. */

/** One application's connection as the rest of the server sees it. */
export interface Client {
  readonly isOpen: boolean
  send(payload: string): void
}

/** The methods that can come outside a dialog and so can be routed. */
const VERBS: ReadonlySet<string> = new Set([
  'invite',
  'register',
  'message',
  'options',
  'info',
  'notify',
  'subscribe',
  'publish',
  'refer',
])

export class Clients {
  /** The clients of each verb, in the order of their turn. */
  readonly #routes = new Map<string, Client[]>()

  /** Routes requests of a verb to the client; false when no such request is ever routed. */
  addRoute(client: Client, verb: string): boolean {
    const name = verb.toLowerCase()
    if (!VERBS.has(name)) return false
    const clients = this.#routes.get(name) ?? []
    if (!clients.includes(client)) clients.push(client)
    this.#routes.set(name, clients)
    return true
  }

  removeRoute(client: Client, verb: string): boolean {
    const clients = this.#routes.get(verb.toLowerCase())
    const at = clients?.indexOf(client) ?? -1
    if (at >= 0) clients?.splice(at, 1)
    return at >= 0
  }

  remove(client: Client): void {
    for (const verb of this.#routes.keys()) this.removeRoute(client, verb)
  }

  /** Chooses the next client in turn, so that several applications share the load. */
  choose(method: string): Client | undefined {
    const clients = this.#routes.get(method.toLowerCase())
    const client = clients?.shift()
    if (client !== undefined) clients?.push(client)
    return client
  }
}
