import { expect, it } from 'vitest'
import { rtpFault } from '../../../../src/voice/telephony/reach.js'

it.each<[string | undefined, readonly string[], RegExp | undefined]>([
  ['203.0.113.7', ['10.0.0.5'], undefined],
  ['127.0.0.1', ['127.0.0.1', '[::1]'], undefined],
  // No drachtio is connected yet.
  ['127.0.0.1', [], undefined],
  ['127.0.0.1', ['127.0.0.1', '10.0.0.5'], /127\.0\.0\.1, which is each party itself: set RTP_IP/],
  ['::1', ['2001:db8::5'], /::1, which is each party itself/],
  ['0.0.0.0', ['127.0.0.1'], /0\.0\.0\.0, which is no address/],
  ['pbx.example.com', ['10.0.0.5'], undefined],
  [undefined, ['10.0.0.5'], undefined],
])('RTP at %s beside drachtio at %j', (rtpAddress, sipHosts, fault) => {
  const said = rtpFault(rtpAddress, sipHosts)
  if (fault === undefined) expect(said).toBeUndefined()
  else expect(said).toMatch(fault)
})
