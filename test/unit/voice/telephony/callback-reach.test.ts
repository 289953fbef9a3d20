import { expect, it } from 'vitest'
import { isOutOfReach, isSameHost } from '../../../../src/voice/telephony/reach.js'

it.each<[string, string, string, boolean]>([
  ['192.0.2.1', '192.0.2.2', '127.0.0.1', true],
  ['192.0.2.1', '192.0.2.2', 'localhost', true],
  ['2001:db8::1', '2001:db8::2', '[::1]', true],
  ['192.0.2.1', '192.0.2.2', '192.0.2.1', false],
  ['192.0.2.1', '192.0.2.2', 'trunkline.example', false],
  ['192.0.2.1', '192.0.2.1', '127.0.0.1', false],
  ['127.0.0.1', '127.0.0.2', '127.0.0.1', false],
  ['::ffff:127.0.0.1', '::ffff:127.0.0.5', '127.0.0.1', false],
])('from %s to FreeSWITCH at %s, channels told of %s: out of reach is %s', (...row) => {
  const [localAddress, remoteAddress, host, isOut] = row
  expect(isOutOfReach(host, { localAddress, remoteAddress })).toBe(isOut)
})

it.each<[string | undefined, string | undefined, boolean]>([
  ['192.0.2.2', '192.0.2.2', true],
  ['::ffff:192.0.2.2', '192.0.2.2', true],
  ['2001:db8:0::2', '2001:db8::2', true],
  ['127.0.0.1', '::ffff:127.0.0.9', true],
  ['192.0.2.3', '192.0.2.2', false],
  ['127.0.0.1', '192.0.2.2', false],
  [undefined, undefined, false],
])('%s and %s are one host: %s', (one, other, isSame) => {
  expect(isSameHost(one, other)).toBe(isSame)
})
