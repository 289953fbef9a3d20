import { newTranscription } from '../../../src/voice/transcriptions/transcriptions.js'
import { waitUntil } from '../time/wait-until.js'
import { setUpApi } from './api-fixture.js'
import { PLAN } from './calls-fixture.js'

/** Prefix of the sid that follows a collection in a path. */
const PREFIXES: readonly (readonly [RegExp, string])[] = [
  [/\/(Calls|Participants|Members)$/, 'CA'],
  [/\/Messages$/, 'SM'],
  [/\/Media$/, 'ME'],
  [/\/Recordings$/, 'RE'],
  [/\/Streams$/, 'MZ'],
  [/\/Transcriptions$/, 'TR'],
  [/\/Notifications$/, 'NO'],
  [/\/(IncomingPhoneNumbers|OutgoingCallerIds)$/, 'PN'],
  [/\/Applications$/, 'AP'],
  [/Keys$/, 'SK'],
  [/\/Queues$/, 'QU'],
  [/\/Conferences$/, 'CF'],
  [/\/Domains$/, 'SD'],
  [/\/CredentialList(s|Mappings)$/, 'CL'],
  [/\/Credentials$/, 'CR'],
  [/\/IpAccessControlList(s|Mappings)$/, 'AL'],
  [/\/IpAddresses$/, 'IP'],
]

export function prefixAfter(path: string): string | undefined {
  return PREFIXES.find(([collection]) => collection.test(path))?.[1]
}

/**
 * Fills the parameters of a path template with sids; `sidOf` returns the sid for a prefix and the path before
 * it.
 */
export function pathWith(
  template: string,
  sidOf: (prefix: string, path: string) => string,
): string {
  let path = ''
  for (const segment of template.split('/').slice(1)) {
    const prefix = prefixAfter(path)
    if (segment.startsWith('{') && prefix === undefined)
      throw new Error(`no sid is known for ${template}`)
    path += `/${segment.startsWith('{') ? sidOf(prefix ?? '', path) : segment}`
  }
  return path
}

/** The voice API with one account that has one of each resource, and all their sids. */
export async function setUpEveryResource() {
  const t = await setUpApi()
  const { api, account } = t
  const made = async (path: string, form: Readonly<Record<string, string>>) => {
    const { status, text, body } = await api('POST', path, form)
    if (status >= 300) throw new Error(`${path}: ${text}`)
    return body
  }
  const sid = async (...asked: Parameters<typeof made>) => String((await made(...asked))['sid'])
  const call = await t.calls.create(account, {
    ...{ to: '+15005550001', from: '+15551112222', plan: PLAN },
  })
  const leg = await t.telephony.leg(0)
  leg.pickUp()
  const status = async () => (await t.calls.fetch(account.sid, call.sid)).status
  await waitUntil('the call runs', async () => (await status()) === 'in-progress')
  const stream = await sid(`/Calls/${call.sid}/Streams`, { Url: 'wss://app.test/', Name: 'fork' })
  const recording = await sid(`/Calls/${call.sid}/Recordings`, {})
  const participant = await made('/Conferences/room/Participants', {
    ...{ To: '+15005550001', From: '+15551112222' },
  })
  const text = newTranscription({ accountSid: account.sid, recordingSid: recording }, 0)
  const callerId = `PN${'c'.repeat(32)}`
  await t.db.write(async (tx) => {
    await t.transcriptions.begin(tx, text)
    await tx
      .insertInto('caller_ids')
      .values({
        ...{ sid: callerId, accountSid: account.sid, phoneNumber: '+15557770000' },
        ...{ friendlyName: 'desk', createdAt: 0, updatedAt: 0 },
      })
      .execute()
  })
  const domain = await sid('/SIP/Domains', { DomainName: 'owner.sip.test' })
  const credentials = await sid('/SIP/CredentialLists', { FriendlyName: 'staff' })
  const access = await sid('/SIP/IpAccessControlLists', { FriendlyName: 'office' })
  for (const kind of ['Calls', 'Registrations'])
    await made(`/SIP/Domains/${domain}/Auth/${kind}/CredentialListMappings`, {
      CredentialListSid: credentials,
    })
  await made(`/SIP/Domains/${domain}/Auth/Calls/IpAccessControlListMappings`, {
    IpAccessControlListSid: access,
  })
  return {
    ...t,
    callerId,
    participant: String(participant['call_sid']),
    sids: [
      await sid('/IncomingPhoneNumbers', { PhoneNumber: '+15551112222' }),
      await sid('/Messages', { To: '+15557770000', From: '+15551112222', Body: 'Hello' }),
      await sid('/Applications', { FriendlyName: 'menu' }),
      await sid('/Keys', {}),
      await sid('/Queues', { FriendlyName: 'support' }),
      await sid(`/SIP/CredentialLists/${credentials}/Credentials`, {
        ...{ Username: 'alice', Password: 'IWasAtSignal2018' },
      }),
      await sid(`/SIP/IpAccessControlLists/${access}/IpAddresses`, {
        ...{ FriendlyName: 'office', IpAddress: '192.0.2.1' },
      }),
      ...[call.sid, stream, recording, text.sid, domain, credentials, access],
      String(participant['conference_sid']),
    ],
  }
}

export type EveryResource = Awaited<ReturnType<typeof setUpEveryResource>>
