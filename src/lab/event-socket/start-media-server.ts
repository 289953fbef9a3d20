import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { cpus } from 'node:os'
import type { Logger } from '../../platform/log.js'
import type { MediaEngine } from '../media/model/media-engine.js'
import type { UserAgent } from '../sip/user-agent/user-agent-types.js'
import { heartbeatHeaders } from './api/server-commands.js'
import { APPLICATIONS } from './apps/app-table.js'
import { conferenceApp } from './apps/conference.js'
import { playbackFrom } from './apps/playback.js'
import type { AppFrame } from './channel/app-frame.js'
import type { ExecuteRequest } from './channel/app-runner.js'
import type { Application, AppTable } from './channel/application.js'
import { applicationHeaders, tellComplete } from './channel/application-events.js'
import { partnerHungUp } from './channel/bridge.js'
import type { Applications, Channel, ChannelDeps } from './channel/channel.js'
import { Conferences } from './conferences/conferences.js'
import { EventSocketConnection } from './connection.js'
import { HttpCache } from './core/http-cache.js'
import { ChannelRegistry, SessionCounts, type SwitchCore } from './core/switch-core.js'
import { EventBus } from './events/event-bus.js'
import { type CommandLogEntry, openCommandLog } from './model/command-log.js'
import { readSwitchFacts } from './model/switch-facts.js'
import { connectToApplication, type SocketTarget } from './outbound-socket.js'
import { parkOnSocket, takeCall } from './take-call.js'

export interface MediaServerOptions {
  /** The listen address of the event socket, which must stay on loopback. */
  readonly host: string
  /** The port of the event socket; 0 chooses a free one. */
  readonly port: number
  readonly secret: string
  /** The RTP address announced in SDP. */
  readonly mediaAddress: string
  /** Variables that are set on each channel before it is answered, as a dialplan would; none by default. */
  readonly dialplanVariables?: Readonly<Record<string, string>>
  /** The external RTP address reported by the profile; `mediaAddress` by default. */
  readonly extRtpAddress?: string | undefined
  /** The name of the SIP profile; `drachtio_mrf` by default. */
  readonly profile?: string | undefined
  /** The modules reported as not loaded. */
  readonly missingModules?: readonly string[] | undefined
  readonly maxSessions?: number
  readonly heartbeatMs?: number
  /** The file that gets every command as one JSON line. */
  readonly commandLogFile?: string | undefined
  readonly onCommand?: (entry: CommandLogEntry) => void
}

export interface MediaServerDeps {
  readonly userAgent: UserAgent
  readonly engine: MediaEngine
  readonly log: Logger
}

export interface MediaServer extends AsyncDisposable {
  readonly port: number
  readonly core: SwitchCore
  connectionCount(): number
}

const DEFAULT_MAX_SESSIONS = 1_000
/** The SIP profile's name in freeswitch-conf. */
const DEFAULT_PROFILE = 'drachtio_mrf'
const HEARTBEAT_MS = 20_000
const MAX_CONNECTIONS = 4_096
const CONNECT_LIMIT_MS = 5_000
/** Time within which channels and connections must close, ms. */
const CLOSE_LIMIT_MS = 3_000

