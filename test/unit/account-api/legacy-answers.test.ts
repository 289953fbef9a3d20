/**
 * Every answer of the legacy style to the byte: each command done, and refused in each way. Beside
 * some stands the operation of the REST style that does the same.
 */
import { expect, it } from 'vitest'
import type { Account } from '../../../src/accounts/accounts.js'
import { EmergencyProviderError } from '../../../src/emergency/emergency-provider.js'
import { LookupError } from '../../../src/lookups/lookup-provider.js'
import { changeNumberSettings } from '../../../src/numbers/number-settings.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import { PASSWORD } from '../../support/account/account-api-fixture.js'
import { ADDRESS, EMERGENCY_DN } from '../../support/account/account-rows.js'
import { billedApiFixture } from '../../support/account/billed-api-fixture.js'
import { BRAND_ID, CAMPAIGN_ID } from '../../support/account/scripted-campaigns.js'
import { permitAtRate } from '../../support/messages/permit-all.js'
import { stock, stocked } from '../../support/numbers/stock.js'
import { legacyOrder } from '../../support/porting/port-samples.js'

type Fixture = Awaited<ReturnType<typeof billedApiFixture>>
type Ask = (call: string, body?: object, as?: Account) => Promise<void>

const TN = '2025550111'
const SECOND = '2025550112'
const ABSENT = '2025550199'
const TO = '3035550142'
const acl = (...cidrs: string[]) => ({ acl: cidrs.map((cidr) => ({ cidr })) })
const numbers = (fields: object, ...tns: readonly string[]) => ({
  numbers: tns.map((number) => ({ number, ...fields })),
})
const tnList = (...tnItem: readonly object[]) => ({ tnList: { tnItem } })

