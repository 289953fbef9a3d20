import { describe, expect, it } from 'vitest'
import { gsmOctets, gsmText, joinedTexts } from '../../../../src/messages/segments/gsm-alphabet.js'
import { readDelivered } from '../../../../src/messages/smpp/codec/delivered.js'
import {
  isResponse,
  PduReader,
  responseTo,
  SmppFormatError,
  writePdu,
} from '../../../../src/messages/smpp/codec/pdu.js'
import { submitBody } from '../../../../src/messages/smpp/codec/submit-body.js'
import { deliverBody, unit } from '../../../support/messages/test-smsc.js'
import { mutate, seededRandom } from '../../../support/sip/sip-fuzz.js'

const hex = (bytes: Buffer) => bytes.toString('hex')

describe('units', () => {
  // SMPP 3.4 §3.2: length, id, status, sequence, each of four octets.
  const enquiry = Buffer.from('00000010000000150000000000000007', 'hex')

  it('are written as the specification lays them out', () => {
    expect(writePdu({ command: 0x15, status: 0, sequence: 7, body: Buffer.alloc(0) })).toEqual(
      enquiry,
    )
  })

  it.each([1, 3, 16, 40, 1_000])('are read from chunks of %d bytes', (size) => {
    const bytes = Buffer.concat([enquiry, unit(0x04, 0, 8, Buffer.from('body')), enquiry])
    const reader = new PduReader()
    const units = []
    for (let at = 0; at < bytes.length; at += size)
      units.push(...reader.push(bytes.subarray(at, at + size)))
    expect(units.map(({ command, sequence }) => [command, sequence])).toEqual([
      [0x15, 7],
      [0x04, 8],
      [0x15, 7],
    ])
    expect(units[1]?.body.toString()).toBe('body')
  })

  it.each([
    ['shorter than its head', '0000000f000000150000000000000007'],
    ['of four gigabytes', 'ffffffff000000150000000000000007'],
    ['of another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n').toString('hex')],
  ])('%s are refused', (_title, bytes) => {
    expect(() => new PduReader().push(Buffer.from(bytes, 'hex'))).toThrow(SmppFormatError)
  })

  it('of responses have the highest bit', () => {
    expect(responseTo(0x04)).toBe(0x8000_0004)
    expect(
      isResponse({ command: 0x8000_0004, status: 0, sequence: 1, body: Buffer.alloc(0) }),
    ).toBe(true)
  })
})

describe('a submit_sm', () => {
  const message = {
    ...{ from: '+12025550111', to: '+13035550142', shortCodeType: 3 },
    joinedBy: 'udh',
  } as const
  const head =
    '00' + // service_type
    `0101${hex(Buffer.from('12025550111\0'))}` + // international, ISDN
    `0101${hex(Buffer.from('13035550142\0'))}`

  it('has the text of the GSM alphabet with a septet in each octet', () => {
    const body = submitBody({ ...message, encoding: 'GSM-7', text: '@€Hi', part: undefined })
    expect(hex(body)).toBe(`${head}00000000000100000005001b654869`)
  })

  it('has other texts as UCS-2, the high octet first', () => {
    const body = submitBody({ ...message, encoding: 'UCS-2', text: 'é漢😀', part: undefined })
    expect(hex(body)).toBe(`${head}0000000000010008000800e96f22d83dde00`)
  })

  it.each([
    ['of a network', 3, '0300'],
    ['abbreviated', 6, '0600'],
    ['of an unknown type', 0, '0000'],
  ])('has a short code %s, of no numbering plan', (_title, shortCodeType, type) => {
    const code = { ...message, to: '72345', shortCodeType }
    const body = submitBody({ ...code, encoding: 'GSM-7', text: 'A', part: undefined })
    expect(hex(body)).toContain(`${type}${hex(Buffer.from('72345\0'))}000000`)
    expect(hex(body).slice(0, 30)).toBe(head.slice(0, 30))
  })

  it('joins its parts by a user data header', () => {
    const part = { reference: 0x1_23, total: 3, number: 2 }
    const body = submitBody({ ...message, encoding: 'GSM-7', text: 'A', part })
    expect(hex(body)).toBe(`${head}4000000000010000000705000323030241`)
  })

  it('joins its parts by parameters', () => {
    const part = { reference: 0x1_23, total: 3, number: 2 }
    const sar = { ...message, joinedBy: 'sar' } as const
    const body = submitBody({ ...sar, encoding: 'GSM-7', text: 'A', part })
    const parameters = '020c00020123' + '020e000103' + '020f000102'
    expect(hex(body)).toBe(`${head}0000000000010000000141${parameters}`)
  })

  it('has at most 159 octets of a part with its header, and 160 alone', () => {
    const part = { reference: 1, total: 2, number: 1 }
    const long = submitBody({ ...message, encoding: 'GSM-7', text: 'x'.repeat(153), part })
    expect(long.readUInt8(head.length / 2 + 9)).toBe(159)
    const alone = { ...message, encoding: 'GSM-7', text: 'x'.repeat(160), part: undefined } as const
    expect(submitBody(alone).readUInt8(head.length / 2 + 9)).toBe(160)
  })
})

