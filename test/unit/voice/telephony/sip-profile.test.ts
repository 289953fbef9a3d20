import { describe, expect, it } from 'vitest'
import { PRIVATE_NETWORKS } from '../../../../src/platform/cidr.js'
import { partySdp, sipProfileOf } from '../../../../src/voice/telephony/sip-profile.js'

const STATUS = (...lines: readonly string[]) =>
  ['=====', 'Name             \tdrachtio_mrf', ...lines, 'Context          \tmrf', ''].join('\n')
const RTP = 'RTP-IP           \t10.0.0.5'
const URL = 'URL              \tsip:mod_sofia@10.0.0.5:5080'

describe('the status of the SIP profile', () => {
  it.each<[string, string, object | undefined]>([
    ['no such profile', 'Invalid Profile!\n', undefined],
    [
      'one without a NAT',
      STATUS(RTP, URL),
      { sipAddress: '10.0.0.5:5080', rtpAddress: '10.0.0.5', advertisedRtpAddress: '10.0.0.5' },
    ],
    [
      'one behind a NAT',
      STATUS(RTP, 'Ext-RTP-IP       \t203.0.113.7'),
      { rtpAddress: '10.0.0.5', advertisedRtpAddress: '203.0.113.7' },
    ],
    [
      'an address that FreeSWITCH found by the NAT',
      STATUS(RTP, 'Ext-RTP-IP       \tautonat:203.0.113.7'),
      { advertisedRtpAddress: '203.0.113.7' },
    ],
    [
      'a name that FreeSWITCH resolves by itself',
      STATUS(RTP, 'Ext-RTP-IP       \thost:pbx.example.com'),
      { advertisedRtpAddress: '10.0.0.5' },
    ],
  ])('%s', (_title, answer, read) => {
    const profile = sipProfileOf(answer)
    if (read === undefined) expect(profile).toBeUndefined()
    else expect(profile).toMatchObject(read)
  })
})

describe('the SDP that parties get', () => {
  const sdp = [
    ...['v=0', 'o=FreeSWITCH 1 1 IN IP4 10.0.0.5', 's=-', 'c=IN IP4 10.0.0.5', 't=0 0'],
    ...['m=audio 20000 RTP/AVP 0', 'a=rtcp:20001 IN IP4 10.0.0.5', 'a=x 10.0.0.55', ''],
  ].join('\r\n')

  const behindNat = { rtpAddress: '10.0.0.5', advertisedRtpAddress: '203.0.113.7' }
  const outside = sdp.replaceAll('IN IP4 10.0.0.5', 'IN IP4 203.0.113.7')

  it.each<[string, string | undefined, readonly string[], string]>([
    ['of another network names the address outside in each place', '198.51.100.1', [], outside],
    ['whose address is not known', undefined, PRIVATE_NETWORKS, outside],
    ['whose address did not come with a message', '', PRIVATE_NETWORKS, outside],
    ['of the private network of the server', '10.9.9.9', PRIVATE_NETWORKS, sdp],
    ['of this machine', '127.0.0.1', PRIVATE_NETWORKS, sdp],
    ['of IPv4 inside IPv6', '::ffff:192.168.1.9', PRIVATE_NETWORKS, sdp],
    ['of a network that the operator names', '100.64.0.9', ['100.64.0.0/10'], sdp],
    [
      'of a private network that the operator does not name',
      '10.9.9.9',
      ['192.168.0.0/16'],
      outside,
    ],
  ])('for a party %s', (_title, party, networks, shown) => {
    expect(partySdp(sdp, behindNat, party, networks)).toBe(shown)
    // FreeSWITCH has put the address outside there by itself.
    expect(partySdp(outside, behindNat, party, networks)).toBe(shown)
  })

  it('names the address outside to all where that is a local one: of a container’s host', () => {
    const profile = { rtpAddress: '10.0.0.5', advertisedRtpAddress: '192.168.1.2' }
    const shown = partySdp(sdp, profile, '192.168.1.9', PRIVATE_NETWORKS)
    expect(shown).toBe(sdp.replaceAll('IN IP4 10.0.0.5', 'IN IP4 192.168.1.2'))
  })

  it.each([
    ['no NAT', '10.0.0.5', '10.0.0.5'],
    ['addresses that are others', '10.0.0.50', '203.0.113.7'],
    ['a profile that tells nothing', undefined, undefined],
  ])('is as it was with %s', (_title, rtpAddress, advertisedRtpAddress) => {
    expect(partySdp(sdp, { rtpAddress, advertisedRtpAddress }, '198.51.100.1', [])).toBe(sdp)
  })
})
