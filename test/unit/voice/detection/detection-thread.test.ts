import { describe, expect, it } from 'vitest'
import { createDetector, type DetectorEvent } from '../../../../src/voice/amd/amd.js'
import { DetectionThread } from '../../../../src/voice/detection/detection-thread.js'
import { SampleRing } from '../../../../src/voice/detection/sample-ring.js'
import { recordingLog } from '../../../support/process/recording-log.js'
import { waitUntil } from '../../../support/time/wait-until.js'
import { join, type Sound, silence, speech, tone } from '../amd/sounds.js'

// Worker threads run built files.
const WORKER = new URL('../../../../dist/voice/detection/detection-worker.js', import.meta.url)
const PARAMS = {
  mode: 'detect-message-end',
  timeoutMs: 30_000,
  speechThresholdMs: 2400,
  speechEndThresholdMs: 1200,
  silenceTimeoutMs: 5000,
} as const
const FRAME = 160

const open = (url = WORKER) => new DetectionThread({ log: recordingLog().log, url })

/** What the detector says of a sound on the thread of its caller. */
function eventsHere(sound: Sound): readonly DetectorEvent[] {
  const detector = createDetector(PARAMS)
  return [...detector.push(sound), ...detector.end()]
}

/** Plays a sound in packets, as far ahead of the thread as its ring holds, until the events are there. */
async function play(
  thread: DetectionThread,
  sound: Sound,
  isHeard: (events: readonly DetectorEvent[]) => boolean = hasVerdict,
): Promise<readonly DetectorEvent[]> {
  const events: DetectorEvent[] = []
  const detection = thread.open(PARAMS, (heard) => {
    events.push(...heard)
  })
  for (let at = 0; at < sound.length; at += BATCH) {
    const batch = sound.subarray(at, at + BATCH)
    for (let of = 0; of < batch.length; of += FRAME) detection.push(batch.subarray(of, of + FRAME))
    const isLast = at + BATCH >= sound.length
    await waitUntil(
      'the events',
      () => hasVerdict(events) || (!isLast && detection.ring.waiting === 0) || isHeard(events),
    )
  }
  return [...events, ...detection.end()]
}

const BATCH = 8_000
const hasVerdict = (events: readonly DetectorEvent[]) => events.at(-1)?.type === 'verdict'

describe('the detection thread', () => {
  const greeting = join(silence(400), speech(6000), silence(500), tone([1000], 400), silence(1000))
  const hello = join(silence(400), speech(700), silence(4000))

  it('says of calls at once what the detector says of each', async () => {
    await using thread = open()
    const sounds = [greeting, hello, silence(6000), tone([2100], 4000)]
    const heard = await Promise.all(sounds.map((sound) => play(thread, sound)))
    expect(heard).toEqual(sounds.map(eventsHere))
  })

  it('gives a call that ends the verdict of what was heard', async () => {
    await using thread = open()
    const begun = (events: readonly DetectorEvent[]) => events.length === 1
    expect(await play(thread, join(silence(400), speech(300)), begun)).toMatchObject([
      { type: 'speech-started' },
      { type: 'verdict', answeredBy: 'unknown', atMs: 700 },
    ])
    const isMachine = (events: readonly DetectorEvent[]) =>
      events.some(({ type }) => type === 'machine-started')
    expect((await play(thread, join(silence(400), speech(5000)), isMachine)).at(-1)).toEqual({
      type: 'verdict',
      answeredBy: 'machine_end_other',
      atMs: 5400,
    })
  })

  it('gives one verdict, and none after it', async () => {
    await using thread = open()
    const events = await play(thread, join(greeting, greeting))
    expect(events.filter(({ type }) => type === 'verdict')).toHaveLength(1)
  })

  it('corrects a person, once', async () => {
    await using thread = open()
    const params = { ...PARAMS, mode: 'enable', correctionWindowMs: 6000 } as const
    const events: DetectorEvent[] = []
    const detection = thread.open(params, (heard) => {
      events.push(...heard)
    })
    const sound = join(silence(300), speech(500), silence(1500), speech(1500))
    for (const part of [sound, speech(3000), speech(3000)]) {
      for (let at = 0; at < part.length; at += FRAME) detection.push(part.subarray(at, at + FRAME))
      await waitUntil('it is heard', () => detection.ring.waiting === 0 || events.length === 4)
    }
    await waitUntil('the correction', () => events.length === 4)
    expect(events.map(({ type }) => type)).toEqual([
      'speech-started',
      'verdict',
      'speech-started',
      'correction',
    ])
    expect(detection.end()).toEqual([])
  })

  it('makes a person final who hangs up', async () => {
    await using thread = open()
    const events: DetectorEvent[] = []
    const detection = thread.open({ ...PARAMS, correctionWindowMs: 6000 }, (heard) => {
      events.push(...heard)
    })
    detection.push(join(silence(300), speech(500), silence(1500)))
    await waitUntil('the verdict', () => hasVerdict(events))
    expect(detection.end()).toEqual([{ type: 'correction-window-closed', atMs: 2300 }])
    expect(detection.end()).toEqual([])
  })

  it('gives up calls that it dies of, and hears later ones', async () => {
    const dying = new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { parentPort } from 'node:worker_threads'
        parentPort.once('message', () => process.exit(3))
      `)}`,
    )
    await using thread = open(dying)
    const verdicts: DetectorEvent[] = []
    thread.open(PARAMS, (events) => verdicts.push(...events))
    await waitUntil('a verdict', () => verdicts.length > 0)
    expect(verdicts).toEqual([{ type: 'verdict', answeredBy: 'unknown', atMs: 0 }])
    thread.open(PARAMS, (events) => verdicts.push(...events))
    await waitUntil('another verdict', () => verdicts.length > 1)
  })

  it('gives up a call that it is seconds late for', async () => {
    const deaf = new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { parentPort } from 'node:worker_threads'
        parentPort.on('message', () => undefined)
      `)}`,
    )
    await using thread = open(deaf)
    const events: DetectorEvent[] = []
    const detection = thread.open(PARAMS, (heard) => events.push(...heard))
    for (let i = 0; i < 300; i++) detection.push(silence(20))
    expect(events).toMatchObject([{ type: 'verdict', answeredBy: 'unknown' }])
    expect(detection.end()).toEqual([])
  })
})

describe('a sample ring', () => {
  it('gives back what was written, over its end as well', () => {
    const ring = new SampleRing()
    const other = new SampleRing(ring.memory)
    const block = new Int16Array(1_000)
    let next = 0
    const read: number[] = []
    for (let round = 0; round < 200; round++) {
      expect(ring.write(Int16Array.from({ length: 777 }, () => next++ % 30_000))).toBe(true)
      for (let count = other.read(block); count > 0; count = other.read(block))
        read.push(...block.subarray(0, count))
    }
    expect(read).toEqual(Array.from({ length: 777 * 200 }, (_, i) => i % 30_000))
  })

  it('takes nothing that it has no room for', () => {
    const ring = new SampleRing()
    const second = new Int16Array(8_000)
    const taken = [0, 1, 2, 3, 4, 5].map(() => ring.write(second))
    expect(taken).toEqual([true, true, true, true, false, false])
    ring.read(second)
    expect(ring.write(second)).toBe(true)
  })
})
