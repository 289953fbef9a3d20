/** The connected clients, and the methods for which each receives requests. */

/** The connection of one application. */
export interface Client {
  readonly isOpen: boolean
  send(payload: string): void
}

/** The methods of requests outside a dialog that can be routed to a client. */
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
  /** The clients of each method; the first one receives the next request. */
  readonly #routes = new Map<string, Client[]>()

  /**
   * Routes requests of this method to the client. Returns false when requests of this method are never
   * routed.
   */
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

  /** Returns the next client in rotation, so that several applications share the load. */
  choose(method: string): Client | undefined {
    const clients = this.#routes.get(method.toLowerCase())
    const client = clients?.shift()
    if (client !== undefined) clients?.push(client)
    return client
  }
}
