import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createMediaCache,
  type MediaAnswer,
  type MediaRequest,
} from '../../../../src/voice/media-files/media-cache.js'
import { FetchError, MediaTypeError } from '../../../../src/voice/model/fetch-errors.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import {
  AUDIO_WORKER,
  levelOf,
  samplesOfFile,
  tone,
  wavFile,
} from '../../../support/sound/sound.js'

const URL_A = 'https://a.example/hold'
const never = new AbortController().signal
const MP3 = readFileSync(join(import.meta.dirname, '../../../fixtures/markup/tone-1000hz.mp3'))
const wav = (hz: number) =>
  wavFile(tone(hz, 16_000, 0.25), { tag: 1, bits: 16, rate: 16_000, channels: 1 })
const WAV: MediaAnswer = { type: 'fetched', contentType: 'audio/x-wav', bytes: wav(500) }

function open(directory: string, answers: (MediaAnswer | Error)[], maxFileBytes?: number) {
  const requests: MediaRequest[] = []
  const time = { now: 0 }
  const media = createMediaCache({
    directory,
    workerUrl: AUDIO_WORKER,
    clock: { now: () => time.now, monotonic: () => time.now },
    ...(maxFileBytes === undefined ? {} : { maxFileBytes }),
    fetch: (request) => {
      requests.push(request)
      const answer = answers.shift() ?? new Error('one request too many')
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
  })
  return { media, requests, time }
}

describe('a type that is not documented', () => {
  const types = ['', 'audio/mp3', 'audio/x-mpeg', 'audio/mpeg3; charset=binary', 'audio/mpg']
  it.each(types)('"%s" plays by its first bytes, each time with a warning', async (contentType) => {
    using folder = tempFolder()
    const answer: MediaAnswer = {
      ...{ type: 'fetched', contentType, bytes: MP3 },
      cacheControl: 'max-age=60',
    }
    const { media } = open(folder.path, [answer])
    await using _owned = media
    for (let time = 0; time < 2; time += 1) {
      const { path, warning } = await media.fetchMedia(URL_A, 'AC1', never)
      expect(levelOf(1000, samplesOfFile(path), 8000)).toBeGreaterThan(0.35)
      expect(warning).toContain(`"${contentType}"`)
    }
  })

  it.each([
    ['text/html', MP3],
    ['application/json', MP3],
    ['audio/ogg', Buffer.from('OggS and so on')],
    ['', Buffer.from('<html/>')],
  ])('%s of other content is refused', async (contentType, bytes) => {
    using folder = tempFolder()
    const { media } = open(folder.path, [{ type: 'fetched', contentType, bytes }])
    await using _owned = media
    await expect(media.fetchMedia(URL_A, 'AC1', never)).rejects.toThrow(MediaTypeError)
  })
})

describe('media', () => {
  it.each<[string, MediaAnswer, number]>([
    ['WAV', WAV, 500],
    ['MP3', { type: 'fetched', contentType: 'audio/mpeg', bytes: MP3 }, 1000],
    [
      'MP3 of no type',
      { type: 'fetched', contentType: 'application/octet-stream', bytes: MP3 },
      1000,
    ],
  ])('%s becomes a telephone file', async (_title, answer, hz) => {
    using folder = tempFolder()
    const { media } = open(folder.path, [answer])
    await using _owned = media
    const { path, durationMs } = await media.fetchMedia(URL_A, 'AC1', never)
    const samples = samplesOfFile(path)
    expect(levelOf(hz, samples, 8000)).toBeGreaterThan(0.35)
    expect(durationMs).toBe(Math.round(samples.length / 8))
    expect(readdirSync(folder.path)).toHaveLength(1)
  })

  it('is asked for each time, and converted once for equal content', async () => {
    using folder = tempFolder()
    const { media, requests } = open(folder.path, [WAV, { ...WAV }])
    await using _owned = media
    expect(await media.fetchMedia(URL_A, 'AC1', never)).toEqual(
      await media.fetchMedia(URL_A, 'AC1', never),
    )
    expect(requests).toHaveLength(2)
  })

  it('changes with its content', async () => {
    using folder = tempFolder()
    const { media } = open(folder.path, [WAV, { ...WAV, bytes: wav(1500) }])
    await using _owned = media
    await media.fetchMedia(URL_A, 'AC1', never)
    const { path } = await media.fetchMedia(URL_A, 'AC1', never)
    expect(levelOf(1500, samplesOfFile(path), 8000)).toBeGreaterThan(0.4)
  })

  it('is not asked for while it is fresh', async () => {
    using folder = tempFolder()
    const answer = { ...WAV, cacheControl: 'max-age=10' }
    const { media, requests, time } = open(folder.path, [answer, answer])
    await using _owned = media
    await media.fetchMedia(URL_A, 'AC1', never)
    time.now = 9999
    await media.fetchMedia(URL_A, 'AC1', never)
    expect(requests).toHaveLength(1)
    time.now = 10_000
    await media.fetchMedia(URL_A, 'AC1', never)
    expect(requests).toHaveLength(2)
  })

  it('that did not change is not sent again', async () => {
    using folder = tempFolder()
    const { media, requests } = open(folder.path, [
      { ...WAV, etag: '"1"' },
      { type: 'not-modified', cacheControl: 'max-age=10' },
    ])
    await using _owned = media
    const first = await media.fetchMedia(URL_A, 'AC1', never)
    expect(await media.fetchMedia(URL_A, 'AC1', never)).toEqual(first)
    expect(await media.fetchMedia(URL_A, 'AC1', never)).toEqual(first)
    expect(requests.map((request) => request.etag)).toEqual([undefined, '"1"'])
  })

  it('wanted by several at once is fetched once', async () => {
    using folder = tempFolder()
    const { media, requests } = open(folder.path, [WAV])
    await using _owned = media
    await Promise.all([1, 2, 3].map(() => media.fetchMedia(URL_A, 'AC1', never)))
    expect(requests).toHaveLength(1)
  })

  it.each<[string, MediaAnswer]>([
    ['a web page', { type: 'fetched', contentType: 'text/html', bytes: Buffer.from('<html>') }],
    ['GSM', { type: 'fetched', contentType: 'audio/gsm', bytes: Buffer.from('x') }],
    [
      'a WAV that is none',
      { type: 'fetched', contentType: 'audio/wav', bytes: Buffer.from('RIFF') },
    ],
  ])('%s is 13420, and leaves nothing', async (_title, answer) => {
    using folder = tempFolder()
    const { media } = open(folder.path, [answer])
    await using _owned = media
    const fetching = media.fetchMedia(URL_A, 'AC1', never)
    await expect(fetching).rejects.toBeInstanceOf(MediaTypeError)
    await expect(fetching).rejects.toMatchObject({ number: 13420, url: URL_A })
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('too large is refused, and the fetcher told the limit', async () => {
    using folder = tempFolder()
    const { media, requests } = open(folder.path, [WAV], 1000)
    await using _owned = media
    await expect(media.fetchMedia(URL_A, 'AC1', never)).rejects.toBeInstanceOf(FetchError)
    expect(requests[0]?.maxBytes).toBe(1000)
  })

  it('that cannot be fetched says so, and is tried again', async () => {
    using folder = tempFolder()
    const error = new FetchError(11205, URL_A, 'lost')
    const { media } = open(folder.path, [error, WAV])
    await using _owned = media
    await expect(media.fetchMedia(URL_A, 'AC1', never)).rejects.toBe(error)
    expect((await media.fetchMedia(URL_A, 'AC1', never)).durationMs).toBe(250)
  })
})
