import { expect, it } from 'vitest'
import { Latch } from '../../../../../src/lab/media/thread/latch.js'

const PEER = '198.51.100.7:4000'
const split = (place: string): [string, number] => {
  const at = place.lastIndexOf(':')
  return [place.slice(0, at), Number(place.slice(at + 1))]
}

/** Packets in order (`place` or `place@ms`); those that are heard get a `+`. */
function hear(signalled: string, ...packets: string[]): { heard: string; target: string } {
  const latch = new Latch()
  latch.setSignalled(...split(signalled))
  const heard = packets.map((packet, i) => {
    const [place = '', at = String(i)] = packet.split('@')
    return latch.accepts(...split(place), Number(at)) ? '+' : '-'
  })
  return { heard: heard.join(''), target: `${latch.address}:${latch.port}` }
}

it.each<[string, string, string[], string, string]>([
  ['the peer itself', PEER, [PEER, PEER], '++', PEER],
  ['nobody yet', PEER, [], '', PEER],
  ['a stranger before the peer', PEER, ['203.0.113.9:9', PEER], '-+', PEER],
  ['a stranger after the peer', PEER, [PEER, '203.0.113.9:9'], '+-', PEER],
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
  ['behind a NAT', '192.168.1.5:4000', ['203.0.113.9:9', '203.0.113.10:9'], '+-', '203.0.113.9:9'],
  ['behind a carrier NAT', '100.64.0.5:4000', ['203.0.113.9:9'], '+', '203.0.113.9:9'],
  ['private on both sides of 172', '172.32.0.1:4000', ['203.0.113.9:9'], '-', '172.32.0.1:4000'],
  [
    'a NAT that chose a new port after a pause',
    '10.0.0.5:4000',
    ['203.0.113.9:9@0', '203.0.113.9:10@2500'],
    '++',
    '203.0.113.9:10',
  ],
  ['held at 0.0.0.0', '0.0.0.0:4000', ['203.0.113.9:9'], '+', '203.0.113.9:9'],
  ['a name', 'media.example.com:4000', ['203.0.113.9:9'], '+', '203.0.113.9:9'],
  ['IPv6', '2001:db8::7:4000', ['2001:db8::8:9', '2001:db8::7:4000'], '-+', '2001:db8::7:4000'],
  ['a link-local IPv6 address', 'fe80::1:4000', ['2001:db8::8:9'], '+', '2001:db8::8:9'],
])('%s', (_title, signalled, packets, heard, target) => {
  expect(hear(signalled, ...packets)).toEqual({ heard, target })
})

it('keeps its source when the same place is signalled again, and forgets it for another', () => {
  const latch = new Latch()
  latch.setSignalled('192.168.1.5', 4000)
  latch.accepts('203.0.113.9', 9, 0)
  latch.setSignalled('192.168.1.5', 4000)
  expect(latch.address).toBe('203.0.113.9')
  latch.setSignalled('192.168.1.6', 4000)
  expect([latch.address, latch.isLatched]).toEqual(['192.168.1.6', false])
  expect(latch.accepts('203.0.113.77', 1, 5)).toBe(true)
})
