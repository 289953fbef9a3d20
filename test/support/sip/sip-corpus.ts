import { INVALID } from '../../fixtures/rfc4475/invalid.js'
import { SEMANTICS } from '../../fixtures/rfc4475/semantics.js'
import { SDP } from '../../fixtures/rfc4475/torture-message.js'
import { VALID } from '../../fixtures/rfc4475/valid.js'
import { mutate } from './sip-fuzz.js'
import { rawRequest } from './sip-messages.js'

const VIA = 'SIP/2.0/UDP 127.0.0.1;rport;branch=z9hG4bK'
const METHODS = ['INVITE', 'REGISTER', 'BYE', 'CANCEL', 'ACK', 'OPTIONS', 'INFO', 'UPDATE']

/** Messages to mutate: those of RFC 4475, and a plain request of each method. */
export const SIP_CORPUS: readonly Buffer[] = [
  ...[...VALID, ...INVALID, ...SEMANTICS].map((each) => each.bytes(5060)),
  ...METHODS.map((method) =>
    Buffer.from(rawRequest(method, VIA + method, { body: method === 'INVITE' ? SDP : '' })),
  ),
]

export function pick<T>(from: readonly T[], random: () => number): T {
  const picked = from[Math.floor(random() * from.length)]
  if (picked === undefined) throw new Error('nothing to pick from')
  return picked
}

/** Up to three messages in one stream, half of them mutated. */
export function mutatedStream(random: () => number): Buffer {
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const whole = pick(SIP_CORPUS, random)
    return random() < 0.5 ? whole : mutate(whole, random)
  })
  return Buffer.concat(parts)
}
