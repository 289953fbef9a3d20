import { beforeAll, expect, it } from 'vitest'
import { REGION_BASE, regionOperations } from '../../../../src/voice/api/sip/region-operations.js'
import { voiceOperations } from '../../../../src/voice/api/voice-api.js'
import {
  type EveryResource,
  pathWith,
  setUpEveryResource,
} from '../../../support/voice/every-resource.js'

/** Operations whose path names no resource of an account, or one that the operation makes. */
const NAMES_NOTHING = [
  'createParticipant',
  ...['fetchAvailablePhoneNumberCountry', 'listLocalAvailablePhoneNumbers'],
  ...['listTollFreeAvailablePhoneNumbers', 'listMobileAvailablePhoneNumbers'],
  ...['downloadExport', 'buildExport', 'fetchExportJob'],
]
/** Resources that the owner has not: notifications never exist, and the recording is a call's. */
const ABSENT = [
  ...['fetchNotification', 'fetchCallNotification'],
  ...['fetchQueueMember', 'fetchConferenceRecording', 'fetchMessageMedia'],
]

const FORM = {
  ...{ FriendlyName: 'x', Url: 'https://app.test/', Status: 'completed', Method: 'POST' },
  ...{ Username: 'bob', Password: 'IWasAtSignal2018', IpAddress: '192.0.2.9' },
}

let owner: EveryResource
beforeAll(async () => {
  owner = await setUpEveryResource()
  return () => owner[Symbol.asyncDispose]()
})

const below = (path: string) => path.replace('/Accounts/{AccountSid}', '')

/** The operations whose path names a resource. */
const targeted = () =>
  voiceOperations(owner).filter(
    ({ id, path }) => below(path).includes('{') && !NAMES_NOTHING.includes(id),
  )

function ownersSid(prefix: string, path: string): string {
  if (path.endsWith('/OutgoingCallerIds')) return owner.callerId
  if (path.endsWith('/Participants')) return owner.participant
  const known = owner.sids.find((sid) => sid.startsWith(prefix))
  return known ?? `${prefix}${'1'.repeat(32)}`
}

const nobodysSid = (prefix: string) => `${prefix}${'0'.repeat(32)}`

it('answers for the resource of another account what it answers for none, byte for byte', async () => {
  const asOther = owner.as(await owner.accounts.create({ friendlyName: 'other' }))
  const differences: unknown[] = []
  const operations = targeted()
  expect(operations.length).toBeGreaterThan(80)
  for (const { id, method, path } of operations) {
    const answer = async (sidOf: typeof ownersSid) => {
      const form = method === 'get' || method === 'delete' ? undefined : FORM
      const target = pathWith(below(path), sidOf)
      const { status, text } = await asOther(method.toUpperCase(), target, form)
      return `${status} ${text.replaceAll(/[A-Z]{2}[0-9a-f]{32}/g, 'SID')}`
    }
    const [theirs, nobodys] = [await answer(ownersSid), await answer(nobodysSid)]
    if (theirs !== nobodys || !theirs.startsWith('404 ')) differences.push([id, theirs, nobodys])
  }
  expect(differences).toEqual([])
})

it('shows them to their owner, so that the answers above are about what exists', async () => {
  const reads = targeted().filter(({ id, method }) => method === 'get' && !ABSENT.includes(id))
  const statuses: unknown[] = []
  for (const { id, path } of reads) {
    const { status } = await owner.api('GET', `${pathWith(below(path), ownersSid)}.json`)
    if (status !== 200) statuses.push([id, status])
  }
  expect(statuses).toEqual([])
})

it('takes sids in capital letters for those of others', async () => {
  const reads = targeted().filter(({ id, method }) => method === 'get' && !ABSENT.includes(id))
  const shouted = (prefix: string, path: string) => ownersSid(prefix, path).toUpperCase()
  const statuses: unknown[] = []
  for (const { id, path } of reads) {
    const target = pathWith(below(path), shouted)
    if (target === pathWith(below(path), ownersSid)) continue
    const { status } = await owner.api('GET', `${target}.json`)
    if (status !== 404) statuses.push([id, status])
  }
  expect(statuses).toEqual([])
})

it('takes the sid of an account in capital letters for that of another', async () => {
  const path = `/2010-04-01/Accounts/${owner.account.sid.toUpperCase()}/Calls.json`
  const { sid, secret } = owner.account
  const authorization = `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
  expect((await owner.app.request(path, { headers: { authorization } })).status).toBe(404)
})

it('shows nothing of another account in any list', async () => {
  const asOther = owner.as(await owner.accounts.create({ friendlyName: 'third' }))
  const lists = voiceOperations(owner).filter(
    ({ method, path }) => method === 'get' && !below(path).includes('{') && below(path) !== '',
  )
  expect(lists.length).toBeGreaterThan(15)
  for (const { id, path } of lists) {
    const { status, text } = await asOther('GET', below(path))
    expect(status, id).toBe(200)
    for (const sid of [...owner.sids, owner.callerId, owner.account.sid])
      expect(text, id).not.toContain(sid)
  }
})

it('hides the region of another account’s SIP domain', async () => {
  const other = await owner.accounts.create({ friendlyName: 'fourth' })
  const basic = Buffer.from(`${other.sid}:${other.secret}`).toString('base64')
  for (const { method } of regionOperations(owner.sip.domains)) {
    const answers: string[] = []
    for (const name of ['owner.sip.test', 'absent.sip.test']) {
      const answer = await owner.app.request(`${REGION_BASE}/${name}`, {
        method: method.toUpperCase(),
        headers: { authorization: `Basic ${basic}` },
        ...(method === 'get' ? {} : { body: new URLSearchParams({ VoiceRegion: 'ie1' }) }),
      })
      answers.push(`${answer.status} ${(await answer.text()).replace(name, 'NAME')}`)
    }
    expect(answers[0]).toMatch(/^404 /)
    expect(answers[0]).toBe(answers[1])
  }
})
