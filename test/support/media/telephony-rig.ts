import { systemClock } from '../../../src/platform/clock.js'
import type { Codec } from '../../../src/voice/telephony/codecs.js'
import {
  connectTelephony,
  type TelephonyOptions,
} from '../../../src/voice/telephony/connect-telephony.js'
import type {
  DialRequest,
  IncomingInvite,
  Leg,
  Telephony,
} from '../../../src/voice/telephony/port.js'
import { type LogLine, recordingLog } from '../process/recording-log.js'
import { type PeerCall, type SdpOptions, SipPeer } from '../sip/sip-peer.js'
import { headerOf, uriOf } from '../sip/sip-peer-message.js'
import { waitUntil } from '../time/wait-until.js'
import { LegRecorder } from './leg-recorder.js'

/** A drachtio and a FreeSWITCH, real or from the lab. */
export interface TelephonyServers extends AsyncDisposable {
  readonly drachtioUrl: string
  readonly freeswitchUrl: string
  /** True when the media server supports Opus: FreeSWITCH with its module. */
  readonly speaksOpus?: boolean
}

export interface RecordedLeg {
  readonly leg: Leg
  readonly events: LegRecorder
}

export interface AnsweredCall extends RecordedLeg {
  readonly peer: SipPeer
  readonly call: PeerCall
}

/** The adapter under test, and its far-end parties. */
export class TelephonyRig {
  readonly telephony: Telephony
  readonly servers: TelephonyServers
  readonly log: readonly LogLine[]
  readonly invites: IncomingInvite[] = []
  readonly #peers: SipPeer[] = []
  readonly #legs: Leg[] = []
  #sipPort: number | undefined

  static async open(
    servers: TelephonyServers,
    options: Partial<TelephonyOptions> = {},
  ): Promise<TelephonyRig> {
    const rig = await TelephonyRig.connecting(servers, options)
    await rig.up()
    return rig
  }

  /** Creates a rig without waiting for its connections. */
  static async connecting(
    servers: TelephonyServers,
    options: Partial<TelephonyOptions> = {},
  ): Promise<TelephonyRig> {
    const { log, lines } = recordingLog()
    const telephony = await connectTelephony({
      drachtioUrls: [servers.drachtioUrl],
      freeswitchUrls: [servers.freeswitchUrl],
      log,
      clock: systemClock,
      ...options,
    })
    return new TelephonyRig(telephony, servers, lines)
  }

  private constructor(telephony: Telephony, servers: TelephonyServers, log: readonly LogLine[]) {
    this.telephony = telephony
    this.servers = servers
    this.log = log
    telephony.onInvite((invite) => this.invites.push(invite))
  }

  async up(): Promise<void> {
    const { telephony } = this
    const isUp = () => telephony.health.signaling === 'up' && telephony.health.media === 'up'
    await waitUntil('both servers are up', isUp, 20_000, () => this.log)
  }

  async peer(): Promise<SipPeer> {
    const peer = await SipPeer.open()
    this.#peers.push(peer)
    return peer
  }

  dial(peer: SipPeer, request: Partial<DialRequest> = {}): RecordedLeg {
    return this.#dial({ uri: peer.uri(), ...request })
  }

  /** Dials a number of this server as a loopback call. */
  dialLoopback(number: string, request: Partial<DialRequest> = {}): RecordedLeg {
    return this.#dial({ uri: `sip:${number}@localhost`, loopback: { hops: 1 }, ...request })
  }

  accept(invite: IncomingInvite, wish?: readonly Codec[]): RecordedLeg {
    const events = new LegRecorder()
    return this.#recorded(invite.accept(events, wish), events)
  }

  /** Dials a leg that the peer answers. */
  async dialed(
    options: { sdp?: string; offered?: SdpOptions; request?: Partial<DialRequest> } = {},
  ): Promise<AnsweredCall> {
    const peer = await this.peer()
    const recorded = this.dial(peer, options.request)
    const call = await peer.nextCall(20_000) // the last of many legs is dialled late
    await call.answer(options.offered ? peer.sdp(options.offered) : options.sdp)
    await recorded.events.answered(20_000)
    return { ...recorded, peer, call }
  }

  /** Sends an INVITE to the adapter; resolves with the reported call. */
  async invited(
    start: (peer: SipPeer, sipPort: number) => PeerCall = (peer, port) => peer.call(port),
  ): Promise<{ peer: SipPeer; call: PeerCall; invite: IncomingInvite }> {
    const sipPort = await this.sipPort()
    const peer = await this.peer()
    const index = this.invites.length
    const call = start(peer, sipPort)
    await waitUntil(
      'the INVITE is reported',
      () => this.invites.length > index,
      undefined,
      () => peer.seen(),
    )
    const invite = this.invites[index]
    if (!invite) throw new Error('unreachable')
    return { peer, call, invite }
  }

  /** Receives and answers an inbound leg. */
  async received(start?: (peer: SipPeer, sipPort: number) => PeerCall): Promise<AnsweredCall> {
    const { peer, call, invite } = await this.invited(start)
    const recorded = this.accept(invite)
    await recorded.leg.answer()
    return { ...recorded, peer, call }
  }

  /** SIP port of drachtio, as named in its INVITEs. */
  async sipPort(): Promise<number> {
    if (this.#sipPort !== undefined) return this.#sipPort
    const peer = await this.peer()
    const { leg } = this.dial(peer)
    const call = await peer.nextCall()
    const contact = uriOf(headerOf(call.invite, 'contact'))
    call.respond(486, 'Busy Here')
    await leg.hangup()
    this.#sipPort = Number(/:(\d+)(;|$)/.exec(contact)?.[1] ?? 5060)
    return this.#sipPort
  }

  #dial(request: Pick<DialRequest, 'uri'> & Partial<DialRequest>): RecordedLeg {
    const events = new LegRecorder()
    const wanted = { from: { user: '+15550001111' }, timeoutMs: 20_000, ...request }
    return this.#recorded(this.telephony.dial(wanted, events), events)
  }

  #recorded(leg: Leg, events: LegRecorder): RecordedLeg {
    events.listenTo(leg)
    this.#legs.push(leg)
    return { leg, events }
  }

  /** Hangs up the legs of a failed test, then checks that none is left. */
  async clear(): Promise<void> {
    await Promise.all(this.#legs.splice(0).map((leg) => leg.hangup()))
    for (const peer of this.#peers.splice(0)) peer.close()
    await waitUntil(
      'no leg is left',
      () => this.telephony.legCount() === 0,
      10_000,
      () => this.log,
    )
  }

  async close(): Promise<void> {
    await this.telephony[Symbol.asyncDispose]()
    for (const peer of this.#peers) peer.close()
  }
}
