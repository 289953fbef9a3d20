import { expect, it } from 'vitest'
import { createLogger } from '../../../../../src/platform/log.js'
import {
  BridgeLimit,
  type LimitedChannel,
} from '../../../../../src/voice/telephony/freeswitch/bridge.js'
import { waitUntil } from '../../../../support/time/wait-until.js'

const A = '0a0a0a0a-0000-4000-8000-000000000001'
const B = '0b0b0b0b-0000-4000-8000-000000000002'

/** Two channels, and what each connection carried. */
function twoChannels() {
  const sent: [by: string, text: string][] = []
  const over = new AbortController()
  const channel = (uuid: string, signal: AbortSignal): LimitedChannel => ({
    uuid,
    over: signal,
    api: ({ text }) => {
      sent.push([uuid, text])
      return text.startsWith('sched_del')
        ? Promise.reject(new Error('gone'))
        : Promise.resolve('+OK')
    },
  })
  const channels = [channel(A, over.signal), channel(B, new AbortController().signal)]
  return { channels, sent, over }
}

it('bridged channels have a time to end at, which is put off, and taken back after the bridge', async () => {
  const { channels, sent } = twoChannels()
  const limit = new BridgeLimit(channels, createLogger('silent'), {
    limitSeconds: 90,
    renewedEveryMs: 10,
  })
  expect(sent).toEqual([
    [A, `sched_hangup +90 ${A}`],
    [A, `sched_hangup +90 ${B}`],
  ])
  await waitUntil('it is put off', () => sent.length >= 6)
  expect(sent.slice(2, 6).map(([, text]) => text)).toEqual([
    `sched_del ${A}`,
    `sched_hangup +90 ${A}`,
    `sched_del ${B}`,
    `sched_hangup +90 ${B}`,
  ])
  limit[Symbol.dispose]()
  expect(sent.slice(-2).map(([, text]) => text)).toEqual([`sched_del ${A}`, `sched_del ${B}`])
})

it('the channel that is left takes the time back from both', () => {
  const { channels, sent, over } = twoChannels()
  const limit = new BridgeLimit(channels, createLogger('silent'))
  over.abort()
  sent.length = 0
  limit[Symbol.dispose]()
  expect(sent).toEqual([
    [B, `sched_del ${A}`],
    [B, `sched_del ${B}`],
  ])
})
