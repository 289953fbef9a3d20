/** The adapter behind the telephony port: drachtio for signaling, FreeSWITCH for media. */
import type { SrfRequest, SrfResponse } from 'drachtio-srf'
import { withLimit } from '../../platform/async/limit.js'
import type { Clock } from '../../platform/clock.js'
import { Disposer } from '../../platform/disposer.js'
import { InvariantError } from '../../platform/errors.js'
import type { Logger } from '../../platform/log.js'
import type { Load } from '../../platform/under-way.js'
import type { DialogFacts, InviteFacts } from './dialog-facts.js'
import { FileListener } from './files/file-listener.js'
import { MediaFiles, type RecordingPlace } from './files/media-files.js'
import { ForkListener } from './forks/fork-listener.js'
import { EndpointMedia } from './legs/endpoint-media.js'
import { DEFAULT_LIMITS, type LegDeps, type LegLimits, notify } from './legs/leg-deps.js'
import { SipUacLeg } from './legs/uac-leg.js'
import { SipUasLeg } from './legs/uas-leg.js'
import type { LoopbackCall } from './loopback/loopback-call.js'
import { LoopbackUacLeg } from './loopback/loopback-uac-leg.js'
import { loopbackOffers } from './loopback/loopback-uas-leg.js'
import { offerInvite } from './offer-invite.js'
import type {
  DialRequest,
  FlowAddress,
  IncomingInvite,
  KeepAliveOutcome,
  Leg,
  LegEvents,
  OutsideRequest,
  ProbeOutcome,
  RegisterOutcome,
  RegisterRequest,
  ServerView,
  SipText,
  Telephony,
  TelephonyHealth,
} from './port.js'
import { openTieLine } from './servers/tie-line.js'
import { type CheckedDial, checkDial } from './signaling/dial-headers.js'
import { byeOrphanedDialog, endOrphanedInvite } from './signaling/end-orphans.js'
import { incomingInvite, refusesInvite } from './signaling/incoming-invite.js'
import { outsideRequest } from './signaling/outside-request.js'
import {
  messageTo,
  optionsTo,
  probeOf,
  registerOutcome,
  registerRequest,
  sendRequest,
} from './signaling/plain-requests.js'
import type { SignalingConnection } from './signaling/signaling-connection.js'
import { TelephonyServers } from './telephony-servers.js'

const LOOPBACK = '127.0.0.1'
const HANGUP_LIMIT_MS = 8_000
const BAD_REQUEST = 400
const REQUEST_TIMEOUT = 408

export interface TelephonyOptions {
  /** The drachtio servers, each as `tcp://:SECRET@HOST:PORT`. Any of them can serve any call. */
  readonly drachtioUrls: readonly string[]
  readonly freeswitchUrls: readonly string[]
  readonly log: Logger
  readonly clock: Clock
  /** The address that FreeSWITCH's channels connect back to. The default is loopback. */
  readonly listenAddress?: string
  /** `listenAddress` as FreeSWITCH sees it, when it differs. */
  readonly advertisedAddress?: string | undefined
  /** CIDRs of peers that reach FreeSWITCH at its internal address; none by default. */
  readonly localNetworks?: readonly string[]
  /** The folders of recordings; set when the media servers share no folder with this process. */
  readonly recordings?: RecordingPlace | undefined
  readonly limits?: Partial<LegLimits>
}

/**
 * Makes the telephony port. Resolves without waiting for the servers: `health` reports them. Throws
 * TypeError for a bad URL.
 */
export async function connectTelephony(options: TelephonyOptions): Promise<Telephony> {
  const { listenAddress: address = LOOPBACK, advertisedAddress, clock, log } = options
  const opened = new Disposer()
  try {
    const forks = opened.use(await ForkListener.open({ address, advertisedAddress, log }))
    const known: { telephony: DrachtioTelephony | undefined } = { telephony: undefined }
    const isMediaServer = (from: string | undefined) =>
      known.telephony?.isMediaServer(from) === true
    const files =
      options.recordings &&
      opened.use(await FileListener.open({ address, advertisedAddress, isMediaServer, clock, log }))
    const telephony = new DrachtioTelephony(options, { opened, forks, files })
    known.telephony = telephony
    return telephony
  } catch (err) {
    await opened[Symbol.asyncDispose]()
    throw err
  }
}

/** The listeners that media servers connect to; they close after all connections. */
interface Listeners {
  readonly opened: Disposer
  readonly forks: ForkListener
  readonly files: FileListener | undefined
}

