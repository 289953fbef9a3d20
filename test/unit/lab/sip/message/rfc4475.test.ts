import { describe, expect, it } from 'vitest'
import { getAddress, getAddresses, getHeader } from '../../../../../src/lab/sip/message/headers.js'
import { readMessage } from '../../../../../src/lab/sip/message/read-message.js'
import type { SipMessage } from '../../../../../src/lab/sip/message/types.js'
import { judgeRequest, judgeResponse } from '../../../../../src/lab/sip/message/validate.js'
import { parseViaList } from '../../../../../src/lab/sip/message/via.js'
import { parseUri } from '../../../../../src/platform/sip-grammar/uri.js'
import { INVALID } from '../../../../fixtures/rfc4475/invalid.js'
import { SEMANTICS } from '../../../../fixtures/rfc4475/semantics.js'
import type { Owed, TortureMessage } from '../../../../fixtures/rfc4475/torture-message.js'
import { VALID } from '../../../../fixtures/rfc4475/valid.js'

const ALL = [...VALID, ...INVALID, ...SEMANTICS]

function outcomeOf(bytes: Buffer): Owed {
  const reading = readMessage(bytes, 'datagram')
  if (reading.type !== 'message') return { outcome: 'drop' }
  const { message, flaw } = reading
  const verdict =
    message.kind === 'request' ? judgeRequest(message, flaw) : judgeResponse(message, flaw)
  return verdict.type === 'refuse'
    ? { outcome: 'refuse', status: verdict.status }
    : { outcome: verdict.type }
}

/** Without what the layers above make of it. */
function ofStack(owed: Owed): Owed {
  return owed.outcome === 'refuse' ? owed : { outcome: owed.outcome }
}

function messageOf(section: string): SipMessage {
  const found = ALL.find((each) => each.section === section)
  const reading = found && readMessage(found.bytes(5060), 'datagram')
  if (reading?.type !== 'message') throw new Error(`no message in section ${section}`)
  return reading.message
}

describe('RFC 4475 [A1]', () => {
  it('has all its 49 messages here', () => {
    expect([VALID.length, INVALID.length, SEMANTICS.length]).toEqual([13, 19, 17])
    expect(new Set(ALL.map((each) => each.section)).size).toBe(49)
  })

  it.each(
    ALL.map((each): [string, string, TortureMessage] => [each.section, each.title, each]),
  )('%s %s', (_section, _title, each) => {
    expect(outcomeOf(each.bytes(5060))).toMatchObject(ofStack(each.owed))
  })

  it('3.1.1.1 is understood in all its parts', () => {
    const message = messageOf('3.1.1.1')
    expect(getAddress(message, 'To')).toMatchObject({
      uri: 'sip:called@trunk.example',
      params: { tag: '4711t' },
    })
    expect(getAddress(message, 'From')).toMatchObject({
      displayName: 'Quoted \\ "Caller"',
      params: { tag: '9f' },
    })
    expect(getAddresses(message, 'Contact')?.[0]).toMatchObject({
      displayName: 'Quoted contact ""',
      params: { odd: 'value', odder: '', q: '0.25' },
    })
    expect(getHeader(message, 'Subject')).toBe('')
    expect(getHeader(message, 'NeverHeardOf')).toBe('of this value at all')
    expect(parseViaList(getHeader(message, 'Via') ?? '')).toMatchObject([
      { transport: 'UDP', host: 'caller.lab.example', port: 5060, params: { branch: 'old-style' } },
    ])
    expect(message.body.toString()).toMatch(/^v=0\r\n/)
  })

  it('3.1.1.3 and 3.1.1.9 are unescaped once', () => {
    const escaped = messageOf('3.1.1.3')
    expect(escaped.kind === 'request' && parseUri(escaped.uri)).toMatchObject({
      user: 'sips:user@lab.example',
      host: 'trunk.example',
    })
    const contact = getAddresses(escaped, 'Contact')?.[0]
    expect(contact && parseUri(contact.uri)?.params).toMatchObject({ lr: '', odd: 'val%41' })
    const semicolons = messageOf('3.1.1.9')
    expect(semicolons.kind === 'request' && parseUri(semicolons.uri)).toMatchObject({
      user: 'called;line=a@lab.example',
      host: 'trunk.example',
      params: {},
    })
  })

  it('3.1.1.8 ends where its Content-Length says', () => {
    const each = VALID.find(({ section }) => section === '3.1.1.8')
    const bytes = each?.bytes(5060) ?? Buffer.alloc(0)
    const reading = readMessage(bytes, 'datagram')
    expect(reading).toMatchObject({ type: 'message', length: bytes.indexOf('\r\nINVITE') })
  })

  it('3.1.1.11 keeps its binary body', () => {
    const { body } = messageOf('3.1.1.11')
    expect(body.includes(Buffer.from([0, 13, 10, 13, 10, 255, 254, 0x80]))).toBe(true)
  })

  it('3.3.5 is told which extensions are not supported', () => {
    const message = messageOf('3.3.5')
    expect(message.kind === 'request' && judgeRequest(message)).toMatchObject({
      headers: [{ name: 'Unsupported', value: 'nobody-supports-this, nor-this' }],
    })
  })

  it('3.3.12 and 3.3.13 differ in whose the parameter is', () => {
    expect(getAddresses(messageOf('3.3.12'), 'Contact')).toMatchObject([
      { uri: 'sip:+15005550100@gateway.lab.example', params: { 'unheard-of': '' } },
    ])
    expect(getAddresses(messageOf('3.3.13'), 'Contact')).toMatchObject([
      { uri: 'sip:+15005550100@gateway.lab.example;unheard-of', params: {} },
    ])
  })
})
