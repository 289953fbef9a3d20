/**
 * The fields of each kind of event, as FreeSWITCH 1.10.12 was recorded to write them
 * (test/fixtures/event-socket/recorded-fields.json: names only, those that were always there), against
 * what the lab writes in the same situation. Compared are all of them but OMITTED.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MediaServerFixture, mediaServerFixture } from '../support/media/media-server.js'

const OMITTED: Readonly<Record<string, string>> = {
  variable_DP_MATCH: 'what the recorded dialplan matched; the lab has no dialplan to match',
  variable_sip_to_tag: 'the dialog belongs to the SIP stack; no client reads it here',
  variable_rtp_use_ssrc: 'the media thread keeps it to itself',
}

// A file of ours: event names with lists of field names.
const RECORDED = JSON.parse(
  readFileSync(
    resolve(import.meta.dirname, '../fixtures/event-socket/recorded-fields.json'),
    'utf8',
  ),
) as Readonly<Record<string, readonly string[]>>

describe('the fields of an event', () => {
  let fixture: MediaServerFixture
  const written: Record<string, Iterable<string>> = {}

  beforeAll(async () => {
    fixture = await mediaServerFixture({ heartbeatMs: 40 })
    fixture.engine.files.set('/a.wav', 40)
    const watcher = await fixture.watch()
    const { app, call, media, channelData } = await fixture.controlledCall()
    written['CHANNEL_DATA'] = channelData.keys()
    await app.run('playback', '/a.wav')
    media.press('1')
    call.end()
    for (const name of Object.keys(RECORDED)) {
      if (name === 'CHANNEL_DATA') continue
      written[name] = Object.keys(await watcher.event(name, isRecorded))
    }
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  /** The recording has applications that play, and the call state that a hangup leads to. */
  function isRecorded(event: Readonly<Record<string, string>>): boolean {
    const isOther = event['Application'] !== undefined && event['Application'] !== 'playback'
    return !isOther && (event['Event-Name'] !== 'CHANNEL_CALLSTATE' || 'Hangup-Cause' in event)
  }

  it.each(Object.keys(RECORDED))('%s', (name) => {
    const present = new Set(written[name])
    const missing = RECORDED[name]?.filter((field) => !present.has(field) && !(field in OMITTED))
    expect(missing).toEqual([])
  })

  it('are compared with a recording that holds what clients read', () => {
    expect(RECORDED['CHANNEL_DATA']).toEqual(
      expect.arrayContaining([
        'Channel-Unique-ID',
        'Unique-ID',
        'variable_sip_user_agent',
        'variable_rtp_local_sdp_str',
        'variable_switch_r_sdp',
        'variable_dtmf_type',
        'variable_sip_call_id',
      ]),
    )
    expect(RECORDED['DTMF']).toEqual(
      expect.arrayContaining(['DTMF-Digit', 'DTMF-Duration', 'DTMF-Source']),
    )
    expect(RECORDED['CHANNEL_EXECUTE_COMPLETE']).toEqual(
      expect.arrayContaining(['Application', 'Application-Response', 'Application-UUID']),
    )
  })
})
