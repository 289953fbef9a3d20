import { describe, expect, it } from 'vitest'
import type { RecordingEnd } from '../../../../src/voice/markup/host.js'
import type { RecordingWish } from '../../../../src/voice/model/recording-wish.js'
import { BASE, FakeCall, type Scenario, StopError } from './fake-host.js'

const PARAMS = { RecordingSid: 'RE1', RecordingUrl: 'http://here/RE1', RecordingDuration: '3' }
const RECORDED: RecordingEnd = { type: 'recorded', params: PARAMS }
const QUERY = 'RecordingSid=RE1&RecordingUrl=http%3A%2F%2Fhere%2FRE1&RecordingDuration=3'
const NOTHING: RecordingEnd = { type: 'nothing' }

interface Recorder {
  /** When the recording ends by itself. */
  readonly endsAt?: number
  readonly end?: RecordingEnd
}

/** Runs a document whose recordings end so; what was asked for, told, and done when. */
async function run(body: string, { endsAt, end = RECORDED }: Recorder, scenario: Scenario = {}) {
  const wanted: RecordingWish[] = []
  const told: string[] = []
  const call = new FakeCall({
    ...scenario,
    documents: { [BASE]: body, [`${BASE}/next`]: '<Hangup/>', ...scenario.documents },
    host: {
      record: (request) => {
        wanted.push(request)
        call.timeline.push(`${call.time.now} record`)
        let finish: (ended: RecordingEnd) => void = () => undefined
        const finished = new Promise<RecordingEnd>((resolve) => {
          finish = resolve
        })
        const cancel =
          endsAt === undefined
            ? () => undefined
            : call.time.at(endsAt, () => {
                finish(end)
              })
        return Promise.resolve({
          finished,
          stop: () => {
            cancel()
            finish(end)
            return finished
          },
        })
      },
      tell: ({ method, url, params }) => {
        told.push(`${method} ${url} ${new URLSearchParams(params).toString()}`)
        return Promise.resolve()
      },
      ...scenario.host,
    },
  })
  const request = { url: BASE, method: 'POST', params: {} } as const
  const failure = await call.run({ type: 'url', request }).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { wanted, told, timeline: call.timeline, log: call.log, failure }
}

describe('Start and Stop Recording', () => {
  const beside = async (body: string, isRecorded: boolean) => {
    const wanted: RecordingWish[] = []
    const call = new FakeCall({
      documents: { [BASE]: body },
      host: {
        startRecording: (request) => {
          wanted.push(request)
          return Promise.resolve()
        },
        stopRecording: () => {
          call.timeline.push(`${call.time.now} stop`)
          return isRecorded
        },
      },
    })
    await call.run({ type: 'url', request: { url: BASE, method: 'POST', params: {} } })
    return { wanted, timeline: call.timeline, log: call.log }
  }

  it('records beside the document until it is stopped', async () => {
    const { wanted, timeline, log } = await beside(
      `<Start><Recording channels="mono" trim="trim-silence" recordingStatusCallback="/told"/></Start>
      <Say>Heard</Say><Stop><Recording/></Stop><Say>Not</Say>`,
      true,
    )
    expect(wanted).toEqual([
      {
        source: 'StartCallRecordingTwiML',
        channels: 'mono',
        track: 'both',
        trim: 'trim-silence',
        callback: { url: 'http://app.example/told', method: 'POST', events: ['completed'] },
      },
    ])
    expect(timeline.slice(1)).toEqual(['0 say Heard', '1000 stop', '1000 say Not'])
    expect(log.filter(({ type }) => type !== 'verb')).toEqual([])
  })

  it('warns of nothing to stop', async () => {
    const { log } = await beside('<Stop><Recording/></Stop>', false)
    expect(log).toContainEqual(expect.objectContaining({ type: 'warning', code: 12200 }))
  })

  it('records without a callback that cannot be sent', async () => {
    const { wanted, log } = await beside(
      '<Start><Recording recordingStatusCallback="mailto:me"/></Start>',
      true,
    )
    expect(wanted).toMatchObject([{ callback: undefined }])
    expect(log).toContainEqual(expect.objectContaining({ type: 'warning', code: 11100 }))
  })
})

