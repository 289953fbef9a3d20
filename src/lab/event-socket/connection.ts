import type { Socket } from 'node:net'
import { gatherWrites } from '../gather-writes.js'
import type { Channel } from './channel/channel.js'
import type { CommandClient } from './commands/command-table.js'
import { runCommand } from './commands/command-table.js'
import type { SwitchCore } from './core/switch-core.js'
import type { EventKind, EventListener } from './events/event-bus.js'
import { Subscription } from './events/subscription.js'
import type { FiredEvent } from './events/switch-event.js'
import { type Command, CommandReader } from './protocol/command-reader.js'

export interface ConnectionStart {
  readonly id: string
  readonly socket: Socket
  readonly secret: string | undefined
  readonly channel: Channel | undefined
}

const GOODBYE = 'Disconnected, goodbye.\nSee you at ClueCon! http://www.cluecon.com/\n'
/** Time within which a client must send its first command, ms. */
const FIRST_COMMAND_LIMIT_MS = 25_000
/** Maximum number of pipelined commands; above it, reading pauses until they are done. */
const MAX_AHEAD = 256
/** Maximum number of unsent bytes to a client; above it the client is disconnected. */
const MAX_UNSENT_BYTES = 16_777_216

/** Serves one client: runs its commands one at a time, sends replies and subscribed events. */
export class EventSocketConnection implements EventListener, CommandClient {
  readonly id: string
  readonly socket: Socket
  readonly secret: string | undefined
  readonly channel: Channel | undefined
  readonly core: SwitchCore
  readonly subscription = new Subscription()
  isAuthenticated: boolean
  lingerSeconds: number | undefined
  /** True once the connection is closing; further input is ignored. */
  #isLeaving = false
  readonly #reader = new CommandReader()
  readonly #ahead: Command[] = []
  #timer: NodeJS.Timeout | undefined
  #isWorking = false

  constructor({ id, socket, secret, channel }: ConnectionStart, core: SwitchCore) {
    this.id = id
    this.socket = socket
    this.secret = secret
    this.channel = channel
    this.core = core
    this.isAuthenticated = secret === undefined
    this.#listen()
    if (secret !== undefined) this.write('Content-Type: auth/request\n\n')
  }

  wants(what: EventKind): boolean {
    return !this.#isLeaving && this.subscription.wants(what)
  }

  deliver(fired: FiredEvent): void {
    if (this.subscription.passes(fired.event)) this.write(fired.as(this.subscription.format))
  }

  write(text: string | Buffer): void {
    const { socket } = this
    if (!socket.writable) return
    if (socket.writableLength > MAX_UNSENT_BYTES) {
      this.core.log.error(
        { connection: this.id },
        'cut off an event-socket client that does not read',
      )
      socket.destroy()
      return
    }
    gatherWrites(socket)
    socket.write(text)
  }

  /** Closes the connection, now or after the linger time, because its channel is hung up. */
  onChannelDown(): void {
    const { channel, lingerSeconds } = this
    if (channel === undefined || this.#isLeaving) return
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

  leave(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    const { channel, socket } = this
    const controlled =
      channel === undefined
        ? ''
        : `Controlled-Session-UUID: ${channel.uuid}\nContent-Disposition: disconnect\n`
    this.write(
      `Content-Type: text/disconnect-notice\n${controlled}Content-Length: ${GOODBYE.length}\n\n${GOODBYE}`,
    )
    socket.end()
    // Destroys the socket of a client that does not close its side.
    this.#arm(FIRST_COMMAND_LIMIT_MS, () => {
      socket.destroy()
    })
  }

  #listen(): void {
    const { socket, id } = this
    const { log } = this.core
    const detach = this.core.bus.attach(this)
    socket.setNoDelay(true)
    this.#arm(FIRST_COMMAND_LIMIT_MS, () => {
      log.warn({ connection: id }, 'an event-socket client sent no command in time')
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
      this.#isLeaving = true
      log.debug({ connection: id }, 'an event-socket connection ended')
    })
  }

  #arm(ms: number, fire: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(fire, ms)
  }

  #read(bytes: Buffer): void {
    if (this.#isLeaving) return
    try {
      const commands = this.#reader.push(bytes)
      if (commands.length > 0 && this.lingerSeconds === undefined) clearTimeout(this.#timer)
      this.#ahead.push(...commands)
    } catch (err) {
      this.core.log.warn({ err, connection: this.id }, 'cut off an event-socket client')
      this.socket.destroy()
      return
    }
    if (this.#ahead.length > MAX_AHEAD) this.socket.pause()
    void this.#work()
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    for (let command = this.#ahead.shift(); command !== undefined; command = this.#ahead.shift()) {
      if (this.#isLeaving) break
      try {
        await runCommand(this, command)
      } catch (err) {
        this.core.log.error({ err, line: command.line }, 'an event-socket command failed')
        this.write('Content-Type: command/reply\nReply-Text: -ERR internal error\n\n')
      }
    }
    this.#isWorking = false
    this.socket.resume()
  }
}
