import { expect, it } from 'vitest'
import { Latch } from '../../../../../src/lab/media/rtp/latch.js'
import { MediaRelays } from '../../../../../src/lab/media/rtp/media-relays.js'

const PEER = '198.51.100.7:4000'
/** Where the SIP messages of every call here come from. */
const SIGNALLING = '203.0.113.9'
const RELAYS = ['192.0.2.0/28', '2001:db8:1::/48']
const split = (place: string) => {
  const at = place.lastIndexOf(':')
  return { address: place.slice(0, at), port: Number(place.slice(at + 1)) }
}

/**
 * Packets in order (`place` or `place@ms`); those that are heard get a `+`. `send@ms` is our own first
 * packet.
 */
function hear(signalled: string, ...steps: string[]): { heard: string; target: string } {
  const latch = new Latch(new MediaRelays(RELAYS))
  latch.setSignalled({ ...split(signalled), signallingAddress: SIGNALLING })
  const heard = steps.map((step, i) => {
    const [what = '', at = String(i)] = step.split('@')
    if (what === 'send') {
      latch.onSending(Number(at))
      return ''
    }
    const { address, port } = split(what)
    return latch.accepts(address, port, Number(at)) ? '+' : '-'
  })
  return { heard: heard.join(''), target: `${latch.address}:${latch.port}` }
}

it.each<[string, string, string[], string, string]>([
  ['the peer itself', PEER, [PEER, PEER], '++', PEER],
  ['nobody yet', PEER, [], '', PEER],
  ['a stranger before the peer', PEER, ['203.0.113.10:9', PEER], '-+', PEER],
  ['a stranger after the peer', PEER, [PEER, '203.0.113.10:9'], '+-', PEER],
  ['the source of the signalling, when the SDP can be reached', PEER, ['203.0.113.9:9'], '-', PEER],
  ['another port of the peer', PEER, ['198.51.100.7:4444'], '+', '198.51.100.7:4444'],
  [
    'another port, then the very one',
    PEER,
    ['198.51.100.7:4444', PEER, '198.51.100.7:4444'],
    '++-',
    PEER,
  ],
  ['another port while the peer talks', PEER, [PEER, '198.51.100.7:4444'], '+-', PEER],
  [
    'another port long after the very one fell silent',
    PEER,
    [`${PEER}@0`, '198.51.100.7:4444@9000'],
    '+-',
    PEER,
  ],
  [
    'two other ports in turn, the first silent for long',
    PEER,
    ['198.51.100.7:1@0', '198.51.100.7:2@1000', '198.51.100.7:2@3000'],
    '+-+',
    '198.51.100.7:2',
  ],
  [
    'behind a NAT: the source of the signalling',
    '192.168.1.5:4000',
    ['203.0.113.9:9', '203.0.113.10:9'],
    '+-',
    '203.0.113.9:9',
  ],
  [
    'behind a NAT: a stranger first',
    '192.168.1.5:4000',
    ['203.0.113.10:9', '203.0.113.9:9', '203.0.113.10:9'],
    '-+-',
    '203.0.113.9:9',
  ],
  [
    'behind a NAT: a stranger after a long silence',
    '192.168.1.5:4000',
    ['203.0.113.9:9@0', '203.0.113.10:9@60000'],
    '+-',
    '203.0.113.9:9',
  ],
  ['behind a carrier NAT', '100.64.0.5:4000', ['203.0.113.9:9'], '+', '203.0.113.9:9'],
  ['private on both sides of 172', '172.32.0.1:4000', ['203.0.113.9:9'], '-', '172.32.0.1:4000'],
  [
    'a NAT that chose a new port after a pause',
    '10.0.0.5:4000',
    ['203.0.113.9:9@0', '203.0.113.9:10@2500'],
    '++',
    '203.0.113.9:10',
  ],
  [
    'behind a NAT, heard while the call rings for a minute',
    '10.0.0.5:4000',
    ['203.0.113.9:9@60000'],
    '+',
    '203.0.113.9:9',
  ],
  [
    'behind a NAT, soon after our first packet',
    '10.0.0.5:4000',
    ['send@1000', '203.0.113.9:9@10900'],
    '+',
    '203.0.113.9:9',
  ],
  [
    'behind a NAT, too long after our first packet',
    '10.0.0.5:4000',
    ['send@1000', '203.0.113.9:9@11000'],
    '-',
    '10.0.0.5:4000',
  ],
  [
    'where the SDP says, however late',
    '10.0.0.5:4000',
    ['send@1000', '10.0.0.5:4000@60000'],
    '+',
    '10.0.0.5:4000',
  ],
  [
    'where the SDP says, after the source of the signalling',
    '10.0.0.5:4000',
    ['203.0.113.9:9', '10.0.0.5:4000', '203.0.113.9:9'],
    '++-',
    '10.0.0.5:4000',
  ],
  ['a media relay', PEER, ['192.0.2.15:9', '192.0.2.16:9'], '+-', '192.0.2.15:9'],
  [
    'another media relay after a long silence',
    PEER,
    ['192.0.2.1:9@0', '192.0.2.2:9@9000'],
    '+-',
    '192.0.2.1:9',
  ],
  ['a media relay by IPv6', '2001:db8::7:4000', ['2001:db8:1::4:9'], '+', '2001:db8:1::4:9'],
  ['held at 0.0.0.0', '0.0.0.0:4000', ['203.0.113.9:9'], '+', '203.0.113.9:9'],
  ['a name', 'media.example.com:4000', ['203.0.113.9:9'], '+', '203.0.113.9:9'],
  ['IPv6', '2001:db8::7:4000', ['2001:db8::8:9', '2001:db8::7:4000'], '-+', '2001:db8::7:4000'],
  ['a link-local IPv6 address', 'fe80::1:4000', ['203.0.113.9:9'], '+', '203.0.113.9:9'],
])('%s', (_title, signalled, packets, heard, target) => {
  expect(hear(signalled, ...packets)).toEqual({ heard, target })
})

it('keeps its source when the same place is signalled again, and forgets it for another', () => {
  const latch = new Latch(new MediaRelays())
  const signal = (address: string) => {
    latch.setSignalled({ address, port: 4000, signallingAddress: SIGNALLING })
  }
  signal('192.168.1.5')
  latch.accepts(SIGNALLING, 9, 0)
  signal('192.168.1.5')
  expect(latch.address).toBe(SIGNALLING)
  signal('192.168.1.6')
  expect([latch.address, latch.isLatched]).toEqual(['192.168.1.6', false])
  expect(latch.accepts(SIGNALLING, 1, 5)).toBe(true)
})

it('believes the SDP alone when the source of the signalling is not known', () => {
  const latch = new Latch(new MediaRelays())
  latch.setSignalled({ address: '192.168.1.5', port: 4000 })
  expect(latch.accepts(SIGNALLING, 9, 0)).toBe(false)
  expect(latch.accepts('192.168.1.5', 4002, 1)).toBe(true)
})

it('refuses a media relay that is no address', () => {
  expect(() => new MediaRelays(['relay.example.com'])).toThrow(RangeError)
})
