import twilio from 'twilio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

let trunkline: RunningTrunkline
let client: ReturnType<typeof twilio>

beforeAll(async () => {
  trunkline = await startTrunkline()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
  client.routes.baseUrl = trunkline.http
})
afterAll(() => trunkline[Symbol.asyncDispose]())

const PASSWORD = 'IWasAtSignal2018'

it("the convention's own client makes, maps, changes and deletes all of a SIP domain", async () => {
  const domain = await client.sip.domains.create({
    domainName: 'acme.example',
    friendlyName: 'the office',
    voiceUrl: 'http://app.test/voice',
    sipRegistration: true,
  })
  expect(domain).toMatchObject({ domainName: 'acme.example', sipRegistration: true, secure: false })
  expect(domain.dateCreated).toBeInstanceOf(Date)
  const list = await client.sip.credentialLists.create({ friendlyName: 'staff' })
  const credential = await client.sip
    .credentialLists(list.sid)
    .credentials.create({ username: 'alice', password: PASSWORD })
  const credentials = client.sip.credentialLists(list.sid).credentials
  await credentials(credential.sid).update({ password: `${PASSWORD}x` })
  expect((await credentials.list()).map(({ username }) => username)).toEqual(['alice'])
  const access = await client.sip.ipAccessControlLists.create({ friendlyName: 'offices' })
  const { ipAddresses } = client.sip.ipAccessControlLists(access.sid)
  const address = await ipAddresses.create({
    friendlyName: 'Berlin',
    ipAddress: '192.0.2.0',
    cidrPrefixLength: 24,
  })
  expect((await ipAddresses(address.sid).fetch()).cidrPrefixLength).toBe(24)

  const one = client.sip.domains(domain.sid)
  await one.credentialListMappings.create({ credentialListSid: list.sid })
  await one.ipAccessControlListMappings.create({ ipAccessControlListSid: access.sid })
  const registrations = one.auth.registrations.credentialListMappings
  await registrations.create({ credentialListSid: list.sid })
  expect((await one.fetch()).authType).toBe('IP_ACL,CREDENTIAL_LIST')
  for (const mappings of [
    await one.credentialListMappings.list(),
    await one.auth.calls.credentialListMappings.list(),
    await registrations.list(),
  ])
    expect(mappings.map(({ sid }) => sid)).toEqual([list.sid])
  expect((await one.auth.calls.ipAccessControlListMappings.list()).length).toBe(1)
  const { message } = await client.sip
    .credentialLists(list.sid)
    .remove()
    .then(
      () => ({ message: 'removed' }),
      (error: unknown) => ({ message: String((error as { code?: number }).code) }),
    )
  expect(message).toBe('21241')

  const region = await client.routes.v2.sipDomains('acme.example').update({ voiceRegion: 'ie1' })
  expect(region).toMatchObject({ sipDomain: 'acme.example', voiceRegion: 'ie1' })

  await registrations(list.sid).remove()
  await one.auth.calls.credentialListMappings(list.sid).remove()
  await one.ipAccessControlListMappings(access.sid).remove()
  await one.update({ friendlyName: 'closed', secure: true })
  expect((await client.sip.domains.list()).map((each) => each.friendlyName)).toEqual(['closed'])
  await ipAddresses(address.sid).remove()
  await credentials(credential.sid).remove()
  await client.sip.ipAccessControlLists(access.sid).remove()
  await client.sip.credentialLists(list.sid).remove()
  await one.remove()
  expect(await client.sip.domains.list()).toEqual([])
})
