import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { MPEGDecoder } from 'mpg123-decoder'
import { describe, expect, it } from 'vitest'
import { newSid } from '../../../../src/platform/ids.js'
import { toneShare } from '../../../support/sound/tone.js'
import { setUpRecordingsApi } from '../../../support/voice/recordings-api.js'

const codeOf = (bytes: Buffer) => (JSON.parse(bytes.toString()) as { code: number }).code

/** By another library than the one that encodes. */
async function decode(file: Buffer): Promise<readonly Int16Array[]> {
  const decoder = new MPEGDecoder()
  await decoder.ready
  const { channelData, sampleRate } = decoder.decode(file)
  decoder.free()
  expect(sampleRate).toBe(8_000)
  // The decoder gives one channel twice; what there is says the frame's header.
  const count = (file[3] ?? 0) >> 6 === 3 ? 1 : 2
  return channelData
    .slice(0, count)
    .map((samples) => Int16Array.from(samples, (sample) => 32_767 * sample))
}

/** Without what an encoder adds at both ends. */
const middle = (samples: Int16Array | undefined) =>
  samples?.subarray(4_000, 12_000) ?? new Int16Array()

describe('the sound of a recording as MP3', () => {
  it('holds each channel, is made once, and goes with the recording', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add({}, [440, 1_000])
    const both = await Promise.all([1, 2].map(() => t.request(`/Recordings/${sid}.mp3`)))
    expect(both.map(({ answer }) => answer.status)).toEqual([200, 200])
    expect(both[0]?.answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(both[0]?.bytes).toEqual(both[1]?.bytes)
    const channels = await decode(both[0]?.bytes ?? Buffer.alloc(0))
    expect(channels).toHaveLength(2)
    expect(channels[0]?.length).toBeGreaterThanOrEqual(16_000)
    expect(channels[0]?.length).toBeLessThan(16_000 + 4_000)
    expect(toneShare(middle(channels[0]), 440)).toBeGreaterThan(0.9)
    expect(toneShare(middle(channels[1]), 1_000)).toBeGreaterThan(0.9)
    expect(existsSync(join(t.recordingsFolder, `${sid}.mp3`))).toBe(true)
    expect((await t.request(`/Recordings/${sid}.json`, { method: 'DELETE' })).answer.status).toBe(
      204,
    )
    expect(readdirSync(t.recordingsFolder).filter((name) => name.startsWith('RE'))).toEqual([])
    expect((await t.request(`/Recordings/${sid}.mp3`)).answer.status).toBe(404)
  })

  it('is one channel of both when one is requested', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add({}, [440, 1_000])
    const { bytes } = await t.request(`/Recordings/${sid}.mp3?RequestedChannels=1`)
    const channels = await decode(bytes)
    expect(channels).toHaveLength(1)
    expect(toneShare(middle(channels[0]), 440)).toBeGreaterThan(0.4)
    expect(toneShare(middle(channels[0]), 1_000)).toBeGreaterThan(0.4)
  })

  it('is sent in ranges, too', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add()
    const whole = await t.request(`/Recordings/${sid}.mp3`)
    const range = { headers: { range: 'bytes=-100' } }
    const part = await t.request(`/Recordings/${sid}.mp3`, range)
    expect(part.answer.status).toBe(206)
    expect(part.bytes).toEqual(whole.bytes.subarray(-100))
  })
})

