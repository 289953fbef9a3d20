import { expect, it } from 'vitest'
import { SipCaller } from '../bench/caller/sip-caller.js'
import { percentilesOf } from '../bench/percentiles.js'
import {
  type FarEndStream,
  openStreamFarEnd,
  sendClear,
  sendMark,
  sendMedia,
} from '../bench/streams/stream-far-end.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { muLawTone } from '../support/streams/stream-rig.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const TRIALS = 60
const NUMBER = '+15551230198'
const FRAME_MS = 20
const LIMIT_MS = 20_000
/** Nothing but silence for this long: it is over. */
const SILENT_MS = 200
const SPEAKS_MS = 500
const MAX_P95_MS = 60

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('a stream that is cleared falls silent at once and returns its marks [streams-clear]', async ({
  task,
}) => {
  await using trunkline = await startTrunkline()
  await using app = await startVoiceApp()
  const marks: string[] = []
  const heardStreams: FarEndStream[] = []
  const farEnd = await openStreamFarEnd({
    onMedia: (stream) => {
      if (!heardStreams.includes(stream)) heardStreams.push(stream)
    },
    onMark: (_stream, name) => marks.push(name),
  })
  app.page('/stream', `<Connect><Stream url="ws://127.0.0.1:${farEnd.port}/"/></Connect>`)
  await trunkline.assignNumber(NUMBER, { voiceUrl: `${app.url}/stream` })
  const caller = await SipCaller.open(trunkline.sipPort)
  const call = await caller.call(NUMBER)
  const { phone } = call
  const clock = setInterval(() => phone.tick(), FRAME_MS)
  try {
    await waitUntil('the stream', () => heardStreams.length === 1, LIMIT_MS)
    const [stream] = heardStreams
    if (stream === undefined) throw new Error('no stream')
    const tone = muLawTone(700, 3_000)
    const times: number[] = []
    for (let trial = 0; trial < TRIALS; trial += 1) {
      phone.listenAnew()
      marks.length = 0
      for (const name of ['a', 'b', 'c']) {
        sendMedia(stream, tone)
        sendMark(stream, name)
      }
      await waitUntil('its sound', () => phone.heardAt.firstLoud > 0, LIMIT_MS)
      await pause(SPEAKS_MS + FRAME_MS * Math.random())
      const clearedAt = performance.now()
      sendClear(stream)
      const isQuiet = () => performance.now() - phone.heardAt.lastLoud > SILENT_MS
      await waitUntil('silence', isQuiet, LIMIT_MS)
      times.push(phone.heardAt.lastLoud + FRAME_MS - clearedAt)
      await waitUntil('the marks', () => marks.length === 3, LIMIT_MS)
      expect(marks).toEqual(['a', 'b', 'c'])
    }
    const { p50, p95, max } = percentilesOf(times)
    reportRow(task, 'streams-clear', {
      clears: TRIALS,
      'p50 ms': p50.toFixed(1),
      'p95 ms': p95.toFixed(1),
      'max ms': max.toFixed(1),
    })
    expect(p95).toBeLessThanOrEqual(MAX_P95_MS)
  } finally {
    clearInterval(clock)
    await call.hangUp()
    caller.close()
    await farEnd.close()
  }
  await expectNothingLeft(trunkline)
})
