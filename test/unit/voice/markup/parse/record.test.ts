/**
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action | URL, may be relative | the current document | – |
 * | method | GET, POST | POST | 13610 |
 * | timeout | seconds of silence from 0; 0 = silence does not end it | 5 | 13611 |
 * | finishOnKey | any of 0-9 # *; empty = none | 1234567890*# | 13613 |
 * | maxLength | seconds, 2 to 14400 | 3600; 120 with transcribe | 13612; 13615 over 120 then |
 * | playBeep | true, false | true | 13616 |
 * | trim | trim-silence, do-not-trim | trim-silence | 13699 |
 * | transcribe | true, false | false; true with transcribeCallback | 13614 |
 * | recordingTrack | both, inbound, outbound | both | 13622 |
 * | recordingStatusCallback, …Method, …Event | URL; GET, POST; in-progress completed absent | –, POST, completed | 12200, 13621 |
 */
import { describe, expect, it } from 'vitest'
import { verbOf } from './support.js'

const record = (attributes: string) => verbOf('record', `<Record ${attributes}/>`)
const callback = (more: object) => ({
  statusCallback: { url: '/r', method: 'POST', events: ['completed'], ...more },
})

it('without attributes', () => {
  expect(record('')).toMatchObject({
    codes: [],
    verb: {
      action: undefined,
      method: 'POST',
      silenceMs: 5000,
      finishOnKeys: '1234567890*#',
      maxLengthMs: 3_600_000,
      playBeep: true,
      trim: 'trim-silence',
      transcribe: false,
      transcribeCallback: undefined,
      track: 'both',
      statusCallback: undefined,
    },
  })
})

describe('attributes', () => {
  it.each<[string, object]>([
    ['action="/done"', { action: '/done' }],
    ['method="GET"', { method: 'GET' }],
    ['timeout="0"', { silenceMs: undefined }],
    ['timeout="10"', { silenceMs: 10_000 }],
    ['finishOnKey="#"', { finishOnKeys: '#' }],
    ['finishOnKey=""', { finishOnKeys: '' }],
    ['maxLength="2"', { maxLengthMs: 2000 }],
    ['maxLength="14400"', { maxLengthMs: 14_400_000 }],
    ['playBeep="false"', { playBeep: false }],
    ['trim="do-not-trim"', { trim: 'do-not-trim' }],
    ['transcribe="true"', { transcribe: true, maxLengthMs: 120_000 }],
    ['transcribeCallback="/t"', { transcribe: true, transcribeCallback: '/t' }],
    ['transcribe="false" transcribeCallback="/t"', { transcribe: false, maxLengthMs: 3_600_000 }],
    ['recordingTrack="outbound"', { track: 'outbound' }],
    ['recordingStatusCallback="/r"', callback({})],
    [
      'recordingStatusCallback="/r" recordingStatusCallbackMethod="GET"',
      callback({ method: 'GET' }),
    ],
    [
      'recordingStatusCallback="/r" recordingStatusCallbackEvent="absent in-progress"',
      callback({ events: ['in-progress', 'absent'] }),
    ],
    [
      'recordingStatusCallback="/r" recordingStatusCallbackEvent=""',
      callback({ events: ['completed'] }),
    ],
    ['recordingStatusCallbackEvent="absent"', { statusCallback: undefined }],
  ])('%s', (attributes, expected) => {
    expect(record(attributes)).toMatchObject({ verb: expected, codes: [] })
  })
})

describe('wrong values', () => {
  it.each<[string, number, object]>([
    ['method="PUT"', 13610, { method: 'POST' }],
    ['timeout="-1"', 13611, { silenceMs: 5000 }],
    ['maxLength="1"', 13612, { maxLengthMs: 3_600_000 }],
    ['maxLength="14401"', 13612, { maxLengthMs: 3_600_000 }],
    ['finishOnKey="x"', 13613, { finishOnKeys: '1234567890*#' }],
    ['transcribe="maybe"', 13614, { transcribe: false }],
    ['transcribe="true" maxLength="300"', 13615, { maxLengthMs: 300_000 }],
    ['playBeep="loud"', 13616, { playBeep: true }],
    ['recordingTrack="inbound_track"', 13622, { track: 'both' }],
    ['trim="a bit"', 13699, { trim: 'trim-silence' }],
    [
      'recordingStatusCallback="/r" recordingStatusCallbackEvent="done"',
      13621,
      callback({ events: ['completed'] }),
    ],
    [
      'recordingStatusCallback="/r" recordingStatusCallbackMethod="PUT"',
      13621,
      callback({ method: 'POST' }),
    ],
  ])('%s → %d', (attributes, code, expected) => {
    expect(record(attributes)).toMatchObject({ verb: expected, codes: [code] })
  })
})
