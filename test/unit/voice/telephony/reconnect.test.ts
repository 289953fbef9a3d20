import { expect, it } from 'vitest'
import {
  ConnectFault,
  keepConnected,
  reconnectDelayMs,
} from '../../../../src/voice/telephony/reconnect.js'
import { parseServerUrl } from '../../../../src/voice/telephony/server-url.js'
import { recordingLog } from '../../../support/process/recording-log.js'

it('waits longer after each failure, and never very long', () => {
  expect([1, 2, 3].map(reconnectDelayMs)).toEqual([100, 170, 289])
  expect(reconnectDelayMs(100)).toBe(2_000)
})

it('reports a fault once, and again when it is another one', async () => {
  const stop = new AbortController()
  const faults = ['unreachable', 'unreachable', 'wrong-secret', 'wrong-secret'] as const
  let attempt = 0
  const { log, lines } = recordingLog()
  await keepConnected({
    connect: () => {
      const fault = faults[attempt]
      attempt += 1
      if (fault) return Promise.reject(new ConnectFault(fault, fault))
      stop.abort()
      return Promise.resolve({ lost: Promise.resolve() })
    },
    onUp: () => undefined,
    onDown: () => undefined,
    signal: stop.signal,
    log,
  })
  expect(
    lines.filter((line) => line.level === 'error').map((line) => line.fields['fault']),
  ).toEqual(['unreachable', 'wrong-secret'])
})

it('says up and down in order', async () => {
  const stop = new AbortController()
  const seen: string[] = []
  await keepConnected({
    connect: () => Promise.resolve({ lost: Promise.resolve() }),
    onUp: () => seen.push('up'),
    onDown: () => {
      seen.push('down')
      if (seen.length === 4) stop.abort()
    },
    signal: stop.signal,
    log: recordingLog().log,
  })
  expect(seen).toEqual(['up', 'down', 'up', 'down'])
})

it.each([
  ['tcp://:cymru@127.0.0.1:9022', { host: '127.0.0.1', port: 9022, secret: 'cymru', weight: 1 }],
  [
    'tcp://:a%40b@drachtio.example:9022',
    { host: 'drachtio.example', port: 9022, secret: 'a@b', weight: 1 },
  ],
  ['tcp://:x@[::1]:9022', { host: '::1', port: 9022, secret: 'x', weight: 1 }],
  ['tcp://:x@h:1?weight=30', { host: 'h', port: 1, secret: 'x', weight: 30 }],
])('%s', (text, expected) => {
  expect(parseServerUrl(text)).toEqual(expected)
})

it.each([
  '',
  'tcp://127.0.0.1:9022',
  'tcp://:secret@:9022',
  'tcp://:secret@h',
  'http://:secret@h:1',
  'tcp://:secret@h:1?weight=0',
  'tcp://:secret@h:1?wait=1',
])('%j is not a server, and its secret is not told', (text) => {
  expect(() => parseServerUrl(text)).toThrow(/^a server URL is/)
})
