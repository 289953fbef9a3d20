/** The adapter behind the telephony port: drachtio for signaling, FreeSWITCH for media. */
import type { SrfRequest, SrfResponse } from 'drachtio-srf'
import { withLimit } from '../../platform/async/limit.js'
import type { Clock } from '../../platform/clock.js'
import { AdapterError, InvariantError } from '../../platform/errors.js'
import type { Logger } from '../../platform/log.js'
import type { DialogFacts } from './dialog-facts.js'
import { ForkListener } from './forks/fork-listener.js'
import { MediaConnection } from './freeswitch/media-connection.js'
import { InboundLeg } from './legs/inbound-leg.js'
import { DEFAULT_LIMITS, type LegDeps, type LegLimits, tell } from './legs/leg-deps.js'
import { OutboundLeg } from './legs/outbound-leg.js'
import type {
  DialRequest,
  IncomingInvite,
  Leg,
  LegEvents,
  OutsideRequest,
  Telephony,
  TelephonyHealth,
} from './port.js'
import { overallHealth, ServerLink } from './server-link.js'
import { parseServerUrl, serverName } from './server-url.js'
import { checkDial } from './signaling/dial-headers.js'
import { incomingInvite } from './signaling/incoming-invite.js'
import { namesDialog, outsideRequest } from './signaling/outside-request.js'
import { sayByeFor } from './signaling/say-bye-for.js'
import { SignalingConnection } from './signaling/signaling-connection.js'

const HANGUP_LIMIT_MS = 8_000
const BAD_REQUEST = 400
const NO_DIALOG = 481
const SERVER_ERROR = 500
const SERVICE_UNAVAILABLE = 503

export interface TelephonyOptions {
  /** `tcp://:SECRET@HOST:PORT`; several stand in for each other. */
  readonly drachtioUrls: readonly string[]
  readonly freeswitchUrls: readonly string[]
  readonly log: Logger
  readonly clock: Clock
  /** Where FreeSWITCH's channels connect back to; loopback unless given. */
  readonly listenAddress?: string
  /** The same address as FreeSWITCH sees it, when it differs. */
  readonly advertisedAddress?: string
  readonly limits?: Partial<LegLimits>
}

/** Resolves without waiting for the servers: they are `health`. Throws TypeError for a bad URL. */
export async function connectTelephony(options: TelephonyOptions): Promise<Telephony> {
  const { listenAddress = '127.0.0.1', advertisedAddress, log } = options
  const forks = await ForkListener.open({ address: listenAddress, advertisedAddress, log })
  try {
    return new DrachtioTelephony(options, forks)
  } catch (err) {
    await forks[Symbol.asyncDispose]()
    throw err
  }
}

class DrachtioTelephony implements Telephony {
  readonly #options: TelephonyOptions
  readonly #forks: ForkListener
  /** Names of the drachtio servers. */
  readonly #servers: readonly string[]
  readonly #signaling: readonly ServerLink<SignalingConnection>[]
  readonly #media: readonly ServerLink<MediaConnection>[]
  readonly #legs = new Map<Leg, number>()
  readonly #healthListeners = new Set<(health: TelephonyHealth) => void>()
  #health: TelephonyHealth = { signaling: 'connecting', media: 'connecting' }
  #onInvite: ((invite: IncomingInvite) => void) | undefined
  #onOutsideRequest: ((request: OutsideRequest) => void) | undefined

