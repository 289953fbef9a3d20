import { describe, expect, it } from 'vitest'
import { type Carrier, DEFAULT_CARRIER_SETTINGS } from '../../../../src/voice/carriers/carrier.js'
import { shownCaller } from '../../../../src/voice/carriers/shown-caller.js'

const carrier = (callerId: Carrier['settings']['callerId']): Carrier => ({
  name: 'acme',
  host: 'sip.acme.test',
  port: undefined,
  transport: 'udp',
  prefixes: ['+'],
  priority: 1,
  weight: 1,
  addresses: [],
  auth: { username: 'me', password: 'secret' },
  settings: { ...DEFAULT_CARRIER_SETTINGS, callerId },
})
const CALLER = { user: '+15551112222', displayName: 'Ann "A"' }

describe('the caller', () => {
  it('stands in From', () => {
    expect(shownCaller(CALLER, carrier({ header: 'From' }))).toEqual({
      from: { ...CALLER, host: undefined },
      headers: {},
    })
  })

  it('stands in P-Asserted-Identity, with the account in From', () => {
    expect(shownCaller(CALLER, carrier({ header: 'P-Asserted-Identity' }))).toEqual({
      from: { user: 'me', host: undefined, displayName: 'Ann "A"' },
      headers: { 'P-Asserted-Identity': String.raw`"Ann \"A\"" <sip:+15551112222@sip.acme.test>` },
    })
  })

  it('stands in Remote-Party-ID', () => {
    const shown = shownCaller(
      { user: '+15551112222' },
      carrier({ header: 'Remote-Party-ID', fromUser: 'trunk', fromHost: 'us.test' }),
    )
    expect(shown).toEqual({
      from: { user: 'trunk', host: 'us.test' },
      headers: {
        'Remote-Party-ID': '<sip:+15551112222@us.test>;party=calling;privacy=off',
      },
    })
  })

  it.each([
    'From',
    'P-Asserted-Identity',
    'Remote-Party-ID',
  ] as const)('who is anonymous is shown nowhere with %s', (header) => {
    expect(shownCaller({ user: 'anonymous' }, carrier({ header }))).toEqual({
      from: { user: 'anonymous', host: 'anonymous.invalid', displayName: 'Anonymous' },
      headers: { Privacy: 'id' },
    })
  })
})