class DrachtioTelephony implements Telephony {
  readonly #options: TelephonyOptions
  readonly #listeners: Listeners
  readonly #files: MediaFiles | undefined
  readonly #links: TelephonyServers
  readonly #legs = new Map<Leg, { readonly startedAt: number; readonly server: string }>()
  readonly #legsOver = new Map<string, number>()
  readonly #healthListeners = new Set<(health: TelephonyHealth) => void>()
  #onInvite: ((invite: IncomingInvite) => void) | undefined
  #onOutsideRequest: ((request: OutsideRequest) => void) | undefined

  constructor(options: TelephonyOptions, listeners: Listeners) {
    this.#options = options
    this.#listeners = listeners
    this.#files = this.#mediaFiles()
    this.#links = new TelephonyServers({
      drachtioUrls: options.drachtioUrls,
      freeswitchUrls: options.freeswitchUrls,
      listenAddress: options.listenAddress ?? LOOPBACK,
      advertisedAddress: options.advertisedAddress,
      localNetworks: options.localNetworks ?? [],
      files: this.#files,
      requests: {
        onInvite: this.#invited.bind(this),
        onOutsideRequest: this.#asked.bind(this),
      },
      onHealth: (health) => {
        for (const listener of this.#healthListeners)
          notify(options.log, () => {
            listener(health)
          })
      },
      legsOver: (name) => this.#legsOver.get(name) ?? 0,
      clock: options.clock,
      log: options.log,
    })
  }

  get health(): TelephonyHealth {
    return this.#links.health
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
    const named =
      request.server === undefined ? undefined : this.#links.signalingNamed(request.server)
    const signaling = named ?? this.#links.signalingForCall()
    const deps = this.#legDeps(signaling)
    const add = (leg: Leg): Leg => this.#add(leg, signaling)
    return add(dialledLeg(dial, events, deps, loopbackOffers(deps, add, this.#onInvite)))
  }

  async endDialog(dialog: DialogFacts): Promise<boolean> {
    const signaling = this.#links.signalingNamed(dialog.server)
    if (!signaling) return false
    try {
      await byeOrphanedDialog(dialog, signaling, this.#options.log)
    } catch (err) {
      this.#options.log.warn({ err, callId: dialog.callId }, 'BYE not sent on an orphaned dialog')
    }
    return signaling.isOpen
  }

  async endInvite(invite: InviteFacts): Promise<boolean> {
    const signaling = this.#links.signalingNamed(invite.server)
    if (signaling?.isOpen !== true) return false
    try {
      await endOrphanedInvite(invite, signaling, this.#options.log)
    } catch (err) {
      this.#options.log.warn({ err, callId: invite.callId }, 'could not end an orphaned INVITE')
    }
    return signaling.isOpen
  }

  async keepAlive({ uri, proxy, server }: FlowAddress): Promise<KeepAliveOutcome> {
    const signaling = this.#links.signalingNamed(server)
    if (signaling?.isOpen !== true) return 'unsent'
    const response = await sendRequest(optionsTo(uri, proxy), signaling)
    // A response without a source is our own stack's (RFC 3261 §8.1.3.1).
    if (response !== undefined && response.source_address !== '') return 'answered'
    // Only the contact's own server has the connection to it and the open path through its NAT.
    if (signaling.name !== server) return 'unsent'
    return response === undefined || response.status === REQUEST_TIMEOUT ? 'silent' : 'lost'
  }

  async sendText(contact: FlowAddress, text: SipText): Promise<number | undefined> {
    const plain = messageTo(contact, text)
    const signaling = this.#links.signalingNamed(contact.server)
    if (signaling?.isOpen !== true) return undefined
    const response = await sendRequest(plain, signaling)
    // A response without a source is our own stack's (RFC 3261 §8.1.3.1).
    return response === undefined || response.source_address === '' ? undefined : response.status
  }

  async probe(server: Parameters<Telephony['probe']>[0]): Promise<ProbeOutcome> {
    const signaling = this.#links.signalingForCall()
    let contact: string | undefined
    if (!signaling.isOpen) return { status: undefined, contact }
    const response = await sendRequest(probeOf(server), signaling, (sent) => {
      contact = sent.get('Contact')
    })
    const isTheirs = response !== undefined && response.source_address !== ''
    return { status: isTheirs ? response.status : undefined, contact }
  }

  sipHosts(): readonly string[] {
    return this.#links.sipHosts
  }

  async register(request: RegisterRequest): Promise<RegisterOutcome | undefined> {
    const plain = registerRequest(request)
    // One fixed server registers, so that the registrar sees one contact and not one for each
    // server.
    const signaling = this.#links.firstSignaling()
    const response = signaling.isOpen ? await sendRequest(plain, signaling) : undefined
    return response && registerOutcome(response)
  }

  hasTls(): boolean {
    return this.#links.hasTls
  }

  legCount(): number {
    return this.#legs.size
  }

  readonly orphansEnded = (): Promise<void> => this.#links.media.orphansEnded()

  async bringRecording(path: string): Promise<boolean> {
    return (await this.#files?.bring(path)) ?? false
  }

  isMediaServer(address: string | undefined): boolean {
    return this.#links.media.isServer(address)
  }

  channelLoad(): Load {
    return this.#links.media.channelLoad()
  }

  servers(): readonly ServerView[] {
    return this.#links.views()
  }

  drain(names: ReadonlySet<string>): void {
    this.#links.drain(names)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#onInvite = undefined
    this.#onOutsideRequest = undefined
    const over = Promise.all([...this.#legs.keys()].map((leg) => leg.hangup()))
    await withLimit<unknown>(over, HANGUP_LIMIT_MS, () => {
      this.#options.log.warn({ legs: this.#legs.size }, 'legs have not ended in time')
    })
    this.#files?.close()
    await this.#links.close()
    await this.#listeners.opened[Symbol.asyncDispose]()
  }

  #invited(req: SrfRequest, res: SrfResponse, signaling: SignalingConnection): void {
    if (refusesInvite(req, res)) return
    let isCanceled = false
    const legs: Leg[] = []
    req.once('cancel', () => {
      isCanceled = true
    })
    const invite = incomingInvite(
      req,
      res,
      (events, wish) => {
        if (legs.length > 0) throw new InvariantError('an INVITE makes one leg')
        const leg = new SipUasLeg({ req, res, isCanceled, wish }, events, this.#legDeps(signaling))
        legs.push(leg)
        return this.#add(leg, signaling)
      },
      { signaling, media: this.#links.media },
    )
    const handler = this.#links.isDrained(signaling.name) ? undefined : this.#onInvite
    if (invite) offerInvite(invite, handler, () => legs.length > 0, this.#options.log)
    else res.send(BAD_REQUEST)
  }

  #asked(req: SrfRequest, res: SrfResponse, signaling: SignalingConnection): void {
    const request = outsideRequest(req, res, signaling)
    if (request) notify(this.#options.log, this.#onOutsideRequest?.bind(undefined, request))
  }

  #legDeps(signaling: SignalingConnection): LegDeps {
    const { clock, log, limits } = this.#options
    return {
      signaling,
      createEndpoint: async (audio, events, beside) => {
        const { media } = this.#links
        const uac = signaling.srf
        const near = beside instanceof EndpointMedia ? beside.serverName : undefined
        const request = { uac, events, ...('offer' in audio ? audio : { peer: audio }) }
        const { endpoint, server } = await media.createEndpoint(request, near)
        return {
          endpoint,
          server,
          places: media.places,
          tieLine: (to) => openTieLine(server, to, uac),
          forks: this.#listeners.forks,
        }
      },
      codecs: this.#links.media.codecs,
      faults: this.#links,
      limits: { ...DEFAULT_LIMITS, ...limits },
      clock,
      onOver: (leg) => {
        this.#remove(leg)
      },
      log,
    }
  }

  #mediaFiles(): MediaFiles | undefined {
    const { log, recordings } = this.#options
    const { files: listener } = this.#listeners
    if (recordings === undefined || listener === undefined) return undefined
    const servers = () =>
      this.#links.media.members.map(({ name, link }) => ({ name, connection: link.connection }))
    return new MediaFiles({ listener, recordings, servers, log })
  }

  #add(leg: Leg, { name: server }: SignalingConnection): Leg {
    this.#legs.set(leg, { startedAt: this.#options.clock.monotonic(), server })
    this.#legsOver.set(server, (this.#legsOver.get(server) ?? 0) + 1)
    return leg
  }

  #remove(leg: Leg): void {
    const known = this.#legs.get(leg)
    if (known === undefined) return
    this.#legs.delete(leg)
    this.#legsOver.set(known.server, (this.#legsOver.get(known.server) ?? 1) - 1)
    const { clock, log } = this.#options
    log.debug({ leg: leg.id, lifeMs: Math.round(clock.monotonic() - known.startedAt) }, 'leg ended')
  }
}

/** Returns the UAC leg of a dial request: over SIP, or a loopback leg whose call `place` offers. */
function dialledLeg(
  dial: CheckedDial,
  events: LegEvents,
  deps: LegDeps,
  place: (call: LoopbackCall) => void,
): Leg {
  return dial.loopback === undefined
    ? new SipUacLeg(dial, events, deps)
    : new LoopbackUacLeg(dial, place, events, deps)
}
