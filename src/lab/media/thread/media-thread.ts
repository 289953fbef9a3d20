/** All endpoints, one clock. A fault in one endpoint closes that endpoint and no other. */
import type { EndpointReport, ThreadCommand, ThreadOptions, ThreadReport } from '../protocol.js'
import { type EndpointStats, type EngineStats, NoPortError } from '../types.js'
import { Bridges } from './bridges.js'
import { Endpoint } from './endpoint.js'
import { runCommand } from './endpoint-commands.js'
import { OpenFiles } from './open-files.js'
import { PeerWatch } from './peer-watch.js'
import { PlaybackQueue } from './playback-queue.js'
import { PortRange } from './port-range.js'
import { RtpLink } from './rtp-link.js'
import { TickClock } from './tick-clock.js'
import { closeUdpPair, openUdpPair, type UdpPair } from './udp-pair.js'

const NO_STATS: EndpointStats = {
  packetsSent: 0,
  packetsReceived: 0,
  packetsLost: 0,
  packetsIgnored: 0,
  jitterMs: 0,
}

export class MediaThread {
  readonly #options: ThreadOptions
  readonly #post: (report: ThreadReport) => void
  readonly #endpoints = new Map<number, Endpoint>()
  readonly #ports: PortRange
  readonly #shared = { files: new OpenFiles(), bridges: new Bridges() }
  readonly #clock: TickClock
  /** Of endpoints that are closed. */
  readonly #past = { packetsSent: 0, packetsReceived: 0, packetsIgnored: 0, isShutDown: false }

  constructor(options: ThreadOptions, post: (report: ThreadReport) => void) {
    this.#options = options
    this.#post = post
    this.#ports = new PortRange(options.rtpPorts)
    this.#clock = new TickClock((nowMs) => {
      this.#tick(nowMs)
    })
    this.#clock.start()
  }

  /** Resolves when nothing is left open. */
  async shutDown(): Promise<void> {
    this.#past.isShutDown = true
    this.#clock.stop()
    await Promise.all([...this.#endpoints.keys()].map((id) => this.#close(id)))
  }

  handle(command: Exclude<ThreadCommand, { type: 'shut-down' }>): void {
    switch (command.type) {
      case 'open':
        void this.#open(command.endpoint)
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
    if (endpoint === undefined) return // closed meanwhile, as the main thread is about to hear
    const context = {
      ...this.#shared,
      report: (report: EndpointReport) => {
        this.#report(id, report)
      },
      find: (other: number) => this.#endpoints.get(other),
      close: () => {
        void this.#close(id)
      },
    }
    try {
      runCommand(endpoint, command, context)
    } catch (error) {
      this.#giveUp(id, error)
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
      if (this.#past.isShutDown) await closeUdpPair(pair)
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
    const link = new RtpLink(pair, {
      onDigit: (digit, durationMs) => {
        report({ type: 'digit', digit, durationMs, source: 'rfc4733' })
        this.#shared.bridges.forwardDigit(endpoint, digit, durationMs)
      },
      onFault: (error) => {
        this.#giveUp(id, error)
      },
    })
    const playbacks = new PlaybackQueue(
      {
        onStarted: (playback) => {
          report({ type: 'play-started', playback })
        },
        onEnded: (playback, end) => {
          report({ type: 'play-ended', playback, end })
        },
      },
      this.#shared.files,
    )
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

  #giveUp(id: number, error: unknown): void {
    void this.#close(id, messageOf(error))
  }

  async #close(id: number, fault?: string): Promise<void> {
    const endpoint = this.#endpoints.get(id)
    if (endpoint === undefined) return
    this.#endpoints.delete(id)
    this.#shared.bridges.forget(endpoint)
    let stats = NO_STATS
    let error = fault
    try {
      stats = await endpoint.close()
    } catch (failure) {
      error ??= messageOf(failure)
    }
    this.#ports.giveBack(endpoint.link.port)
    this.#past.packetsSent += stats.packetsSent
    this.#past.packetsReceived += stats.packetsReceived
    this.#past.packetsIgnored += stats.packetsIgnored
    this.#report(
      id,
      error === undefined ? { type: 'closed', stats } : { type: 'closed', stats, error },
    )
  }

  #stats(): EngineStats {
    const all = [...this.#endpoints.values()].map((endpoint) => endpoint.link.stats())
    const total = (key: 'packetsSent' | 'packetsReceived' | 'packetsIgnored'): number =>
      all.reduce((sum, one) => sum + one[key], this.#past[key])
    return {
      endpoints: all.length,
      openFiles: this.#shared.files.count,
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