describe('the sound of a recording', () => {
  it.each([
    ['no suffix', (_call: string, sid: string) => `/Recordings/${sid}`, 'audio/x-wav'],
    ['.wav', (_call: string, sid: string) => `/Recordings/${sid}.wav`, 'audio/x-wav'],
    [
      '.wav below its call',
      (call: string, sid: string) => `/Calls/${call}/Recordings/${sid}.wav`,
      'audio/x-wav',
    ],
    [
      '.mp3 below its call',
      (call: string, sid: string) => `/Calls/${call}/Recordings/${sid}.mp3`,
      'audio/mpeg',
    ],
  ] as const)('comes with %s', async (_title, path, type) => {
    await using t = await setUpRecordingsApi()
    const { sid, callSid } = await t.add()
    const { answer, bytes } = await t.request(path(callSid, sid))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('content-length')).toBe(String(bytes.length))
    expect((await t.request(path(newSid('CA'), newSid('RE')))).answer.status).toBe(404)
  })

  it.each<[string, Record<string, string>, number, string | null]>([
    ['a part', { range: 'bytes=0-9' }, 206, 'bytes 0-9/32044'],
    ['the rest', { range: 'bytes=32000-' }, 206, 'bytes 32000-32043/32044'],
    ['more than there is', { range: 'bytes=32040-99999' }, 206, 'bytes 32040-32043/32044'],
    ['what is not there', { range: 'bytes=32044-' }, 416, 'bytes */32044'],
    ['two parts: all of it', { range: 'bytes=0-1,4-5' }, 200, null],
    ['a part of another file: all of it', { range: 'bytes=0-9', 'if-range': '"other"' }, 200, null],
  ])('answers a request for %s', async (_title, headers, status, range) => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add()
    const { answer, bytes } = await t.request(`/Recordings/${sid}.wav`, { headers })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-range')).toBe(range)
    if (status === 200) expect(bytes).toHaveLength(32_044)
  })

  it('has a tag by which a client knows the file that it has', async () => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add()
    const path = `/Recordings/${sid}.wav`
    const head = await t.request(path, { method: 'HEAD' })
    expect(head.answer.headers.get('content-length')).toBe('32044')
    expect(head.bytes).toHaveLength(0)
    const etag = head.answer.headers.get('etag') ?? ''
    const resumed = await t.request(path, { headers: { range: 'bytes=32000-', 'if-range': etag } })
    expect(resumed.answer.status).toBe(206)
    const known = await t.request(path, { headers: { 'if-none-match': `W/${etag}` } })
    expect(known.answer.status).toBe(304)
    const mp3 = await t.request(`/Recordings/${sid}.mp3`, { method: 'HEAD' })
    expect(mp3.answer.headers.get('etag')).not.toBe(etag)
  })

  it.each([
    ['two channels of one', '?RequestedChannels=2', 400, 16113],
    ['two channels of one, as MP3', '.mp3?RequestedChannels=2', 400, 16113],
    ['three channels', '?RequestedChannels=3', 400, 20422],
    ['another format', '.ogg', 404, 20404],
  ] as const)('refuses %s', async (_title, ending, status, code) => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add()
    const { answer, bytes } = await t.request(`/Recordings/${sid}${ending}`)
    expect(answer.status).toBe(status)
    expect(codeOf(bytes)).toBe(code)
  })

  it.each(['.wav', '.mp3', ''])('is not found with %j while it is being made', async (suffix) => {
    await using t = await setUpRecordingsApi()
    const { sid } = await t.add({ status: 'processing', durationMs: undefined }, [])
    const { answer, bytes } = await t.request(`/Recordings/${sid}${suffix}`)
    expect(answer.status).toBe(404)
    expect(codeOf(bytes)).toBe(20404)
  })

  it('is nobody else’s', async () => {
    await using t = await setUpRecordingsApi()
    const other = await t.accounts.create({ friendlyName: 'other' })
    const { sid } = await t.add({ accountSid: other.sid })
    expect((await t.request(`/Recordings/${sid}.mp3`)).answer.status).toBe(404)
  })
})

describe('a recording', () => {
  it('is the resource as .json and .xml, by the path of the account and of its call', async () => {
    await using t = await setUpRecordingsApi()
    const { sid, callSid } = await t.add({}, [440])
    for (const path of [`/Recordings/${sid}`, `/Calls/${callSid}/Recordings/${sid}`]) {
      const json = await t.request(`${path}.json`)
      expect(json.answer.status).toBe(200)
      expect(JSON.parse(json.bytes.toString())).toMatchObject({ sid, call_sid: callSid })
      const xml = await t.request(`${path}.xml`)
      expect(xml.bytes.toString()).toContain(`<Sid>${sid}</Sid>`)
      expect((await t.request(`${path}.wav`)).answer.headers.get('content-type')).toBe(
        'audio/x-wav',
      )
    }
  })
})

describe('the list of recordings', () => {
  it('is filtered by sids in capital hex digits, too', async () => {
    await using t = await setUpRecordingsApi()
    await t.add()
    const ofCall = await t.add({ callSid: `CA${'ab'.repeat(16)}` })
    const ofConference = await t.add({ conferenceSid: `CF${'cd'.repeat(16)}` })
    const listed = async (filter: string) => {
      const { bytes } = await t.request(`/Recordings.json?${filter}`)
      const { recordings } = JSON.parse(bytes.toString()) as { recordings: { sid: string }[] }
      return recordings.map(({ sid }) => sid)
    }
    expect(await listed(`CallSid=CA${'AB'.repeat(16)}`)).toEqual([ofCall.sid])
    expect(await listed(`ConferenceSid=CF${'CD'.repeat(16)}`)).toEqual([ofConference.sid])
  })
})
