import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { portedNumbers } from '../../../../src/porting/porting-accounts.js'
import { createNumberBindings } from '../../../../src/voice/applications/number-bindings.js'
import { setUpApi } from '../../../support/voice/api-fixture.js'

const STOCK = `number,country,type,region,locality,postal_code,rate_center,lata,latitude,longitude,sms,mms,fax
+14155550100,,,CA,San Francisco,94105,SNFC CNTRL,722,37.79,-122.39,yes,yes,no
+14155550111,,,CA,San Francisco,94107,SNFC CNTRL,722,37.77,-122.40,yes,no,no
+15105550122,,,CA,Oakland,94607,OKLD MN,722,37.80,-122.27,no,no,yes
+12135550133,,,CA,Los Angeles,90012,LSAN DA 01,730,34.05,-118.24,yes,yes,no
+16045550144,,,BC,Vancouver,V5K,VANCOUVER,888,49.28,-123.12,no,no,no
+18005550155,,,,,,,,,,no,no,no
+447700900166,GB,mobile,,,,,,,,yes,no,no
+442079460177,GB,,,London,,,,51.5,-0.12,no,no,no
`
const PATH = '/AvailablePhoneNumbers'

async function setUp() {
  const t = await setUpApi()
  const bytes: AsyncIterable<Uint8Array> = Readable.from([Buffer.from(STOCK)])
  expect(await t.imports.run(bytes)).toMatchObject({ status: 'completed', added: 8, refused: 0 })
  const found = async (query: string, of = 'US/Local') => {
    const { status, text, body } = await t.api('GET', `${PATH}/${of}.json?${query}`)
    expect(status, text).toBe(200)
    return (body['available_phone_numbers'] as { phone_number: string }[]).map(
      (number) => number.phone_number,
    )
  }
  return { ...t, found }
}

const [SF1, SF2, OAKLAND, LA] = ['+14155550100', '+14155550111', '+15105550122', '+12135550133']

