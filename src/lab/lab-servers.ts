import { mkdir } from 'node:fs/promises'
import { isIP, isIPv6 } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Disposer } from '../platform/disposer.js'
import type { Logger } from '../platform/log.js'
import { formatHost } from '../platform/sip-grammar/uri.js'
import { readTlsFiles, type TlsCredentials } from '../platform/tls/tls-files.js'
import { watchTlsFiles } from '../platform/tls/watch-tls-files.js'
import { type DrachtioServer, startDrachtioServer } from './drachtio-server/drachtio-server.js'
import { type MediaServer, startMediaServer } from './event-socket/start-media-server.js'
import { HepSender } from './hep/hep-sender.js'
import type { LabOptions, LabPorts, LabSecrets, LabStats, LabTlsOptions } from './lab-protocol.js'
import { createMediaEngine } from './media/engine.js'
import type { MediaEngine } from './media/model/media-engine.js'
import { type Phones, startPhones } from './phones/start-phones.js'
import type {
  SipNeighbours,
  SipPeer,
  SipStackOptions,
  SipStackStats,
} from './sip/model/stack-types.js'
import { createSipStack } from './sip/stack/create-sip-stack.js'
import { createUserAgent } from './sip/user-agent/user-agent.js'
import type { UserAgent } from './sip/user-agent/user-agent-types.js'

export interface LabServers extends AsyncDisposable {
  readonly ports: LabPorts
  readonly sipContacts: readonly string[]
  stats(): Promise<LabStats>
}

export interface LabStart {
  readonly options: LabOptions
  readonly ports: LabPorts
  readonly secrets: LabSecrets
  readonly log: Logger
  /** Called when the media thread has failed; there is no audio any more. */
  readonly onFailure: (error: Error) => void
}

interface Servers {
  readonly drachtio: DrachtioServer
  readonly engine: MediaEngine
  readonly userAgent: UserAgent
  readonly mediaServer: MediaServer
  readonly phones: Phones
  readonly phonesAgent: UserAgent
  readonly loopDelay: LoopDelay
}

/** The internal servers trust every client, so only this machine may reach them. */
const LOOPBACK = '127.0.0.1'
const TRANSPORTS = ['udp', 'tcp'] as const

/** The variables that `dialplans/media-endpoint.xml` sets on each channel; here no limit for silence. */
export const DIALPLAN_VARIABLES: Readonly<Record<string, string>> = {
  app_disable_expand_variables: 'true',
  media_timeout: '0',
  hangup_after_bridge: 'false',
  hold_hangup_xfer_exten: 'park:inline',
  park_after_bridge: 'true',
  socket_resume: 'true',
  sound_prefix: '.',
}

/** Measures the delay of this thread's event loop. */
interface LoopDelay extends AsyncDisposable {
  /** 99th-percentile event-loop delay since the last call, ms. */
  p99Ms(): number
}

const RESOLUTION_MS = 10

/**
 * Starts the drachtio server with the public SIP listener, and behind it the media server and the
 * phones: their own SIP is on loopback, their RTP where the public SIP is. Rejects when a port
 * cannot be had.
 */
export async function startLabServers(start: LabStart): Promise<LabServers> {
  const { options } = start
  if (options.recordingsDir !== undefined) await mkdir(options.recordingsDir, { recursive: true })
  const opened = new Disposer()
  try {
    const servers = await open(start, opened)
    return {
      ports: portsOf(servers),
      sipContacts: servers.drachtio.contacts.map(
        ({ transport, address, port }) => `sip:${formatHost(address, port)};transport=${transport}`,
      ),
      stats: () => statsOf(servers),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    }
  } catch (error) {
    await opened[Symbol.asyncDispose]()
    throw error
  }
}

