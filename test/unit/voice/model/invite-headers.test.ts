import { describe, expect, it } from 'vitest'
import { forwardedFrom } from '../../../../src/voice/model/invite-headers.js'

describe('the party that forwarded a call', () => {
  it.each<[string, string, string, string | undefined]>([
    [
      'the topmost Diversion',
      'Diversion',
      '<sip:+12025550101@a>;reason=no-answer, <sip:+12025550102@a>',
      '+12025550101',
    ],
    ['a telephone URI', 'Diversion', '<TEL:+1-202-555-0101>;reason=unknown', '+12025550101'],
    [
      'no number',
      'diversion',
      '"Desk" <sip:desk@Office.example;x=y>;reason=unknown',
      'sip:desk@office.example',
    ],
    ['one that hides', 'Diversion', '<sip:+12025550101@a>;privacy=full', undefined],
    [
      'a cause (RFC 4458)',
      'History-Info',
      '<sip:+12025550101@a>;index=1, <sip:+12025550102@a;cause=302>;index=1.1',
      '+12025550101',
    ],
    [
      'the last one',
      'History-Info',
      '<sip:1@a>;index=1,<sip:+12025550103@a;cause=302>;index=1.1;mp=1,<sip:4@a?Reason=SIP%3Bcause%3D480>;index=1.2;mp=1.1',
      '+12025550103',
    ],
    [
      'a contact of the same party',
      'History-Info',
      '<sip:+12025550101@a>;index=1, <sip:x@192.0.2.1>;index=1.1;rc=1',
      undefined,
    ],
    [
      'one that hides in the history',
      'History-Info',
      '<sip:+12025550101@a?Privacy=history>;index=1, <sip:2@a;cause=302>;index=1.1',
      undefined,
    ],
    ['what is no address', 'Diversion', 'nobody', undefined],
  ])('is read: %s', (_title, name, value, forwarder) => {
    expect(forwardedFrom([{ name, value }])).toBe(forwarder)
  })

  it('is that of Diversion where both are there', () => {
    const headers = [
      {
        name: 'History-Info',
        value: '<sip:+12025550101@a>;index=1, <sip:2@a;cause=302>;index=1.1',
      },
      { name: 'Diversion', value: '<sip:+12025550109@a>' },
    ]
    expect(forwardedFrom(headers)).toBe('+12025550109')
  })
})
