import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** One message from the server: its headers, and its body if it had a length. */
export interface EslFrame {
  readonly head: Readonly<Record<string, string>>
  readonly body: string
  /** Fields of a JSON event; undefined for other messages. */
  readonly event: Readonly<Record<string, string>> | undefined
}

/** Time limit for an awaited message, ms. */
const LIMIT_MS = 15_000

/** A minimal event-socket client, written from the protocol without the product's code. */
export class EslClient {
  readonly frames: EslFrame[] = []
  readonly socket: Socket
  #buffer = Buffer.alloc(0)
  #taken = 0
  #onFrame: () => void = () => undefined
  isClosed = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, bytes])
      this.#parse()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.isClosed = true
      this.#onFrame()
    })
  }

  static async connect(port: number): Promise<EslClient> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new EslClient(socket)
  }

  /** Connects and logs in. */
  static async login(port: number, secret: string): Promise<EslClient> {
    const client = await EslClient.connect(port)
    await client.next((frame) => frame.head['Content-Type'] === 'auth/request')
    await client.command(`auth ${secret}`)
    return client
  }

  write(text: string): void {
    this.socket.write(text)
  }

  /** Sends a command; resolves with its reply. */
  async command(text: string): Promise<EslFrame> {
    this.write(`${text}\n\n`)
    return this.next(({ head }) => head['Content-Type'] === 'command/reply')
  }

  async reply(text: string): Promise<string> {
    return (await this.command(text)).head['Reply-Text'] ?? ''
  }

  async api(text: string): Promise<string> {
    this.write(`api ${text}\n\n`)
    return (await this.next(({ head }) => head['Content-Type'] === 'api/response')).body
  }

  /** Starts an application; resolves with the reply, while the application still runs. */
  async execute(app: string, arg = '', more = ''): Promise<string> {
    const uuid = `${app}-${this.#taken}-${Math.random()}`
    await this.command(
      `sendmsg\ncall-command: execute\nexecute-app-name: ${app}\nexecute-app-arg: ${arg}\n${more}Event-UUID: ${uuid}`,
    )
    return uuid
  }

  /** Runs an application; resolves with its completion event. */
  async run(app: string, arg = ''): Promise<Readonly<Record<string, string>>> {
    const uuid = await this.execute(app, arg)
    return this.event('CHANNEL_EXECUTE_COMPLETE', (event) => event['Application-UUID'] === uuid)
  }

  async event(
    name: string,
    wanted: (event: Readonly<Record<string, string>>) => boolean = () => true,
  ): Promise<Readonly<Record<string, string>>> {
    const frame = await this.next(
      ({ event }) => event?.['Event-Name'] === name && wanted(event),
      `event ${name}`,
    )
    return frame.event ?? {}
  }

  get eventNames(): string[] {
    return this.frames.flatMap(({ event }) =>
      event === undefined ? [] : [event['Event-Name'] ?? ''],
    )
  }

  /** Takes the first matching frame that was not taken before. */
  async next(wanted: (frame: EslFrame) => boolean, what = 'a frame'): Promise<EslFrame> {
    const deadline = Date.now() + LIMIT_MS
    for (;;) {
      const frame = this.#untaken.find(wanted)
      if (frame !== undefined) {
        this.#untaken.splice(this.#untaken.indexOf(frame), 1)
        this.#taken++
        return frame
      }
      if (this.isClosed) throw new Error(`the connection closed before ${what} came`)
      await this.#someFrame(deadline - Date.now(), what)
    }
  }

  async closed(): Promise<void> {
    const deadline = Date.now() + LIMIT_MS
    while (!this.isClosed) await this.#someFrame(deadline - Date.now(), 'the end of the connection')
  }

  readonly #untaken: EslFrame[] = []

  async #someFrame(limitMs: number, what: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => {
          const seen = this.frames.map((f) => f.event?.['Event-Name'] ?? f.head['Content-Type'])
          reject(new Error(`${what} did not come; came: ${seen.join(', ')}`))
        },
        Math.max(0, limitMs),
      )
      this.#onFrame = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #parse(): void {
    for (;;) {
      const end = this.#buffer.indexOf('\n\n')
      if (end === -1) return
      const head: Record<string, string> = {}
      for (const line of this.#buffer.toString('utf8', 0, end).split('\n')) {
        const colon = line.indexOf(': ')
        head[line.slice(0, colon)] = line.slice(colon + 2)
      }
      const length = Number(head['Content-Length'] ?? 0)
      if (this.#buffer.length < end + 2 + length) return
      const body = this.#buffer.toString('utf8', end + 2, end + 2 + length)
      this.#buffer = this.#buffer.subarray(end + 2 + length)
      const isJson = head['Content-Type'] === 'text/event-json'
      const event = isJson ? (JSON.parse(body) as Record<string, string>) : undefined
      const frame = { head, body, event }
      this.frames.push(frame)
      this.#untaken.push(frame)
      this.#onFrame()
    }
  }
}

/** An application that the media server connects to, once per call. */
export class EslApplication implements AsyncDisposable {
  readonly #server: Server
  readonly #waiting: EslClient[] = []
  #onClient: () => void = () => undefined

  private constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#waiting.push(new EslClient(socket))
      this.#onClient()
    })
  }

  static async listen(): Promise<EslApplication> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new EslApplication(server)
  }

  get target(): string {
    // A listening TCP server has a port.
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Resolves with the next connection, before anything is sent on it. */
  async client(): Promise<EslClient> {
    for (;;) {
      const client = this.#waiting.shift()
      if (client !== undefined) return client
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new Error('the media server did not connect'))
        }, LIMIT_MS)
        this.#onClient = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#waiting) client.socket.destroy()
    this.#server.close()
    await Promise.resolve()
  }
}
