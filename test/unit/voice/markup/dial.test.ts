import { describe, expect, it } from 'vitest'
import { BridgedDialogs } from '../../../../src/voice/markup/bridged-dialogs.js'
import {
  type ChildCallEnd,
  type ChildCallEvents,
  type ChildCallRequest,
  DialRefusedError,
} from '../../../../src/voice/markup/child-call.js'
import {
  DocumentReplacedError,
  type DocumentRequest,
} from '../../../../src/voice/markup/document.js'
import type { MarkupHost } from '../../../../src/voice/markup/host.js'
import type { Transfer } from '../../../../src/voice/markup/transfer.js'
import type { DialogName } from '../../../../src/voice/telephony/dialog-facts.js'
import type { LegMedia } from '../../../../src/voice/telephony/leg-media.js'
import type { IncomingReferral, Leg } from '../../../../src/voice/telephony/port.js'
import { BASE, FakeCall, type Scenario, StopError } from './fake-host.js'

type Fate = 'busy' | 'answers' | 'rings' | 'refused' | 'early-answers' | 'early-busy'

interface FakeParty {
  readonly request: ChildCallRequest
  readonly events: ChildCallEvents
  hangups: number
  /** True when it goes on without the caller's Dial. */
  isReleased?: boolean
  /** The document that it went on with by itself. */
  taken?: DocumentRequest
}

type Listeners = Map<'caller' | 'party', (referral: IncomingReferral) => void>

/** What a bridge needs of a party's audio. */
interface FakeMedia extends LegMedia {
  readonly of: string
}

const listenTo =
  (listeners: Listeners, who: 'caller' | 'party'): Leg['onReferral'] =>
  (listener) => {
    listeners.set(who, listener)
    return () => listeners.delete(who)
  }

const mediaOf = (of: string) => ({ of }) as FakeMedia // a bridge asks for no more

const ENDED: ChildCallEnd = {
  status: 'completed',
  durationSeconds: 7,
  sipStatus: 200,
  sipCallId: 'abc',
  sipHeaders: [
    { name: 'X-Agent', value: '7' },
    { name: 'Allow', value: 'INVITE' },
  ],
}

/** A host whose parties do what their number says, and whose bridge lasts until it is aborted. */
function dialing(fates: readonly Fate[], bridgeMs = Infinity) {
  const parties: FakeParty[] = []
  const bridges: string[] = []
  const listeners: Listeners = new Map()
  let call: FakeCall | undefined
  const placeCall: MarkupHost['placeCall'] = (request, events) => {
    const fate = fates[parties.length] ?? 'rings'
    const party: FakeParty = { request, events, hangups: 0 }
    const sid = `CA${parties.length}`
    parties.push(party)
    if (fate === 'refused') return Promise.reject(new DialRefusedError(13224, 'no such number'))
    let isOver = false
    let forget: (() => void) | undefined
    const over = (end: Partial<ChildCallEnd>) => {
      if (!isOver) events.onOver({ ...ENDED, ...end })
      isOver = true
    }
    if (fate === 'busy')
      forget = call?.time.at(call.time.now + 100, () => {
        over({ status: 'busy', durationSeconds: 0, sipStatus: 486 })
      })
    const gone = new AbortController()
    let isReady = false
    if (fate.startsWith('early'))
      forget = call?.time.at(call.time.now + 100, () => {
        const early = new AbortController()
        const onReferral = listenTo(listeners, 'party')
        const media = mediaOf(`early ${sid}`)
        const leg = { state: 'ringing', media, onReferral } as unknown as Leg // as below
        const heard = events.onEarlyAudio(leg, early.signal)
        forget = call?.time.at(call.time.now + 200, () => {
          early.abort(new Error('answered or gone'))
          if (fate === 'early-busy') over({ status: 'busy', durationSeconds: 0, sipStatus: 486 })
          else {
            isReady = true
            void heard
              .then(() =>
                events.onReady({ ...leg, media: mediaOf(sid), state: 'answered' }, gone.signal),
              )
              .then(() => {
                over({})
              })
          }
        })
      })
    if (fate === 'answers')
      forget = call?.time.at(call.time.now + 100, () => {
        // A bridge needs no more.
        const leg = {
          state: 'answered',
          media: mediaOf(sid),
          onReferral: listenTo(listeners, 'party'),
        } as unknown as Leg
        isReady = true
        void events.onReady(leg, gone.signal).then(() => {
          over({})
        })
      })
    return Promise.resolve({
      sid,
      release: () => {
        party.isReleased = true
        over({ status: 'taken' })
      },
      takeAway: (request) => {
        party.taken = request
        gone.abort(new Error('taken away'))
        over({ status: 'taken' })
      },
      hangup: () => {
        party.hangups += 1
        forget?.()
        gone.abort(new Error('hung up'))
        if (!isReady) over({ status: 'canceled', durationSeconds: 0, sipStatus: 487 })
      },
    })
  }
  const bridge: LegMedia['bridge'] = async (other, signal) => {
    bridges.push((other as FakeMedia).of) // the parties have no others
    await call?.time.sleep(Math.min(bridgeMs, 1e9), signal).catch(() => undefined)
  }
  return {
    parties,
    bridges,
    /** The REFER of one of the two that talk; returns what was answered and told. */
    refers: (who: 'caller' | 'party', replaces?: DialogName) => {
      const answers: string[] = []
      listeners.get(who)?.({
        target: 'sip:second@example.com?X-A=1',
        replaces,
        refuse: () => answers.push('refused'),
        accept: () => answers.push('accepted'),
        notifySuccess: () => answers.push('told'),
      })
      return answers
    },
    play: async (
      body: string,
      scenario: Scenario & { onTime?: (now: () => number) => void } = {},
    ) => {
      scenario.onTime?.(() => call?.time.now ?? 0)
      call = new FakeCall({
        ...scenario,
        documents: { [BASE]: body, 'http://app.example/after': '', ...scenario.documents },
        host: { placeCall, ...scenario.host },
        leg: { onReferral: listenTo(listeners, 'caller'), ...scenario.leg },
        media: { bridge, ...scenario.media },
      })
      const source = { type: 'url', request: { url: BASE, method: 'POST', params: {} } } as const
      const end = await call.run(source).catch((error: unknown) => error)
      return { end, timeline: call.timeline, log: call.log }
    },
  }
}

