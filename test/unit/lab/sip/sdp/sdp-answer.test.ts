import { describe, expect, it } from 'vitest'
import { answerOffer, makeOffer, readAnswer } from '../../../../../src/lab/sip/sdp/sdp-answer.js'

const local = { address: '127.0.0.1', port: 20_000, sessionId: 7 }

const offer = (...lines: string[]): string =>
  ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', ...lines, ''].join('\r\n')
const AUDIO = [
  'c=IN IP4 192.0.2.7',
  't=0 0',
  'm=audio 6000 RTP/AVP 0 8 96',
  'a=rtpmap:96 telephone-event/8000',
]

describe('answerOffer', () => {
  it('answers with the first law of the offer and the telephone-event type of the offer', () => {
    expect(answerOffer(offer(...AUDIO), local)).toEqual({
      remote: {
        address: '192.0.2.7',
        port: 6000,
        codec: 'PCMU',
        dtmfPayloadType: 96,
        direction: 'sendrecv',
      },
      sdp: [
        'v=0',
        'o=- 7 1 IN IP4 127.0.0.1',
        's=-',
        'c=IN IP4 127.0.0.1',
        't=0 0',
        'm=audio 20000 RTP/AVP 0 96',
        'a=rtpmap:0 PCMU/8000',
        'a=rtpmap:96 telephone-event/8000',
        'a=fmtp:96 0-15',
        'a=ptime:20',
        '',
      ].join('\r\n'),
    })
  })

  it.each<[string, string, string, string | undefined]>([
    ['no direction', '', 'sendrecv', undefined],
    ['hold by sendonly', 'a=sendonly', 'recvonly', 'a=recvonly'],
    ['recvonly', 'a=recvonly', 'sendonly', 'a=sendonly'],
    ['inactive', 'a=inactive', 'inactive', 'a=inactive'],
    ['hold by 0.0.0.0', 'c=IN IP4 0.0.0.0', 'recvonly', 'a=recvonly'],
  ])('takes the direction from the offer: %s', (_title, line, direction, attribute) => {
    const answer = answerOffer(offer(...AUDIO, line), local)
    expect(answer).toMatchObject({ remote: { direction } })
    const attributes = 'sdp' in answer ? /^a=(send|recv|inactive).*$/m.exec(answer.sdp)?.[0] : ''
    expect(attributes?.trim()).toBe(attribute)
  })

  it.each<[string, string[], object]>([
    ['A-law first', ['m=audio 6000 RTP/AVP 18 8 0'], { codec: 'PCMA', port: 6000 }],
    [
      'address of the media line wins',
      ['m=audio 6 RTP/AVP 0', 'c=IN IP4 192.0.2.9'],
      { address: '192.0.2.9' },
    ],
    ['IPv6', ['m=audio 6 RTP/AVP 0', 'c=IN IP6 ::1'], { address: '::1' }],
    [
      'type 0 mapped to something else',
      ['m=audio 6 RTP/AVP 0 8', 'a=rtpmap:0 opus/48000'],
      { codec: 'PCMA' },
    ],
    [
      'duplicate types, the first mapping counts',
      ['m=audio 6 RTP/AVP 0 0 97 97', 'a=rtpmap:97 telephone-event/8000', 'a=rtpmap:97 opus/48000'],
      { dtmfPayloadType: 97 },
    ],
    ['session direction', ['a=sendonly', 'm=audio 6 RTP/AVP 0'], { direction: 'recvonly' }],
    ['port with a count', ['m=audio 6000/2 RTP/AVP 0'], { port: 6000 }],
    ['bare LF', ['m=audio 6 RTP/AVP 0\na=sendonly'], { direction: 'recvonly' }],
  ])('reads: %s', (_title, lines, remote) => {
    const { remote: read } = {
      remote: undefined,
      ...answerOffer(offer('c=IN IP4 192.0.2.7', ...lines), local),
    }
    expect(read).toMatchObject(remote)
  })

  it('takes no telephone-event at another clock than 8000', () => {
    const lines = ['m=audio 6 RTP/AVP 0 99', 'a=rtpmap:99 telephone-event/48000']
    const answer = answerOffer(offer('c=IN IP4 192.0.2.7', ...lines), local)
    expect('remote' in answer && answer.remote).not.toHaveProperty('dtmfPayloadType')
    expect('sdp' in answer && answer.sdp).toContain('m=audio 20000 RTP/AVP 0\r\n')
  })

  it('refuses the other lines of the offer with port zero, in their order', () => {
    const answer = answerOffer(
      offer(
        'c=IN IP4 127.0.0.1',
        'm=video 7 RTP/AVP 31',
        'm=audio 5 RTP/SAVP 0',
        'm=audio 6 RTP/AVP 0',
        'm=audio 8 RTP/AVP 0',
      ),
      local,
    )
    expect('sdp' in answer && answer.sdp.match(/^m=.*$/gm)).toEqual([
      'm=video 0 RTP/AVP 31',
      'm=audio 0 RTP/SAVP 0',
      'm=audio 20000 RTP/AVP 0',
      'm=audio 0 RTP/AVP 0',
    ])
  })

  it.each<[string, string]>([
    ['empty', ''],
    ['not a description', 'hello'],
    ['no audio', offer('c=IN IP4 127.0.0.1', 'm=video 7 RTP/AVP 31')],
    ['audio refused', offer('c=IN IP4 127.0.0.1', 'm=audio 0 RTP/AVP 0')],
    ['no common codec', offer('c=IN IP4 127.0.0.1', 'm=audio 7 RTP/AVP 18 9')],
    ['only SRTP', offer('c=IN IP4 127.0.0.1', 'm=audio 7 RTP/SAVP 0')],
    ['no address', offer('m=audio 7 RTP/AVP 0')],
    ['a name for an address', offer('c=IN IP4 example.com', 'm=audio 7 RTP/AVP 0')],
    ['a port that is none', offer('c=IN IP4 127.0.0.1', 'm=audio 70000 RTP/AVP 0')],
    [
      '200 media lines',
      offer('c=IN IP4 127.0.0.1', ...Array<string>(200).fill('m=audio 7 RTP/AVP 0')),
    ],
    ['1 MB', offer('c=IN IP4 127.0.0.1', `a=${'x'.repeat(1e6)}`, 'm=audio 7 RTP/AVP 0')],
  ])('refuses: %s', (_title, sdp) => {
    expect(answerOffer(sdp, local)).toEqual({ refuse: 488 })
  })

  it('survives 1000 mappings', () => {
    const maps = Array.from({ length: 1000 }, (_, type) => `a=rtpmap:${String(type)} x/8000`)
    expect(answerOffer(offer('c=IN IP4 127.0.0.1', 'm=audio 7 RTP/AVP 8', ...maps), local)).toEqual(
      {
        refuse: 488,
      },
    )
    expect(
      answerOffer(offer('c=IN IP4 127.0.0.1', 'm=audio 7 RTP/AVP 8', ...maps.slice(9)), local),
    ).toMatchObject({ remote: { codec: 'PCMA' } })
  })
})

describe('our own offer', () => {
  it('can be answered by ourselves and read back', () => {
    const answer = answerOffer(makeOffer({ ...local, port: 20_002 }), local)
    expect('sdp' in answer && readAnswer(answer.sdp)).toEqual({
      address: '127.0.0.1',
      port: 20_000,
      codec: 'PCMU',
      dtmfPayloadType: 101,
      direction: 'sendrecv',
    })
  })

  it('held is answered held', () => {
    const answer = answerOffer(makeOffer({ ...local, direction: 'sendonly' }), local)
    expect('sdp' in answer && readAnswer(answer.sdp, 'sendonly')?.direction).toBe('sendonly')
  })

  it('refused has no remote', () => {
    expect(readAnswer(offer('c=IN IP4 127.0.0.1', 'm=audio 0 RTP/AVP 0'))).toBeUndefined()
  })
})