async function open(start: LabStart, opened: Disposer): Promise<Servers> {
  const { tls } = start.options
  const credentials = tls === undefined ? undefined : await readTlsFiles(tls.files)
  // The phones are not included, so that calls to them can be captured on the network.
  const neighbours = new Neighbours()
  const { hep } = start.options
  const homer = hep === undefined ? undefined : opened.use(new HepSender(hep, start.log))
  const drachtio = opened.use(await openDrachtio(start, credentials, neighbours, homer))
  if (tls !== undefined && credentials !== undefined)
    opened.use(renewing(drachtio, tls, credentials, start.log))
  const mediaAddress = announcedAddress(start.options.sipHost, drachtio.contacts)
  const phones = await openPhones(start, opened, mediaAddress)
  // Started last: once the media server runs, the lab counts as ready and a call to a phone may arrive.
  const media = await openMediaServer(start, opened, mediaAddress, neighbours)
  return { drachtio, ...media, ...phones, loopDelay: opened.use(watchLoopDelay()) }
}

/**
 * Joins the stacks of one process: a datagram from one to another does not go through the system, which
 * would cost each of them as much as reading it.
 */
export class Neighbours implements SipNeighbours {
  readonly #ports = new Map<string, (bytes: Buffer, from: SipPeer) => void>()

  join(own: SipPeer, receive: (bytes: Buffer, from: SipPeer) => void): () => void {
    const key = keyOf(own)
    this.#ports.set(key, receive)
    return () => {
      this.#ports.delete(key)
    }
  }