const NUMBER = '<Number>+15551112222</Number>'
const after = (timeline: readonly string[]) => {
  const asked = timeline.find((entry) => entry.includes('/after'))?.split(' ')[3]
  return Object.fromEntries(new URLSearchParams(asked))
}
/** The parameters of the action of a call that is over. */
const told = (timeline: readonly string[]) => {
  const entry = timeline.find((one) => one.includes(' tell POST http://app.example/after'))
  return Object.fromEntries(new URLSearchParams(entry?.split(' ')[4]))
}

describe('Dial', () => {
  it('rings, connects, and tells the action how it went', async () => {
    const t = dialing(['answers'], 5_000)
    const { timeline } = await t.play(`<Dial action="/after">+15551112222</Dial><Say>no</Say>`)
    expect(timeline.slice(1, 3)).toEqual(['0 cadence', '100 cut'])
    expect(t.bridges).toEqual(['CA0'])
    expect(after(timeline)).toEqual({
      DialCallSid: 'CA0',
      DialCallStatus: 'completed',
      DialCallDuration: '7',
      DialBridged: 'true',
    })
    expect(timeline.join()).not.toContain('say no')
  })

  it.each([
    ['record-from-answer', 'mono', 'answers', ['100 record', '5100 stop']],
    ['record-from-ringing-dual', 'dual', 'answers', ['0 record', '5100 stop']],
    ['record-from-answer-dual', 'dual', 'busy', []],
    ['do-not-record', '', 'answers', []],
  ] as const)('%s: what is recorded, and what the action learns', async (record, channels, fate, when) => {
    const recorded: string[] = []
    const wanted: unknown[] = []
    let now = (): number => 0
    const t = dialing([fate], 5_000)
    const { timeline } = await t.play(
      `<Dial record="${record}" trim="trim-silence" recordingStatusCallback="/told" action="/after">${NUMBER}</Dial>`,
      {
        host: {
          record: (request) => {
            wanted.push(request)
            recorded.push(`${now()} record`)
            const end = { type: 'recorded', params: { RecordingSid: 'RE1' } } as const
            let stopped: Promise<typeof end> | undefined
            const stop = () => {
              if (stopped === undefined) recorded.push(`${now()} stop`)
              return (stopped ??= Promise.resolve(end))
            }
            return Promise.resolve({ finished: new Promise<never>(() => undefined), stop })
          },
        },
        onTime: (clock) => {
          now = clock
        },
      },
    )
    expect(recorded).toEqual(when)
    const isRecorded = when.length > 0
    expect(after(timeline)['RecordingSid']).toBe(isRecorded ? 'RE1' : undefined)
    const callback = { url: 'http://app.example/told', method: 'POST', events: ['completed'] }
    const request = { source: 'DialVerb', channels, track: 'both', trim: 'trim-silence', callback }
    expect(wanted).toEqual(isRecorded ? [request] : [])
  })

  it.each([
    NUMBER,
    '<Conference>room</Conference>',
    '<Application>AP00000000000000000000000000000001</Application>',
  ])('gives the caller its usual time back however its talk with %s ends', async (noun) => {
    let times = 0
    const t = dialing(['answers'])
    const { end } = await t.play(`<Dial timeLimit="28800">${noun}</Dial>`, {
      host: {
        letTalk: () => {
          times += 1
          return () => {
            times -= 1
          }
        },
        enterConference: () => Promise.resolve(),
        callApplication: (_request, onOver) => {
          onOver(ENDED)
          return Promise.resolve({
            sid: 'CA1',
            hangup: () => undefined,
            release: () => undefined,
            takeAway: () => undefined,
          })
        },
      },
      leg: {
        digits: {
          subscribe: () => () => {
            throw new Error('the leg is broken')
          },
        },
      },
    })
    expect([end, times]).toEqual([expect.any(Error), 0])
  })

  it('goes on with the next verb without an action', async () => {
    const t = dialing(['busy'])
    const { timeline } = await t.play(`<Dial>+15551112222</Dial><Say>busy</Say>`)
    expect(timeline).toContain('100 say busy')
  })

  it('adds the SIP facts after a Sip noun', async () => {
    const t = dialing(['busy'])
    const { timeline } = await t.play('<Dial action="/after"><Sip>sip:bob@a.example</Sip></Dial>')
    expect(after(timeline)).toMatchObject({
      DialCallStatus: 'busy',
      DialSipCallId: 'abc',
      DialSipResponseCode: '486',
      'DialSipHeader_X-Agent': '7',
    })
    expect(timeline.join()).not.toContain('Allow')
  })

  it('hangs up the others when one is connected', async () => {
    const t = dialing(['rings', 'answers', 'busy'], 1_000)
    const { timeline } = await t.play(`<Dial action="/after">${NUMBER.repeat(3)}</Dial>`)
    expect(after(timeline)).toMatchObject({ DialCallSid: 'CA1', DialCallStatus: 'completed' })
    expect(t.bridges).toEqual(['CA1'])
    expect(t.parties[0]?.hangups).toBeGreaterThan(0)
  })

  it('connects one only when two answer at once', async () => {
    const t = dialing(['answers', 'answers'], 1_000)
    await t.play(`<Dial>${NUMBER.repeat(2)}</Dial>`)
    expect(t.bridges).toEqual(['CA0'])
  })

  it('calls one after another when it is sequential', async () => {
    const t = dialing(['busy', 'busy', 'answers', 'rings'], 1_000)
    const { timeline } = await t.play(
      `<Dial sequential="true" action="/after">${NUMBER.repeat(4)}</Dial>`,
    )
    expect(t.parties).toHaveLength(3)
    expect(after(timeline)).toMatchObject({ DialCallSid: 'CA2', DialBridged: 'true' })
  })

  it('parts them when their time is over, and at the star when told to', async () => {
    const limited = dialing(['answers'])
    const { timeline } = await limited.play('<Dial timeLimit="3">+15551112222</Dial><Say>x</Say>')
    expect(timeline).toContain('3100 say x')
    const starred = dialing(['answers'])
    const pressed = await starred.play(
      '<Dial hangupOnStar="true">+15551112222</Dial><Say>x</Say>',
      {
        keys: [
          [1_000, '1'],
          [2_000, '*'],
        ],
      },
    )
    expect(pressed.timeline).toContain('2000 say x')
  })

  it('does not hear the star before they are connected', async () => {
    const t = dialing(['busy'])
    const { timeline } = await t.play('<Dial hangupOnStar="true">+15551112222</Dial><Say>x</Say>', {
      keys: [[50, '*']],
    })
    expect(timeline).toContain('100 say x')
  })

  it('says that it failed when nobody could be called', async () => {
    const t = dialing(['refused'])
    const { timeline, log } = await t.play('<Dial action="/after">+15551112222</Dial>')
    expect(after(timeline)).toEqual({ DialCallStatus: 'failed', DialBridged: 'false' })
    expect(log).toContainEqual({ type: 'error', code: 13224, message: 'Dial: no such number' })
  })

  it('answers nobody before the called party does, when told so', async () => {
    const t = dialing(['answers'], 1_000)
    const { timeline } = await t.play('<Dial answerOnBridge="true">+15551112222</Dial>', {
      isUnanswered: true,
    })
    expect(timeline.slice(1)).toEqual(['100 answer'])
  })

  it('lets the caller hear what the called network says, and nothing else, until the answer', async () => {
    const t = dialing(['early-answers'], 1_000)
    const { timeline } = await t.play('<Dial>+15551112222</Dial>')
    expect(t.bridges).toEqual(['early CA0', 'CA0'])
    expect(timeline.slice(1)).toEqual(['0 cadence', '100 cut'])
  })

  it('rings again when a party that is screened has answered after early audio', async () => {
    const t = dialing(['early-answers'], 1_000)
    const { timeline } = await t.play('<Dial><Number url="/ask">+15551112222</Number></Dial>')
    expect(t.bridges).toEqual(['early CA0', 'CA0'])
    expect(timeline.slice(1)).toEqual(['0 cadence', '100 cut', '300 cadence', '300 cut'])
  })

  it('rings for the next party when one was busy after early audio', async () => {
    const t = dialing(['early-busy', 'busy'])
    const { timeline } = await t.play(`<Dial sequential="true">${NUMBER.repeat(2)}</Dial>`)
    expect(t.bridges).toEqual(['early CA0'])
    expect(timeline.slice(1)).toEqual(['0 cadence', '100 cut', '300 cadence', '400 cut'])
  })

  it.each([
    ['the document wants a ringing of its own', `<Dial ringTone="de">${NUMBER}</Dial>`],
    ['several are called at once', `<Dial>${NUMBER.repeat(2)}</Dial>`],
  ])('passes no early audio on when %s', async (_when, body) => {
    const t = dialing(['early-answers', 'early-busy'], 1_000)
    await t.play(body)
    expect(t.bridges).toEqual(['CA0'])
  })

  it.each([
    '',
    ' ringTone="de"',
  ])('passes early audio on, early, to a caller who is not answered, with%s', async (attribute) => {
    const t = dialing(['early-answers'], 1_000)
    const rung: unknown[] = []
    const ring = (options: unknown) => {
      rung.push(options)
      return Promise.resolve()
    }
    await t.play(`<Dial answerOnBridge="true"${attribute}>${NUMBER}</Dial>`, {
      isUnanswered: true,
      leg: { ring },
    })
    expect(rung.at(-1)).toEqual({ withMedia: true })
    expect(t.bridges).toEqual(['early CA0', 'CA0'])
  })

  it('plays another ringing early', async () => {
    const t = dialing(['answers'], 1_000)
    const rung: unknown[] = []
    const { timeline } = await t.play(
      '<Dial answerOnBridge="true" ringTone="de">+15551112222</Dial>',
      {
        isUnanswered: true,
        leg: {
          ring: (options) => {
            rung.push(options)
            return Promise.resolve()
          },
        },
      },
    )
    expect(rung).toEqual([{ withMedia: true }])
    expect(timeline.slice(1)).toEqual(['0 cadence', '100 cut', '100 answer'])
  })

  it.each([50, 500])('leaves nobody behind when it is stopped after %i ms', async (abortAt) => {
    const t = dialing(['answers', 'rings', 'rings'])
    const { end } = await t.play(`<Dial>${NUMBER.repeat(3)}</Dial>`, { abortAt })
    expect(end).toBeInstanceOf(StopError)
    for (const party of t.parties) expect(party.hangups).toBeGreaterThan(0)
  })

  it('tells the action that the call was canceled when the caller hangs up while it rings', async () => {
    const t = dialing(['rings', 'rings'])
    const { timeline, end } = await t.play(`<Dial action="/after">${NUMBER.repeat(2)}</Dial>`, {
      hangupAt: 700,
    })
    expect(end).toBeInstanceOf(StopError)
    expect(told(timeline)).toEqual({
      DialCallSid: 'CA1',
      DialCallStatus: 'canceled',
      DialCallDuration: '0',
      DialBridged: 'false',
    })
    expect(timeline.filter((entry) => entry.includes('/after'))).toHaveLength(1)
  })

  it('tells the action how long they talked when the caller hangs up first', async () => {
    const t = dialing(['answers'])
    const { timeline } = await t.play(`<Dial action="/after">${NUMBER}</Dial><Say>no</Say>`, {
      hangupAt: 9_000,
    })
    expect(told(timeline)).toEqual({
      DialCallSid: 'CA0',
      DialCallStatus: 'completed',
      DialCallDuration: '7',
      DialBridged: 'true',
    })
  })

  it('tells the action of the recording when the caller hangs up first', async () => {
    const t = dialing(['answers'])
    const body = `<Dial record="true" action="/after">${NUMBER}</Dial>`
    const { timeline } = await t.play(body, {
      hangupAt: 9_000,
      host: {
        record: () => {
          const end = { type: 'recorded', params: { RecordingSid: 'RE1' } } as const
          const stop = () => Promise.resolve(end)
          return Promise.resolve({ finished: stop(), stop })
        },
      },
    })
    expect(told(timeline)).toMatchObject({ DialCallStatus: 'completed', RecordingSid: 'RE1' })
  })

  it.each([
    ['in a conference', '<Conference>room</Conference>', 'answered'],
    ['while it waits for a queue', '<Queue>sales</Queue>', 'canceled'],
  ])('tells the action when the caller hangs up %s', async (_where, noun, status) => {
    const t = dialing([])
    const untilAborted = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error)
        })
      })
    const { timeline } = await t.play(`<Dial action="/after">${noun}</Dial>`, {
      hangupAt: 2_000,
      host: {
        enterConference: (_entry, signal) => untilAborted(signal).catch(() => undefined),
        dialQueue: (_wanted, signal) => untilAborted(signal),
      },
    })
    expect(told(timeline)).toMatchObject({ DialCallStatus: status })
  })

  it('tells nobody when another document takes the call over', async () => {
    const t = dialing(['answers'])
    const { timeline } = await t.play(`<Dial action="/after">${NUMBER}</Dial>`, {
      abortAt: 9_000,
      abortReason: new DocumentReplacedError('another document takes over'),
    })
    expect(timeline.join()).not.toContain('/after')
    expect(t.parties[0]?.hangups).toBeGreaterThan(0)
  })

  it('cannot be used in a screening', async () => {
    const t = dialing(['answers'])
    const { end } = await t.play('<Dial>+15551112222</Dial>', { host: { purpose: 'screening' } })
    expect(end).toMatchObject({ type: 'application-error', code: 13201 })
    expect(t.parties).toEqual([])
  })

  it('hands on what the noun says, its URLs made absolute', async () => {
    const t = dialing(['busy'])
    await t.play(
      '<Dial timeout="9" callerId="+15550001111" callReason="x"><Number url="/s" sendDigits="1" statusCallback="/c" machineDetection="Enable" amdStatusCallback="/amd">+15551112222</Number></Dial>',
    )
    expect(t.parties[0]?.request).toMatchObject({
      to: { type: 'number', number: '+15551112222' },
      callerId: '+15550001111',
      callReason: 'x',
      timeoutSeconds: 9,
      sendDigits: '1',
      screening: { url: 'http://app.example/s', method: 'POST' },
      statusCallback: { url: 'http://app.example/c', events: ['completed'] },
      machineDetection: { mode: 'enable', callback: { url: 'http://app.example/amd' } },
    })
  })
})

