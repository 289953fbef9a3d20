import type { Socket } from 'node:net'
import type { Channel } from './channel/channel.js'
import { runCommand } from './commands/command-table.js'
import type { EventKind, EventListener } from './event-bus.js'
import { type Command, CommandReader } from './protocol/command-reader.js'
import { Subscription } from './protocol/subscription.js'
import type { FiredEvent } from './protocol/switch-event.js'
import type { SwitchCore } from './switch-core.js'

/** What a connection is at the moment. */
export interface ConnectionState {
  isAuthenticated: boolean
  /** Told to close; nothing it still sends is read. */
  isLeaving: boolean
  /** Seconds to stay after the channel's end, -1 for ever. */
  lingerSeconds: number | undefined
}

export interface ConnectionStart {
  /** `inbound#1`, `outbound#2`. */
  readonly id: string
  readonly socket: Socket
  /** Asked for first; an outbound connection is trusted, it was we who called. */
  readonly secret: string | undefined
  /** Controlled by an outbound connection. */
  readonly channel: Channel | undefined
}

const GOODBYE = 'Disconnected, goodbye.\nSee you at ClueCon! http://www.cluecon.com/\n'
/** A client that says nothing at first is none. */
const FIRST_COMMAND_LIMIT_MS = 25_000
/** Commands that a client sent ahead; beyond that it is not read from until they are done. */
const MAX_AHEAD = 256
/** A client that does not read its events is cut off. */
const MAX_UNSENT_BYTES = 16_777_216

/** One client: takes its commands one after the other, sends it replies and the events it asked for. */
export class EventSocketConnection implements EventListener {
  readonly start: ConnectionStart
  readonly core: SwitchCore
  readonly subscription = new Subscription()
  readonly state: ConnectionState
  readonly #reader = new CommandReader()
  readonly #ahead: Command[] = []
  #timer: NodeJS.Timeout | undefined
  #isWorking = false

  constructor(start: ConnectionStart, core: SwitchCore) {
    this.start = start
    this.core = core
    this.state = {
      isAuthenticated: start.secret === undefined,
      isLeaving: false,
      lingerSeconds: undefined,
    }
    this.#listen()
    if (start.secret !== undefined) this.write('Content-Type: auth/request\n\n')
  }

  wants(what: EventKind): boolean {
    return !this.state.isLeaving && this.subscription.wants(what)
  }

  deliver(fired: FiredEvent): void {
    if (this.subscription.passes(fired.event)) this.write(fired.as(this.subscription.format))
  }

  write(text: string | Buffer): void {
    const { socket, id } = this.start
    if (!socket.writable) return
    if (socket.writableLength > MAX_UNSENT_BYTES) {
      this.core.log.error({ connection: id }, 'an event-socket client does not read; it is cut off')
      socket.destroy()
      return
    }
    socket.write(text)
  }

  /** The channel it controls is hung up and quiet: time to go, now or after a while. */
  onChannelDown(): void {
    const { channel } = this.start
    const { lingerSeconds } = this.state
    if (channel === undefined || this.state.isLeaving) return
    if (lingerSeconds === undefined) {
      this.leave()
      return
    }
    this.write(
      'Content-Type: text/disconnect-notice\n' +
        `Controlled-Session-UUID: ${channel.uuid}\nContent-Disposition: linger\n` +
        `Channel-Name: ${channel.profile.channelName}\nLinger-Time: ${lingerSeconds}\n` +
        'Content-Length: 0\n\n',
    )
    if (lingerSeconds >= 0)
      this.#arm(lingerSeconds * 1000, () => {
        this.leave()
      })
  }

  /** Says goodbye and closes; what was written before still arrives. */
  leave(): void {
    if (this.state.isLeaving) return
    this.state.isLeaving = true
    const { channel, socket } = this.start
    const session =
      channel === undefined
        ? ''
        : `Controlled-Session-UUID: ${channel.uuid}\nContent-Disposition: disconnect\n`
    this.write(
      `Content-Type: text/disconnect-notice\n${session}Content-Length: ${GOODBYE.length}\n\n${GOODBYE}`,
    )
    socket.end()
    // Whoever does not close in turn is closed.
    this.#arm(FIRST_COMMAND_LIMIT_MS, () => {
      socket.destroy()
    })
  }

  #listen(): void {
    const { socket, id } = this.start
    const { log } = this.core
    const detach = this.core.bus.attach(this)
    socket.setNoDelay(true)
    this.#arm(FIRST_COMMAND_LIMIT_MS, () => {
      log.warn({ connection: id }, 'an event-socket client said nothing')
      this.leave()
    })
    socket.on('data', (bytes) => {
      this.#read(bytes)
    })
    socket.on('error', (err) => {
      log.debug({ err, connection: id }, 'an event-socket connection failed')
    })
    socket.once('close', () => {
      clearTimeout(this.#timer)
      detach()
      this.state.isLeaving = true
      log.debug({ connection: id }, 'an event-socket connection ended')
    })
  }

  #arm(ms: number, fire: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(fire, ms)
  }

  #read(bytes: Buffer): void {
    if (this.state.isLeaving) return
    try {
      const commands = this.#reader.push(bytes)
      if (commands.length > 0 && this.state.lingerSeconds === undefined) clearTimeout(this.#timer)
      this.#ahead.push(...commands)
    } catch (err) {
      this.core.log.warn({ err, connection: this.start.id }, 'an event-socket client is cut off')
      this.start.socket.destroy()
      return
    }
    if (this.#ahead.length > MAX_AHEAD) this.start.socket.pause()
    void this.#work()
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    for (let command = this.#ahead.shift(); command !== undefined; command = this.#ahead.shift()) {
      if (this.state.isLeaving) break
      try {
        await runCommand(this, command)
      } catch (err) {
        this.core.log.error({ err, line: command.line }, 'an event-socket command failed')
        this.write('Content-Type: command/reply\nReply-Text: -ERR internal error\n\n')
      }
    }
    this.#isWorking = false
    this.start.socket.resume()
  }
}
