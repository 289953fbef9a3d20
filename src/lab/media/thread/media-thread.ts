/** Runs all endpoints on one clock. A fault in one endpoint closes only that endpoint. */

import { OpenFiles } from '../files/open-files.js'
import { NO_STATS } from '../model/media-endpoint.js'
import { type EngineStats, NoPortError } from '../model/media-engine.js'
import type {
  EndpointReport,
  ThreadCommand,
  ThreadOptions,
  ThreadReport,
} from '../model/thread-messages.js'
import { PlaybackQueue } from '../playback/playback-queue.js'
import { MediaRelays } from '../rtp/media-relays.js'
import { RtpLink } from '../rtp/rtp-link.js'
import { closeUdpPair, openUdpPair, PortRange, type UdpPair } from '../rtp/udp-pair.js'
import { Bridges } from './bridges.js'
import { Endpoint } from './endpoint.js'
import { runCommand, runRoomCommand } from './endpoint-commands.js'
import { PeerWatch } from './peer-watch.js'
import { Room, Rooms } from './room.js'
import { TickClock } from './tick-clock.js'

export class MediaThread {
  readonly #options: ThreadOptions
  readonly #post: (report: ThreadReport) => void
  readonly #endpoints = new Map<number, Endpoint>()
  readonly #ports: PortRange
  readonly #relays: MediaRelays
  readonly #files = new OpenFiles()
  readonly #bridges = new Bridges()
  readonly #rooms = new Rooms()
  readonly #clock: TickClock
  /** The totals of closed endpoints. */
  readonly #closedCounts = { packetsSent: 0, packetsReceived: 0, packetsIgnored: 0 }
  #isShutDown = false

