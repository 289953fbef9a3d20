import { describe, expect, it } from 'vitest'
import { LocalKeys } from '../../../../../src/lab/sip/sdp/local-keys.js'
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
        ptimeMs: 20,
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

  it.each([
    ['PCMU', 'PCMA'] as const,
    ['PCMU', 'PCMA', 'G722'] as const,
  ])('takes G.722 where it is spoken: %s %s %s', (...codecs) => {
    const sdp = offer('c=IN IP4 192.0.2.7', 'm=audio 6000 RTP/AVP 9', 'a=rtpmap:9 G722/8000')
    const answer = answerOffer(sdp, { ...local, codecs })
    if (codecs.length === 2) expect(answer).toEqual({ refuse: 488 })
    else expect(answer).toMatchObject({ remote: { codec: 'G722' } })
  })

  it.each([
    ['10', 10],
    ['120', 120],
    ['0', 20],
    ['25', 20],
    ['130', 20],
    ['x', 20],
  ])('sends packets of %s ms where that is a usual length, else of 20', (wished, ptimeMs) => {
    const answer = answerOffer(offer(...AUDIO, `a=ptime:${wished}`), local)
    expect(answer).toMatchObject({ remote: { ptimeMs } })
    expect('sdp' in answer && answer.sdp).toContain(`a=ptime:${String(ptimeMs)}`)
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
      ptimeMs: 20,
    })
  })

  it('held is answered held', () => {
    const answer = answerOffer(makeOffer({ ...local, direction: 'sendonly' }), local)
    expect('sdp' in answer && readAnswer(answer.sdp, { direction: 'sendonly' })?.direction).toBe(
      'sendonly',
    )
  })

  it('refused has no remote', () => {
    expect(readAnswer(offer('c=IN IP4 127.0.0.1', 'm=audio 0 RTP/AVP 0'))).toBeUndefined()
  })
})

describe('secure audio', () => {
  const KEYS = [
    'PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR',
    'd0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj',
  ]
  const secure = (key = KEYS[0] ?? '', tag = 1, suite = 'AES_CM_128_HMAC_SHA1_80') =>
    offer('c=IN IP4 192.0.2.7', 'm=audio 6000 RTP/SAVP 0', `a=crypto:${tag} ${suite} inline:${key}`)
  const cryptoOf = (answer: ReturnType<typeof answerOffer>) =>
    'sdp' in answer ? /^a=crypto:(.*)$/m.exec(answer.sdp)?.[1] : undefined

  it('is answered with a key of our own for the attribute of the offer', () => {
    const text = secure(KEYS[0], 7, 'AES_CM_128_HMAC_SHA1_32')
    const answer = answerOffer(text, { ...local, keys: new LocalKeys() })
    const [, own] = /^7 AES_CM_128_HMAC_SHA1_32 inline:(\S{40})$/.exec(cryptoOf(answer) ?? '') ?? []
    expect(own).toBeDefined()
    expect(own).not.toBe(KEYS[0])
    expect(answer).toMatchObject({
      remote: {
        srtp: { suite: 'AES_CM_128_HMAC_SHA1_32', sendKey: own, receiveKey: KEYS[0] },
      },
    })
    expect('sdp' in answer && answer.sdp).toContain('m=audio 20000 RTP/SAVP 0\r\n')
  })

  it('keeps our key while the peer keeps its own, and changes it with it', () => {
    const keys = new LocalKeys()
    const made = [KEYS[0], KEYS[0], KEYS[1], KEYS[1]].map((key) =>
      cryptoOf(answerOffer(secure(key), { ...local, keys })),
    )
    expect(made[1]).toBe(made[0])
    expect(made[2]).not.toBe(made[0])
    expect(made[3]).toBe(made[2])
  })

  it.each<[string, string, boolean]>([
    ['plain audio is wanted', secure(), false],
    ['keys stand beside plain audio', secure().replace('SAVP', 'AVP'), false],
    ['secure audio is wanted and none offered', offer(...AUDIO), true],
    ['the key is unusable', secure('x'), true],
    ['the suite is another', secure(KEYS[0], 1, 'F8_128_HMAC_SHA1_80'), true],
  ])('is refused when %s', (_title, text, isSecure) => {
    const keys = isSecure ? new LocalKeys() : undefined
    expect(answerOffer(text, { ...local, keys })).toEqual({ refuse: 488 })
  })

  it('is offered with every suite, and the answer chooses one', () => {
    const keys = new LocalKeys()
    const offered = makeOffer({ ...local, keys })
    expect(offered).toContain('m=audio 20000 RTP/SAVP 0 8 101\r\n')
    const [, second] = /^a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:(\S+)$/m.exec(offered) ?? []
    const answer = readAnswer(secure(KEYS[1], 2, 'AES_CM_128_HMAC_SHA1_32'), { keys })
    expect(answer?.srtp).toEqual({
      suite: 'AES_CM_128_HMAC_SHA1_32',
      sendKey: second,
      receiveKey: KEYS[1],
    })
    const again = makeOffer({ ...local, keys })
    expect(again.match(/^a=crypto.*$/gm)).toEqual([
      `a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:${second ?? ''}`,
    ])
  })

  it('is agreed upon again when our last answer stands as the offer of an offerless INVITE', () => {
    const keys = new LocalKeys()
    const first = cryptoOf(answerOffer(secure(KEYS[0], 7), { ...local, keys }))
    const answer = readAnswer(secure(KEYS[1], 7), { keys })
    expect(first).toContain(answer?.srtp?.sendKey)
    expect(answer?.srtp?.receiveKey).toBe(KEYS[1])
  })

  it('has another key of ours in another suite, and again after it', () => {
    const keys = new LocalKeys()
    const suites = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AES_CM_128_HMAC_SHA1_80']
    const made = suites.map((suite) =>
      cryptoOf(answerOffer(secure(KEYS[0], 1, suite), { ...local, keys })),
    )
    expect(new Set(made.map((one) => one?.split(':')[1])).size).toBe(3)
  })

  it.each<[string, string]>([
    ['another tag than offered', secure(KEYS[0], 3)],
    ['another suite for the tag', secure(KEYS[0], 2)],
    ['plain audio', offer(...AUDIO)],
  ])('is not agreed upon by an answer with %s', (_title, text) => {
    const keys = new LocalKeys()
    makeOffer({ ...local, keys })
    expect(readAnswer(text, { keys })).toBeUndefined()
  })
})
