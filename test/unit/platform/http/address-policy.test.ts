import { describe, expect, it } from 'vitest'
import { createAddressPolicy } from '../../../../src/platform/http/address-policy.js'

const publicOnly = createAddressPolicy({ mode: 'public-only', allow: [] })
const allowPrivate = createAddressPolicy({ mode: 'allow-private', allow: [] })

describe('address policy', () => {
  it.each([
    ['8.8.8.8'],
    ['1.1.1.1'],
    ['172.15.255.255'],
    ['172.32.0.0'],
    ['100.128.0.0'],
    ['2606:4700:4700::1111'],
    ['::ffff:8.8.8.8'],
    ['64:ff9b::808:808'],
  ])('allows the public address %s', (address) => {
    expect(publicOnly(address)).toEqual({ isAllowed: true })
  })

  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'carrierGradeNat'],
    ['100.127.255.255', 'carrierGradeNat'],
    ['169.254.169.254', 'linkLocal'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['198.51.100.1', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['168.63.129.16', 'cloud service'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['::7f00:1', 'unassigned'],
    ['::808:808', 'unassigned'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:169.254.169.254', 'linkLocal'],
    ['::ffff:0:127.0.0.1', 'rfc6145'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'linkLocal'],
    ['64:ff9b:1::a00:1', 'rfc6052'],
    ['2002:7f00:1::', '6to4'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'teredo'],
    ['fc00::1', 'uniqueLocal'],
    ['fd12:3456::1', 'uniqueLocal'],
    ['fe80::1', 'linkLocal'],
    ['fec0::1', 'deprecatedSiteLocal'],
    ['ff02::1', 'multicast'],
    ['100::1', 'discard'],
    ['2001:db8::1', 'reserved'],
    ['4000::1', 'unassigned'],
    ['fe80::1%eth0', 'not an address'],
    ['0177.0.0.1', 'not an address'],
    ['2130706433', 'not an address'],
    ['localhost', 'not an address'],
    ['', 'not an address'],
  ])('refuses %s as %s', (address, range) => {
    expect(publicOnly(address)).toEqual({ isAllowed: false, range })
  })

  it.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['192.168.0.1'],
    ['100.64.1.1'],
    ['::1'],
    ['fd12::1'],
    ['::ffff:10.0.0.1'],
  ])('with allow-private also allows %s', (address) => {
    expect(allowPrivate(address)).toEqual({ isAllowed: true })
  })

  it.each([
    ['169.254.169.254'],
    ['fe80::1'],
    ['fd00:ec2::254'],
    ['100.100.100.200'],
    ['0.0.0.0'],
    ['224.0.0.1'],
  ])('with allow-private still refuses %s', (address) => {
    expect(allowPrivate(address).isAllowed).toBe(false)
  })

  it('allows what the list names, in every spelling of the same address, and nothing beside it', () => {
    const judge = createAddressPolicy({
      mode: 'public-only',
      allow: ['10.1.0.0/16', 'fd00:ec2::254/128', '::ffff:192.168.7.0/120'],
    })
    expect(judge('10.1.255.1').isAllowed).toBe(true)
    expect(judge('::ffff:10.1.0.1').isAllowed).toBe(true)
    expect(judge('192.168.7.9').isAllowed).toBe(true)
    expect(judge('fd00:ec2::254').isAllowed).toBe(true)
    expect(judge('10.2.0.1').isAllowed).toBe(false)
    expect(judge('192.168.8.1').isAllowed).toBe(false)
  })

  it('fails at start on an entry that is no CIDR', () => {
    expect(() => createAddressPolicy({ mode: 'public-only', allow: ['10.0.0.0/33'] })).toThrow()
    expect(() => createAddressPolicy({ mode: 'public-only', allow: ['localhost'] })).toThrow()
  })
})

describe('a closed listener', () => {
  const at = (host: string) =>
    createAddressPolicy({
      mode: 'allow-private',
      allow: ['0.0.0.0/0', '::/0'],
      closed: () => [{ host, port: 8081 }],
    })

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.2'],
    ['127.0.0.1', '0.0.0.0'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['127.0.0.1', '::1'],
    ['::1', '127.0.0.1'],
    ['::1', '::'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '::ffff:10.1.2.3'],
  ])('on %s is not reached at %s, on its port alone', (host, address) => {
    expect(at(host)(address, 8081)).toEqual({ isAllowed: false, range: 'private listener' })
    expect(at(host)(address, 8080)).toEqual({ isAllowed: true })
  })

  it.each([
    ['127.0.0.1', '10.1.2.3'],
    ['10.1.2.3', '127.0.0.1'],
    ['0.0.0.0', '203.0.113.77'],
  ])('on %s closes nothing at %s', (host, address) => {
    expect(at(host)(address, 8081)).toEqual({ isAllowed: true })
  })
})
