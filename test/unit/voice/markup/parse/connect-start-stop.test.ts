/**
 * | verb, noun | attribute | values | default | wrong |
 * |---|---|---|---|---|
 * | Connect | action, method | URL; GET, POST | goes on, POST | 12200 |
 * | Stream | url | wss or ws | – | 31922, 31923 |
 * | Stream | name | up to 256 characters | none | 12200 |
 * | Stream | track | inbound_track, outbound_track, both_tracks | inbound_track | 31941 |
 * | Stream | statusCallback, …Method | URL; GET, POST | none, POST | 12200 |
 * | Parameter | name, value | together up to 500 characters | – | 12200 |
 * | Recording | channels, track, trim | mono dual; both inbound outbound; … | dual, both, do-not-trim | 12200 |
 * | Stop/Stream | name | of a stream | – | 12200 |
 * | Stop/Recording | none | – | – | 12200 |
 */
import { describe, expect, it } from 'vitest'
import { verbOf } from './support.js'

const connect = (body: string) => verbOf('connect', `<Connect>${body}</Connect>`)
const start = (body: string) => verbOf('start', `<Start>${body}</Start>`)
const WSS = 'url="wss://a.example/x"'

describe('Connect', () => {
  it.each(['', ' ', '<!-- later -->'])('of nothing is warned of: %j', (body) => {
    expect(connect(body)).toMatchObject({ verb: { nouns: [] }, codes: [12200] })
  })
  it('has an action of its own', () => {
    const body = `<Connect action="/after" method="GET"><Stream ${WSS}/></Connect>`
    expect(verbOf('connect', body)).toMatchObject({
      verb: { action: '/after', method: 'GET', nouns: [{ type: 'stream' }] },
      codes: [],
    })
  })
  it.each<[string, string, object]>([
    [
      'two nouns',
      `<Stream ${WSS} name="a"/><Stream ${WSS}/>`,
      { nouns: [{ name: 'a' }, { type: 'stream' }] },
    ],
    ['a noun that does not run', '<Room>x</Room>', { nouns: [{ type: 'other' }] }],
  ])('%s', (_title, body, verb) => {
    expect(connect(body)).toMatchObject({ verb, codes: [] })
  })
})

describe('Stream', () => {
  it('with everything', () => {
    const attributes = `${WSS} name="my stream" track="both_tracks" statusCallback="/s" statusCallbackMethod="GET"`
    const children = '<Parameter name="a" value="1"/><Parameter name="a" value=""/>'
    expect(start(`<Stream ${attributes}>${children}</Stream>`)).toMatchObject({
      codes: [],
      verb: {
        nouns: [
          {
            type: 'stream',
            url: 'wss://a.example/x',
            name: 'my stream',
            track: 'both_tracks',
            statusCallback: { url: '/s', method: 'GET' },
            parameters: [
              { name: 'a', value: '1' },
              { name: 'a', value: '' },
            ],
          },
        ],
      },
    })
  })
  it.each<[string, number, object]>([
    ['', 31923, { url: undefined }],
    ['url="/relative"', 31923, { url: undefined }],
    ['url="https://a.example/"', 31922, { url: undefined }],
    [`${WSS} track="both"`, 31941, { track: 'inbound_track' }],
    [`${WSS} name=""`, 12200, { name: undefined }],
    [`${WSS} name="${'n'.repeat(257)}"`, 12200, { name: undefined }],
    [
      `${WSS} statusCallback="/s" statusCallbackMethod="PUT"`,
      12200,
      { statusCallback: { method: 'POST' } },
    ],
  ])('wrong: %s → %d', (attributes, code, noun) => {
    expect(start(`<Stream ${attributes}/>`)).toMatchObject({
      verb: { nouns: [noun] },
      codes: [code],
    })
  })
  it.each<[string, string, number]>([
    ['of 500 characters', `name="${'n'.repeat(100)}" value="${'v'.repeat(400)}"`, 1],
    ['of 501 characters', `name="${'n'.repeat(100)}" value="${'v'.repeat(401)}"`, 0],
    ['of 500 emoji', `name="${'😀'.repeat(100)}" value="${'😀'.repeat(400)}"`, 1],
    ['without a name', 'value="v"', 0],
  ])('a Parameter %s', (_title, attributes, count) => {
    const { verb, codes } = connect(`<Stream ${WSS}><Parameter ${attributes}/></Stream>`)
    expect(verb.nouns[0]?.type === 'stream' && verb.nouns[0].parameters.length).toBe(count)
    expect(codes).toEqual(count === 1 ? [] : [12200])
  })
})

describe('Start', () => {
  it('keeps several nouns in order', () => {
    const { verb, codes } = start(`<Recording/><Stream ${WSS}/><Siprec name="s"/>`)
    expect(verb.nouns.map((noun) => noun.type)).toEqual(['recording', 'stream', 'other'])
    expect(codes).toEqual([])
  })
  it('of nothing', () => {
    expect(start('')).toMatchObject({ verb: { nouns: [] }, codes: [] })
  })
  it.each<[string, object, number[]]>([
    ['', { channels: 'dual', track: 'both', trim: 'do-not-trim', statusCallback: undefined }, []],
    [
      'channels="mono" track="inbound" trim="trim-silence" recordingStatusCallback="https://a/"',
      {
        channels: 'mono',
        track: 'inbound',
        trim: 'trim-silence',
        statusCallback: { url: 'https://a/' },
      },
      [],
    ],
    ['channels="stereo"', { channels: 'dual' }, [12200]],
    ['track="both_tracks"', { track: 'both' }, [12200]],
    ['trim="yes"', { trim: 'do-not-trim' }, [12200]],
    ['recordingStatusCallbackEvent="done"', {}, [12200]],
  ])('Recording %s', (attributes, noun, codes) => {
    expect(start(`<Recording ${attributes}/>`)).toMatchObject({ verb: { nouns: [noun] }, codes })
  })
})

describe('Stop', () => {
  it.each<[string, object[], number[]]>([
    ['<Stream name="a"/>', [{ type: 'stream', name: 'a' }], []],
    ['<Stream/>', [{ type: 'stream', name: undefined }], [12200]],
    ['<Siprec name="a"/>', [{ type: 'other' }], []],
    ['<Recording/>', [{ type: 'stopped-recording' }], []],
    ['<Recording channels="dual"/>', [{ type: 'stopped-recording' }], [12200]],
    ['', [], []],
  ])('%s', (body, nouns, codes) => {
    expect(verbOf('stop', `<Stop>${body}</Stop>`)).toMatchObject({ verb: { nouns }, codes })
  })
})
