import { describe, expect, it } from 'vitest'
import { UnsafeArgumentError } from '../../../../../src/voice/telephony/port.js'
import { checkDial } from '../../../../../src/voice/telephony/signaling/dial-headers.js'
import {
  nameAddress,
  sipHeaders,
  sipText,
  sipUri,
} from '../../../../../src/voice/telephony/signaling/sip-text.js'

const REQUEST = { uri: 'sip:bob@192.0.2.1', from: { user: '+15550001111' }, timeoutMs: 1_000 }

describe('addresses', () => {
  it.each([
    [{ user: '+15550001111', host: 'localhost' }, '<sip:+15550001111@localhost>'],
    [
      { user: 'a b', host: 'h.example', displayName: 'A "B" \\' },
      '"A \\"B\\" \\\\" <sip:a%20b@h.example>',
    ],
    [{ user: 'x>;tag=1', host: 'h' }, '<sip:x%3E;tag=1@h>'],
    [{ user: '', host: '192.0.2.1:5070' }, '<sip:192.0.2.1:5070>'],
  ])('%o', (address, expected) => {
    expect(nameAddress(address)).toBe(expected)
  })

  it.each(['h>', 'h;x', 'h\r\n', ''])('%j is not a host', (host) => {
    expect(() => nameAddress({ user: 'a', host })).toThrow(UnsafeArgumentError)
  })

  it.each([
    'sip:a@b\r\nX: 1',
    'sip:a b',
    'sip:a|b@c',
    'sip:<a@b>',
    'http://a',
    'sip:',
    'a@b',
  ])('%j is not a URI', (uri) => {
    expect(() => sipUri(uri)).toThrow(UnsafeArgumentError)
  })
})

describe('headers', () => {
  it('are one line each', () => {
    expect(sipHeaders({ 'X-Account': 'a, b' })).toEqual({ 'X-Account': 'a, b' })
    expect(() => sipHeaders({ 'X-A': 'a\r\nX-B: 1' })).toThrow(UnsafeArgumentError)
    expect(() => sipHeaders({ 'X-A\r\nX-B': '1' })).toThrow(UnsafeArgumentError)
    expect(() => sipHeaders({ 'X A': '1' })).toThrow(UnsafeArgumentError)
    expect(() => sipText('Busy\0')).toThrow(UnsafeArgumentError)
  })

  it.each([
    'Via',
    'Content-Length',
    'Route',
    'X-esl-outbound',
    'AUTHORIZATION',
  ])('%s is the stack’s', (name) => {
    expect(() => sipHeaders({ [name]: 'x' })).toThrow(UnsafeArgumentError)
  })
})

describe('a dial request', () => {
  it('names the caller, and its call before it is sent', () => {
    const dial = checkDial({ ...REQUEST, to: 'sip:c@d', headers: { 'X-A': '1' } })
    expect(dial.headers).toMatchObject({
      'X-A': '1',
      From: '<sip:+15550001111@localhost>',
      To: '<sip:c@d>',
      'Call-ID': dial.callId,
    })
  })

  it.each([
    ['sip:bob@198.51.100.9:5070', '198.51.100.9'],
    ['sips:bob@[2001:db8::9]', '2001:db8::9'],
    ['sip:bob@pbx.test;maddr=198.51.100.9', '198.51.100.9'],
    // A user part is no parameter, whatever it looks like.
    ['sip:bob;maddr=10.0.0.5@198.51.100.9', '198.51.100.9'],
    ['sip:bob@pbx.test', undefined],
  ])('%s is sent to the address %s', (uri, address) => {
    expect(checkDial({ ...REQUEST, uri }).hopAddress).toBe(address)
  })

  it.each([
    { uri: 'sip:a@b\n' },
    { proxy: 'sip:a|b' },
    { to: 'sip:a>b' },
    { from: { user: 'a\r\n' } },
    { from: { user: 'a', displayName: 'b\n' } },
    { headers: { A: '\n' } },
    { variables: { 'a b': '1' } },
    { variables: { a: '1\n\napi system id' } },
    { auth: { username: 'a"', password: 'b' } },
  ])('%j is refused', (part) => {
    expect(() => checkDial({ ...REQUEST, ...part })).toThrow(UnsafeArgumentError)
  })
})