describe('the GSM alphabet', () => {
  it('comes back from its octets', () => {
    const text =
      '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./09:;<=>?¡AZÄÖÑÜ§¿azäöñüà\f^{}\\[~]|€'
    expect(gsmText(gsmOctets(text))).toBe(text)
    expect(gsmOctets('€').toString('hex')).toBe('1b65')
    expect(gsmText(Buffer.from('1b7c', 'hex'))).toBe('ö')
  })

  it.each<[string, string[], string]>([
    ['between the parts of a message', ['411b', '6542'], 'A€B'],
    ['before a character without a meaning there', ['411b', '7c42'], 'AöB'],
    ['before an empty part', ['411b', '', '65'], 'A€'],
    ['at the end of the text', ['411b'], 'A'],
  ])('has an escape %s', (_title, parts, text) => {
    expect(joinedTexts(parts.map((part) => gsmText(Buffer.from(part, 'hex'))))).toBe(text)
  })
})

describe('a deliver_sm', () => {
  const receipt =
    'id:abc-1 sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:UNDELIV err:001 text:Hello'

  it('is a receipt by its text', () => {
    expect(readDelivered(deliverBody({ esmClass: 0x04, data: receipt }))).toEqual({
      type: 'receipt',
      id: 'abc-1',
      state: 'UNDELIV',
      from: '+13035550142',
    })
  })

  it('is a receipt while it is on its way', () => {
    const body = deliverBody({ esmClass: 0x20, data: 'id:abc-1 stat:ENROUTE' })
    expect(readDelivered(body)).toMatchObject({ type: 'receipt', id: 'abc-1', state: 'ENROUTE' })
  })

  it.each([
    [1, 'ENROUTE'],
    [2, 'DELIVRD'],
    [3, 'EXPIRED'],
    [5, 'UNDELIV'],
    [8, 'REJECTD'],
  ])('is a receipt by its parameters, with the state %d', (state, word) => {
    const body = deliverBody({
      esmClass: 0x04,
      data: '',
      parameters: [
        [0x001e, Buffer.from('abc-2\0')],
        [0x0427, Buffer.from([state])],
      ],
    })
    const from = '+13035550142'
    expect(readDelivered(body)).toEqual({ type: 'receipt', id: 'abc-2', state: word, from })
  })

  it.each([
    ['the GSM alphabet', 0, Buffer.from([0x00, 0x1b, 0x65]), '@€'],
    ['Latin-1', 3, Buffer.from('é', 'latin1'), 'é'],
    ['UCS-2', 8, Buffer.from('6f22d83dde00', 'hex'), '漢😀'],
    ['UCS-2 with a mark of its order', 8, Buffer.from('feff6f22', 'hex'), '漢'],
    ['UCS-2 with an octet too many', 8, Buffer.from('6f22d8', 'hex'), '漢'],
    ['octets', 4, Buffer.from('é', 'latin1'), 'é'],
    ['Shift JIS', 5, Buffer.from('8abf', 'hex'), '漢'],
    ['Cyrillic', 6, Buffer.from('bfe0d8d2d5e2', 'hex'), 'Привет'],
    ['Hebrew', 7, Buffer.from('f9ece5ed', 'hex'), 'שלום'],
    ['ISO-2022-JP', 10, Buffer.from('1b24423441', 'hex'), '漢'],
    ['Korean', 14, Buffer.from('c7d1', 'hex'), '한'],
    ['the GSM alphabet that is shown at once', 0x10, Buffer.from([0x00, 0x1b, 0x65]), '@€'],
    ['UCS-2 that is shown at once', 0x18, Buffer.from('6f22', 'hex'), '漢'],
    ['the GSM alphabet with a class', 0xf1, Buffer.from([0x00]), '@'],
    ['octets with a class', 0xf5, Buffer.from('é', 'latin1'), 'é'],
    ['UCS-2 with the sign that more waits', 0xe0, Buffer.from('6f22', 'hex'), '漢'],
    ['the GSM alphabet with that sign', 0xd0, Buffer.from([0x00]), '@'],
  ])('brings a text of %s', (_title, coding, data, text) => {
    expect(readDelivered(deliverBody({ coding, data }))).toEqual({
      type: 'message',
      from: '+13035550142',
      to: '+12025550111',
      text,
      part: undefined,
    })
  })

  it.each([
    ['a header with a short reference', '0500032a0201', { reference: 0x2a, total: 2, number: 1 }],
    ['a header with a long one', '060804012a0202', { reference: 0x1_2a, total: 2, number: 2 }],
    ['a header with more in it', '0b0504000000000003070201', { reference: 7, total: 2, number: 1 }],
    ['a part that cannot be', '0500032a0203', undefined],
    ['no part of three', '0500032a0300', undefined],
  ])('brings a part by %s', (_title, header, part) => {
    const data = Buffer.concat([Buffer.from(header, 'hex'), Buffer.from('Hi')])
    expect(readDelivered(deliverBody({ esmClass: 0x40, data }))).toMatchObject({ text: 'Hi', part })
  })

  it('brings a part by parameters, and a long text in one', () => {
    const body = deliverBody({
      data: '',
      parameters: [
        [0x020c, Buffer.from([1, 0x2a])],
        [0x020e, Buffer.from([2])],
        [0x020f, Buffer.from([1])],
        [0x0424, Buffer.from('x'.repeat(300))],
      ],
    })
    expect(readDelivered(body)).toMatchObject({
      text: 'x'.repeat(300),
      part: { reference: 0x1_2a, total: 2, number: 1 },
    })
  })

  it.each(['INFO', '12345', '0049301234567'])('has no number for a party such as %s', (party) => {
    const body = deliverBody({ from: party, to: party, data: 'x' })
    expect(readDelivered(body)).toMatchObject({ from: undefined, to: undefined })
  })

  it.each([
    ['a name', 5, 'ACME Bank', 'ACME Bank'],
    ['a name with a space after it', 5, 'ACME ', 'ACME'],
    ['a name of an unknown type', 0, '2FA', '2FA'],
    ['a name that is said to be a number', 1, 'ACME', undefined],
    ['a name with a line break', 5, 'AC\nME', undefined],
    ['a short code of an unknown type', 0, '22395', '22395'],
    ['a short code of a country', 2, '22395', '22395'],
    ['a short code of a network', 3, '22395', '22395'],
    ['an abbreviated short code', 6, '447', '447'],
    ['a short code that is said to be a name', 5, '22395', '22395'],
    ['two digits', 3, '12', undefined],
  ])('has a sender that is %s, and no such recipient', (_title, type, text, sender) => {
    const from = deliverBody({ from: text, fromType: type, data: 'x' })
    expect(readDelivered(from)).toMatchObject({ from: sender })
    const to = deliverBody({ to: text, toType: type, data: 'x' })
    expect(readDelivered(to)).toMatchObject({ to: undefined })
  })

  it.each([
    ['unknown', 0, '13035550142', '+13035550142'],
    ['unknown, with its plus sign', 0, '+13035550142', '+13035550142'],
    ['international', 1, '4930123456', '+4930123456'],
    ['national, of North America', 2, '3035550142', '+13035550142'],
    ['national, with its country digit', 2, '13035550142', '+13035550142'],
    ['national, of another country', 2, '030123456', undefined],
    ['national, but written as an international one', 2, '+4930123456', '+4930123456'],
    ['of a network alone', 3, '3035550142', undefined],
    ['of a subscriber alone', 4, '5550142', undefined],
    ['alphanumeric', 5, '3035550142', undefined],
    ['abbreviated', 6, '3035550142', undefined],
  ])('has numbers whose type is %s', (_title, type, digits, number) => {
    const sender = deliverBody({ from: digits, fromType: type, data: 'x' })
    expect(readDelivered(sender)).toMatchObject({ from: number, to: '+12025550111' })
    const destination = deliverBody({ to: digits, toType: type, data: 'x' })
    expect(readDelivered(destination)).toMatchObject({ from: '+13035550142', to: number })
  })

  it('of any bytes is read or refused, 20,000 times', () => {
    const corpus = [
      deliverBody({ esmClass: 0x04, data: receipt }),
      deliverBody({ esmClass: 0x40, data: Buffer.from('0500032a02014869', 'hex') }),
      deliverBody({ data: 'x', parameters: [[0x0424, Buffer.from('long')]] }),
    ]
    for (let seed = 1; seed <= 20_000; seed += 1) {
      const random = seededRandom(seed)
      const bytes = mutate(corpus[seed % corpus.length] ?? Buffer.alloc(0), random)
      try {
        readDelivered(bytes)
      } catch (error) {
        expect(error, `seed ${seed}`).toBeInstanceOf(SmppFormatError)
      }
    }
  })
})
