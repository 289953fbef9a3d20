import { describe, expect, it } from 'vitest'
import { AdapterError } from '../../../../src/platform/errors.js'
import { newSid } from '../../../../src/platform/ids.js'
import { LegEndedError } from '../../../../src/voice/telephony/port.js'
import { setUpRecordingsApi } from '../../../support/voice/recordings-api.js'

describe('a recording that cannot begin', () => {
  it.each([
    ['16101 when the call ended first', new LegEndedError('the leg is over'), 16101, 'warning'],
    ['12400 when the media server failed', new AdapterError('no answer'), 12400, 'error'],
  ] as const)('is absent: %s', async (_title, failure, errorCode, kind) => {
    await using t = await setUpRecordingsApi()
    const told: unknown[] = []
    t.events.onEvent(({ kind, detail }) => told.push({ kind, detail }))
    const room = { record: () => Promise.reject(failure) }
    const conferenceSid = newSid('CF')
    const call = { sid: newSid('CA'), accountSid: t.account.sid, conferenceSid }
    const begun = await t.recordings.startOfRoom(call, room, {
      source: 'OutboundAPI',
      channels: 'mono',
      track: 'both',
      trim: 'do-not-trim',
    })
    expect(await begun.finished).toMatchObject({ status: 'absent', errorCode })
    expect(told).toMatchObject([{ kind, detail: { code: errorCode } }])
  })
})