  constructor(options: TelephonyOptions, forks: ForkListener) {
    this.#forks = forks
    const { log, drachtioUrls, freeswitchUrls } = options
    const drachtios = drachtioUrls.map(parseServerUrl)
    const freeswitches = freeswitchUrls.map(parseServerUrl)
    this.#options = options
    this.#servers = drachtios.map(serverName)
    const onHealth = () => {
      this.#updateHealth()
    }
    this.#signaling = drachtios.map((server) => {
      const linkLog = log.child({ server: 'drachtio', host: server.host, port: server.port })
      const listeners = {
        onInvite: this.#invited.bind(this),
        onOutsideRequest: this.#asked.bind(this),
      }
      return new ServerLink({
        open: (stop) => SignalingConnection.open(server, listeners, stop),
        onHealth,
        log: linkLog,
      })
    })
    this.#media = freeswitches.map((server) => {
      const linkLog = log.child({ server: 'freeswitch', host: server.host, port: server.port })
      const { listenAddress = '127.0.0.1', advertisedAddress } = options
      const media = { server, listenAddress, advertisedAddress, log: linkLog }
      return new ServerLink({
        open: (stop) => MediaConnection.open(media, stop),
        onHealth,
        log: linkLog,
      })
    })
  }

  get health(): TelephonyHealth {
    return this.#health
  }

  onHealth(listener: (health: TelephonyHealth) => void): () => void {
    this.#healthListeners.add(listener)
    return () => {
      this.#healthListeners.delete(listener)
    }
  }

  onInvite(handler: (invite: IncomingInvite) => void): void {
    this.#onInvite = handler
  }

  onOutsideRequest(handler: (request: OutsideRequest) => void): void {
    this.#onOutsideRequest = handler
  }

  dial(request: DialRequest, events: LegEvents): Leg {
    const dial = checkDial(request)
    const up = this.#signaling.flatMap((link) => link.connection ?? [])
    // In turn, as all of them can reach everything.
    const signaling = up[this.#legs.size % Math.max(1, up.length)] ?? SignalingConnection.none()
    return this.#keep(new OutboundLeg(dial, events, this.#legDeps(signaling)))
  }

  async endDialog(dialog: DialogFacts): Promise<boolean> {
    const isKept = this.#servers.includes(dialog.server)
    const signaling = this.#signaling
      .flatMap((link) => link.connection ?? [])
      // Of a server that is not used any more: any other may reach the peer.
      .find(({ name }) => !isKept || name === dialog.server)
    if (!signaling) return false
    try {
      await sayByeFor(dialog, signaling, this.#options.log)
    } catch (err) {
      this.#options.log.warn({ err, callId: dialog.callId }, 'a dialog could not be ended')
    }
    return signaling.isOpen
  }

  legCount(): number {
    return this.#legs.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#onInvite = undefined
    this.#onOutsideRequest = undefined
    const over = Promise.all([...this.#legs.keys()].map((leg) => leg.hangup()))
    await withLimit<unknown>(over, HANGUP_LIMIT_MS, () => {
      this.#options.log.warn({ legs: this.#legs.size }, 'some legs did not end in time')
    })
    await Promise.all([...this.#signaling, ...this.#media].map((link) => link.close()))
    await this.#forks[Symbol.asyncDispose]()
  }

  #invited(req: SrfRequest, res: SrfResponse, signaling: SignalingConnection): void {
    if (namesDialog(req)) {
      res.send(NO_DIALOG)
      return
    }
    let isCanceled = false
    const legs: Leg[] = []
    req.once('cancel', () => {
      isCanceled = true
    })
    const invite = incomingInvite(
      req,
      res,
      (events) => {
        if (legs.length > 0) throw new InvariantError('an INVITE makes one leg')
        const leg = new InboundLeg({ req, res, isCanceled }, events, this.#legDeps(signaling))
        legs.push(leg)
        return this.#keep(leg)
      },
      () => {
        signaling.forgetInvite(req)
      },
    )
    const handler = this.#onInvite
    if (!invite) res.send(BAD_REQUEST)
    else if (!handler) res.send(SERVICE_UNAVAILABLE)
    else if (!tell(this.#options.log, handler.bind(undefined, invite)) && legs.length === 0)
      res.send(SERVER_ERROR)
  }

  #asked(req: SrfRequest, res: SrfResponse): void {
    const handler = this.#onOutsideRequest
    const request = outsideRequest(req, res)
    if (request && handler) tell(this.#options.log, handler.bind(undefined, request))
  }

  #legDeps(signaling: SignalingConnection): LegDeps {
    const { clock, log, limits } = this.#options
    return {
      signaling,
      createEndpoint: async (peer, events) => {
        const media = this.#leastLoaded()
        const endpoint = await media.createEndpoint({
          uac: signaling.srf,
          events,
          peer,
        })
        return {
          endpoint,
          whenRecorded: media.whenRecorded,
          rooms: media.rooms,
          forks: this.#forks,
        }
      },
      limits: { ...DEFAULT_LIMITS, ...limits },
      clock,
      onOver: (leg) => {
        this.#forget(leg)
      },
      log,
    }
  }

  #leastLoaded(): MediaConnection {
    const [first, ...others] = this.#media.flatMap((link) => link.connection ?? [])
    if (!first) throw new AdapterError('no media server is up', { isRetryable: true })
    return others.reduce((a, b) => (b.endpointCount < a.endpointCount ? b : a), first)
  }

  #keep(leg: Leg): Leg {
    this.#legs.set(leg, this.#options.clock.monotonic())
    return leg
  }

  #forget(leg: Leg): void {
    const startedAt = this.#legs.get(leg)
    if (startedAt === undefined) return
    this.#legs.delete(leg)
    const { clock, log } = this.#options
    log.debug({ leg: leg.id, lifeMs: Math.round(clock.monotonic() - startedAt) }, 'leg over')
  }

  #updateHealth(): void {
    const health = {
      signaling: overallHealth(this.#signaling),
      media: overallHealth(this.#media),
    }
    if (health.signaling === this.#health.signaling && health.media === this.#health.media) return
    this.#health = health
    for (const listener of this.#healthListeners)
      tell(this.#options.log, () => {
        listener(health)
      })
  }
}
