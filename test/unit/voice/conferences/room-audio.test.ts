import { expect, it } from 'vitest'
import { whenAborted } from '../../../../src/platform/async/abort.js'
import { deferred } from '../../../../src/platform/async/deferred.js'
import { createLogger } from '../../../../src/platform/log.js'
import { Participant } from '../../../../src/voice/conferences/participant.js'
import {
  changedSettings,
  type ParticipantChange,
} from '../../../../src/voice/conferences/participant-settings.js'
import { RoomAudio } from '../../../../src/voice/conferences/room-audio.js'
import type { ConferenceEntry } from '../../../../src/voice/markup/conference-entry.js'
import type { RoomSeat } from '../../../../src/voice/telephony/leg-media.js'
import { waitUntil } from '../../../support/time/wait-until.js'
import { createFakeTelephony } from '../../../support/voice/fake-telephony.js'

const MUSIC = { url: undefined, method: 'POST' } as const
const ENTRY: ConferenceEntry = {
  name: 'the room',
  isMuted: false,
  beep: 'false',
  startOnEnter: true,
  endOnExit: false,
  label: undefined,
  maxParticipants: 250,
  coach: undefined,
  statusCallback: undefined,
  recording: undefined,
  waiting: MUSIC,
  wait: (_waiting, until) => whenAborted(until),
  announce: () => Promise.resolve(),
}

/** A seat that keeps what was asked of it. */
function createSeat(asked: string[], left: Promise<void>): RoomSeat {
  const ask = (what: string) => {
    asked.push(what)
    return Promise.resolve()
  }
  return {
    member: '1',
    left,
    setSpeaks: (speaks) => ask(`speaks ${speaks}`),
    setHears: (hears) => ask(`hears ${hears}`),
    setHeardBy: () => Promise.resolve(),
    onTalking: () => () => undefined,
    record: () => Promise.reject(new Error('nothing is recorded here')),
    play: () => Promise.resolve(),
    leave: () => Promise.resolve(),
  }
}

it.each<[string, Partial<ConferenceEntry>, ParticipantChange, readonly string[]]>([
  ['muted', {}, { isMuted: true }, ['speaks no', 'hears yes']],
  ['unmuted', { isMuted: true }, { isMuted: false }, ['speaks yes', 'hears yes']],
  ['put on hold', {}, { hold: MUSIC }, ['speaks no', 'hears no']],
  [
    'no coach any more',
    { coach: 'CA1' },
    { coach: { callSid: undefined } },
    ['speaks yes', 'hears yes'],
  ],
  ['to end the conference', {}, { endOnExit: true }, []],
])('a participant who is %s while its leg enters the room is so inside', async (_how, entry, change, expected) => {
  const asked: string[] = []
  const entered = deferred()
  const left = deferred()
  const events = { onEnded: () => undefined }
  const leg = createFakeTelephony().dial(
    { uri: 'sip:ann@test', from: { user: 'bob' }, timeoutMs: 1_000 },
    events,
  )
  const joinRoom = async () => {
    await entered.done
    return createSeat(asked, left.done)
  }
  const entering = { ...leg, media: { ...leg.media, joinRoom } }
  const participant = new Participant('CA0', entering, { ...ENTRY, ...entry }, 0)
  const seated = deferred()
  const audio = new RoomAudio({
    log: createLogger('silent'),
    conferenceSid: 'CF0',
    listener: {
      seated: () => {
        seated.resolve()
      },
      talking: () => undefined,
    },
  })
  const mixed = audio.mix(participant)
  participant.update(changedSettings(participant.settings, change), 1)
  await audio.voiceChanged(participant)
  expect(asked).toEqual([])
  entered.resolve()
  await seated.done
  await waitUntil('it is in the room as it should be', () => asked.length >= expected.length)
  left.resolve()
  await mixed
  expect(asked).toEqual(expected)
})
