import type { ForkEvents, LegMedia } from '../../../src/voice/telephony/leg-media.js'
import { DigitSource } from '../../../src/voice/telephony/legs/base-leg.js'
import type { MediaFigures } from '../../../src/voice/telephony/media-figures.js'
import type {
  DialRequest,
  IncomingInvite,
  Leg,
  LegEnd,
  LegEvents,
  OutsideRequest,
  Telephony,
} from '../../../src/voice/telephony/port.js'

/** Facts of an INVITE that nothing cancels. */
export const INVITE_FACTS: IncomingInvite['facts'] = {
  sender: 'peer',
  callId: 'call-1',
  transactionId: 'transaction-1',
  dialogId: 'call-1;from-tag=1',
  uri: 'sip:+15551112222@192.0.2.9',
  server: 'signaling:9022',
}

/** A leg that a test answers, rings and ends; `asked` records its requests. */
export interface FakeLeg extends Leg {
  readonly asked: string[]
  readonly request: DialRequest | undefined
  progress(status?: number): void
  /** Counts this audio, as a media server does at the end of a leg. */
  count(figures: MediaFigures): void
  pickUp(): void
  end(cause: LegEnd['cause'], sipStatus: number): void
  press(digit: string): void
  /** Sends 16-bit samples to every fork. */
  hear(samples: Int16Array): void
}

/** Outcome of one INVITE so far. */
export interface InviteAnswers {
  readonly rejected: number[]
  dropped: number
  /** Its leg, once accepted. */
  leg: FakeLeg | undefined
}

export interface FakeTelephony extends Telephony {
  readonly legs: FakeLeg[]
  /** Resolves with the leg of that index once it was dialled or accepted. */
  leg(index: number): Promise<FakeLeg>
  invite(invite: Partial<IncomingInvite>): InviteAnswers
  /** Sends an out-of-dialog request; `answers` records the responses. */
  ask(request: Partial<OutsideRequest>): { readonly answers: (number | 'answer')[] }
  setHealth(health: Telephony['health']): void
}