/** What differs from one run to the next, each under the name of what it is. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b([A-Z]{2})?[0-9a-f]{32,40}\b/g, '$1<hex>'],
  [/\b\d{17}-[0-9a-f]{8}\b/g, '<order>'],
  [/"orderId":\d+/g, '"orderId":<integer>'],
  [/"password":"[^*"]+"/g, '"password":"<made>"'],
  [/"username":"(?!20255501)\d{10}"/g, '"username":"<made>"'],
  [/"pid":"\w{5}"/g, '"pid":"<pid>"'],
  [/in your port \w{5}\./g, 'in your port <pid>.'],
  [/\/a\/port\/[^"]+/g, '/a/port/<key>'],
  [/"portOutPin":"[1-9]\d{3}"/g, '"portOutPin":"<made>"'],
]

const masked = (text: string) =>
  MASKS.reduce((all, [pattern, name]) => all.replaceAll(pattern, name), text)

async function accountAnswers(t: Fixture, ask: Ask): Promise<void> {
  const administrator = await t.accounts.create({
    friendlyName: 'Operator',
    username: '2025550190',
    profile: { isAdministrator: true },
  })
  const login = { username: '2025550100', password: PASSWORD }
  for (const body of [login, { ...login, password: 'wrong' }, { username: 7 }, {}])
    await ask('open /v2.1/account/apikey/', body)
  await ask('open /v2.1/account/info/', {})
  await ask('open /v2.1/account/info/', { apikey: 'x' })
  await ask('/v2.1/account/info/')
  await t.fill()
  await ask('/v2.1/account/info/')
  await ask('/v2.1/account/cdr/')
  await ask('/v2.1/account/cdr/', { start: 1, end: '2', limit: 1 })
  await ask('/v2.1/account/cdr/', { start: 'x', limit: 0, after: 'x' })
  await ask('/v2.1/account/mrc/')
  const branch = { username: '2025550188', name: 'Branch', email: 'b@acme.example' }
  await ask('/v2.1/account/add/', branch)
  await ask('/v2.1/account/add/', { ...branch, masterAccount: '2025550199' }, administrator)
  await ask('/v2.1/account/add/', { ...branch, masterAccount: '2025550100' }, administrator)
  await ask('/v2.1/account/add/', branch, administrator)
  const third = { ...branch, username: '2025550187', masterAccount: '2025550188' }
  await ask('/v2.1/account/add/', third, administrator)
  await ask('/v2.1/account/add/', { username: '12', email: '' }, administrator)
  const jane = { name: 'Jane', email: 'jane@reader.example', promo: 'SPRING' }
  for (const body of [jane, { ...jane, email: 'jane@mailinator.com' }, { name: '', email: 'x' }])
    await ask('open /v2.1/account/signup/', body)
  for (const body of [{ email: 'owner@acme.example' }, { email: 'x' }, {}])
    await ask('open /v2.1/account/recover/', body)
  await ask('/v2.1/account/registration/')
  t.register('sip:1001@192.0.2.7:5060', 'Softphone 1.0')
  await ask('/v2.1/account/registration/')
}

async function accessAnswers(_t: Fixture, ask: Ask): Promise<void> {
  await ask('/v2.1/acl/list/')
  await ask('/v2.1/acl/add/', acl('8.8.8.0/24', ' 11.0.0.0/8 '))
  await ask('/v2.1/acl/add/', acl('8.8.4.0/24', '10.0.0.0/8', '8.8.8.0/24'))
  await ask('POST /v2.2/acl', acl('9.9.9.0/24', '10.0.0.0/8'))
  for (const path of ['/v2.1/acl/add/', '/v2.1/acl/remove/'])
    for (const body of [{}, { acl: [] }, { acl: [{}] }, { acl: ['8.8.8.0/24'] }])
      await ask(path, body)
  await ask('/v2.1/acl/remove/', acl('8.8.8.0/24', '7.7.7.7/32'))
  await ask('/v2.1/acl/remove/', { acl: [{ cidr: '11.0.0.0/8', note: 'desk' }] })
  await ask('/v2.1/acl/list/')
  await ask('/v2.1/auth/list/')
  const changes = [
    { password: 'abc123', authType: 2 },
    { authType: 1 },
    { password: 'abc123', authType: 4 },
    { password: 'no', authType: 3 },
    { password: 'no' },
    { authType: '1' },
    {},
  ]
  for (const change of changes) await ask('/v2.1/auth/update/', change)
  await ask('PUT /v2.2/auth', { password: 'abc123', authType: 4 })
  await ask('/v2.1/auth/list/')
}

async function gatewayAnswers(t: Fixture, ask: Ask): Promise<void> {
  await t.hold(TN)
  const add = (...gateways: readonly object[]) => ask('/v2.1/gateways/add/', { gateways })
  const update = (...gateways: readonly object[]) => ask('/v2.1/gateways/update/', { gateways })
  const remove = (...routes: readonly object[]) => ask('/v2.1/gateways/remove/', { routes })
  await add({ gateway: ' 8.8.8.8:5080 ' }, { gateway: 'PBX.example.com', prefix: '9', limit: 2 })
  await add({ gateway: '10.0.0.1' }, { gateway: '8.8.4.4' }, { gateway: '8.8.4.4' })
  await add({ gateway: '8.8.8.8', prefix: 'x' }, { limit: 0 })
  await add()
  await ask('/v2.1/gateways/add/', { gateways: { gateway: '8.8.8.8' } })
  await ask('/v2.1/gateways/list/')
  await update({ route: '102', gateway: '8.8.4.4', prefix: '7' }, { route: 101, limit: 7 })
  await update({ route: 4, limit: 1 }, { route: 999 }, { route: 101, gateway: '10.0.0.1' })
  await update({ route: 101, gateway: '8.8.4.4', prefix: '7' }, { route: 102 }, { route: 0 })
  await update({ route: 'x', limit: 1_001 }, {})
  await ask('PUT /v2.2/gateways/101', { prefix: '5', forwardedCaller: 'number' })
  await ask('POST /v2.2/gateways', { gateway: '8.8.8.8:5080', prefix: '5' })
  await ask('/v2.1/numbers/route/', numbers({ route: 101 }, TN))
  await ask('GET /v2.2/gateways/101/numbers')
  await ask('DELETE /v2.2/gateways/101')
  await remove({ route: 101 }, { route: '102' }, { route: 4 }, { route: 999 })
  await remove({ route: 103 })
  await remove({})
  await ask('/v2.1/gateways/list/')
}

async function orderAnswers(t: Fixture, ask: Ask): Promise<void> {
  await stock(
    t.db,
    ['0111', '0112', '0113', '0114', '0115'].map((line) => stocked(`+1202555${line}`)),
  )
  const none = { rateCenter: undefined, lata: undefined, region: undefined, locality: undefined }
  await stock(t.db, [stocked('+12125550116', none)])
  const search = { tnMask: '20255501', quantity: 2 }
  for (const body of [
    search,
    { tnMask: 2125550116, quantity: '5' },
    { ...search, province: 'dc', rateCenter: 'WASHINGTON', lata: '236' },
    { ...search, lata: 1 },
    { ...search, quantity: 100_001 },
    { tnMask: '12345678901', quantity: 0 },
    {},
  ])
    await ask('/v2/numbering/tnInventory/', body)
  await ask('GET /v2.2/inventory?tnMask=20255501&quantity=1')
  for (const body of [
    {},
    { countBy: 'state' },
    { countBy: 'rateCenter', locState: 'DC' },
    { countBy: 'block', npa: 202 },
    { lata: '236' },
    { rcAbbre: 'WASHINGTON', npa: '202' },
    { countBy: 'city', npa: 12 },
  ])
    await ask('/v2/numbering/tnInventoryCoverage/', body)
  await ask('GET /v2.2/inventory/coverage?countBy=city')
  const did = { did: 1_250_000 }
  await t.db.write((tx) => changeAccountRates(tx, t.account.sid, did, t.clock.now()))
  await ask('/v2.1/numbers/add/', numbers({}, TN))
  await ask('/v2/numbering/tnOrder/', { tnOrder: tnList({ tn: TN }) })
  await t.fund(100)
  await ask('/v2.1/numbers/add/', { numbers: [TN, { number: SECOND, route: '3' }] })
  const campaign = { campaignID: CAMPAIGN_ID }
  await ask('/v2.1/numbers/add/', numbers(campaign, '2025550113', TN, ABSENT))
  await ask('/v2.1/numbers/add/', numbers({ campaignID: 'C000000', route: 999 }, '2025550114'))
  await ask('/v2.1/numbers/add/', numbers({ campaignID: 'x', route: 'x' }, '12'))
  await ask('/v2.1/numbers/add/', { numbers: [] })
  const messaging = { messaging: { tnCampaign: CAMPAIGN_ID } }
  const item = { tn: '2025550114', route: 4, tnFeature: messaging }
  const order = (customerOrderReference: string | undefined, ...items: readonly object[]) =>
    ask('/v2/numbering/tnOrder/', { tnOrder: { customerOrderReference, ...tnList(...items) } })
  await order('mine', item)
  await order('mine', { tn: '2025550115' }, { tn: ABSENT })
  await order('a\nb', { tn: 1, tnFeature: { messaging: { tnCampaign: 'x' } } })
  await ask('/v2/iNumbering/tnOrder/', { tnOrder: { tnList: { tnItem: { tn: ABSENT } } } })
  await ask('/v2/numbering/tnOrder/', {})
  await ask('POST /v2.2/numbers', { numbers: [ABSENT, '2125550116'] })
}

async function numberAnswers(t: Fixture, ask: Ask): Promise<void> {
  await ask('/v2.1/numbers/list/')
  await t.hold(TN)
  const { sid } = await t.hold(SECOND)
  await t.accounts.create({
    friendlyName: 'Branch',
    username: '2025550188',
    profile: { masterSid: t.account.sid },
  })
  for (const [path, key, right, wrong] of [
    ['cnam', 'cnam', 'true', 'maybe'],
    ['lidb', 'cnam', 'ACME INC', 'sixteen letters!'],
    ['forward', 'destination', '2125550199', '911'],
    ['route', 'route', '4', 'x'],
    ['translations', 'translation', 100, 'x'],
  ] as const) {
    const call = `/v2.1/numbers/${path}/`
    await ask(call, numbers({ [key]: right }, `1${TN}`, SECOND))
    await ask(call, numbers({ [key]: right }, TN, ABSENT, TN))
    await ask(call, numbers({ [key]: wrong }, TN))
    await ask(call, { numbers: [TN, { number: '12', [key]: right }, 7] })
    await ask(call, { numbers: [] })
    await ask(call)
  }
  await ask('/v2.1/numbers/cnam/', numbers({ cnam: false }, TN))
  await ask('/v2.1/numbers/lidb/', numbers({ cnam: '', customerOrderReference: 'x' }, TN))
  await ask('/v2.1/numbers/forward/', numbers({ destination: TN }, TN))
  await ask('/v2.1/numbers/route/', numbers({ route: 999 }, TN, SECOND))
  await ask('/v2.1/numbers/translations/', numbers({ translation: '' }, TN))
  await ask('DELETE /v2.1/numbers/forward/', numbers({}, TN, SECOND))
  await ask('DELETE /v2.1/numbers/forward/', numbers({}, TN, ABSENT))
  await ask('DELETE /v2.1/numbers/forward/', { numbers: ['x'] })
  const one = `/v2.2/numbers/${TN}`
  await ask(`PUT ${one}/route`, { route: 1, user: 'desk' })
  await ask(`PUT ${one}/translation`, { translation: '100' })
  await ask(`PUT ${one}/forward`, { destination: '2125550199' })
  await ask(`PUT ${one}/cnam`, { enabled: true })
  await ask(`PUT ${one}/lidb`, { cnam: 'ACME' })
  await ask(`PATCH ${one}/port-out-pin`, { pin: '0042' })
  await ask(`DELETE ${one}/forward`)
  await ask(`PUT /v2.2/numbers/${ABSENT}/route`, { route: 1 })
  await ask(`PUT /v2.2/numbers/12/cnam`, { enabled: true })
  await ask(`PUT ${one}/route`, { route: 999 })
  await ask('/v2.1/numbers/list/')
  await ask('/v2.1/numbers/list/', { number: '111', route: 1, limit: '1' })
  await ask('/v2.1/numbers/list/', { limit: 1 })
  await ask('/v2.1/numbers/list/', { number: 'x', route: 'x', limit: 0, after: 'x' })
  const pins = (...items: readonly object[]) => ({ portOutPin: tnList(...items) })
  await ask('/v2/numbering/portOutPinUpdate/', pins({ tn: TN, portOutPin: '0042' }))
  await ask('/v2/numbering/portOutPinUpdate/', pins({ tn: TN }, { tn: SECOND, portOutPin: 77 }))
  await ask('/v2/numbering/portOutPinUpdate/', pins({ tn: SECOND, portOutPin: '' }, { tn: ABSENT }))
  await ask('/v2/numbering/portOutPinUpdate/', {})
  const moves = (...items: readonly object[]) => ({ numbers: items })
  const to = { route: 4, account: 2_025_550_188 }
  await ask('/v2.1/numbers/move/', moves({ number: TN, ...to }))
  await ask('/v2.1/numbers/move/', moves({ number: SECOND, route: 3, account: '2025550100' }))
  await ask(
    '/v2.1/numbers/move/',
    moves({ number: SECOND, ...to, account: 'nobody' }, { number: ABSENT, ...to }),
  )
  await ask('/v2.1/numbers/move/', moves({ number: SECOND, ...to, route: 999 }))
  await ask('/v2.1/numbers/move/', moves({ number: SECOND }))
  await t.db.write((tx) => changeNumberSettings(tx, sid, { porting: 'out' }, t.clock.now()))
  await ask('/v2.1/numbers/move/', moves({ number: SECOND, ...to }))
  for (const path of ['/v2.1/numbers/disconnect/', '/v2.1/numbers/remove/']) {
    await t.hold('2025550113')
    await ask(path, numbers({}, '2025550113'))
    await ask(path, numbers({}, SECOND, ABSENT))
    await ask(path, { numbers: ['x', {}] })
  }
  await ask(`DELETE /v2.2/numbers/${SECOND}`)
  await ask(`POST /v2.2/numbers/${ABSENT}/release`)
}

async function emergencyAnswers(t: Fixture, ask: Ask): Promise<void> {
  const record = { ...ADDRESS, dn: EMERGENCY_DN, callername: 'Acme Ltd' }
  const known = { dn: Number(EMERGENCY_DN), addressid: 1, callername: 'Acme Ltd' }
  await t.hold(EMERGENCY_DN)
  await ask('/v2.1/e911/queryAll/')
  await ask('/v2.1/e911/provisionAddress/', known)
  await ask('/v2.1/e911/validateAndProvision/', record)
  await t.allowEmergency()
  for (const change of [{}, { zip: '90210' }, { state: 'ZZ' }, { state: 'New York', city: '' }])
    await ask('/v2.1/e911/validateAddress/', { ...ADDRESS, ...change })
  await ask('/v2.1/e911/validateAddress/')
  for (const change of [{}, { addressid: 9 }, { dn: '2125550199' }, { dn: 1, addressid: 0 }])
    await ask('/v2.1/e911/provisionAddress/', { ...known, ...change })
  const changes = [{ dn: `1${EMERGENCY_DN}` }, { zip: '90210' }, { dn: ABSENT }, { dn: [1] }]
  for (const change of changes)
    await ask('/v2.1/e911/validateAndProvision/', { ...record, ...change })
  await ask('/v2.1/e911/validateAndProvision/', {})
  await ask('/v2.1/e911/queryAll/')
  for (const dn of [EMERGENCY_DN, Number(`1${EMERGENCY_DN}`), ABSENT, 123, undefined])
    await ask('/v2.1/e911/queryRecord/', { dn })
  await ask(`GET /v2.2/e911/${ABSENT}`)
  await ask('GET /v2.2/e911/12')
  const { provision, remove, validate } = t.provider
  const away = () => Promise.reject(new EmergencyProviderError('it is away'))
  Object.assign(t.provider, { provision: away, remove: away, validate: away })
  await ask('/v2.1/e911/validateAddress/', ADDRESS)
  await ask('/v2.1/e911/provisionAddress/', known)
  await ask('/v2.1/e911/validateAndProvision/', record)
  await ask('/v2.1/e911/removeRecord/', { dn: EMERGENCY_DN })
  Object.assign(t.provider, { provision, remove, validate })
  for (const dn of [EMERGENCY_DN, EMERGENCY_DN, 'x']) await ask('/v2.1/e911/removeRecord/', { dn })
}

async function lookupAnswers(t: Fixture, ask: Ask): Promise<void> {
  const asked = { dst: Number(TN), cid: '12025550199' }
  const all = async () => {
    await ask('/v2.1/info/cnam', { cid: Number(TN) })
    await ask('/v2.1/info/lrn/', asked)
    await ask(`GET /v2.2/lrn/${TN}/${ABSENT}`)
  }
  await all()
  for (const cid of ['12', '123456789012345678', undefined]) await ask('/v2.1/info/cnam', { cid })
  for (const body of [{ ...asked, dst: '12' }, { ...asked, cid: 7 }, { dst: [1] }])
    await ask('/v2.1/info/lrn/', body)
  await ask('GET /v2.2/cnam/12')
  await ask(`GET /v2.2/lrn/${TN}/7`)
  t.lookupProvider.callerName = () => Promise.reject(new LookupError('it is away'))
  t.lookupProvider.route = () => Promise.reject(new LookupError('it is away'))
  await all()
  const rates = { cnam: 10_000, lrn: 10_000 }
  await t.db.write((tx) => changeAccountRates(tx, t.account.sid, rates, t.clock.now()))
  await all()
}

async function portAnswers(t: Fixture, ask: Ask): Promise<void> {
  const administrator = await t.accounts.create({
    friendlyName: 'Operator',
    username: '2025550190',
    profile: { isAdministrator: true, email: 'op@acme.example' },
  })
  const [local, other, unknown] = ['2025550143', '2025550144', '2025550198']
  const order = (portInOrder: unknown, as = administrator) =>
    ask('/v2/numbering/portInOrder/', { portInOrder }, as)
  await order(legacyOrder(local), t.account)
  await order(legacyOrder(local))
  await t.hold(ABSENT)
  const items = [local, other, unknown, ABSENT].map((tn) => ({ tn }))
  await ask('/v2/numbering/portInAvailability/', tnList(...items), administrator)
  await ask('/v2/iNumbering/portInAvailability/', { tnList: { tnItem: { tn: 2_025_550_143 } } })
  await ask('/v2/numbering/portInAvailability/', tnList({ tn: '12' }, {}))
  await ask('/v2/numbering/portInAvailability/')
  await order(legacyOrder(local))
  await t.fund(100, administrator)
  await order({ ...legacyOrder(local), desiredDueDate: '2001-01-01' })
  await order(legacyOrder(local, local))
  await order({ ...tnList({ tn: 1, endUser: { state: 'ZZ', typeOfService: 'X' } }) })
  await order(legacyOrder(local, other))
  await order(legacyOrder(local))
  await ask('/v2.1/numbering/portStatus/')
  await ask('/v2.1/numbering/portStatus/', { limit: 1 }, administrator)
  await ask('/v2.1/iNumbering/portStatus/', {}, administrator)
  await ask('/v2.1/numbering/portStatus/', { limit: 'x', after: 'x' })
}

async function messageAnswers(t: Fixture, ask: Ask): Promise<void> {
  await t.hold(TN)
  const text = { source: Number(TN), destination: TO, messageText: 'Hello' }
  const media = { ...text, mmsSubject: 'A cat', mmsURL: 'https://app.test/cat.png' }
  const report = (kind: string, change: object = {}) =>
    ask(`/v2.1/messaging/${kind}/`, { number: TN, ...change })
  const both = async () => {
    await ask('/v2.1/messaging/sms/', text)
    t.clock.turn(1_000)
    await ask('/v2.1/messaging/mms/', media)
    t.clock.turn(1_000)
    await ask('POST /v2.2/messages', { fromNumber: TN, toNumber: TO, text: 'Hello' })
  }
  for (const kind of ['dlr', 'mdr-sms', 'mdr-mms']) await report(kind)
  await both()
  t.clock.turn(1_000)
  await ask('/v2.1/messaging/mms/', { ...text, destination: 72_345, mmsURL: '' })
  for (const change of [{ source: ABSENT }, { messageText: '' }, { destination: '12' }]) {
    await ask('/v2.1/messaging/sms/', { ...text, ...change })
    await ask('/v2.1/messaging/mms/', { ...text, ...change })
  }
  await ask('/v2.1/messaging/sms/', { ...text, messageText: 'a'.repeat(1_601) })
  await ask('/v2.1/messaging/mms/', { ...media, mmsURL: 'ftp://app.test/cat.png' })
  await ask('/v2.1/messaging/mms/', { mmsSubject: 'a\nb' })
  t.clock.turn(1_000)
  await t.messages.take({
    carrier: 'scripted',
    id: 'in-1',
    from: `+1${TO}`,
    to: `+1${TN}`,
    body: 'And you',
  })
  const day = { start: 1, end: t.seconds + 99, limit: '1' }
  for (const kind of ['dlr', 'mdr-sms', 'mdr-mms']) {
    await report(kind)
    await report(kind, day)
    await report(kind, { number: ABSENT })
    await report(kind, { number: '12', start: 'x', limit: 0 })
    await ask(`/v2.1/messaging/${kind}/`)
  }
  for (const type of ['sms', 'mms', 'dlr'])
    await ask(`GET /v2.2/messages?number=${TN}&type=${type}&limit=1`)
  await ask(`GET /v2.2/messages?number=${ABSENT}`)
  t.permit(() => Promise.resolve({ isAllowed: false, reason: 'no-campaign' }))
  await both()
  t.permit(permitAtRate(1))
  await ask('/v2.1/messaging/sms/', text)
  const next = { nextAtMicros: (t.clock.now() + 11 * 3_600_000) * 1_000 }
  await t.db.write((tx) => tx.updateTable('message_turns').set(next).execute())
  await both()
  const rates = { sms: 100, mms: 100 }
  await t.db.write((tx) => changeAccountRates(tx, t.account.sid, rates, t.clock.now()))
  await both()
  const stop = { carrier: 'scripted', id: 'in-2', from: `+1${TO}`, to: `+1${TN}`, body: 'STOP' }
  await t.messages.take(stop)
  await both()
}

async function messagingAnswers(t: Fixture, ask: Ask): Promise<void> {
  await t.hold(TN)
  for (const path of ['status', 'disable', 'status', 'enable']) {
    const call = `/v2.1/messaging/${path}/`
    await ask(call, numbers({}, TN))
    await ask(call, { numbers: [Number(TN), ABSENT, `1${TN}`] })
    await ask(call, { numbers: ['12', {}] })
    await ask(call)
  }
  for (const campaignID of [CAMPAIGN_ID, 'C000000', ''])
    await ask('/v2.1/messaging/enable/', numbers({ campaignID }, TN, ABSENT))
  t.permit(() => Promise.resolve({ isAllowed: false, reason: 'no-campaign' }))
  await ask('/v2.1/messaging/enable/', numbers({}, TN))
  await ask('/v2.1/messaging/enable/', numbers({}, TN, ABSENT))
  const assign = t.campaigns.assign.bind(t.campaigns)
  t.campaigns.assign = () => Promise.resolve({ code: 630, reason: 'the registry is away' })
  await ask('/v2.1/messaging/enable/', numbers({ campaignID: CAMPAIGN_ID }, TN))
  await ask(`PUT /v2.2/numbers/${TN}/messaging-campaign`, { campaignId: CAMPAIGN_ID })
  t.campaigns.assign = assign
  const route = (name: 'routein' | 'routeout', ...items: readonly unknown[]) =>
    ask(`/v2.1/messaging/${name}/`, { numbers: items })
  await route('routein', { number: TN, route: 'email', resource: 'owner@acme.example' })
  await route('routein', { number: TN, route: 'https://u:secret@app.example/in' })
  await route('routein', { number: TN, route: 'default' }, { number: ABSENT, route: 'default' })
  await route('routein', { number: TN, route: 'fax' }, { number: SECOND, route: 'sip' })
  await route('routein', TN, { number: '12', route: '' })
  await route('routeout', { number: TN, route: 'other' })
  await route('routeout', { number: TN, route: 'nobody' }, { number: ABSENT, route: 'other' })
  await route('routeout', { number: ABSENT, route: 'nobody' }, { number: TN, route: 'default' })
  await route('routeout', TN)
  const find = (...campaignIDs: readonly unknown[]) =>
    ask('/v2.1/messaging/campaigns/', { campaignIDs })
  await find({ campaignID: CAMPAIGN_ID }, 'C000000')
  await find()
  await find(7)
  await ask('/v2.1/messaging/campaigns/')
}

async function campaignAnswers(t: Fixture, ask: Ask): Promise<void> {
  await t.hold(TN)
  const brand = {
    messagingBrandId: BRAND_ID,
    messagingBrandName: 'Acme',
    messagingBrandDescription: 'Sells anvils',
  }
  const campaign = {
    externalCampaignId: CAMPAIGN_ID,
    campaignDescription: 'Notices of orders',
    messagingBrandId: BRAND_ID,
  }
  const both = async () => {
    await ask('/v2/numbering/addMessagingBrand/', brand)
    await ask('POST /v2.2/messaging/brands', brand)
    await ask('/v2/numbering/addMessagingCampaign/', campaign)
    await ask('POST /v2.2/messaging/campaigns', campaign)
  }
  await both()
  await ask('/v2/iNumbering/addMessagingBrand/', { ...brand, messagingBrandId: 'x' })
  await ask('/v2/iNumbering/addMessagingCampaign/', { externalCampaignId: 'x' })
  const item = (tn: string, tnCampaign: string) => ({
    tn,
    tnFeature: { messaging: { tnCampaign } },
  })
  const assign = (...items: readonly object[]) =>
    ask('/v2/numbering/tnMessagingCampaign/', { tnCampaign: tnList(...items) })
  await assign(item(TN, CAMPAIGN_ID))
  await assign(item(TN, CAMPAIGN_ID), item(ABSENT, CAMPAIGN_ID), item(TN, 'C000000'))
  await assign(item('12', 'x'), {})
  for (const code of [501, 502, 503, 592, 630]) {
    const refused = () => Promise.resolve({ code, reason: `the reason ${String(code)}` })
    Object.assign(t.campaigns, { addBrand: refused, addCampaign: refused, assign: refused })
    await both()
    await assign(item(TN, CAMPAIGN_ID))
  }
}

it.each([
  ['account', accountAnswers],
  ['access', accessAnswers],
  ['gateways', gatewayAnswers],
  ['orders', orderAnswers],
  ['numbers', numberAnswers],
  ['emergency', emergencyAnswers],
  ['lookups', lookupAnswers],
  ['ports', portAnswers],
  ['messages', messageAnswers],
  ['messaging', messagingAnswers],
  ['campaigns', campaignAnswers],
] as const)('the answers about %s are these', async (name, answers) => {
  await using t = await billedApiFixture()
  const lines: string[] = []
  await answers(t, async (call, body = {}, as = t.account) => {
    const [target = '', method = 'POST'] = call.split(' ').toReversed()
    const isOpen = method === 'open'
    const isRest = target.startsWith('/v2.2')
    const sent = isRest || isOpen ? body : { apikey: as.secret, ...body }
    const verb = isOpen ? 'POST' : method
    const answer = await t.send(verb, target, verb === 'GET' ? undefined : sent, {
      ...(isRest ? { key: as.secret } : {}),
    })
    const wait = answer.headers.get('retry-after')
    const after = wait === null ? '' : ` (retry after ${wait} s)`
    lines.push(
      `${call} ${JSON.stringify(body).slice(0, 400)}`,
      `${answer.status}${after} ${answer.text}`,
      '',
    )
  })
  const file = `../../fixtures/legacy-answers/${name}.txt`
  await expect(masked(lines.join('\n'))).toMatchFileSnapshot(file)
})
