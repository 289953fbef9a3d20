/** What a document could try to make of its values: commands, files, other people's servers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../../src/voice/markup/parse/parse-document.js'
import { reportRow } from '../../../support/rows/rows.js'
import { BASE, play, playBody } from './fake-host.js'

const FALLBACK = 'http://app.example/fallback'
const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../fixtures/markup', name), 'utf8')
const invalidUtf8 = Buffer.concat([
  Buffer.from('<Response><Say>a'),
  Buffer.from([0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80]),
  Buffer.from('b</Say></Response>'),
]).toString('utf8')

describe('abusive XML [C26]', () => {
  it.each<[string, string]>([
    ['billion laughs', fixture('billion-laughs.xml')],
    ['an external entity', fixture('external-entity.xml')],
    ['10 MB', `<Response>${'<Say>a</Say>'.repeat(900_000)}</Response>`],
    ['depth 10,000', `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`],
    ['an attribute bomb', `<Response ${'a="1" '.repeat(10_000)}/>`],
    ['one attribute of 10 MB', `<Response a="${'x'.repeat(10_000_000)}"/>`],
    ['NUL', '<Response><Say>a\0b</Say></Response>'],
  ])('%s is an error at once, fetches nothing, and the fallback is used', async (_title, text) => {
    const documents = {
      [BASE]: { contentType: 'text/xml', text },
      [FALLBACK]: '<Say>sorry</Say>',
    }
    const { timeline, end } = await play({ documents }, { fallback: FALLBACK })
    expect(timeline.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      `0 POST ${BASE}`,
      `0 GET ${FALLBACK}`,
      '0 say sorry',
    ])
    expect(timeline[1]).toMatch(/ErrorCode=(12100|12102|11750)&/)
    expect(end).toEqual({ type: 'finished' })
  })

  it('is refused within 50 ms, the fastest of twenty times', ({ task }) => {
    const texts = [
      fixture('billion-laughs.xml'),
      `<Response>${'<Say>a</Say>'.repeat(900_000)}</Response>`,
      `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`,
    ]
    const times = texts.map((text) => Math.min(...Array.from({ length: 20 }, () => timeOf(text))))
    reportRow(task, 'C26', { 'slowest refusal ms': Math.round(Math.max(...times)) })
    expect(Math.max(...times)).toBeLessThan(50)
  })

  it('invalid UTF-8 is spoken without what it could not say', () => {
    const result = parseDocument(invalidUtf8)
    expect(result).toMatchObject({ type: 'document', warnings: [] })
  })

  it('documents that only redirect to each other end, by the fallback once', async () => {
    const other = 'http://app.example/other'
    const documents = {
      [BASE]: `<Redirect>${other}</Redirect>`,
      [other]: `<Redirect>${BASE}</Redirect>`,
      [FALLBACK]: `<Redirect>${BASE}</Redirect>`,
    }
    const { timeline, end, log } = await play({ documents }, { fallback: FALLBACK })
    expect(end).toMatchObject({ type: 'application-error', code: 11215 })
    expect(timeline.length).toBeLessThan(60)
    expect(timeline.filter((line) => line.includes(FALLBACK))).toHaveLength(1)
    expect(log.filter((entry) => entry.type === 'error')).toHaveLength(2)
  })
})

function timeOf(text: string): number {
  const before = performance.now()
  parseDocument(text)
  return performance.now() - before
}

describe('expansion [C22] and delimiters [C23] in what a document says', () => {
  const COMMANDS = ['${system(touch pwned)}', '$${hostname}', '${create_uuid}', 'a|b ^^: ! ,']

  it.each(COMMANDS)('Say speaks %s as text', async (text) => {
    const spoken: string[] = []
    const synthesise = (speech: { text: string }) => {
      spoken.push(speech.text)
      return Promise.resolve({ type: 'silence', durationMs: 1 } as const)
    }
    await playBody(`<Say>${text}</Say>`, { host: { synthesise } })
    expect(spoken).toEqual([text])
  })

  it.each([
    'file:///etc/passwd',
    'file_string://a.wav!b.wav',
    'shell_stream://id',
    'local_stream://moh',
    'tone_stream://%(1000,0,440)',
    'say:hello',
    'silence_stream://1000',
    'javascript:alert(1)',
    'data:audio/wav;base64,AAAA',
    'ftp://a.example/b.wav',
    'http://',
  ])('Play does not take %s', async (url) => {
    const { end, timeline } = await playBody(`<Play>${url}</Play>`)
    expect(end).toMatchObject({ type: 'application-error', code: 11100 })
    expect(timeline).toHaveLength(1)
  })

  it.each([
    ['/etc/passwd', 'http://app.example/etc/passwd'],
    ['../../../../etc/passwd', 'http://app.example/etc/passwd'],
    ['${system(ls)}.wav', 'http://app.example/$%7Bsystem(ls)%7D.wav'],
    ['a.wav|b', 'http://app.example/a.wav|b'],
    ['a.wav&#10;api status', 'http://app.example/a.wavapi%20status'],
  ])('Play asks the application for %s, never the media server', async (written, asked) => {
    const { timeline } = await playBody(`<Play>${written}</Play>`)
    expect(timeline[1]).toBe(`0 play ${asked}`)
  })

  it.each([
    '1;api status',
    '1\n2',
    '${x}',
    '1|2',
    ' 1',
    '1a',
  ])('Play sends no digits of "%s"', async (digits) => {
    const { timeline, log } = await playBody(`<Play digits="${digits}"/>`)
    expect(timeline).toHaveLength(1)
    expect(log).toContainEqual(expect.objectContaining({ type: 'warning', code: 13430 }))
  })

  it.each(['#|', '[0-9]', '${x}', '\\d'])('Gather finishes on no "%s"', async (key) => {
    const { log } = await playBody(`<Gather timeout="1" finishOnKey="${key}"/>`)
    expect(log).toContainEqual(expect.objectContaining({ type: 'warning', code: 13310 }))
  })
})
