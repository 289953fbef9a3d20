/** What a document cannot hold is refused when a participant is called or changed, not when it answers. */
import { expect, it } from 'vitest'
import { updateParticipantForm } from '../../../../src/voice/api/participant-schemas.js'
import { setUpApi } from '../../../support/voice/api-fixture.js'

const PARTIES = { To: '+15005550001', From: '+15551112222' }
const EVERY_CONTROL = ['\u0001', '\u001f', '\u007f', '\u0085', '\ufffe', '\uffff']

it.each(EVERY_CONTROL)('a conference cannot have %j in its name', async (character) => {
  await using t = await setUpApi()
  const room = encodeURIComponent(`room${character}`)
  const refused = await t.api('POST', `/Conferences/${room}/Participants.json`, PARTIES)
  expect(refused).toMatchObject({ status: 400, body: { code: 13237 } })
})

it.each(
  EVERY_CONTROL,
)('a new participant cannot have %j in its URLs and its label', async (character) => {
  await using t = await setUpApi()
  const url = `http://a.test/${character}`
  const answer = async (form: Readonly<Record<string, string>>) => {
    const path = '/Conferences/room/Participants.json'
    const { status, body } = await t.api('POST', path, { ...PARTIES, ...form })
    return [status, body['code']]
  }
  expect(await answer({ WaitUrl: url })).toEqual([400, 21402])
  expect(await answer({ ConferenceRecordingStatusCallback: url })).toEqual([400, 21609])
  expect(await answer({ Label: `a${character}` })).toEqual([400, 16023])
})

it.each(EVERY_CONTROL)('a participant cannot be given %j in its sounds', (character) => {
  for (const name of ['WaitUrl', 'HoldUrl', 'AnnounceUrl']) {
    const isGood = (url: string) => updateParticipantForm.safeParse({ [name]: url }).success
    expect(isGood('http://a.test/')).toBe(true)
    expect(isGood(`http://a.test/${character}`)).toBe(false)
  }
})

it('a participant may have other letters in its room, and silence', async () => {
  await using t = await setUpApi()
  const room = encodeURIComponent('Größe 会議 😀')
  const path = `/Conferences/${room}/Participants.json`
  const called = await t.api('POST', path, { ...PARTIES, WaitUrl: '' })
  expect(called.status, called.text).toBe(201)
})

it('participants of one name who are called at once are in one room', async () => {
  await using t = await setUpApi()
  const path = '/Conferences/standup/Participants.json'
  const called = await Promise.all(Array.from({ length: 10 }, () => t.api('POST', path, PARTIES)))
  expect(called.map(({ status }) => status)).toEqual(Array(10).fill(201))
  expect(new Set(called.map(({ body }) => body['conference_sid'])).size).toBe(1)
  const { body } = await t.api('GET', '/Conferences.json?FriendlyName=standup')
  expect(body['conferences']).toHaveLength(1)
})