/** Starts the media server: it answers calls of the user agent and lets event-socket clients control them. */
export async function startMediaServer(
  options: MediaServerOptions,
  deps: MediaServerDeps,
): Promise<MediaServer> {
  const core = makeCore(options, deps)
  const connections = new Connections(core, options.secret)
  const server = createServer((socket) => {
    connections.open('inbound', socket)
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen(options.port, options.host)
  await once(server, 'listening')
  server.on('error', (err) => {
    deps.log.error({ err }, 'the event socket failed')
  })
  deps.userAgent.onInvite((call) => {
    takeCall(call, {
      core,
      engine: deps.engine,
      channels: channelDeps(core, connections),
      dialplanVariables: options.dialplanVariables ?? {},
      control: (channel, targets) => connections.control(channel, targets),
    }).catch((err: unknown) => {
      deps.log.error({ err, callId: call.callId }, 'could not take a call')
      call.reject(500)
    })
  })
  const stopHeartbeat = startHeartbeat(core, options.heartbeatMs ?? HEARTBEAT_MS)
  return {
    port: portOf(server),
    core,
    connectionCount: () => connections.size,
    async [Symbol.asyncDispose]() {
      stopHeartbeat()
      server.close()
      await endChannels(core)
      await connections.close()
      await core.commandLog[Symbol.asyncDispose]()
      await core.httpCache[Symbol.asyncDispose]()
    },
  }
}

/** Fires HEARTBEAT at this interval. Returns a function that stops it. */
function startHeartbeat(core: SwitchCore, everyMs: number): () => void {
  const idleCpu = makeCpuMeter()
  const timer = setInterval(() => {
    core.bus.fire({ name: 'HEARTBEAT', headers: () => heartbeatHeaders(core, idleCpu()) })
  }, everyMs)
  return () => {
    clearInterval(timer)
  }
}

/** Returns a function that measures CPU idle time since its last call, in percent. */
function makeCpuMeter(): () => number {
  let last = readTimes()
  return () => {
    const now = readTimes()
    const total = now.total - last.total
    const idle = now.idle - last.idle
    last = now
    return total <= 0 ? 100 : (100 * idle) / total
  }
}

function readTimes(): { idle: number; total: number } {
  let idle = 0
  let total = 0
  for (const { times } of cpus()) {
    idle += times.idle
    total += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { idle, total }
}

function makeCore(
  options: MediaServerOptions,
  { userAgent, engine, log }: MediaServerDeps,
): SwitchCore {
  const [contact] = userAgent.stack.contacts
  const sipAddress = `${contact?.address ?? options.host}:${contact?.port ?? 0}`
  const facts = readSwitchFacts(
    {
      sipAddress,
      mediaAddress: options.mediaAddress,
      extRtpAddress: options.extRtpAddress ?? options.mediaAddress,
      profile: options.profile ?? DEFAULT_PROFILE,
      missingModules: options.missingModules ?? [],
    },
    options.maxSessions ?? DEFAULT_MAX_SESSIONS,
  )
  const bus = new EventBus(facts)
  return {
    facts,
    log,
    bus,
    conferences: new Conferences({ engine, bus, log }),
    channels: new ChannelRegistry(),
    sessions: new SessionCounts(),
    httpCache: new HttpCache(log),
    commandLog: openCommandLog({
      log,
      file: options.commandLogFile,
      onCommand: options.onCommand,
    }),
  }
}

function channelDeps(core: SwitchCore, connections: Connections): ChannelDeps {
  return {
    ...core,
    apps: applicationsOf(
      new Map([
        ...APPLICATIONS,
        ['playback', playbackFrom(core.httpCache)],
        ['conference', conferenceApp(core.conferences)],
      ]),
      core.log,
    ),
    onHangup: partnerHungUp,
    onDown: (channel) => {
      connections.tellDown(channel)
    },
    onGone: (channel) => {
      core.channels.delete(channel.uuid)
    },
  }
}

/** Makes the applications of a table available to channels. */
function applicationsOf(table: AppTable, log: Logger): Applications {
  return {
    traits: ({ app }) => table.get(app),
    run: async (request, channel, frame) => {
      const application = table.get(request.app)
      if (application !== undefined)
        await runApplication(application, request, { channel, frame, log })
    },
  }
}

/**
 * Runs an application: fires an event at its start and, once every application on top of it has ended, at its
 * end.
 */
async function runApplication(
  application: Application,
  request: ExecuteRequest,
  run: { readonly channel: Channel; readonly frame: AppFrame; readonly log: Logger },
): Promise<void> {
  const { channel, frame, log } = run
  const { variables } = channel
  const arg = variables.isTrue('app_disable_expand_variables')
    ? request.arg
    : channel.expand(request.arg)
  variables.setAll({
    current_loop: '1',
    total_loops: '1',
    current_application: request.app,
    current_application_data: arg,
    current_application_response: undefined,
  })
  channel.fire('CHANNEL_EXECUTE', applicationHeaders(request, arg))
  try {
    await application.run({ channel, frame, arg, log })
  } catch (err) {
    log.error({ err, app: request.app, arg, channel: channel.uuid }, 'an application failed')
    variables.set('current_application_response', 'EXECUTION FAILED')
  }
  await channel.work.apps.whenOnTop(frame)
  tellComplete(channel, request, arg)
  variables.setAll({ current_loop: undefined, total_loops: undefined })
}

/** All open connections, inbound and outbound. */
class Connections {
  readonly #core: SwitchCore
  readonly #secret: string
  readonly #open = new Set<EventSocketConnection>()
  #count = 0

  constructor(core: SwitchCore, secret: string) {
    this.#core = core
    this.#secret = secret
  }

  get size(): number {
    return this.#open.size
  }

  open(direction: 'inbound' | 'outbound', socket: Socket, channel?: Channel): void {
    this.#count++
    const connection = new EventSocketConnection(
      {
        id: `${direction}#${this.#count}`,
        socket,
        secret: direction === 'inbound' ? this.#secret : undefined,
        channel,
      },
      this.#core,
    )
    this.#open.add(connection)
    socket.once('close', () => {
      this.#open.delete(connection)
      if (channel !== undefined) this.#controllerGone(channel)
    })
  }

  /** Connects to the application of a call. If no target accepts, the call is hung up. */
  async control(channel: Channel, targets: readonly SocketTarget[]): Promise<void> {
    const { log } = this.#core
    const [first] = targets
    if (first !== undefined) parkOnSocket(channel, first)
    const socket = await connectToApplication(targets, CONNECT_LIMIT_MS, (target, err) => {
      log.error(
        { err, target, channel: channel.uuid },
        'could not connect to the application of a call',
      )
    })
    if (socket === undefined) channel.hangup('NORMAL_CLEARING', 'us')
    else if (channel.isDown) socket.destroy()
    else this.open('outbound', socket, channel)
  }

  /**
   * Handles the end of the controlling connection: hangs up if `socket_resume` is set; otherwise the channel
   * stays parked.
   */
  #controllerGone(channel: Channel): void {
    if (channel.variables.isTrue('socket_resume')) channel.hangup('NORMAL_CLEARING', 'us')
    else if (!channel.isDown)
      this.#core.log.warn({ channel: channel.uuid }, 'the application of a channel disconnected')
  }

  tellDown(channel: Channel): void {
    for (const connection of this.#open) {
      if (connection.channel === channel) connection.onChannelDown()
    }
  }

  async close(): Promise<void> {
    const closed = [...this.#open].map(async (connection) => {
      connection.leave()
      const timer = setTimeout(() => connection.socket.destroy(), CLOSE_LIMIT_MS)
      if (!connection.socket.closed) await once(connection.socket, 'close')
      clearTimeout(timer)
    })
    await Promise.all(closed)
  }
}

async function endChannels({ channels, log }: SwitchCore): Promise<void> {
  for (const channel of [...channels.values()]) channel.hangup('SYSTEM_SHUTDOWN', 'us')
  await channels.whenEmpty(CLOSE_LIMIT_MS)
  if (channels.size > 0)
    log.error({ channels: channels.size }, 'channels were still open when the media server closed')
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
