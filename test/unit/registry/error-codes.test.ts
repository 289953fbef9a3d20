import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/accounts.js'
import { AdapterError } from '../../../src/platform/errors.js'
import { loadTables } from '../../../src/registry/data/tables.js'
import type { RegistryDeps } from '../../../src/registry/registry.js'
import { createRegistryUploads } from '../../../src/registry/routes/dialect/read-upload.js'
import { tempFolder } from '../../support/process/temp-folder.js'
import {
  type Answer,
  DAY,
  type RegistryFixture,
  registryFixture,
} from '../../support/registry/registry-fixture.js'
import {
  brands,
  campaign,
  privateBrand,
  soleProprietor,
} from '../../support/registry/registry-samples.js'

const tables = loadTables()
const UNKNOWN_EIN = { ...privateBrand, ein: '070000001' }
const png = Buffer.from('89504e470d0a1a0a0000', 'hex')

let folder: ReturnType<typeof tempFolder>
let fixture: RegistryFixture
beforeEach(() => {
  folder = tempFolder()
})
afterEach(async () => {
  await fixture[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

interface Setting {
  readonly decisions?: Partial<typeof tables.decisions>
  readonly limits?: Partial<typeof tables.limits>
  readonly deps?: Partial<RegistryDeps>
}

async function open({ decisions, limits, deps }: Setting): Promise<void> {
  mkdirSync(`${folder.path}/tables`)
  const write = (name: string, table: object) => {
    writeFileSync(`${folder.path}/tables/${name}.json`, JSON.stringify(table))
  }
  write('decisions', { ...tables.decisions, ...decisions })
  write('limits', { ...tables.limits, ...limits })
  fixture = await registryFixture({ tablesFolder: `${folder.path}/tables`, ...deps })
}

const call = (method: string, path: string, body?: unknown) => fixture.call(method, path, body)
async function operator(method: string, path: string, body: object): Promise<void> {
  const init = { method, body: JSON.stringify(body) }
  expect((await fixture.operator.request(path, init)).status).toBeLessThan(300)
}
async function register(body: object = privateBrand): Promise<string> {
  const answer = await call('POST', '/brand', body)
  expect(answer.status).toBe(200)
  await fixture.registry.settle()
  return answer.body.brandId
}
async function create(change: object = {}): Promise<Answer> {
  return call('POST', '/campaignBuilder', { ...campaign, brandId: await register(), ...change })
}
async function campaignPath(): Promise<string> {
  return `/campaign/${(await create()).body.campaignId}`
}
async function expired(): Promise<string> {
  const path = await campaignPath()
  expect((await call('DELETE', path)).status).toBe(204)
  return path
}
const order = (brandId: string, vettingClass = 'STANDARD', evpId = 'AEGIS') =>
  call('POST', `/brand/${brandId}/externalVetting`, { evpId, vettingClass })
const report = (brandId: string) =>
  call('GET', `/brand/${brandId}/externalVetting/enhancedVettingReport`)
async function importOf(brandId: string, change: object = {}): Promise<Answer> {
  const { vettingId } = (await order(await register())).body
  await fixture.registry.settle()
  return call('PUT', `/brand/${brandId}/externalVetting`, { evpId: 'AEGIS', vettingId, ...change })
}
const profile = async (as?: Parameters<RegistryFixture['call']>[3]) =>
  (await fixture.call('GET', '/csp/profile', undefined, as)).body.cspId
async function suspended(): Promise<void> {
  await operator('PATCH', `/csps/${await profile()}`, { status: 'SUSPENDED' })
}
const texts = { pinSms: 'PIN @OTP_PIN@', successSms: 'Thank you' }
/** A campaign whose chain goes over a partner, and what the partner does with it. */
async function shared(): Promise<{
  path: string
  asPartner: (...args: PartnerCall) => Promise<Answer>
}> {
  const partner = await fixture.another('Partner')
  const cnpId = await profile(partner)
  const path = await campaignPath()
  expect((await call('PUT', `${path}/sharing/${cnpId}`)).status).toBe(200)
  return { path, asPartner: (method, suffix) => fixture.call(method, suffix, undefined, partner) }
}
type PartnerCall = [method: string, suffix: string]
const decline = 'explanation=no&rejectionCategory=OTHER'

type Row = [
  situation: string,
  code: number,
  fields: readonly string[],
  arrange: () => Promise<Answer>,
  setting?: Setting,
]

const ROWS: readonly Row[] = [
  [
    'a partner cancels the migration of another’s campaign',
    500,
    ['campaignId'],
    async () => {
      const { path, asPartner } = await shared()
      return asPartner('DELETE', `${path}/migrateCnp`)
    },
  ],
  ['a parameter that is not valid', 501, ['page'], () => call('GET', '/brand?page=0')],
  ['a brand that is not there', 502, ['brandId'], () => call('GET', '/brand/B000000')],
  ['the free-trial brand that was not provisioned', 502, [], () => call('GET', '/pft/brand')],
  [
    'a reseller of the same name',
    503,
    ['companyName'],
    async () => {
      const reseller = { companyName: 'One', phone: '+12025550143', email: 'a@acme.example' }
      await call('POST', '/reseller', reseller)
      return call('POST', '/reseller', reseller)
    },
  ],
  ...(
    [
      ['GET', '/csp/profile', undefined],
      ['PUT', '/csp/profile', {}],
      ['GET', '/settings/cnpMigration', undefined],
      ['PUT', '/settings/cnpMigration', {}],
      ['POST', '/brand', privateBrand],
    ] as const
  ).map(
    ([method, path, body]): Row => [
      `${method} ${path} of a suspended CSP`,
      504,
      [],
      async () => {
        await suspended()
        return call(method, path, body)
      },
    ],
  ),
  [
    'a one-time password for who is verified',
    506,
    ['brandId'],
    async () => {
      const brandId = await register(soleProprietor)
      const path = `/brand/${brandId}/smsOtp`
      await call('POST', path, texts)
      await fixture.registry.settle()
      const listed = await fixture.operator.request('/messages')
      const { messages } = (await listed.json()) as { messages: { text: string }[] } // what it lists
      await call('PUT', path, { otpPin: messages[0]?.text.slice(-6) })
      return call('POST', path, texts)
    },
  ],
  [
    'the import of a vetting that has expired',
    508,
    ['vettingId'],
    async () => {
      const { vettingId } = (await order(await register(), 'POLITICAL', 'CV')).body
      await fixture.registry.settle()
      await fixture.turn(366 * DAY)
      const path = `/brand/${await register()}/externalVetting`
      return call('PUT', path, { evpId: 'CV', vettingId })
    },
  ],
  ['a campaign that no operator takes', 509, ['mnoIds'], () => create({ mnoIds: [] })],
  [
    'one campaign more than a brand may have',
    511,
    ['brandId'],
    async () => {
      const brandId = await register()
      await call('POST', '/campaignBuilder', { ...campaign, brandId })
      return call('POST', '/campaignBuilder', { ...campaign, brandId })
    },
    { limits: { maxCampaignsPerBrand: 1 } },
  ],
  [
    'one brand more than a CSP may have',
    512,
    [],
    async () => {
      await register()
      return call('POST', '/brand', privateBrand)
    },
    { limits: { maxBrands: 1 } },
  ],
  ...(
    [
      ['PUT', '', {}],
      ['POST', '/nudge', { nudgeIntent: 'REVIEW' }],
      ['PUT', '/sharing/NORTH', {}],
      ['GET', '/operationStatus', undefined],
      ['DELETE', '/operationStatus/10017', { explanation: 'no' }],
      ['PUT', '/resubmit', {}],
    ] as const
  ).map(
    ([method, suffix, body]): Row => [
      `${method} ${suffix} of an expired campaign`,
      518,
      ['campaignId'],
      async () => call(method, `${await expired()}${suffix}`, body),
    ],
  ),
  [
    'the operational status of a partner’s expired campaign',
    518,
    ['campaignId'],
    async () => {
      const { path, asPartner } = await shared()
      await call('DELETE', path)
      return asPartner('GET', `/partnerC${path.slice(2)}/operationStatus`)
    },
  ],
  ['an enhanced vetting that is not there', 520, ['brandId'], async () => report(await register())],
  [
    'sharing again with who has declined',
    522,
    ['upstreamCnpId'],
    async () => {
      const { path, asPartner } = await shared()
      const { sharedByMe } = (await call('GET', `${path}/sharing`)).body
      const { upstreamCnpId } = sharedByMe as { upstreamCnpId: string } // shared just now
      await asPartner('DELETE', `/partnerC${path.slice(2)}/sharing?${decline}`)
      return call('PUT', `${path}/sharing/${upstreamCnpId}`)
    },
  ],
  [
    'sharing with oneself',
    523,
    ['upstreamCnpId'],
    async () => call('PUT', `${await campaignPath()}/sharing/${await profile()}`),
  ],
  [
    'a re-vet of the same',
    525,
    ['brandId'],
    async () => call('PUT', `/brand/${await register()}/revet`),
  ],
  [
    'feedback about a scoring that failed',
    526,
    ['brandId'],
    async () => {
      const brandId = await register()
      await operator('PUT', `/brands/${brandId}/identity`, { identityStatus: 'UNSUCCESSFUL' })
      return call('GET', `/brand/feedback/${brandId}`)
    },
  ],
  [
    'the report of a vetting that failed',
    526,
    ['brandId'],
    async () => {
      const brandId = await register()
      const { vettingId } = (await order(brandId, 'ENHANCED')).body
      await operator('PUT', `/vettings/${vettingId}`, { score: null })
      return report(brandId)
    },
    { decisions: { vetting: 'MANUAL' } },
  ],
  [
    'a campaign of a pending brand',
    527,
    ['brandId'],
    () => create(),
    { decisions: { brand: 'MANUAL' } },
  ],
  [
    'a re-vet of a pending brand',
    527,
    ['brandId'],
    async () => call('PUT', `/brand/${await register()}/revet`),
    { decisions: { brand: 'MANUAL' } },
  ],
  [
    'a relationship that changes twice in 3 months',
    528,
    ['brandRelationship'],
    async () => {
      const path = `/brand/${await register()}`
      await call('PUT', path, { ...privateBrand, brandRelationship: 'KEY_ACCOUNT' })
      return call('PUT', path, privateBrand)
    },
  ],
  [
    'a country that is not allowed',
    529,
    ['country'],
    () => call('POST', '/brand', { ...privateBrand, country: 'KP' }),
  ],
  [
    'an eleventh tag',
    530,
    ['tag'],
    () =>
      call('POST', '/brand', {
        ...privateBrand,
        tag: Array.from({ length: 11 }, (_, n) => `t${n}`),
      }),
  ],
  ['a trial where it is not enabled', 533, ['usecase'], () => create({ usecase: 'TRIAL' })],
  [
    'a sole proprietor where that is not enabled',
    534,
    ['entityType'],
    async () => {
      await operator('PATCH', `/csps/${await profile()}`, { soleProprietorEnabled: false })
      return call('POST', '/brand', soleProprietor)
    },
  ],
  [
    'feedback while scoring goes on',
    535,
    ['brandId'],
    async () => call('GET', `/brand/feedback/${await register()}`),
    { decisions: { brand: 'MANUAL' } },
  ],
  [
    'the report of a vetting that goes on',
    535,
    ['brandId'],
    async () => {
      const brandId = await register()
      await order(brandId, 'ENHANCED')
      return report(brandId)
    },
    { decisions: { vetting: 'MANUAL' } },
  ],
  [
    'sharing a mock campaign',
    536,
    ['campaignId'],
    async () => {
      const brandId = await register({ ...privateBrand, mock: true })
      const { campaignId } = (await call('POST', '/campaignBuilder', { ...campaign, brandId })).body
      return call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
    },
  ],
  ...(
    [
      ['companyName', 'Acme Limited'],
      ['ein', '123456780'],
      ['einIssuingCountry', 'CA'],
      ['entityType', 'NON_PROFIT'],
    ] as const
  ).flatMap(([field, value]): Row[] => [
    [
      `${field} changes with an active campaign`,
      537,
      [field],
      async () => {
        const brandId = await register()
        await call('POST', '/campaignBuilder', { ...campaign, brandId })
        return call('PUT', `/brand/${brandId}`, { ...privateBrand, [field]: value })
      },
    ],
    [
      `${field} changes with an external vet`,
      537,
      [field],
      async () => {
        const brandId = await register()
        await order(brandId)
        return call('PUT', `/brand/${brandId}`, { ...privateBrand, [field]: value })
      },
    ],
  ]),
  [
    'a report about another company',
    538,
    ['vettingId'],
    async () => importOf(await register({ ...privateBrand, companyName: 'Other' })),
  ],
  [
    'a vetting that the provider does not know',
    539,
    ['vettingId'],
    async () => importOf(await register(), { vettingId: 'x' }),
  ],
  [
    'a vetting imported with active campaigns',
    540,
    ['brandId'],
    async () => {
      const brandId = await register()
      await call('POST', '/campaignBuilder', { ...campaign, brandId })
      return importOf(brandId)
    },
  ],
  [
    'a sole proprietor who is vetted',
    541,
    ['brandId'],
    async () => order(await register(soleProprietor)),
  ],
  [
    'a brand deleted with active campaigns',
    542,
    ['brandId'],
    async () => {
      const brandId = await register()
      await call('POST', '/campaignBuilder', { ...campaign, brandId })
      return call('DELETE', `/brand/${brandId}`)
    },
  ],
  [
    'a vetting of another brand',
    543,
    ['vettingId'],
    async () => importOf(await register({ ...privateBrand, ein: '123456780' })),
  ],
  ...(['mms', 'supportingDocument'] as const).map(
    (kind): Row => [
      `one file of ${kind} more than a campaign may have`,
      544,
      ['file'],
      async () => {
        const path = `${await campaignPath()}/${kind}`
        expect((await fixture.upload(path, 'a.png', png)).status).toBe(200)
        return fixture.upload(path, 'b.png', png)
      },
      { limits: { maxAttachmentsPerCampaign: 1 } },
    ],
  ),
  [
    'a file of a type that is not taken',
    546,
    ['file'],
    async () => fixture.upload(`${await campaignPath()}/mms`, 'a.exe', png),
  ],
  [
    'the same vetting again within 30 days',
    549,
    ['vettingClass'],
    async () => {
      const brandId = await register()
      await order(brandId)
      await fixture.turn(29 * DAY)
      return order(brandId)
    },
  ],
  [
    'a mobile phone that too many use',
    550,
    ['mobilePhone'],
    async () => {
      await register(soleProprietor)
      return call('POST', '/brand', soleProprietor)
    },
    { limits: { soleProprietorPhoneReuse: 1 } },
  ],
  [
    'a one-time password that was never sent',
    552,
    ['otpPin'],
    async () =>
      call('PUT', `/brand/${await register(soleProprietor)}/smsOtp`, { otpPin: '123456' }),
  ],
  [
    'a one-time password asked for too often',
    557,
    ['brandId'],
    async () => {
      const path = `/brand/${await register(soleProprietor)}/smsOtp`
      await call('POST', path, texts)
      return call('POST', path, texts)
    },
    { limits: { otpPerDay: 1 } },
  ],
  [
    'an appeal of a category that is not one',
    559,
    ['appealCategories'],
    async () =>
      call('POST', `/brand/${await register(UNKNOWN_EIN)}/appeal`, { appealCategories: ['FUN'] }),
  ],
  [
    'a second aggregator while one has not decided',
    562,
    ['upstreamCnpId'],
    async () => {
      const { path, asPartner } = await shared()
      const sharing = `/partnerC${path.slice(2)}/sharing`
      expect((await asPartner('PUT', `${sharing}/NORTH`)).status).toBe(200)
      return asPartner('PUT', `${sharing}/SOUTH`)
    },
    { decisions: { shareByDca: 'MANUAL' } },
  ],
  [
    'a mail that was never sent, again',
    565,
    ['brandId'],
    async () => call('POST', `/brand/${await register()}/2faEmail?vettingClass=AUTHPLUS`),
  ],
  [
    'a request that repeats one still running',
    501,
    ['Idempotency-Key'],
    async () => {
      const send = async (body: object): Promise<Answer> => {
        const response = await fixture.app.request('/v2/csp/brand', {
          method: 'POST',
          headers: { authorization: `Bearer ${fixture.account.secret}`, 'idempotency-key': 'k' },
          body: JSON.stringify(body),
        })
        return {
          status: response.status,
          body: (await response.json()) as Answer['body'],
          headers: response.headers,
        } // what it sends
      }
      await send(privateBrand)
      return send(brands.GOVERNMENT)
    },
  ],
  [
    'a reseller in use that is deleted',
    592,
    ['resellerId'],
    async () => {
      const reseller = { companyName: 'One', phone: '+12025550143', email: 'a@acme.example' }
      const { resellerId } = (await call('POST', '/reseller', reseller)).body
      await create({ resellerId })
      return call('DELETE', `/reseller/${resellerId}`)
    },
  ],
  [
    'an operator’s suspension that is walked around',
    592,
    ['mnoId'],
    async () => {
      const path = await campaignPath()
      await operator('PUT', `${path.replace('campaign', 'campaigns')}/operations/10017`, {
        status: 'SUSPENDED',
      })
      return call('DELETE', `${path}/operationStatus/10017`, { explanation: 'no' })
    },
  ],
  ...(['revet', 'externalVetting'] as const).map(
    (what): Row => [
      `${what} while the vetting partner is down`,
      620,
      [],
      async () => {
        const brandId = await register()
        return what === 'revet' ? call('PUT', `/brand/${brandId}/revet`) : order(brandId)
      },
      { decisions: { outages: ['VETTING_PARTNER'] } },
    ],
  ),
  [
    'a campaign while the number registry is down',
    630,
    [],
    () => create(),
    { decisions: { outages: ['NUMBER_REGISTRY'] } },
  ],
]

describe('is refused:', () => {
  it.each<Row>([...ROWS])('%s (%i)', async (_situation, code, fields, arrange, setting = {}) => {
    await open(setting)
    const answer = await arrange()
    expect(answer.status).toBe(fields[0] === 'Idempotency-Key' ? 409 : 400)
    expect(answer.body).toEqual([{ code, fields, description: expect.any(String) as unknown }])
  })
})

describe('every code', () => {
  it('has a text at /error, and no other', async () => {
    await open({})
    expect((await call('GET', '/error')).body).toEqual(tables.errors)
    const unnamed = ROWS.map(([, code]) => code).filter((code) => !(code in tables.errors))
    expect(unnamed).toEqual([])
  })
})

describe('is not the customer’s fault:', () => {
  it('a number whose source cannot say whose it is (630)', async () => {
    const mayProvision = () => Promise.reject(new AdapterError('no answer'))
    await open({ deps: { numberSource: { mayProvision } } })
    const { campaignId } = (await create()).body
    await call('PUT', `/campaign/${campaignId}/sharing/NORTH`)
    await fixture.registry.settle()
    await expect(
      fixture.registry.numbers.provision(fixture.account.sid, campaignId, '+12025550199'),
    ).rejects.toMatchObject({ problems: [{ code: 630, fields: ['phoneNumber'] }] })
  })

  it('a file that the disk has lost (590)', async () => {
    await open({ deps: {} })
    const path = `${await campaignPath()}/mms`
    const { uuid } = (await fixture.upload(path, 'a.png', png)).body
    const attachments = `${fixture.folder}/registry/attachments`
    for (const file of readdirSync(attachments)) rmSync(`${attachments}/${file}`)
    expect(await call('GET', `/attachment/${uuid}`)).toMatchObject({
      status: 500,
      body: [{ code: 590, fields: [] }],
    })
  })

  it('more requests than one key may send (591)', async () => {
    await open({ deps: { rateLimits: { readsPerSecond: 1, writesPerSecond: 1 } } })
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('GET', '/version')))
    const [second] = answers.filter(({ status }) => status !== 200)
    expect(second).toMatchObject({ status: 429, body: [{ code: 591, fields: [] }] })
    expect(Number(second?.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('a key that is used again while its first request runs (591)', async () => {
    await open({ deps: {} })
    const post = async () =>
      await fixture.app.request('/v2/csp/brand', {
        method: 'POST',
        body: JSON.stringify(privateBrand),
        headers: {
          authorization: `Bearer ${fixture.account.secret}`,
          'content-type': 'application/json',
          'idempotency-key': 'once',
        },
      })
    // Whichever reaches its key first is the one that runs; one that comes after its end is a replay.
    const all = await Promise.all(Array.from({ length: 8 }, post))
    const refused = all.filter(({ status }) => status === 400)
    expect(refused.length).toBeGreaterThan(0)
    expect(all.filter(({ status }) => status === 200)).toHaveLength(all.length - refused.length)
    expect(await refused[0]?.json()).toMatchObject([{ code: 591, fields: ['Idempotency-Key'] }])
    const again = await post()
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    expect((await call('GET', '/brand')).body.totalRecords).toBe(1)
  })

  it('more uploads than are read at the same time (591)', async () => {
    await open({ deps: {} })
    const read = createRegistryUploads(`${folder.path}/uploads`, 1_000)
    const bodies: ReadableStreamDefaultController<Uint8Array>[] = []
    const upload = (cspId = 'S0') =>
      read(
        new Request('http://trunkline.test/', {
          method: 'POST',
          body: new ReadableStream({ start: (controller) => void bodies.push(controller) }),
          headers: { 'content-type': 'multipart/form-data; boundary=b' },
          duplex: 'half',
        }),
        cspId,
      )
    const running = Array.from({ length: 64 }, (_, index) =>
      upload(`S${index % 8}`).catch((error: unknown) => error),
    )
    const tooMany = { problems: [{ code: 591, fields: [] }] }
    await expect(upload('S99')).rejects.toMatchObject(tooMany)
    for (const body of bodies) body.close()
    for (const ended of await Promise.all(running))
      expect(ended).toMatchObject({ problems: [{ code: 501 }] })
    expect(readdirSync(`${folder.path}/uploads`)).toEqual([])
    bodies.length = 0
    const next = upload()
    bodies[0]?.close()
    await expect(next).rejects.toMatchObject({ problems: [{ code: 501 }] })
  })

  it('an account that is suspended or closed (205)', async () => {
    for (const status of ['suspended', 'closed'] as const) {
      const active = await registryFixture()
      await active[Symbol.asyncDispose]()
      fixture = await registryFixture({ accounts: accountsOf({ ...active.account, status }) })
      expect(await call('GET', '/brand')).toMatchObject({
        status: 403,
        body: [{ code: 205, fields: [] }],
      })
      if (status === 'suspended') await fixture[Symbol.asyncDispose]()
    }
  })
})

/** Whoever asks is this account. */
function accountsOf(account: Account): RegistryDeps['accounts'] {
  const never = () => Promise.reject(new Error('nobody asks for this'))
  return {
    create: never,
    list: never,
    update: never,
    setStatus: never,
    verify: never,
    rotateSecret: never,
    setPassword: never,
    findByUsername: never,
    findByEmail: never,
    find: () => Promise.resolve(account),
    authenticate: never,
    findBySecret: () => Promise.resolve(account),
    count: never,
  }
}