  constructor(options: ThreadOptions, post: (report: ThreadReport) => void) {
    this.#options = options
    this.#post = post
    this.#ports = new PortRange(options.rtpPorts)
    this.#relays = new MediaRelays(options.mediaRelays)
    this.#clock = new TickClock((nowMs) => {
      this.#tick(nowMs)
    })
    this.#clock.start()
  }

  /** Closes every endpoint. Resolves when all are closed. */
  async shutDown(): Promise<void> {
    this.#isShutDown = true
    this.#clock.stop()
    const { numbers } = this.#rooms
    await Promise.all([...this.#endpoints.keys()].map((id) => this.#close(id)))
    await Promise.all(numbers.map((id) => this.#closeRoom(id)))
  }

  handle(command: Exclude<ThreadCommand, { type: 'shut-down' }>): void {
    switch (command.type) {
      case 'open':
        void this.#open(command.endpoint)
        return
      case 'open-room':
        this.#openRoom(command.room)
        return
      case 'engine-stats':
        this.#post({ type: 'engine-stats', request: command.request, stats: this.#stats() })
        return
      case 'command':
        this.#run(command.endpoint, command.command)
    }
  }

  #run(id: number, command: Extract<ThreadCommand, { type: 'command' }>['command']): void {
    const endpoint = this.#endpoints.get(id)
    const room = this.#rooms.get(id)
    if (endpoint === undefined && room === undefined) return // closed meanwhile, as the main thread is about to hear
    const context = {
      files: this.#files,
      bridges: this.#bridges,
      rooms: this.#rooms,
      report: (report: EndpointReport) => {
        this.#report(id, report)
      },
      find: (other: number) => this.#endpoints.get(other),
      close: () => {
        void (room === undefined ? this.#close(id) : this.#closeRoom(id))
      },
    }
    try {
      if (endpoint !== undefined) runCommand(endpoint, command, context)
      else if (room !== undefined) runRoomCommand(room, command, context)
    } catch (error) {
      if (room === undefined) this.#giveUp(id, error)
      else void this.#closeRoom(id, messageOf(error))
    }
  }

  #tick(nowMs: number): void {
    for (const [id, endpoint] of this.#endpoints) {
      try {
        endpoint.listen(nowMs)
      } catch (error) {
        this.#giveUp(id, error)
      }
    }
    this.#rooms.mix()
    for (const [id, endpoint] of this.#endpoints) {
      try {
        endpoint.speak()
      } catch (error) {
        this.#giveUp(id, error)
      }
    }
  }

  async #open(id: number): Promise<void> {
    try {
      const pair = await openUdpPair(this.#options.host, this.#ports)
      if (this.#isShutDown) await closeUdpPair(pair)
      else this.#admit(id, pair)
    } catch (error) {
      const isNoPort = error instanceof NoPortError
      this.#report(id, { type: 'open-failed', isNoPort, error: messageOf(error) })
    }
  }

  #admit(id: number, pair: UdpPair): void {
    const report = (one: EndpointReport): void => {
      this.#report(id, one)
    }
    const link = new RtpLink(pair, this.#relays, {
      onDigit: (digit, durationMs) => {
        report({ type: 'digit', digit, durationMs, source: 'rfc4733' })
        this.#bridges.forwardDigit(endpoint, digit, durationMs)
      },
      onFault: (error) => {
        this.#giveUp(id, error)
      },
      onForged: () => {
        report({ type: 'forged-packet' })
      },
    })
    const playbacks = this.#createPlaybacks(id)
    const watch = new PeerWatch({
      onFirstPacket: () => {
        report({ type: 'first-packet' })
      },
      onMediaTimeout: () => {
        report({ type: 'media-timeout' })
      },
    })
    const endpoint = new Endpoint(link, playbacks, watch)
    this.#endpoints.set(id, endpoint)
    report({ type: 'opened', port: pair.port })
  }

  #createPlaybacks(id: number): PlaybackQueue {
    return new PlaybackQueue(
      {
        onStarted: (playback) => {
          this.#report(id, { type: 'play-started', playback })
        },
        onEnded: (playback, end) => {
          this.#report(id, { type: 'play-ended', playback, end })
        },
      },
      this.#files,
    )
  }

  #openRoom(id: number): void {
    this.#rooms.add(id, new Room(this.#createPlaybacks(id)))
  }

  async #closeRoom(id: number, error?: string): Promise<void> {
    const room = this.#rooms.remove(id)
    if (room === undefined) return
    await room.close()
    const stats = NO_STATS
    this.#report(
      id,
      error === undefined ? { type: 'closed', stats } : { type: 'closed', stats, error },
    )
  }

  #giveUp(id: number, error: unknown): void {
    void this.#close(id, messageOf(error))
  }

  async #close(id: number, fault?: string): Promise<void> {
    const endpoint = this.#endpoints.get(id)
    if (endpoint === undefined) return
    this.#endpoints.delete(id)
    this.#bridges.forget(endpoint)
    this.#rooms.roomOf(endpoint)?.leave(endpoint)
    let stats = NO_STATS
    let error = fault
    try {
      stats = await endpoint.close()
    } catch (failure) {
      error ??= messageOf(failure)
    }
    this.#ports.giveBack(endpoint.link.port)
    this.#closedCounts.packetsSent += stats.packetsSent
    this.#closedCounts.packetsReceived += stats.packetsReceived
    this.#closedCounts.packetsIgnored += stats.packetsIgnored
    this.#report(
      id,
      error === undefined ? { type: 'closed', stats } : { type: 'closed', stats, error },
    )
  }

  #stats(): EngineStats {
    const all = [...this.#endpoints.values()].map((endpoint) => endpoint.link.stats())
    const total = (key: 'packetsSent' | 'packetsReceived' | 'packetsIgnored'): number =>
      all.reduce((sum, one) => sum + one[key], this.#closedCounts[key])
    return {
      endpoints: all.length,
      openFiles: this.#files.count,
      ticks: this.#clock.ticks,
      tickLatenessMs: this.#clock.lateness.takeFigures(),
      packetsSent: total('packetsSent'),
      packetsReceived: total('packetsReceived'),
      packetsIgnored: total('packetsIgnored'),
    }
  }

  #report(endpoint: number, report: EndpointReport): void {
    this.#post({ type: 'report', endpoint, report })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
