import { describe, expect, it } from 'vitest'
import { parseStreet } from '../../../src/emergency/address/parse-street.js'
import { pidfLo } from '../../../src/emergency/pidf-lo.js'

const parts = parseStreet(
  '12-34A North Main St NW',
  'Bldg 2, Floor 3, Suite 310, Room 9, rear <gate>',
)
if (parts === undefined) throw new Error('the street was not read')
const location = {
  country: 'US',
  state: 'NY',
  city: 'New York',
  postalCode: '10118',
  ...parts,
} as const

const written = pidfLo({
  number: '+12125550143',
  id: 'CA1',
  callerName: 'Smith & "Sons"',
  location,
  at: Date.UTC(2026, 10, 22, 12, 0, 0),
})

describe('a location object', () => {
  it('has the elements of a civic address in the order of the schema (RFC 5139 §5)', () => {
    const elements = [...written.matchAll(/<ca:([A-Z0-9]+|country)>([^<]*)</g)].map(
      ([, name, value]) => `${name ?? ''}=${value ?? ''}`,
    )
    expect(elements).toEqual(
      [
        'country=US',
        'A1=NY',
        'A3=New York',
        'PRD=N',
        'RD=Main',
        'STS=St',
        'POD=NW',
        'HNO=12-34',
        'HNS=A',
        'LOC=',
        'FLR=Floor 3',
        'NAM=Smith &amp; &quot;Sons&quot;',
        'PC=10118',
        'BLD=Bldg 2',
        'UNIT=Suite 310',
        'ROOM=Room 9 rear &lt;gate&gt;',
      ].filter((element) => element !== 'LOC='),
    )
  })

  it('is of the caller, may be passed on, and ends its lines as MIME does', () => {
    expect(written).toContain('entity="tel:+12125550143"')
    expect(written).toContain('<gbp:retransmission-allowed>true</gbp:retransmission-allowed>')
    expect(written).toContain('<timestamp>2026-11-22T12:00:00.000Z</timestamp>')
    expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it('leaves out what the address does not have', () => {
    const street = parseStreet('350 Fifth Ave', '')
    if (street === undefined) throw new Error('the street was not read')
    const plain = pidfLo({
      number: '+12125550143',
      id: 'CA1',
      callerName: '',
      location: { ...location, ...street },
      at: 0,
    })
    expect(plain).not.toMatch(/<ca:(HNS|PRD|POD|LOC|FLR|NAM|BLD|UNIT|ROOM)>/)
  })
})