describe('a REFER of two that talk', () => {
  const REFER = 'referUrl="/refer" referMethod="GET"'
  const documents = { 'http://app.example/refer': '<Say>moved</Say>' }
  const QUERY =
    'GET http://app.example/refer ReferTransferTarget=sip%3Asecond%40example.com%3FX-A%3D1'

  /** Played until then; `who` refers after a second. */
  async function referred(who: 'caller' | 'party', attributes: string) {
    const t = dialing(['answers'], 5_000)
    let answers: string[] = []
    const played = await t.play(`<Dial ${attributes} action="/after">${NUMBER}</Dial>`, {
      documents,
      media: {
        bridge: async (_other, signal) => {
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve)
            answers = t.refers(who)
            if (answers.includes('refused')) resolve(undefined)
          })
        },
      },
    })
    return { ...played, answers, parties: t.parties }
  }

  it('by the called party leads the caller on, and lets that party go', async () => {
    const { answers, timeline, parties } = await referred('party', REFER)
    expect(answers).toEqual(['accepted', 'told'])
    expect(timeline.slice(-2).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      QUERY,
      'say moved',
    ])
    expect(timeline.join()).not.toContain('/after')
    expect(parties[0]?.taken).toBeUndefined()
  })

  it('by the caller leads the called party on, and ends the call of the caller', async () => {
    const { answers, end, timeline, parties } = await referred('caller', REFER)
    expect(answers).toEqual(['accepted', 'told'])
    expect(end).toEqual({ type: 'hangup' })
    expect(timeline.join()).not.toMatch(/refer|after/)
    expect(parties[0]?.taken).toEqual({
      url: 'http://app.example/refer',
      method: 'GET',
      params: { ReferTransferTarget: 'sip:second@example.com?X-A=1' },
    })
  })

  it.each(['caller', 'party'] as const)('by the %s is refused without a referUrl', async (who) => {
    const { answers, timeline, log } = await referred(who, '')
    expect(answers).toEqual(['refused'])
    expect(log).toContainEqual(expect.objectContaining({ type: 'error', code: 13802 }))
    expect(timeline.join()).toContain('/after')
  })
})

