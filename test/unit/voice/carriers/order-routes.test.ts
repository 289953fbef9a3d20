import { describe, expect, it } from 'vitest'
import { type Carrier, DEFAULT_CARRIER_SETTINGS } from '../../../../src/voice/carriers/carrier.js'
import { carrierAt, orderRoutes } from '../../../../src/voice/carriers/order-routes.js'

const carrier = (name: string, over: Partial<Carrier> = {}): Carrier => ({
  name,
  host: '192.0.2.1',
  port: 5060,
  transport: 'udp',
  prefixes: ['+'],
  priority: 1,
  weight: 1,
  addresses: [],
  settings: DEFAULT_CARRIER_SETTINGS,
  ...over,
})
const names = (carriers: readonly Carrier[]) => carriers.map((each) => each.name)

describe('carriers', () => {
  it('takes the longest prefix first, then the lower priority', () => {
    const all = [
      carrier('any'),
      carrier('backup', { prefixes: ['+1500'], priority: 2 }),
      carrier('lab', { prefixes: ['+1500'] }),
      carrier('uk', { prefixes: ['+44'] }),
    ]
    expect(names(orderRoutes(all, '+15005550001', 0))).toEqual(['lab', 'backup', 'any'])
    expect(names(orderRoutes(all, '+442079460018', 0))).toEqual(['uk', 'any'])
    expect(orderRoutes([carrier('uk', { prefixes: ['+44'] })], '+15005550001', 0)).toEqual([])
  })

  it('shares between equals by weight', () => {
    const all = [carrier('one', { weight: 1 }), carrier('three', { weight: 3 })]
    const firsts = Array.from(
      { length: 100 },
      (_, index) => orderRoutes(all, '+1500', index / 100)[0]?.name,
    )
    expect(firsts.filter((name) => name === 'one')).toHaveLength(25)
    expect(firsts.filter((name) => name === 'three')).toHaveLength(75)
  })

  it.each([
    ['198.51.100.7', 'range'],
    ['203.0.113.5', 'single'],
    ['::ffff:203.0.113.5', 'single'],
    ['2001:db8::9', 'six'],
    ['192.0.2.200', undefined],
    ['not an address', undefined],
  ])('knows %s as %s', (address, name) => {
    const all = [
      carrier('range', { addresses: ['198.51.100.0/24'] }),
      carrier('single', { addresses: ['203.0.113.5'] }),
      carrier('six', { addresses: ['2001:db8::/32'] }),
    ]
    expect(carrierAt(all, address)?.name).toBe(name)
  })
})
