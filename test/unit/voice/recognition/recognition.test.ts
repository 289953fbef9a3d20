import { expect, it } from 'vitest'
import {
  type RecognitionEngine,
  RecognitionError,
} from '../../../../src/voice/recognition/engine.js'
import {
  type HeardParams,
  Recognition,
  type RecognitionEvent,
} from '../../../../src/voice/recognition/recognition.js'
import { join, type Sound, silence, speech } from '../amd/sounds.js'

const ONE = join(speech(1200), silence(1500))

const lengths = (into: number[]): RecognitionEngine => ({
  recognise: (samples) => {
    into.push(samples.length / 8)
    return Promise.resolve({ text: `utterance ${into.length}`, confidence: 0.9 })
  },
})

interface Heard {
  readonly events: readonly RecognitionEvent[]
  readonly types: readonly string[]
}

async function hear(
  engine: RecognitionEngine,
  sound: Sound,
  { piece = 160, ...params }: HeardParams & { piece?: number } = {},
): Promise<Heard> {
  const events: RecognitionEvent[] = []
  using recognition = new Recognition(engine, params, (event) => events.push(event))
  for (let at = 0; at < sound.length; at += piece) recognition.push(sound.subarray(at, at + piece))
  await recognition.end()
  return { events, types: events.map(({ type }) => type) }
}

it('tells the beginning, the end and the words of each utterance, in order', async () => {
  const sound = join(silence(500), ONE, ONE)
  const { events } = await hear(lengths([]), sound)
  const finals = events.flatMap((event) => (event.type === 'final' ? [event] : []))
  expect(finals).toEqual([
    { type: 'final', text: 'utterance 1', confidence: 0.9 },
    { type: 'final', text: 'utterance 2', confidence: 0.9 },
  ])
  const times = events.flatMap((event) => ('atMs' in event ? [event.atMs] : []))
  expect(times).toHaveLength(4)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})

it('keeps the order of words although the first take longest', async () => {
  let release = (): void => undefined
  const first = new Promise<void>((resolve) => {
    release = resolve
  })
  let asked = 0
  const engine: RecognitionEngine = {
    recognise: async () => {
      const number = ++asked
      if (number === 1) await first
      else release()
      return { text: String(number), confidence: undefined }
    },
  }
  const { events } = await hear(engine, join(silence(500), ONE, ONE))
  expect(events.flatMap((event) => (event.type === 'final' ? [event.text] : []))).toEqual([
    '1',
    '2',
  ])
})

it('hands the engine the whole utterance, whatever the size of the pieces', async () => {
  const sound = join(silence(2500), ONE)
  for (const piece of [160, 7, 1000]) {
    const heard: number[] = []
    await hear(lengths(heard), sound, { piece })
    expect(heard).toHaveLength(1)
    expect(heard[0]).toBeGreaterThanOrEqual(1200)
    expect(heard[0]).toBeLessThanOrEqual(1200 + 300 + 800 + 400)
  }
})

it('ends an utterance with the audio', async () => {
  const { types } = await hear(lengths([]), join(silence(500), speech(1500)))
  expect(types).toEqual(['speech-began', 'utterance-ended', 'final'])
})

it('splits speech that does not end, and loses none of it', async () => {
  const heard: number[] = []
  await hear(lengths(heard), join(silence(500), speech(5000)), { maxSpeechMs: 2000 })
  expect(heard.slice(0, 2)).toEqual([2000, 2000])
  expect(heard.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(5000)
})

it('tells nothing of silence', async () => {
  expect(await hear(lengths([]), silence(5000))).toEqual({ events: [], types: [] })
})

it.each([
  new RecognitionError('no luck'),
  new TypeError('broken'),
])('goes on after the engine failed: %s', async (error) => {
  let asked = 0
  const engine: RecognitionEngine = {
    recognise: () => {
      asked++
      if (asked === 1) return Promise.reject(error)
      return Promise.resolve({ text: 'words', confidence: 1 })
    },
  }
  const { types, events } = await hear(engine, join(silence(500), ONE, ONE))
  expect(types.filter((type) => type === 'failed' || type === 'final')).toEqual(['failed', 'final'])
  const failed = events.find((event) => event.type === 'failed')
  expect(failed?.error).toBeInstanceOf(RecognitionError)
})

it('holds at most eight utterances for a slow engine, and says which it drops', async () => {
  const events: RecognitionEvent[] = []
  let asked = 0
  const engine: RecognitionEngine = {
    recognise: (_samples, _params, signal) => {
      asked++
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new RecognitionError('stopped'))
        })
      })
    },
  }
  const recognition = new Recognition(engine, {}, (event) => events.push(event))
  recognition.push(join(silence(500), ...Array.from({ length: 9 }, () => ONE)))
  expect(asked).toBe(8)
  expect(events.filter(({ type }) => type === 'failed')).toHaveLength(1)
  const before = events.length
  recognition[Symbol.dispose]()
  await recognition.settled()
  recognition.push(ONE)
  expect(events).toHaveLength(before)
})
