import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../src/accounts/accounts.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

type Body = Readonly<Record<string, unknown>>
type Form = Readonly<Record<string, string>>

const PASSWORD = 'IWasAtSignal2018'

async function setUp() {
  const bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const as = (account: Account) => {
    const basic = Buffer.from(`${account.sid}:${account.secret}`).toString('base64')
    const ask = async (method: string, path: string, form?: Form) => {
      const answer = await app.request(path, {
        method,
        headers: { authorization: `Basic ${basic}` },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      })
      const text = await answer.text()
      return { status: answer.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
    }
    const api = (method: string, path: string, form?: Form) =>
      ask(method, `/2010-04-01/Accounts/${account.sid}/SIP${path}`, form)
    /** Creates a resource; resolves with its sid. */
    const make = async (path: string, form: Form) => {
      const answer = await api('POST', path, form)
      expect(answer.status, answer.text).toBe(201)
      return answer.body['sid'] as string
    }
    return { ask, api, make }
  }
  const other = await bench.accounts.create({ friendlyName: 'other' })
  return { ...bench, ...as(bench.account), as, other: as(other) }
}

describe('the SIP domain', () => {
  it('is made with all its fields, fetched, changed and deleted', async () => {
    await using t = await setUp()
    const form = {
      DomainName: 'Acme.Example',
      FriendlyName: 'the office',
      VoiceUrl: 'http://app.test/voice',
      VoiceMethod: 'GET',
      VoiceFallbackUrl: 'http://app.test/fallback',
      VoiceFallbackMethod: 'GET',
      VoiceStatusCallbackUrl: 'http://app.test/status',
      VoiceStatusCallbackMethod: 'GET',
      SipRegistration: 'true',
      Secure: 'true',
      EmergencyCallingEnabled: 'true',
      EmergencyCallerSid: `PN${'a'.repeat(32)}`,
      Codecs: 'opus, PCMU',
    }
    const made = await t.api('POST', '/Domains.json', form)
    expect(made.status).toBe(201)
    const sid = made.body['sid'] as string
    const uri = `/2010-04-01/Accounts/${t.account.sid}/SIP/Domains/${sid}`
    expect(made.body).toEqual({
      sid: expect.stringMatching(/^SD[0-9a-f]{32}$/) as unknown,
      account_sid: t.account.sid,
      friendly_name: 'the office',
      domain_name: 'acme.example',
      api_version: '2010-04-01',
      auth_type: '',
      voice_url: 'http://app.test/voice',
      voice_method: 'GET',
      voice_fallback_url: 'http://app.test/fallback',
      voice_fallback_method: 'GET',
      voice_status_callback_url: 'http://app.test/status',
      voice_status_callback_method: 'GET',
      sip_registration: true,
      secure: true,
      emergency_calling_enabled: true,
      allow_any_from: false,
      codecs: ['OPUS', 'PCMU'],
      byoc_trunk_sid: null,
      emergency_caller_sid: `PN${'a'.repeat(32)}`,
      date_created: expect.stringMatching(/\+0000$/) as unknown,
      date_updated: expect.stringMatching(/\+0000$/) as unknown,
      uri: `${uri}.json`,
      subresource_uris: {
        credential_list_mappings: `${uri}/CredentialListMappings.json`,
        ip_access_control_list_mappings: `${uri}/IpAccessControlListMappings.json`,
      },
    })
    const changed = await t.api('POST', `/Domains/${sid}.json`, {
      VoiceUrl: '',
      Secure: 'false',
      VoiceFallbackMethod: 'POST',
      Codecs: '',
      DomainName: 'elsewhere.example',
    })
    expect(changed.body).toMatchObject({
      domain_name: 'acme.example',
      voice_url: null,
      secure: false,
      codecs: ['PCMU', 'PCMA', 'G722', 'OPUS'],
      voice_fallback_method: 'POST',
      voice_fallback_url: 'http://app.test/fallback',
      sip_registration: true,
    })
    expect((await t.api('DELETE', `/Domains/${sid}.json`)).status).toBe(204)
    expect((await t.api('GET', `/Domains/${sid}.json`)).status).toBe(404)
  })

  it('keeps the sid of a trunk of another service, until it is cleared', async () => {
    await using t = await setUp()
    const trunk = `BY${'a'.repeat(32)}`
    const form = { DomainName: 'acme.example', ByocTrunkSid: trunk }
    const made = await t.api('POST', '/Domains.json', form)
    expect([made.status, made.body['byoc_trunk_sid']]).toEqual([201, trunk])
    const path = `/Domains/${made.body['sid'] as string}.json`
    const named = await t.api('POST', path, { FriendlyName: 'the office' })
    expect(named.body['byoc_trunk_sid']).toBe(trunk)
    expect((await t.api('POST', path, { ByocTrunkSid: '' })).body['byoc_trunk_sid']).toBeNull()
    expect((await t.api('GET', path)).body['byoc_trunk_sid']).toBeNull()
  })

  it('has defaults: its name, POST, and nothing switched on', async () => {
    await using t = await setUp()
    const { body } = await t.api('POST', '/Domains.json', { DomainName: 'acme.example' })
    expect(body).toMatchObject({
      friendly_name: 'acme.example',
      voice_url: null,
      voice_method: 'POST',
      sip_registration: false,
      secure: false,
      emergency_calling_enabled: false,
    })
  })

  it.each([
    ['no name', {}, 21232],
    ['an address as name', { DomainName: '192.0.2.1' }, 21232],
    ['a name without a dot', { DomainName: 'acme' }, 21232],
    ['a name with an underscore', { DomainName: 'a_b.example' }, 21232],
    ['a long FriendlyName', { DomainName: 'a.example', FriendlyName: 'x'.repeat(65) }, 20002],
    ['no URL', { DomainName: 'a.example', VoiceUrl: 'ftp://x' }, 21402],
    ['no method', { DomainName: 'a.example', VoiceMethod: 'PUT' }, 21403],
    ['no callback', { DomainName: 'a.example', VoiceStatusCallbackUrl: 'http://a_b/x' }, 21609],
    ['no boolean', { DomainName: 'a.example', Secure: 'maybe' }, 21231],
    ['no trunk', { DomainName: 'a.example', ByocTrunkSid: 'BY1' }, 21300],
    ['no number', { DomainName: 'a.example', EmergencyCallerSid: 'PN1' }, 21231],
    ['no codec', { DomainName: 'a.example', Codecs: 'PCMU,G729' }, 21231],
  ])('is refused with %s', async (_title, form, code) => {
    await using t = await setUp()
    const { status, body } = await t.api('POST', '/Domains.json', form)
    expect([status, body['code']]).toEqual([400, code])
    expect((await t.api('GET', '/Domains.json')).body['total']).toBe(0)
  })

  it('has a name that no other account can take, nor a name below it', async () => {
    await using t = await setUp()
    await t.make('/Domains', { DomainName: 'acme.example' })
    for (const DomainName of ['acme.example', 'ACME.example', 'phones.acme.example']) {
      const { status, body } = await t.other.api('POST', '/Domains', { DomainName })
      expect([status, body['code']]).toEqual([400, 21232])
    }
    await t.make('/Domains', { DomainName: 'phones.acme.example' })
  })

  it('is not deleted while the account has domains below it', async () => {
    await using t = await setUp()
    const sid = await t.make('/Domains', { DomainName: 'acme.example' })
    const below = await t.make('/Domains', { DomainName: 'a.acme.example' })
    const { status, body } = await t.api('DELETE', `/Domains/${sid}`)
    expect([status, body['code']]).toEqual([400, 21233])
    await t.api('DELETE', `/Domains/${below}`)
    expect((await t.api('DELETE', `/Domains/${sid}`)).status).toBe(204)
  })

  it('is one of 100 at most', async () => {
    await using t = await setUp()
    for (let i = 0; i < 100; i += 1) await t.make('/Domains', { DomainName: `d${i}.example` })
    const { status, body } = await t.api('POST', '/Domains', { DomainName: 'more.example' })
    expect([status, body['code']]).toEqual([400, 21230])
  })

  it('is listed by its FriendlyName, the newest first', async () => {
    await using t = await setUp()
    for (const name of ['a', 'b', 'c'])
      await t.make('/Domains', {
        DomainName: `${name}.example`,
        FriendlyName: name === 'b' ? 'other' : 'same',
      })
    const names = async (query: string) =>
      ((await t.api('GET', `/Domains.json${query}`)).body['domains'] as Body[])
        .map((domain) => domain['domain_name'])
        .sort()
    expect(await names('')).toEqual(['a.example', 'b.example', 'c.example'])
    expect(await names('?FriendlyName=same')).toEqual(['a.example', 'c.example'])
  })
})

describe('credential lists', () => {
  it('hold credentials whose passwords are never shown', async () => {
    await using t = await setUp()
    const list = await t.make('/CredentialLists.json', { FriendlyName: 'staff' })
    const path = `/CredentialLists/${list}/Credentials`
    const made = await t.api('POST', `${path}.json`, { Username: 'alice', Password: PASSWORD })
    expect(made.body).toEqual({
      sid: expect.stringMatching(/^CR[0-9a-f]{32}$/) as unknown,
      account_sid: t.account.sid,
      credential_list_sid: list,
      username: 'alice',
      date_created: expect.stringMatching(/\+0000$/) as unknown,
      date_updated: expect.stringMatching(/\+0000$/) as unknown,
      uri: `/2010-04-01/Accounts/${t.account.sid}/SIP${path}/${String(made.body['sid'])}.json`,
    })
    const one = `${path}/${String(made.body['sid'])}.json`
    expect((await t.api('POST', one, { Password: `${PASSWORD}x` })).status).toBe(200)
    expect((await t.api('GET', one)).body).toMatchObject({ username: 'alice' })
    const listed = await t.api('GET', `${path}.json`)
    expect(listed.body['credentials']).toHaveLength(1)
    const rows = await t.db.read.selectFrom('sip_credentials').selectAll().execute()
    expect(JSON.stringify(rows) + listed.text + made.text).not.toContain(PASSWORD)
    expect((await t.api('DELETE', one)).status).toBe(204)
    expect((await t.api('GET', one)).status).toBe(404)
  })

  it.each([
    ['no Username', { Password: PASSWORD }],
    ['a long Username', { Username: 'x'.repeat(33), Password: PASSWORD }],
    ['a Username with a quote', { Username: 'a"b', Password: PASSWORD }],
    ['no Password', { Username: 'alice' }],
    ['a short Password', { Username: 'alice', Password: 'Short1' }],
    ['a Password in one case', { Username: 'alice', Password: 'onlylowercase1' }],
    ['a Password without a digit', { Username: 'alice', Password: 'NoDigitsInHere' }],
  ])('refuse a credential with %s', async (_title, form) => {
    await using t = await setUp()
    const list = await t.make('/CredentialLists', { FriendlyName: 'staff' })
    const answer = await t.api('POST', `/CredentialLists/${list}/Credentials`, form)
    expect([answer.status, answer.body['code']]).toEqual([400, 21243])
    expect(answer.text).not.toContain(PASSWORD)
  })

  it('refuse the name of another list and a user name twice', async () => {
    await using t = await setUp()
    const list = await t.make('/CredentialLists', { FriendlyName: 'staff' })
    const second = await t.make('/CredentialLists', { FriendlyName: 'guests' })
    const twice = await t.api('POST', '/CredentialLists', { FriendlyName: 'staff' })
    expect(twice.body['code']).toBe(21240)
    const renamed = await t.api('POST', `/CredentialLists/${second}`, { FriendlyName: 'staff' })
    expect(renamed.body['code']).toBe(21240)
    expect((await t.api('POST', '/CredentialLists', {})).body['code']).toBe(21240)
    const form = { Username: 'alice', Password: PASSWORD }
    await t.make(`/CredentialLists/${list}/Credentials`, form)
    const again = await t.api('POST', `/CredentialLists/${list}/Credentials`, form)
    expect(again.body['code']).toBe(21243)
    await t.make(`/CredentialLists/${second}/Credentials`, form)
  })

  it('are 100 at most', async () => {
    await using t = await setUp()
    for (let i = 0; i < 100; i += 1) await t.make('/CredentialLists', { FriendlyName: `l${i}` })
    const more = await t.api('POST', '/CredentialLists', { FriendlyName: 'more' })
    expect(more.body['code']).toBe(21239)
  })

  it('hold 1000 credentials at most', async () => {
    await using t = await setUp()
    const list = await t.make('/CredentialLists', { FriendlyName: 'staff' })
    await t.db.write(async (tx) => {
      const rows = Array.from({ length: 1_000 }, (_, i) => ({
        sid: `CR${String(i).padStart(32, '0')}`,
        accountSid: t.account.sid,
        listSid: list,
        username: `user${i}`,
        md5Sealed: '',
        sha256Sealed: '',
        createdAt: i,
        updatedAt: i,
      }))
      await tx.insertInto('sip_credentials').values(rows).execute()
    })
    const form = { Username: 'more', Password: PASSWORD }
    const more = await t.api('POST', `/CredentialLists/${list}/Credentials`, form)
    expect(more.body['code']).toBe(21242)
  })
})

describe('IP access control lists', () => {
  it('hold addresses and networks of both families', async () => {
    await using t = await setUp()
    const list = await t.make('/IpAccessControlLists.json', { FriendlyName: 'offices' })
    const path = `/IpAccessControlLists/${list}/IpAddresses`
    const made = await t.api('POST', `${path}.json`, {
      FriendlyName: 'Berlin',
      IpAddress: '192.0.2.0',
      CidrPrefixLength: '24',
    })
    expect(made.body).toMatchObject({
      sid: expect.stringMatching(/^IP[0-9a-f]{32}$/) as unknown,
      ip_access_control_list_sid: list,
      friendly_name: 'Berlin',
      ip_address: '192.0.2.0',
      cidr_prefix_length: 24,
    })
    const one = `${path}/${String(made.body['sid'])}.json`
    const changed = await t.api('POST', one, { FriendlyName: 'Bonn' })
    expect(changed.body).toMatchObject({ friendly_name: 'Bonn', cidr_prefix_length: 24 })
    const moved = await t.api('POST', one, { IpAddress: '2001:db8::1' })
    expect(moved.body).toMatchObject({ ip_address: '2001:db8::1', cidr_prefix_length: 128 })
    expect((await t.api('GET', `${path}.json`)).body['ip_addresses']).toEqual([moved.body])
    expect((await t.api('DELETE', one)).status).toBe(204)
    expect((await t.api('DELETE', `/IpAccessControlLists/${list}.json`)).status).toBe(204)
  })

  it.each([
    ['no name', { IpAddress: '192.0.2.1' }],
    ['no address', { FriendlyName: 'x' }],
    ['a name as address', { FriendlyName: 'x', IpAddress: 'dead.beef' }],
    ['a long prefix', { FriendlyName: 'x', IpAddress: '192.0.2.1', CidrPrefixLength: '33' }],
  ])('refuse an address with %s', async (_title, form) => {
    await using t = await setUp()
    const list = await t.make('/IpAccessControlLists', { FriendlyName: 'offices' })
    const answer = await t.api('POST', `/IpAccessControlLists/${list}/IpAddresses`, form)
    expect([answer.status, answer.body['code']]).toEqual([400, 21238])
  })

  it('have names of their own and 100 addresses at most', async () => {
    await using t = await setUp()
    const list = await t.make('/IpAccessControlLists', { FriendlyName: 'offices' })
    const twice = await t.api('POST', '/IpAccessControlLists', { FriendlyName: 'offices' })
    expect(twice.body['code']).toBe(21235)
    const path = `/IpAccessControlLists/${list}/IpAddresses`
    for (let i = 0; i < 100; i += 1)
      await t.make(path, { FriendlyName: 'x', IpAddress: `192.0.2.${i}` })
    const more = await t.api('POST', path, { FriendlyName: 'x', IpAddress: '192.0.2.100' })
    expect(more.body['code']).toBe(21237)
  })
})

describe('mappings', () => {
  it('show in auth_type, at the older and the newer paths', async () => {
    await using t = await setUp()
    const domain = await t.make('/Domains', { DomainName: 'acme.example' })
    const credentials = await t.make('/CredentialLists', { FriendlyName: 'staff' })
    const addresses = await t.make('/IpAccessControlLists', { FriendlyName: 'offices' })
    const at = `/Domains/${domain}`
    const authType = async () => (await t.api('GET', at)).body['auth_type']
    const mapped = await t.api('POST', `${at}/CredentialListMappings.json`, {
      CredentialListSid: credentials,
    })
    expect(mapped.status).toBe(201)
    expect(mapped.body).toMatchObject({
      sid: credentials,
      account_sid: t.account.sid,
      domain_sid: domain,
      friendly_name: 'staff',
      uri: `/2010-04-01/Accounts/${t.account.sid}/SIP${at}/CredentialListMappings/${credentials}.json`,
    })
    expect(await authType()).toBe('CREDENTIAL_LIST')
    await t.make(`${at}/Auth/Calls/IpAccessControlListMappings`, {
      IpAccessControlListSid: addresses,
    })
    expect(await authType()).toBe('IP_ACL,CREDENTIAL_LIST')
    const twice = await t.api('POST', `${at}/Auth/Calls/CredentialListMappings`, {
      CredentialListSid: credentials,
    })
    expect([twice.status, twice.body['code']]).toEqual([400, 21231])
    const sids = async (path: string, key: string) =>
      ((await t.api('GET', `${at}/${path}`)).body[key] as Body[]).map((each) => each['sid'])
    expect(await sids('CredentialListMappings.json', 'credential_list_mappings')).toEqual([
      credentials,
    ])
    expect(await sids('Auth/Calls/CredentialListMappings.json', 'contents')).toEqual([credentials])
    expect(
      await sids('IpAccessControlListMappings.json', 'ip_access_control_list_mappings'),
    ).toEqual([addresses])
    const registrations = `${at}/Auth/Registrations/CredentialListMappings`
    expect((await t.api('GET', registrations)).body['contents']).toEqual([])
    await t.make(registrations, { CredentialListSid: credentials })
    expect((await t.api('GET', `${registrations}/${credentials}.json`)).status).toBe(200)
    for (const [path, code] of [
      [`/CredentialLists/${credentials}`, 21241],
      [`/IpAccessControlLists/${addresses}`, 21236],
    ] as const)
      expect((await t.api('DELETE', path)).body['code']).toBe(code)
    expect((await t.api('DELETE', `${registrations}/${credentials}`)).status).toBe(204)
    expect((await t.api('DELETE', `${at}/CredentialListMappings/${credentials}`)).status).toBe(204)
    expect(await authType()).toBe('IP_ACL')
    expect((await t.api('DELETE', `/CredentialLists/${credentials}`)).status).toBe(204)
    expect((await t.api('DELETE', at)).status).toBe(204)
    expect((await t.api('DELETE', `/IpAccessControlLists/${addresses}`)).status).toBe(204)
  })

  it('refuse what is no sid of a list', async () => {
    await using t = await setUp()
    const domain = await t.make('/Domains', { DomainName: 'acme.example' })
    const answer = await t.api('POST', `/Domains/${domain}/CredentialListMappings`, {
      CredentialListSid: 'staff',
    })
    expect([answer.status, answer.body['code']]).toEqual([400, 21231])
  })
})

describe('the inbound region', () => {
  it('is shown and changed by the name of the domain', async () => {
    await using t = await setUp()
    await t.make('/Domains', { DomainName: 'acme.example' })
    const { status, body } = await t.ask('GET', '/v2/SipDomains/acme.example')
    expect(status).toBe(200)
    expect(body).toEqual({
      url: 'http://localhost/v2/SipDomains/acme.example',
      sid: expect.stringMatching(/^QQ[0-9a-f]{32}$/) as unknown,
      account_sid: t.account.sid,
      sip_domain: 'acme.example',
      friendly_name: 'acme.example',
      voice_region: 'us1',
      date_created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown,
      date_updated: expect.stringMatching(/Z$/) as unknown,
    })
    const form = { VoiceRegion: 'ie1', FriendlyName: 'Dublin' }
    const changed = await t.ask('POST', '/v2/SipDomains/ACME.example', form)
    expect(changed.body).toMatchObject({ voice_region: 'ie1', friendly_name: 'Dublin' })
    const wrong = await t.ask('POST', '/v2/SipDomains/acme.example', { VoiceRegion: 'Ireland!' })
    expect([wrong.status, wrong.body['code']]).toEqual([400, 21252])
    expect((await t.ask('GET', '/v2/SipDomains/acme.example')).body).toEqual(changed.body)
  })
})

describe('what belongs to another account', () => {
  it('looks absent, byte for byte', async () => {
    await using t = await setUp()
    const domain = await t.make('/Domains', { DomainName: 'acme.example' })
    const list = await t.make('/CredentialLists', { FriendlyName: 'staff' })
    const access = await t.make('/IpAccessControlLists', { FriendlyName: 'offices' })
    const credential = await t.make(`/CredentialLists/${list}/Credentials`, {
      Username: 'alice',
      Password: PASSWORD,
    })
    const address = await t.make(`/IpAccessControlLists/${access}/IpAddresses`, {
      FriendlyName: 'x',
      IpAddress: '192.0.2.1',
    })
    await t.make(`/Domains/${domain}/CredentialListMappings`, { CredentialListSid: list })
    const paths = [
      `/Domains/${domain}`,
      `/CredentialLists/${list}`,
      `/IpAccessControlLists/${access}`,
      `/CredentialLists/${list}/Credentials`,
      `/CredentialLists/${list}/Credentials/${credential}`,
      `/IpAccessControlLists/${access}/IpAddresses/${address}`,
      `/Domains/${domain}/CredentialListMappings`,
      `/Domains/${domain}/CredentialListMappings/${list}`,
      `/Domains/${domain}/Auth/Registrations/CredentialListMappings`,
    ]
    const absent = (path: string) => path.replaceAll(/[0-9a-f]{32}/g, 'f'.repeat(32))
    const same = (text: string) => text.replaceAll(/[0-9a-f]{32}/g, '')
    for (const path of paths)
      for (const method of ['GET', 'DELETE']) {
        const foreign = await t.other.api(method, path)
        const none = await t.other.api(method, absent(path))
        expect([foreign.status, same(foreign.text)]).toEqual([none.status, same(none.text)])
      }
    const mine = await t.other.make('/Domains', { DomainName: 'mine.example' })
    const mapped = await t.other.api('POST', `/Domains/${mine}/CredentialListMappings`, {
      CredentialListSid: list,
    })
    expect(mapped.status).toBe(404)
    const region = await t.other.ask('GET', '/v2/SipDomains/acme.example')
    const nowhere = await t.other.ask('GET', '/v2/SipDomains/none.example')
    expect(region.text.replace('acme', 'none')).toBe(nowhere.text)
  })
})
