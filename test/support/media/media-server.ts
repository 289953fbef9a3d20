import type { CommandLogEntry } from '../../../src/lab/event-socket/model/command-log.js'
import {
  type MediaServer,
  type MediaServerOptions,
  startMediaServer,
} from '../../../src/lab/event-socket/start-media-server.js'
import type { SipHeader } from '../../../src/lab/sip/message/types.js'
import type { SipPeer, SipStack } from '../../../src/lab/sip/model/stack-types.js'
import type {
  IncomingCall,
  SipCallEnd,
  SipCallEvents,
  UserAgent,
} from '../../../src/lab/sip/user-agent/user-agent-types.js'
import { createLogger } from '../../../src/platform/log.js'
import { EslApplication, EslClient } from './esl-client.js'
import { type FakeEndpoint, FakeEngine } from './fake-media-engine.js'

const PEER: SipPeer = { transport: 'udp', address: '127.0.0.1', port: 5060 }

export const OFFER =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n' +
  'm=audio 40000 RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\n'

/** An incoming call as the user agent reports it, without a peer. */
export class FakeCall implements IncomingCall {
  readonly callId: string
  readonly from = PEER
  readonly offer: string | undefined
  readonly request: IncomingCall['request']
  events: SipCallEvents = {}
  answered: string | undefined
  rejected: number | undefined
  hungUpWith: readonly SipHeader[] | undefined

  constructor(number: number, headers: Readonly<Record<string, string>>, offer?: string) {
    this.callId = `call-${number}@test`
    this.offer = offer
    this.request = {
      kind: 'request',
      method: 'INVITE',
      uri: 'sip:drachtio@127.0.0.1:5080',
      headers: Object.entries({
        Via: 'SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1',
        From: '<sip:127.0.0.1:5060>;tag=abc',
        To: '<sip:drachtio@127.0.0.1:5080>',
        'Call-ID': this.callId,
        CSeq: '1 INVITE',
        Contact: '<sip:127.0.0.1:5060>',
        'Max-Forwards': '70',
        'User-Agent': 'drachtio-fsmrf:0b7c4c1e',
        ...headers,
      }).map(([name, value]) => ({ name, value })),
      body: Buffer.from(offer ?? ''),
    }
  }

  setEvents(events: SipCallEvents): void {
    this.events = events
  }

  ring(): void {
    // Not used by any test.
  }

  answer(sdp: string): void {
    this.answered = sdp
  }

  reject(status: number): void {
    this.rejected = status
  }

  hangup(headers: readonly SipHeader[] = []): void {
    this.hungUpWith = headers
    this.end({ by: 'us', status: 200 })
  }

  sendInfo(): void {
    // No test listens for it.
  }

  reinvite(): void {
    // There is no peer to answer.
  }

  /** Ends the call, like a BYE from the peer or the user agent. */
  end(end: SipCallEnd = { by: 'them', status: 200 }): void {
    this.events.onEnded?.(end)
  }
}

class FakeUserAgent implements UserAgent {
  /** The media server reads only the contacts of the stack. */
  readonly stack = { contacts: [{ ...PEER, port: 5080 }] } as unknown as SipStack
  handler: (call: IncomingCall) => void = () => undefined

  onInvite(handler: (call: IncomingCall) => void): void {
    this.handler = handler
  }

  dialogCount(): number {
    return 0
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}

/** A controlled call: its SIP side, its media, and the application's connection after `connect`. */
export interface ControlledCall {
  readonly call: FakeCall
  readonly media: FakeEndpoint
  readonly app: EslClient
  readonly uuid: string
  /** Decoded channel data from the reply to `connect`. */
  readonly channelData: ReadonlyMap<string, string>
}

export interface MediaServerFixture extends AsyncDisposable {
  readonly server: MediaServer
  readonly engine: FakeEngine
  readonly commands: CommandLogEntry[]
  readonly secret: string
  /** Sends an INVITE that names the application. */
  invite(offer?: string, headers?: Readonly<Record<string, string>>): FakeCall
  /** Places a call, connected and subscribed to the events that the usual client needs. */
  controlledCall(): Promise<ControlledCall>
  application: EslApplication
  /** An inbound connection that receives all events as JSON. */
  watch(): Promise<EslClient>
}

export const CLIENT_EVENTS =
  'CHANNEL_EXECUTE CHANNEL_EXECUTE_COMPLETE CHANNEL_PROGRESS_MEDIA CHANNEL_CALLSTATE CHANNEL_ANSWER DTMF DETECTED_TONE SWITCH_EVENT_PLAYBACK_START SWITCH_EVENT_PLAYBACK_STOP CUSTOM conference::maintenance'

/** A media server with a fake user agent and a fake engine. */
export async function mediaServerFixture(
  options: Partial<MediaServerOptions> = {},
): Promise<MediaServerFixture> {
  const userAgent = new FakeUserAgent()
  const engine = new FakeEngine()
  const commands: CommandLogEntry[] = []
  const secret = 'sesame'
  const application = await EslApplication.listen()
  const server = await startMediaServer(
    {
      host: '127.0.0.1',
      port: 0,
      secret,
      mediaAddress: '127.0.0.1',
      onCommand: (entry) => commands.push(entry),
      ...options,
    },
    { userAgent, engine, log: createLogger('silent') },
  )
  let number = 0
  const invite = (offer?: string, headers: Readonly<Record<string, string>> = {}): FakeCall => {
    number++
    const call = new FakeCall(number, { 'X-esl-outbound': application.target, ...headers }, offer)
    userAgent.handler(call)
    return call
  }
  return {
    server,
    engine,
    commands,
    secret,
    application,
    invite,
    async controlledCall() {
      const call = invite(OFFER)
      const app = await application.client()
      app.write('connect\n\n')
      const { head } = await app.next((frame) => frame.head['Event-Name'] === 'CHANNEL_DATA')
      const channelData = new Map(
        Object.entries(head).map(([name, value]) => [name, decodeURIComponent(value)]),
      )
      const uuid = channelData.get('Unique-ID') ?? ''
      await app.command(`event json ${CLIENT_EVENTS}`)
      await app.command(`filter Unique-ID ${uuid}`)
      const media = engine.endpoints.find(
        (each) => String(each.port) === channelData.get('variable_local_media_port'),
      )
      if (media === undefined) throw new Error('the channel has no endpoint')
      media.calls.length = 0 // removes the requests that every channel makes at its start
      return { call, media, app, uuid, channelData }
    },
    async watch() {
      const client = await EslClient.login(server.port, secret)
      await client.command('event json ALL')
      return client
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await application[Symbol.asyncDispose]()
    },
  }
}