describe('Record', () => {
  it('beeps, records, and asks its action with the recording and the key', async () => {
    const { timeline } = await run(
      '<Record action="/voice/next"/><Say>not reached</Say>',
      {},
      { keys: [[3_000, '#']] },
    )
    expect(timeline).toEqual([
      `0 POST ${BASE}`,
      '0 tone',
      '1000 record',
      '3000 key #',
      `3000 POST ${BASE}/next ${QUERY}&Digits=%23`,
    ])
  })

  it('hears a key during the beep: nothing is recorded, and the next verb follows', async () => {
    const { timeline } = await run(
      '<Record action="/voice/next"/><Say>Nothing</Say>',
      { end: NOTHING },
      { keys: [[500, '#']] },
    )
    expect(timeline.slice(1)).toEqual(['0 tone', '500 key #', '1000 record', '1000 say Nothing'])
  })

  it('asks for what its attributes say', async () => {
    const { wanted, timeline } = await run(
      `<Record action="/voice/next" method="GET" timeout="2" maxLength="30" playBeep="false"
        trim="do-not-trim" recordingTrack="inbound" recordingStatusCallback="told"
        recordingStatusCallbackMethod="GET" recordingStatusCallbackEvent="in-progress absent"/>`,
      { endsAt: 4_000 },
    )
    expect(wanted).toEqual([
      {
        source: 'RecordVerb',
        channels: 'mono',
        track: 'inbound',
        trim: 'do-not-trim',
        maxMs: 30_000,
        silenceMs: 2_000,
        callback: {
          url: 'http://app.example/told',
          method: 'GET',
          events: ['in-progress', 'absent'],
        },
      },
    ])
    expect(timeline.slice(1)).toEqual(['0 record', `4000 GET ${BASE}/next ${QUERY}&Digits=`])
  })

  it('asks the current document without an action', async () => {
    let asked = 0
    const first = '<Record playBeep="false"/>'
    const { timeline } = await run(
      first,
      { endsAt: 2_000 },
      {
        host: {
          fetchDocument: ({ url, params }) => {
            asked += 1
            if (asked > 1) expect(params).toMatchObject(PARAMS)
            const text = `<Response>${asked === 1 ? first : '<Hangup/>'}</Response>`
            return Promise.resolve({ url, contentType: 'text/xml', text })
          },
        },
      },
    )
    expect(asked).toBe(2)
    expect(timeline).toEqual(['0 record'])
  })

  it('goes on with the next verb when nothing was recorded', async () => {
    const { timeline, told } = await run(
      '<Record action="/voice/next" playBeep="false"/><Say>Nothing</Say>',
      { endsAt: 5_000, end: NOTHING },
    )
    expect(timeline.slice(1)).toEqual(['0 record', '5000 say Nothing'])
    expect(told).toEqual([])
  })

  it('ends by no key where none is to, and by those it names only', async () => {
    const none = await run(
      '<Record action="/voice/next" playBeep="false" finishOnKey=""/>',
      { endsAt: 4_000 },
      { keys: [[1_000, '#']] },
    )
    expect(none.timeline.at(-1)).toBe(`4000 POST ${BASE}/next ${QUERY}&Digits=`)
    const star = await run(
      '<Record action="/voice/next" playBeep="false" finishOnKey="*"/>',
      { endsAt: 4_000 },
      {
        keys: [
          [1_000, '1'],
          [2_000, '*'],
        ],
      },
    )
    expect(star.timeline.at(-1)).toBe(`2000 POST ${BASE}/next ${QUERY}&Digits=*`)
  })

  it('tells its action when the caller has gone', async () => {
    const { told, failure } = await run(
      '<Record action="/voice/next" playBeep="false"/>',
      {},
      {
        abortAt: 3_000,
        leg: { state: 'ended' },
      },
    )
    expect(told).toEqual([`POST ${BASE}/next ${QUERY}&Digits=hangup`])
    expect(failure).toBeInstanceOf(StopError)
  })

  it('tells nobody of a caller who said nothing, nor when another document takes over', async () => {
    const silent = await run(
      '<Record playBeep="false"/>',
      { end: NOTHING },
      {
        abortAt: 3_000,
        leg: { state: 'ended' },
      },
    )
    expect(silent.told).toEqual([])
    const replaced = await run('<Record playBeep="false"/>', {}, { abortAt: 3_000 })
    expect(replaced.told).toEqual([])
    expect(replaced.failure).toBeInstanceOf(StopError)
  })

  it('finds a wrong action before anybody speaks', async () => {
    const { wanted, log } = await run('<Record action="ftp://x"/>', {})
    expect(wanted).toEqual([])
    expect(log).toContainEqual(expect.objectContaining({ type: 'error', code: 11100 }))
  })

  it('says that nothing is transcribed', async () => {
    const { log } = await run('<Record transcribe="true" playBeep="false"/>', {
      endsAt: 1_000,
      end: NOTHING,
    })
    expect(log).toContainEqual(expect.objectContaining({ type: 'warning', code: 13614 }))
  })
})
