import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import Srf, { type DrachtioAgent, type SrfRequest, type SrfResponse } from 'drachtio-srf'
import { whenAborted } from '../../../platform/async/abort.js'
import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import type { SipPlace } from '../port.js'
import { type Connected, ConnectFault } from '../reconnect.js'
import { type ServerUrl, serverName } from '../server-url.js'
import { MessageTap } from './message-tap.js'

const LOGIN_LIMIT_MS = 5_000
const CLOSE_LIMIT_MS = 1_000
const PING_INTERVAL_MS = 15_000

export interface RequestListeners {
  readonly onInvite: (req: SrfRequest, res: SrfResponse, signaling: SignalingConnection) => void
  /** Called for a request other than INVITE outside a dialog or in an unknown dialog. */
  readonly onOutsideRequest: (
    req: SrfRequest,
    res: SrfResponse,
    signaling: SignalingConnection,
  ) => void
}

/**
 * The methods besides INVITE that drachtio delivers outside a dialog. It answers 503 to methods without a
 * route.
 */
const OUTSIDE_METHODS = [
  'options',
  'register',
  'message',
  'info',
  'notify',
  'subscribe',
  'publish',
  'refer',
]

/**
 * The methods that drachtio-srf handles itself. Without a handler it answers others with 404, or, in case of
 * UPDATE, not at all.
 */
const LEFT_TO_PACKAGE = ['ACK', 'PRACK']

/**
 * One login to a drachtio server. Each loss is followed by a new login, so no state of the old one remains.
 */
export class SignalingConnection implements Connected {
  /** `host:port` of the server. */
  readonly name: string
  readonly srf: Srf
  readonly messages = new MessageTap()
  readonly lost: Promise<void>
  readonly #lost = new AbortController()
  #socket: Socket | undefined
  #addresses: readonly string[] = []
  #isClosed = false

  /** Logs in. Resolves once logged in; rejects with ConnectFault. */
  static async open(
    server: ServerUrl,
    listeners: RequestListeners,
    stop: AbortSignal,
  ): Promise<SignalingConnection> {
    const connection = new SignalingConnection(serverName(server))
    const closeAtOnce = () => void connection.close()
    stop.addEventListener('abort', closeAtOnce, { once: true })
    try {
      await withLimit(connection.#logIn(server, listeners), LOGIN_LIMIT_MS, () => {
        throw new ConnectFault('not-ready', 'drachtio did not answer the login')
      })
    } catch (err) {
      await connection.close()
      throw err
    } finally {
      stop.removeEventListener('abort', closeAtOnce)
    }
    return connection
  }

  /** Returns a placeholder for an absent server: lost from the start. */
  static none(): SignalingConnection {
    const connection = new SignalingConnection('')
    connection.#lost.abort()
    return connection
  }

  private constructor(name: string) {
    this.name = name
    this.srf = new Srf()
    // Each leg adds a listener.
    setMaxListeners(0, this.#lost.signal)
    this.lost = whenAborted(this.#lost.signal)
  }

  /** False once nothing can be sent, which may be shortly before `lost` resolves. */
  get isOpen(): boolean {
    return this.#socket !== undefined && !this.#socket.destroyed && !this.#lost.signal.aborted
  }

  /** True when the server reported a TLS listener. */
  get hasTls(): boolean {
    return this.#addresses.some((address) => /^tls\//i.test(address))
  }

  /** The addresses of the server's SIP listeners. */
  get hosts(): readonly string[] {
    return this.#addresses.map((address) => address.replace(/^\w+\//, '').replace(/:\d+$/, ''))
  }

  /** Returns the server's SIP listener of a transport. */
  listener(transport: string): SipPlace | undefined {
    const [, host, port] =
      this.#addresses
        .map((address) => /^\w+\/(.*):(\d+)$/.exec(address))
        .find((read) => read?.[0].startsWith(`${transport}/`) === true) ?? []
    if (host === undefined) return undefined
    return { transport, host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
  }

  /** drachtio-srf's agent with its socket. Throws AdapterError when the connection is lost. */
  get wire(): { readonly agent: DrachtioAgent; readonly socket: Socket } {
    const { client: agent } = this.srf.app
    if (agent === undefined || this.#socket === undefined || !this.isOpen)
      throw new AdapterError('no connection to drachtio')
    return { agent, socket: this.#socket }
  }

  /** Aborts when `lost` resolves. */
  get lostSignal(): AbortSignal {
    return this.#lost.signal
  }

  /** Frees the agent's state of an INVITE that will never be answered. */
  forgetInvite(req: SrfRequest): void {
    const callId = req.get('Call-ID')
    if (callId !== undefined)
      this.srf.app.client?.mapServer.get(req.socket)?.pendingNetworkInvites.delete(callId)
  }

  /** Allows one more challenge of our request; drachtio-srf gives up at the second one. */
  readonly allowAnotherChallenge = (request: SrfRequest): void => {
    const callId = request.get('Call-ID')
    if (callId !== undefined)
      this.srf.app.client?.mapServer.get(request.socket)?.pendingSipAuthRequests.delete(callId)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const socket = this.#socket
    if (!socket || socket.closed) return
    socket.end()
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        resolve()
      })
    })
    await withLimit(closed, CLOSE_LIMIT_MS, () => {
      socket.destroy()
    })
  }

  #logIn(server: ServerUrl, listeners: RequestListeners): Promise<void> {
    const { srf } = this
    return new Promise((resolve, reject) => {
      srf.on('connect', (err: Error | null | undefined, addresses?: string) => {
        // `tls/192.0.2.1:5061,udp/192.0.2.1:5060`
        this.#addresses = (addresses ?? '').split(',').filter((address) => address !== '')
        if (err) reject(new ConnectFault('wrong-secret', 'drachtio refused the secret'))
        else resolve()
      })
      srf.on('error', (err: unknown) => {
        reject(new ConnectFault('unreachable', 'no connection to drachtio', err))
      })
      srf.on('close', () => {
        this.#lost.abort()
        reject(new ConnectFault('refused', 'drachtio closed the connection'))
      })
      srf.use('invite', (req, res) => {
        listeners.onInvite(req, res, this)
      })
      for (const method of OUTSIDE_METHODS)
        srf.use(method, (req, res) => {
          listeners.onOutsideRequest(req, res, this)
        })
      // drachtio keeps a dialog for a while after ours has ended, and still delivers its requests.
      srf.use((req, res, next) => {
        if (LEFT_TO_PACKAGE.includes(req.method)) next()
        else listeners.onOutsideRequest(req, res, this)
      })
      srf.connect({ ...server, enablePing: true, pingInterval: PING_INTERVAL_MS })
      if (srf.app.client) this.#own(srf.app.client)
    })
  }

  /** Disables drachtio-srf's own reconnect, which retries forever without our back-off. */
  #own(agent: DrachtioAgent): void {
    agent.wp._onConnectionGone = () => undefined
    agent.wp.on('msg', (_socket: Socket, message: string) => {
      this.messages.onMessage(message)
    })
    agent.wp.on('connect', (socket: Socket) => {
      this.#socket = socket
      if (this.#isClosed) socket.destroy()
    })
  }
}
