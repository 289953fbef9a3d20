import { describe, expect, it } from 'vitest'
import { newSid } from '../../../../src/platform/ids.js'
import type { StreamRecord } from '../../../../src/voice/streams/stream-record.js'
import { insertStream } from '../../../../src/voice/streams/stream-storage.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

describe('the last callback of a stream that a killed process left', () => {
  it.each([
    ['stream-stopped when it had begun', 1, { StreamEvent: 'stream-stopped' }],
    [
      'stream-error when it had not',
      undefined,
      { StreamEvent: 'stream-error', StreamError: '31900 the stream ended before it had begun' },
    ],
  ] as const)('is %s', async (_title, startedAt, expected) => {
    await using t = await setUpCalls()
    const stream = streamOf(t.account.sid, startedAt)
    await t.db.write((tx) => insertStream(tx, stream))
    expect(await t.streams.recover()).toBe(1)
    expect(t.callbacks.map(({ params }) => Object.fromEntries(params))).toMatchObject([
      { StreamSid: stream.sid, ...expected },
    ])
    expect(await t.streams.recover()).toBe(0)
  })
})

function streamOf(accountSid: string, startedAt: number | undefined): StreamRecord {
  return {
    sid: newSid('MZ'),
    accountSid,
    callSid: newSid('CA'),
    name: undefined,
    url: 'wss://app.test/stream',
    track: 'inbound_track',
    kind: 'one-way',
    status: 'in-progress',
    callback: { url: 'http://app.test/stream-status', method: 'POST' },
    startedAt,
    createdAt: 0,
    updatedAt: 0,
  }
}
