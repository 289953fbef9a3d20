import { describe, expect, it } from 'vitest'
import { advertisedSdp, sipProfileOf } from '../../../../src/voice/telephony/sip-profile.js'

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

  it('names the address outside in each place', () => {
    const shown = advertisedSdp(sdp, {
      rtpAddress: '10.0.0.5',
      advertisedRtpAddress: '203.0.113.7',
    })
    expect(shown).toBe(sdp.replaceAll('IN IP4 10.0.0.5', 'IN IP4 203.0.113.7'))
  })

  it.each([
    ['no NAT', '10.0.0.5', '10.0.0.5'],
    ['an SDP that has the address outside already', '10.0.0.50', '203.0.113.7'],
    ['a profile that tells nothing', undefined, undefined],
  ])('is as it was with %s', (_title, rtpAddress, advertisedRtpAddress) => {
    expect(advertisedSdp(sdp, { rtpAddress, advertisedRtpAddress })).toBe(sdp)
  })
})