  deliver(bytes: Buffer, from: SipPeer, to: SipPeer): boolean {
    const key = keyOf(to)
    if (!this.#ports.has(key)) return false
    setImmediate(() => {
      this.#ports.get(key)?.(bytes, from)
    })
    return true
  }
}

function keyOf({ address, port }: SipPeer): string {
  return `${address} ${port}`
}

function watchLoopDelay(): LoopDelay {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return {
    p99Ms: () => {
      // The histogram contains the time between event-loop iterations, in nanoseconds.
      const late = delays.percentile(99) / 1e6 - RESOLUTION_MS
      delays.reset()
      return Math.max(0, Math.round(late * 10) / 10)
    },
    [Symbol.asyncDispose]: () => {
      delays.disable()
      return Promise.resolve()
    },
  }
}

/** Passes each new certificate to the server. Existing connections keep theirs. */
function renewing(
  drachtio: DrachtioServer,
  { files, checkMs }: LabTlsOptions,
  current: TlsCredentials,
  log: Logger,
): AsyncDisposable {
  return watchTlsFiles(files, {
    current,
    everyMs: checkMs,
    onChange: (renewed) => {
      drachtio.renewTls(renewed)
    },
    log,
  })
}

function openDrachtio(
  { options, ports, secrets, log }: LabStart,
  credentials: TlsCredentials | undefined,
  neighbours: SipNeighbours,
  homer: HepSender | undefined,
): Promise<DrachtioServer> {
  return startDrachtioServer({
    host: LOOPBACK,
    port: ports.drachtio,
    secret: secrets.drachtio,
    sip: {
      host: options.sipHost,
      // The media server and the phones are on IPv4: drachtio-fsmrf finds no other profile.
      otherHost: isIPv6(options.sipHost) ? LOOPBACK : undefined,
      port: ports.sip,
      transports: TRANSPORTS,
      tls: credentials && { port: ports.sipTls, credentials },
      sourceRate: options.sourceRate,
      neighbours,
      onWire: homer?.copy,
    },
    log,
  })
}

async function openMediaServer(
  { options, ports, secrets, log, onFailure }: LabStart,
  opened: Disposer,
  mediaAddress: string,
  neighbours: SipNeighbours,
): Promise<Pick<Servers, 'engine' | 'userAgent' | 'mediaServer'>> {
  const engine = opened.use(
    await createMediaEngine({
      host: options.sipHost,
      rtpPorts: options.rtpPorts,
      mediaRelays: options.mediaRelays ?? [],
      log,
      onFailure,
    }),
  )
  const userAgent = await openAgent(opened, { port: ports.mediaSip, log, neighbours }, 'drachtio')
  const mediaServer = opened.use(
    await startMediaServer(
      {
        host: LOOPBACK,
        port: ports.eventSocket,
        secret: secrets.eventSocket,
        mediaAddress,
        dialplanVariables: DIALPLAN_VARIABLES,
        extRtpAddress: options.mediaFaults?.extRtpAddress,
        profile: options.mediaFaults?.profile,
        missingModules: options.mediaFaults?.missingModules,
        commandLogFile: options.commandLogFile,
      },
      { userAgent, engine, log },
    ),
  )
  return { engine, userAgent, mediaServer }
}

/**
 * Starts the phones on a media thread of their own: they are another party, and take no port of the
 * range.
 */
async function openPhones(
  { options, ports, log, onFailure }: LabStart,
  opened: Disposer,
  mediaAddress: string,
): Promise<Pick<Servers, 'phones' | 'phonesAgent'>> {
  const media = opened.use(
    await createMediaEngine({
      host: options.sipHost,
      rtpPorts: { first: 0, last: 0 },
      log,
      onFailure,
    }),
  )
  const phonesAgent = await openAgent(opened, { port: ports.phonesSip, log }, 'phone')
  const phones = opened.use(
    startPhones({
      userAgent: phonesAgent,
      media,
      mediaAddress,
      log,
      recordingsDir: options.recordingsDir,
    }),
  )
  return { phones, phonesAgent }
}

async function openAgent(
  opened: Disposer,
  options: Pick<SipStackOptions, 'port' | 'neighbours'> & { readonly log: Logger },
  contactUser: string,
): Promise<UserAgent> {
  const stack = opened.use(
    await createSipStack({ host: LOOPBACK, transports: TRANSPORTS, ...options }),
  )
  const { log } = options
  return opened.use(createUserAgent(stack, { log, name: 'trunkline lab', contactUser }))
}

function portsOf({ drachtio, userAgent, mediaServer, phonesAgent }: Servers): LabPorts {
  return {
    sip: drachtio.contacts[0]?.port ?? 0,
    sipTls: drachtio.contacts.find(({ transport }) => transport === 'tls')?.port ?? 0,
    drachtio: drachtio.port,
    eventSocket: mediaServer.port,
    mediaSip: userAgent.stack.contacts[0]?.port ?? 0,
    phonesSip: phonesAgent.stack.contacts[0]?.port ?? 0,
  }
}

async function statsOf(servers: Servers): Promise<LabStats> {
  const { drachtio, engine, userAgent, mediaServer, phones, phonesAgent, loopDelay } = servers
  const stacks = [drachtio.stats().sip, userAgent.stack.stats(), phonesAgent.stack.stats()]
  const sum = (count: (stats: SipStackStats) => number): number =>
    stacks.reduce((total, stats) => total + count(stats), 0)
  return {
    channels: mediaServer.core.channels.size,
    eventSocketConnections: mediaServer.connectionCount(),
    phoneCalls: phones.callCount(),
    dialogs: drachtio.stats().dialogs + userAgent.dialogCount() + phonesAgent.dialogCount(),
    transactions: sum((stats) => stats.clientTransactions + stats.serverTransactions),
    timers: sum((stats) => stats.timers),
    scannersIgnored: sum((stats) => stats.requestsDiscarded),
    strayResponses: sum((stats) => stats.strayResponses),
    requestsLimited: sum((stats) => stats.requestsLimited),
    loopP99Ms: loopDelay.p99Ms(),
    media: await engine.stats(),
  }
}

/** Returns the address to announce. A listener on all addresses must announce one that others can reach. */
function announcedAddress(host: string, contacts: readonly SipPeer[]): string {
  if (host !== '0.0.0.0' && host !== '::') return host
  const loopback = host === '::' ? '::1' : LOOPBACK
  const outside = contacts.find(
    ({ address }) =>
      isIP(address) === isIP(host) && !address.startsWith('127.') && address !== loopback,
  )
  return outside?.address ?? loopback
}