describe('AvailablePhoneNumbers', () => {
  it('lists the countries, and the kinds of numbers of each', async () => {
    await using t = await setUp()
    const { body } = await t.api('GET', `${PATH}.json`)
    const own = `/2010-04-01/Accounts/${t.account.sid}/AvailablePhoneNumbers`
    expect(body).toMatchObject({
      total: 3,
      countries: [
        {
          country_code: 'CA',
          country: 'Canada',
          uri: `${own}/CA.json`,
          beta: false,
          subresource_uris: { local: `${own}/CA/Local.json` },
        },
        { country_code: 'GB', country: 'United Kingdom' },
        {
          country_code: 'US',
          subresource_uris: { local: `${own}/US/Local.json`, toll_free: `${own}/US/TollFree.json` },
        },
      ],
    })
    const one = await t.api('GET', `${PATH}/gb.json`)
    expect(one.body).toMatchObject({ subresource_uris: { mobile: `${own}/GB/Mobile.json` } })
    expect(await t.api('GET', `${PATH}/FR.json`)).toMatchObject({ status: 404 })
    expect(await t.api('GET', `${PATH}/XX/Local.json`)).toMatchObject({ status: 404 })
    expect(await t.found('', 'FR/Local')).toEqual([])
  })

  it('answers every field of a number', async () => {
    await using t = await setUp()
    const { body } = await t.api('GET', `${PATH}/US/Local.json?Contains=0100`)
    expect(body['available_phone_numbers']).toEqual([
      {
        friendly_name: '(415) 555-0100',
        phone_number: SF1,
        lata: '722',
        locality: 'San Francisco',
        rate_center: 'SNFC CNTRL',
        latitude: 37.79,
        longitude: -122.39,
        region: 'CA',
        postal_code: '94105',
        iso_country: 'US',
        address_requirements: 'none',
        beta: false,
        capabilities: { voice: true, sms: true, mms: true, fax: false },
      },
    ])
    const tollFree = await t.api('GET', `${PATH}/US/TollFree.json`)
    expect(tollFree.body['available_phone_numbers']).toMatchObject([
      { phone_number: '+18005550155', region: null, latitude: null },
    ])
    expect(await t.found('', 'GB/Mobile')).toEqual(['+447700900166'])
  })

  it.each<[string, readonly (string | undefined)[]]>([
    ['', [LA, SF1, SF2, OAKLAND]],
    ['AreaCode=415', [SF1, SF2]],
    ['Contains=%2B1415', [SF1, SF2]],
    ['Contains=0111%24', [SF2]],
    ['Contains=55501**', [LA, SF1, SF2, OAKLAND]],
    ['InRegion=ca&InLocality=Oakland', [OAKLAND]],
    ['InPostalCode=94105', [SF1]],
    ['InLata=722&InRateCenter=SNFC%20CNTRL', [SF1, SF2]],
    ['SmsEnabled=true', [LA, SF1, SF2]],
    ['SmsEnabled=true&MmsEnabled=false', [SF2]],
    ['FaxEnabled=true', [OAKLAND]],
    ['VoiceEnabled=false', []],
    ['ExcludeAllAddressRequired=true&Beta=false', [LA, SF1, SF2, OAKLAND]],
    ['NearLatLong=37.8,-122.27', [OAKLAND, SF1, SF2]],
    ['NearLatLong=37.8,-122.27&Distance=3', [OAKLAND]],
    ['NearLatLong=37.8,-122.27&Distance=400', [OAKLAND, SF1, SF2, LA]],
    ['NearNumber=%2B12135550133&Distance=1', [LA]],
    ['NearNumber=%2B12135559999', [LA]],
    ['NearNumber=%2B19995550100', []],
    ['NearLatLong=89.99,10', []],
  ])('searches by %s', async (query, expected) => {
    await using t = await setUp()
    expect(await t.found(query)).toEqual(expected)
  })

  it('pages through what it finds, in the order of numbers and of nearness', async () => {
    await using t = await setUp()
    for (const [query, expected] of [
      ['', [LA, SF1, SF2, OAKLAND]],
      ['&NearLatLong=37.8,-122.27&Distance=400', [OAKLAND, SF1, SF2, LA]],
    ] as const) {
      const seen: string[] = []
      let path: string | null = `${PATH}/US/Local.json?PageSize=3${query}`
      let previous: unknown
      while (path !== null) {
        const { body } = await t.api('GET', path)
        const page = body['available_phone_numbers'] as { phone_number: string }[]
        seen.push(...page.map((number) => number.phone_number))
        expect(body['total']).toBe(4)
        previous = body['previous_page_uri']
        const next = body['next_page_uri'] as string | null
        path = next === null ? null : next.slice(next.indexOf(PATH))
      }
      expect(seen).toEqual(expected)
      const back = await t.api('GET', String(previous).slice(String(previous).indexOf(PATH)))
      expect(back.body['available_phone_numbers']).toHaveLength(3)
    }
  })

  it.each([
    'AreaCode=41',
    'AreaCode=abc',
    'Contains=5',
    'Contains=5_5',
    'SmsEnabled=perhaps',
    'InRateCenter=SNFC',
    'NearNumber=here',
    'NearLatLong=91,0',
    'NearLatLong=north',
    'NearLatLong=1,1&Distance=501',
    'NearLatLong=1,1&Distance=0',
    'InLocality=a%00b',
    `InLocality=${'x'.repeat(101)}`,
  ])('refuses %s', async (query) => {
    await using t = await setUp()
    const refused = await t.api('GET', `${PATH}/US/Local.json?${query}`)
    expect(refused).toMatchObject({ status: 400, body: { code: 20422 } })
  })

  it('does not offer what is claimed, and offers it again when it is given back', async () => {
    await using t = await setUp()
    const claimed = await t.api('POST', '/IncomingPhoneNumbers.json', { PhoneNumber: SF1 })
    expect(claimed.body).toMatchObject({ capabilities: { voice: true, sms: true, mms: true } })
    expect(await t.found('AreaCode=415')).toEqual([SF2])
    await t.api('DELETE', `/IncomingPhoneNumbers/${String(claimed.body['sid'])}.json`)
    expect(await t.found('AreaCode=415')).toEqual([SF1, SF2])
  })
})

describe('claiming by an area code', () => {
  it('gives each account another number, until there are none', async () => {
    await using t = await setUp()
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const claims = await Promise.all(
      [t.api, theirs, t.api].map((api) =>
        api('POST', '/IncomingPhoneNumbers.json', { AreaCode: '415' }),
      ),
    )
    const granted = claims.filter(({ status }) => status === 201)
    expect(granted.map(({ body }) => body['phone_number']).sort()).toEqual([SF1, SF2])
    expect(claims.find(({ status }) => status === 400)).toMatchObject({ body: { code: 21452 } })
  })

  it.each([['41'], ['abc'], ['115']])('refuses %s with 21451', async (AreaCode) => {
    await using t = await setUp()
    const refused = await t.api('POST', '/IncomingPhoneNumbers.json', { AreaCode })
    expect(refused).toMatchObject({ status: 400, body: { code: 21451 } })
  })
})

it('only numbers of the inventory can be claimed where the operator says so', async () => {
  await using t = await setUp()
  const { db, clock } = t
  const numbers = createNumberBindings({
    db,
    clock,
    claims: 'inventory',
    ported: portedNumbers,
  })
  const { sid } = t.account
  await expect(numbers.claim(sid, { e164: '+14155550199' }, {}, t.ledger)).rejects.toMatchObject({
    code: 'number-not-available',
    number: 21422,
  })
  await expect(numbers.claim(sid, { e164: SF1 }, {}, t.ledger)).resolves.toMatchObject({
    number: { e164: SF1 },
  })
  // What the operator has assigned can be bound anew.
  await numbers.assign(sid, '+14155550199', {})
  await expect(
    numbers.claim(sid, { e164: '+14155550199' }, { voiceUrl: 'https://app.test/' }, t.ledger),
  ).resolves.toMatchObject({ binding: { voiceUrl: 'https://app.test/' } })
})
