import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Dialog, UacOptions } from 'drachtio-srf'
import type { Uac } from '../../../src/voice/telephony/freeswitch/endpoint-dialog.js'

const CHANNEL = '11111111-2222-3333-4444-555555555555'
const SDP = [
  'v=0',
  'o=f 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 3000 RTP/AVP 0 101',
  '',
].join('\r\n')
const STATUS = '             drachtio_mrf\tprofile\t sip:mod_sofia@127.0.0.1:5080\tRUNNING (0)\n'
const PROFILE = 'Name             \tdrachtio_mrf\nRTP-IP           \t127.0.0.1\n'

/**
 * The part of FreeSWITCH's event socket that an adapter needs to log in and to control one channel. It records
 * every command, and sends only the events that a test fires.
 */
export class FakeFreeswitch {
  /** Commands of the login connection and of the channels, in order, with headers. */
  readonly commands: string[] = []
  /** Commands of the channels only. The order between connections is undefined. */
  readonly channelCommands: string[] = []
  readonly channels: Socket[] = []
  password = 'secret'
  /** Variables that the dialplan sets on a channel. */
  variables: Readonly<Record<string, string>> = {}
  /** SIP status with which every channel is refused. */
  refusal: number | undefined
  readonly #server: Server
  readonly #logins = new Set<Socket>()

  static async open(): Promise<FakeFreeswitch> {
    const fake = new FakeFreeswitch()
    fake.#server.listen(0, '127.0.0.1')
    await once(fake.#server, 'listening')
    return fake
  }

  private constructor() {
    this.#server = createServer((socket) => {
      this.#logins.add(socket)
      socket.on('error', () => socket.destroy())
      socket.write('Content-Type: auth/request\n\n')
      readCommands(socket, (command) => {
        this.commands.push(command)
        this.#answerLogin(socket, command)
      })
    })
  }

  get port(): number {
    // A listening TCP server has no path.
    return (this.#server.address() as AddressInfo).port
  }

  /** Makes the channel connect back, like `socket` in the dialplan. */
  readonly uac: Uac = {
    createUAC: (_uri: string, options: UacOptions) => this.#takeInvite(options),
    // The package's method is overloaded by an option.
  } as Uac

  /** Sends a channel event as JSON. */
  fire(event: Readonly<Record<string, string>>): void {
    const body = JSON.stringify({ 'Unique-ID': CHANNEL, ...event })
    const length = String(Buffer.byteLength(body))
    this.channels
      .at(-1)
      ?.write(`Content-Length: ${length}\nContent-Type: text/event-json\n\n${body}`)
  }

  async close(): Promise<void> {
    for (const socket of [...this.#logins, ...this.channels]) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #answerLogin(socket: Socket, command: string): void {
    if (command.startsWith('auth ')) {
      const isRight = command === `auth ${this.password}`
      reply(socket, isRight ? '+OK accepted' : '-ERR invalid')
      if (!isRight) socket.end()
    } else if (command === 'api sofia status') respond(socket, STATUS)
    else if (command.startsWith('api sofia status profile')) respond(socket, PROFILE)
    else if (command.startsWith('api module_exists')) respond(socket, 'true')
    else if (command === 'api show codec') respond(socket, '\n0 total.\n')
    else if (command === 'api uptime') respond(socket, '7\n')
    else reply(socket, '+OK')
  }

  #takeInvite(options: UacOptions): Promise<unknown> {
    if (this.refusal !== undefined)
      return Promise.reject(Object.assign(new Error('refused'), { status: this.refusal }))
    const { 'X-esl-outbound': address = '', 'User-Agent': agent = '' } = options.headers ?? {}
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1')
    this.channels.push(socket)
    socket.on('error', () => socket.destroy())
    readCommands(socket, (command) => {
      this.commands.push(command)
      this.channelCommands.push(command)
      if (command === 'connect') socket.write(channelData(agent, this.variables))
      else if (command.startsWith('api ')) respond(socket, '+OK\n')
      else reply(socket, '+OK')
    })
    const dialog = fakeDialog(() => socket.end())
    return Promise.resolve(
      options.localSdp === undefined ? { sdp: SDP, ack: () => Promise.resolve(dialog) } : dialog,
    )
  }
}

function fakeDialog(onBye: () => void): Dialog {
  const dialog = Object.assign(new EventEmitter(), {
    connected: true,
    local: { sdp: SDP, contact: '<sip:x>' },
    remote: { sdp: SDP },
    destroy: () => {
      dialog.connected = false
      onBye()
      return Promise.resolve()
    },
  })
  // Tests do not use the other members of a dialog.
  return dialog as unknown as Dialog
}

function channelData(agent: string, variables: Readonly<Record<string, string>>): string {
  return [
    'Content-Type: command/reply',
    'Reply-Text: +OK',
    'Event-Name: CHANNEL_DATA',
    `Unique-ID: ${CHANNEL}`,
    `Channel-Unique-ID: ${CHANNEL}`,
    // This value is not valid URL encoding.
    'Caller-Caller-ID-Name: 100% sure',
    `variable_sip_user_agent: ${encodeURIComponent(agent)}`,
    `variable_rtp_local_sdp_str: ${encodeURIComponent(SDP)}`,
    ...Object.entries(variables).map(([name, value]) => `variable_${name}: ${value}`),
    '',
    '',
  ].join('\n')
}

function reply(socket: Socket, text: string): void {
  socket.write(`Content-Type: command/reply\nReply-Text: ${text}\n\n`)
}

function respond(socket: Socket, body: string): void {
  const length = String(Buffer.byteLength(body))
  socket.write(`Content-Type: api/response\nContent-Length: ${length}\n\n${body}`)
}

function readCommands(socket: Socket, take: (command: string) => void): void {
  let pending = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    pending += text
    for (let end = pending.indexOf('\n\n'); end !== -1; end = pending.indexOf('\n\n')) {
      take(pending.slice(0, end))
      pending = pending.slice(end + 2)
    }
  })
}