describe('a REFER with Replaces', () => {
  const OTHER: DialogName = { callId: 'second', localTag: 'ours', remoteTag: 'theirs' }
  const facts = (callId: string) => ({
    callId,
    localParty: '<sip:us@198.51.100.1>;tag=us',
    remoteParty: '<sip:peer@198.51.100.2>;tag=peer',
  })

  /** A Dial whose `who` refers after a second; `leaves` answers for the bridge of the other dialog. */
  async function attended(
    who: 'caller' | 'party',
    {
      leaves = () => true,
      replaces = OTHER,
    }: {
      readonly leaves?: (transfer: Transfer) => boolean
      readonly replaces?: DialogName
    } = {},
  ) {
    const t = dialing(['answers'])
    const dialogs = new BridgedDialogs().of('AC1')
    dialogs.add(OTHER, { bridge: {}, leave: leaves })
    let answers: string[] = []
    const bridges: string[] = []
    const played = await t.play(`<Dial action="/after">${NUMBER}</Dial>`, {
      host: { bridgedDialogs: dialogs },
      leg: { dialogFacts: facts('first') as Leg['dialogFacts'] },
      media: {
        bridge: async (other, signal) => {
          bridges.push((other as FakeMedia).of)
          if (bridges.length > 1) return
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve)
            answers = t.refers(who, replaces)
            if (answers.includes('refused')) resolve(undefined)
          })
        },
      },
    })
    return { ...played, answers, bridges, party: t.parties[0] }
  }

  /** The party that stays of the other bridge; it comes first, and bridges the two. */
  function partyOfOther() {
    const bridged: LegMedia[] = []
    const media = {
      bridge: (other: LegMedia) => {
        bridged.push(other)
        return Promise.resolve()
      },
    }
    const joined: Promise<void>[] = []
    const leaves = (transfer: Transfer) => {
      const leg = { media } as unknown as Leg // a transfer asks for no more
      joined.push(transfer.join(leg, new AbortController().signal))
      return true
    }
    return { bridged, joined, leaves }
  }

  it('by the called party joins the caller with the other of the replaced dialog', async () => {
    const { bridged, joined, leaves } = partyOfOther()
    const { answers, bridges, timeline } = await attended('party', { leaves })
    await Promise.all(joined)
    expect(answers).toEqual(['accepted', 'told'])
    expect([bridges, bridged.length]).toEqual([['CA0'], 1])
    // The caller's Dial is over when the two have parted, and goes on as ever.
    expect(after(timeline)).toMatchObject({ DialCallStatus: 'completed', DialBridged: 'true' })
  })

  it('by the caller lets the called party go on with the other, and ends the call', async () => {
    const { bridged, joined, leaves } = partyOfOther()
    const { answers, end, party, timeline } = await attended('caller', { leaves })
    await Promise.all(joined)
    expect(answers).toEqual(['accepted', 'told'])
    expect(end).toEqual({ type: 'hangup' })
    expect(bridged.map((other) => (other as FakeMedia).of)).toEqual(['CA0'])
    expect(party?.isReleased).toBe(true)
    expect(timeline.join()).not.toContain('/after')
  })

  it.each([
    ['has parted already', { leaves: () => false }],
    ['is not known', { replaces: { ...OTHER, remoteTag: 'guessed' } }],
    ['is its own', { replaces: { callId: 'first', localTag: 'us', remoteTag: 'peer' } }],
  ])('is refused when the replaced dialog %s and there is no referUrl', async (_title, scenario) => {
    const { answers, log } = await attended('party', scenario)
    expect(answers).toEqual(['refused'])
    expect(log).toContainEqual(expect.objectContaining({ type: 'error', code: 13802 }))
  })
})
