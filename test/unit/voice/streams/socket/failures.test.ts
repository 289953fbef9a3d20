import { expect, it } from 'vitest'
import {
  OutboundError,
  type OutboundErrorKind,
} from '../../../../../src/platform/http/outbound-error.js'
import {
  closeFailure,
  connectFailure,
} from '../../../../../src/voice/streams/socket/customer-socket.js'

it.each<[OutboundErrorKind, number]>([
  ['connect-timeout', 31901],
  ['connect-refused', 31902],
  ['connect-failed', 31904],
  ['blocked-address', 31904],
  ['dns', 31904],
  ['tls', 31910],
  ['tls-domain', 31910],
  ['tls-expired', 31910],
  ['tls-untrusted', 31910],
  ['bad-url', 31923],
  // Our own bound: nothing that the far end did.
  ['overloaded', 31900],
])('a connection that failed with %s is told as %i', (kind, number) => {
  expect(connectFailure(new OutboundError(kind, 'wss://app.test/')).number).toBe(number)
})

it.each<[string, number, number | undefined]>([
  ['done', 1000, undefined],
  ['going away', 1001, undefined],
  ['without a code', 1005, undefined],
  ['lost', 1006, 31903],
  ['an error of the far end', 1011, 31921],
])('a connection that ended %s', (_how, code, number) => {
  expect(closeFailure(code, undefined)?.number).toBe(number)
})
