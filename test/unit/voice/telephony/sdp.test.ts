import { describe, expect, it } from 'vitest'
import {
  answerTo,
  audioOf,
  isSameSdp,
  mutedAnswer,
  offerOf,
} from '../../../../src/voice/telephony/sdp.js'
import { reportRow } from '../../../support/rows/rows.js'
import { ABUSIVE_SDP } from '../../../support/sip/abusive-sdp.js'
import { leastCpuMs } from '../../../support/time/cpu-time.js'

const sdp = (...lines: readonly string[]): string =>
  ['v=0', 'o=x 1 2 IN IP4 192.0.2.9', 's=-', 'c=IN IP4 192.0.2.9', 't=0 0', ...lines, ''].join(
    '\r\n',
  )
const AUDIO = [
  'm=audio 4000 RTP/AVP 0 8 101',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:8 PCMA/8000',
  'a=rtpmap:101 telephone-event/8000',
  'a=fmtp:101 0-15',
  'a=ptime:20',
]
/** What FreeSWITCH offers when nobody offered anything. */
const MEDIA_SERVER = sdp(
  'm=audio 3000 RTP/SAVP 0 8 102 101 13',
  'a=rtpmap:102 opus/48000/2',
  'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc',
  'm=audio 3000 RTP/AVP 0 8 102 101 13 103',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:102 opus/48000/2',
  'a=rtpmap:101 telephone-event/8000',
  'a=rtpmap:103 telephone-event/48000',
  'a=fmtp:101 0-15',
  'a=ptime:20',
)
/** The key of the example in RFC 4568 §4.1. */
const KEY = 'PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR'
const CRYPTO = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^20`
/** What FreeSWITCH offers with rtp_secure_media=mandatory. */
const SECURE_MEDIA_SERVER = sdp(
  'm=audio 3000 RTP/SAVP 0 101',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:101 telephone-event/8000',
  `a=crypto:3 AES_CM_256_HMAC_SHA1_80 inline:${KEY}AAAAAAAAAAAAAAAAAAAAAA`,
  `a=crypto:5 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`,
  `a=crypto:8 AES_CM_128_HMAC_SHA1_32 inline:${KEY}`,
)
const mLines = (text: string | undefined) => text?.match(/^m=.*$/gm)

describe('an offer of ours', () => {
  it('has one plain line with what the media server speaks, G.711 first, and digits', () => {
    const offer = offerOf(MEDIA_SERVER, 'plain')
    expect(mLines(offer)).toEqual(['m=audio 3000 RTP/AVP 0 8 102 101 103'])
    expect(offer).toContain('a=rtpmap:102 opus/48000/2')
    expect(offer).not.toContain('crypto')
  })

  it('has the wished codecs alone, in their order, and no events of the clock of another', () => {
    const offer = offerOf(MEDIA_SERVER, 'plain', ['PCMA', 'PCMU'])
    expect(mLines(offer)).toEqual(['m=audio 3000 RTP/AVP 8 0 101'])
    expect(offer).not.toMatch(/opus|48000/)
  })

  it('in secure audio has one line with the key of the suite that everybody has', () => {
    const offer = offerOf(SECURE_MEDIA_SERVER, 'secure')
    expect(mLines(offer)).toEqual(['m=audio 3000 RTP/SAVP 0 8 101'])
    expect(offer?.match(/^a=crypto.*$/gm)).toEqual([
      `a=crypto:5 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`,
    ])
  })

  it('is never plain where secure audio is wanted', () => {
    expect(offerOf(sdp(...AUDIO), 'secure')).toBeUndefined()
    expect(offerOf(SECURE_MEDIA_SERVER, 'plain')).toBeUndefined()
  })

  it('answers a secure line of the media server with a key that nobody else knows', () => {
    const answer = mutedAnswer(SECURE_MEDIA_SERVER)
    expect(mLines(answer)).toEqual(['m=audio 3000 RTP/SAVP 0 101'])
    expect(answer).toMatch(/^a=crypto:5 AES_CM_128_HMAC_SHA1_80 inline:\S{40}\r?$/m)
    expect(answer).not.toContain(KEY)
    expect(answer).toContain('a=recvonly')
  })

  it('declines the encrypted line of the media server and stays silent', () => {
    const answer = mutedAnswer(MEDIA_SERVER)
    expect(mLines(answer)).toEqual([
      'm=audio 0 RTP/SAVP 0 8 102 101 13',
      'm=audio 3000 RTP/AVP 0 8 101',
    ])
    expect(answer).toContain('a=recvonly')
    expect(answer).not.toContain('crypto')
  })
})

describe('the audio of a peer', () => {
  it.each<[string, string[], string[] | undefined]>([
    ['plain G.711', AUDIO, ['m=audio 4000 RTP/AVP 0 8 101']],
    ['a static payload without rtpmap', ['m=audio 4000 RTP/AVP 8'], ['m=audio 4000 RTP/AVP 8']],
    [
      'digits at payload type 96',
      ['m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000'],
      ['m=audio 4000 RTP/AVP 0 96'],
    ],
    [
      'more codecs than we speak',
      ['m=audio 4000 RTP/AVP 9 0 18', 'a=rtpmap:18 G729/8000'],
      ['m=audio 4000 RTP/AVP 9 0'],
    ],
    [
      'Opus, and events of its clock',
      [
        'm=audio 4000 RTP/AVP 96 97',
        'a=rtpmap:96 opus/48000/2',
        'a=rtpmap:97 telephone-event/48000',
      ],
      ['m=audio 4000 RTP/AVP 96 97'],
    ],
    [
      'Opus of one channel, which RFC 7587 §7 does not know',
      ['m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 opus/48000'],
      undefined,
    ],
    ['feedback profile', ['m=audio 4000 RTP/AVPF 0'], ['m=audio 4000 RTP/AVP 0']],
    ['video first', ['m=video 4002 RTP/AVP 99', ...AUDIO], ['m=audio 4000 RTP/AVP 0 8 101']],
    ['only encrypted audio', ['m=audio 4000 RTP/SAVP 0'], undefined],
    ['only video', ['m=video 4002 RTP/AVP 99'], undefined],
    ['no codec of ours', ['m=audio 4000 RTP/AVP 18', 'a=rtpmap:18 G729/8000'], undefined],
    ['a declined line', ['m=audio 0 RTP/AVP 0'], undefined],
    [
      'a payload type that says PCMU at another rate',
      ['m=audio 4 RTP/AVP 97', 'a=rtpmap:97 PCMU/16000'],
      undefined,
    ],
    ['two hundred lines', Array<string>(200).fill('m=audio 4000 RTP/AVP 0'), undefined],
  ])('%s', (_title, lines, expected) => {
    expect(mLines(audioOf(sdp(...lines))?.audio) ?? undefined).toEqual(expected)
  })

  it('has G.711 before its other codecs where that is wanted', () => {
    const offer = sdp('m=audio 4 RTP/AVP 96 9 8 101', 'a=rtpmap:96 opus/48000/2', ...AUDIO.slice(3))
    const peer = audioOf(offer, undefined, 'g711-first')
    expect(mLines(peer?.audio)).toEqual(['m=audio 4 RTP/AVP 8 96 9 101'])
    expect(peer?.codecs).toEqual(['OPUS', 'G722', 'PCMA'])
  })

  it.each([
    [['a=ptime:30'], 30],
    [['a=maxptime:40'], undefined],
    [['a=maxptime:10'], 10],
    [['a=ptime:60', 'a=maxptime:35'], 30],
    [['a=ptime:20', 'a=maxptime:5'], 10],
    [['a=maxptime:'], undefined],
  ])('says %j in packets of %s ms (RFC 8866 §6.4)', (attributes, expected) => {
    const { audio = '' } = audioOf(sdp('m=audio 4 RTP/AVP 0', ...attributes)) ?? {}
    expect(/^a=ptime:(\d+)/m.exec(audio)?.[1]).toBe(expected && String(expected))
    expect(audio).not.toContain('maxptime')
  })

  it.each([
    '',
    'garbage',
    'v=0\r\nm=audio 1 RTP/AVP 0\r\n',
    'x'.repeat(100_000),
  ])('is not there in garbage', (text) => {
    expect(audioOf(text)).toBeUndefined()
  })

  it.each([
    ['o=x 1 2 IN IP4 192.0.2.9', 'o=- 1 2 IN IP4 192.0.2.9'],
    ['o=x 1 2 IN IP6 2001:db8::1', 'o=- 1 2 IN IP6 2001:db8::1'],
    ['o=peer 1 1334617687 ÀIN IP4 127.0.0.', 'o=- 1 1334617687 IN IP4 127.0.0.1'],
    ['o=a 77777777777777777777777777 2 IN IP4 host', 'o=- 777777777777777 2 IN IP4 127.0.0.1'],
  ])('has an origin that every media server reads: %s', (origin, expected) => {
    const { audio } = audioOf(sdp(...AUDIO).replace(/^o=.*$/m, origin)) ?? {}
    expect(/^o=.*$/m.exec(audio ?? '')?.[0].trim()).toBe(expected)
  })

  it('keeps how the peer holds, and leaves keys and candidates behind', () => {
    const peer = audioOf(
      sdp(...AUDIO, 'a=sendonly', 'a=candidate:1 1 UDP 1 192.0.2.9 4000 typ host'),
    )
    expect(peer?.audio).toContain('a=sendonly')
    expect(peer?.audio).not.toContain('candidate')
  })

  it.each<[string, string[], string | undefined]>([
    ['over SRTP', ['m=audio 4000 RTP/SAVP 0', CRYPTO], 'm=audio 4000 RTP/SAVP 0'],
    ['over SRTP with feedback', ['m=audio 4000 RTP/SAVPF 0', CRYPTO], 'm=audio 4000 RTP/SAVP 0'],
    [
      'both ways: the secure one',
      [...AUDIO, 'm=audio 4002 RTP/SAVP 0', CRYPTO],
      'm=audio 4002 RTP/SAVP 0',
    ],
    [
      'both ways, the secure one unusable',
      [...AUDIO, 'm=audio 4002 RTP/SAVP 0', 'a=crypto:1 F8_128_HMAC_SHA1_80 inline:x'],
      'm=audio 4000 RTP/AVP 0 8 101',
    ],
    ['plain, with keys beside it', [...AUDIO, CRYPTO], 'm=audio 4000 RTP/AVP 0 8 101'],
    ['secure with a parameter unknown', ['m=audio 4 RTP/SAVP 0', `${CRYPTO} A=1 B=2`], undefined],
    ['secure with an unknown one last', ['m=audio 4 RTP/SAVP 0', `${CRYPTO} WSH=64 B`], undefined],
    ['secure by DTLS', ['m=audio 4 UDP/TLS/RTP/SAVP 0', 'a=setup:actpass'], undefined],
  ])('%s', (_title, lines, expected) => {
    expect(mLines(audioOf(sdp(...lines))?.audio)?.[0]).toBe(expected)
  })

  it('keeps the keys of a secure line only, without what they do not need', () => {
    const both = audioOf(sdp('m=audio 4000 RTP/SAVP 0', `${CRYPTO} -X`, 'a=crypto:2 NEW inline:x'))
    expect(both?.security).toBe('secure')
    expect(both?.audio.match(/^a=crypto.*$/gm)).toEqual([
      `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`,
    ])
    expect(audioOf(sdp(...AUDIO, CRYPTO))?.audio).not.toContain('crypto')
  })

  it('stays secure or plain where that is wanted', () => {
    const secure = ['m=audio 4002 RTP/SAVP 0', CRYPTO]
    expect(audioOf(sdp(...AUDIO), 'secure')).toBeUndefined()
    expect(audioOf(sdp(...secure), 'plain')).toBeUndefined()
    expect(audioOf(sdp(...secure, ...AUDIO), 'plain')?.index).toBe(1)
  })

  it('keeps a hold at session level', () => {
    expect(audioOf(sdp('a=inactive', ...AUDIO))?.audio).toContain('a=inactive')
  })
})

describe('abusive descriptions [A11]', () => {
  it.for(ABUSIVE_SDP)('%s: costs little to judge', ([title, text, owed], { task }) => {
    const cpuMs = leastCpuMs(() => audioOf(text), 20)
    reportRow(task, 'A11', { [`${title}, ms`]: Math.round(cpuMs * 100) / 100 })
    expect(cpuMs).toBeLessThan(5)
    expect(audioOf(text) !== undefined).toBe(owed === 200)
  })
})

describe('our answer', () => {
  it('has the lines of the offer, in order, and declines all but one', () => {
    const peer = audioOf(
      sdp('m=video 4002 RTP/AVP 99', ...AUDIO, 'm=audio 4004 RTP/SAVP 0', 'm=image 5 udptl t38'),
    )
    if (!peer) throw new Error('no audio')
    expect(
      mLines(
        answerTo(peer, sdp('m=audio 3000 RTP/AVP 0 101', 'a=rtpmap:101 telephone-event/8000')),
      ),
    ).toEqual([
      'm=video 0 RTP/AVP 99',
      'm=audio 3000 RTP/AVP 0 101',
      'm=audio 0 RTP/SAVP 0',
      'm=image 0 udptl t38',
    ])
  })

  it('has the key of the media server on a secure line', () => {
    const peer = audioOf(sdp('m=audio 4000 RTP/SAVPF 0', CRYPTO))
    if (!peer) throw new Error('no audio')
    const answer = answerTo(peer, sdp('m=audio 3000 RTP/SAVP 0', CRYPTO.replace('PS1', 'abc')))
    expect(mLines(answer)).toEqual(['m=audio 3000 RTP/SAVPF 0'])
    expect(answer).toContain(`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc${KEY.slice(3)}`)
  })

  it('speaks the profile of the offer', () => {
    const peer = audioOf(sdp('m=audio 4000 RTP/AVPF 0'))
    if (!peer) throw new Error('no audio')
    expect(mLines(answerTo(peer, sdp('m=audio 3000 RTP/AVP 0')))).toEqual([
      'm=audio 3000 RTP/AVPF 0',
    ])
  })
})

it('two descriptions are the same but for their version', () => {
  const next = sdp(...AUDIO).replace('o=x 1 2', 'o=x 1 3')
  expect(isSameSdp(sdp(...AUDIO), next)).toBe(true)
  expect(isSameSdp(sdp(...AUDIO), sdp(...AUDIO, 'a=sendonly'))).toBe(false)
})