export function createFakeTelephony(): FakeTelephony {
  const legs: FakeLeg[] = []
  const waiting: (() => void)[] = []
  let health: Telephony['health'] = { signaling: 'up', media: 'up' }
  let handler: ((invite: IncomingInvite) => void) | undefined
  let outside: ((request: OutsideRequest) => void) | undefined
  const add = (leg: FakeLeg): FakeLeg => {
    legs.push(leg)
    for (const wake of waiting.splice(0)) wake()
    return leg
  }
  return {
    legs,
    leg: async (index) => {
      for (;;) {
        const leg = legs[index]
        if (leg !== undefined) return leg
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    get health() {
      return health
    },
    setHealth: (next) => {
      health = next
    },
    onHealth: () => () => undefined,
    onInvite: (given) => {
      handler = given
    },
    onOutsideRequest: (given) => {
      outside = given
    },
    ask: (request) => {
      const answers: (number | 'answer')[] = []
      outside?.({
        method: 'OPTIONS',
        source: { address: '127.0.0.1', port: 5060, transport: 'udp' },
        userAgent: undefined,
        parties: [],
        server: 'signaling:9022',
        requestUri: 'sip:192.0.2.9',
        header: () => undefined,
        isTooLong: () => false,
        body: '',
        answer: () => answers.push('answer'),
        accepted: (status) => answers.push(status),
        registered: () => answers.push(200),
        reject: (status) => answers.push(status),
        ...request,
      })
      return { answers }
    },
    dial: (request, events) => add(createFakeLeg('outbound', request, events)),
    endDialog: () => Promise.resolve(true),
    endInvite: () => Promise.resolve(true),
    keepAlive: () => Promise.resolve('answered'),
    sendText: () => Promise.resolve(200),
    probe: () => Promise.resolve({ status: 200, contact: undefined }),
    sipHosts: () => [],
    register: () => Promise.resolve({ status: 200, expiresSeconds: 3_600 }),
    hasTls: () => false,
    channelLoad: () => ({ delayMs: 0, underWay: 0, perSecond: 0, done: [] }),
    bringRecording: () => Promise.resolve(false),
    orphansEnded: () => Promise.resolve(),
    servers: () => [],
    drain: () => undefined,
    legCount: () => legs.filter((leg) => leg.state !== 'ended').length,
    invite: (invite) => {
      const seen: InviteAnswers = { rejected: [], dropped: 0, leg: undefined }
      const address = (user: string) => ({ user, host: '192.0.2.9', uri: `sip:${user}@192.0.2.9` })
      handler?.({
        callId: 'call-1',
        requestUri: address('+15551112222'),
        from: address('+15553334444'),
        to: address('+15551112222'),
        source: { address: '127.0.0.1', port: 5060, transport: 'udp' },
        userAgent: undefined,
        audio: 'plain',
        headers: [],
        facts: INVITE_FACTS,
        reject: (status) => seen.rejected.push(status),
        drop: () => {
          seen.dropped += 1
        },
        accept: (events) => {
          seen.leg = add(createFakeLeg('inbound', undefined, events))
          return seen.leg
        },
        ...invite,
      })
      return seen
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

let made = 0

function createFakeLeg(
  direction: Leg['direction'],
  request: DialRequest | undefined,
  events: LegEvents,
): FakeLeg {
  const asked: string[] = []
  const forks = new Map<string, ForkEvents>()
  const digits = new DigitSource((error) => {
    throw error
  })
  let state: Leg['state'] = 'setup'
  const end = (cause: LegEnd['cause'], sipStatus: number) => {
    if (state === 'ended') return
    state = 'ended'
    for (const fork of forks.values()) fork.onEnded('leg-over')
    forks.clear()
    events.onEnded({ cause, sipStatus })
  }
  const answered = () => {
    state = 'answered'
    events.onAnswered?.()
  }
  const media: LegMedia = {
    joinRoom: () => Promise.reject(new Error('no rooms here')),
    play: (source) => {
      asked.push(`play ${source.type}`)
      return Promise.resolve()
    },
    sendDigits: (digits) => {
      asked.push(`digits ${digits}`)
      return Promise.resolve()
    },
    bridge: () => Promise.resolve(),
    record: () => Promise.reject(new Error('the fake leg does not record')),
    figures: () => Promise.resolve(undefined),
    setVariable: () => Promise.resolve(),
    fork: ({ name, hears, speaks }, forkEvents) => {
      asked.push(`fork ${name} ${hears} ${speaks}`)
      forks.set(name, forkEvents)
      return Promise.resolve({
        speak: () => true,
        mark: () => undefined,
        silence: () => undefined,
        stop: () => {
          asked.push(`stop fork ${name}`)
          forks.delete(name)
          return Promise.resolve()
        },
      })
    },
  }
  return {
    id: `leg-${(made += 1)}`,
    direction,
    dialogFacts: undefined,
    openInvites: [],
    sipCallId: 'sip-call',
    remoteHeaders: [],
    asked,
    request,
    get state() {
      return state
    },
    count: (figures) => {
      events.onMedia?.({ server: figures.server, channel: figures.channel, figures })
    },
    progress: (status = 180) => {
      state = 'ringing'
      events.onProgress?.({ status, hasEarlyMedia: false })
    },
    pickUp: answered,
    end,
    digits,
    press: (digit) => {
      digits.emit({ digit, durationMs: 100 })
    },
    ring: () => {
      asked.push('ring')
      return Promise.resolve()
    },
    answer: () => {
      asked.push('answer')
      answered()
      return Promise.resolve()
    },
    hangup: (options) => {
      asked.push(options?.status === undefined ? 'hangup' : `hangup ${options.status}`)
      end(state === 'answered' ? 'local-hangup' : 'canceled', state === 'answered' ? 200 : 487)
      return Promise.resolve()
    },
    media,
    onReferral: () => () => undefined,
    refer: () => Promise.reject(new Error('the fake leg refers nobody')),
    hear: ({ buffer, byteOffset, byteLength }) => {
      const audio = Buffer.from(buffer, byteOffset, byteLength)
      for (const fork of [...forks.values()]) fork.onAudio(audio)
    },
  }
}
