/** Every way in which a call or a message leaves, against every rule for destinations. */
import { describe, expect, it } from 'vitest'
import { createLegacyGate } from '../../../src/account-api/dialect/account-gates.js'
import { legacyDialect } from '../../../src/account-api/dialect/legacy-dialect.js'
import { messageOperations } from '../../../src/account-api/messages/message-operations.js'
import { changeNumberSettings } from '../../../src/numbers/number-settings.js'
import type { DescribedApp } from '../../../src/platform/api/described-app.js'
import { mountApi } from '../../../src/platform/api/mount-api.js'
import { whenAborted } from '../../../src/platform/async/abort.js'
import { createPublicApp } from '../../../src/platform/http/public-app.js'
import { createIdempotentRequests } from '../../../src/platform/idempotency/idempotent-requests.js'
import { newSid } from '../../../src/platform/ids.js'
import { answerChallenge, parseChallenge } from '../../../src/platform/sip-digest/digest.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import { putRates } from '../../../src/rating/rates.js'
import { createVoiceApi } from '../../../src/voice/api/voice-api.js'
import { insertCall } from '../../../src/voice/calls/storage/call-storage.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../../src/voice/carriers/carrier.js'
import { runMarkup } from '../../../src/voice/markup/run-markup.js'
import { newCallRecord } from '../../../src/voice/model/call-record.js'
import { type Binding, toBindingRow } from '../../../src/voice/registrar/binding.js'
import type { IncomingInvite, ResponseHeaders } from '../../../src/voice/telephony/port.js'
import { sendSoftphoneText } from '../../../src/wiring/softphone-texts.js'
import { createScriptedCampaigns } from '../../support/account/scripted-campaigns.js'
import { waitUntil } from '../../support/time/wait-until.js'
import { PLAN, setUpCalls } from '../../support/voice/calls-fixture.js'
import type { FakeLeg } from '../../support/voice/fake-telephony.js'

type Voice = Awaited<ReturnType<typeof setUp>>
type PriceKeys = 'db' | 'rateBook' | 'account' | 'ledger'

const OPEN = '+15005550001'
const HELD = '+12025550143'
/** An address on the access list of the account. */
const LISTED = '198.41.0.9'
const DOMAIN = 'acme.example'
const SIP_DOMAIN = {
  friendlyName: DOMAIN,
  voice: {
    ...{ url: 'http://app.test/voice', fallbackUrl: undefined, statusCallback: undefined },
    ...({ method: 'POST', fallbackMethod: 'POST', statusCallbackMethod: 'POST' } as const),
  },
  ...{ secure: false, sipRegistration: true, emergencyCallingEnabled: false },
  ...{
    emergencyCallerSid: undefined,
    allowsAnyFrom: false,
    byocTrunkSid: undefined,
    codecs: undefined,
  },
}
/** The address of the carrier that takes every number. */
const CARRIER = '127.0.0.1:5072'

interface Rule {
  /** What the account has besides the service `intl`. */
  readonly settings?: object
  readonly phoneRegions?: readonly string[]
  readonly intl?: boolean
  /** A minute or a message to this prefix costs a dollar; the account has `dollars`, by default none. */
  readonly dearPrefix?: string
  readonly dollars?: number
  /** A text of the account costs a dollar, wherever it goes. */
  readonly dearText?: boolean
  /** The most that a minute to another country may cost, in dollars. */
  readonly intlMax?: number
  /** An earlier call of today to `closed`, which uses up what the account may have. */
  readonly earlier?: 'live' | 'minutes' | 'dollars'
  readonly closed: string
}

const RULES: Readonly<Record<string, Rule>> = {
  premium: { closed: '+449098790879' },
  'premium with digits too many': { closed: '+44909879087912' },
  BLOCKED_PREFIXES: { closed: '+19002345678' },
  intl: { intl: false, closed: '+442079460018' },
  'intl in the Caribbean': { intl: false, closed: '+18765550123' },
  phoneRegions: { phoneRegions: ['US'], closed: '+442079460018' },
  'destinations, denied': {
    settings: { destinations: { allowed: [], denied: ['+1212'] } },
    closed: '+12125550100',
  },
  'destinations, not allowed': {
    settings: { destinations: { allowed: ['+1500', '+1202'], denied: [] } },
    closed: '+12125550100',
  },
  'digits too many': { closed: '+121255501001' },
  'want of money': { dearPrefix: '+1312', closed: '+13125550100' },
}

/** What holds for calls alone: a message has no minutes. */
const CALL_RULES: typeof RULES = {
  ...RULES,
  'the most that a minute abroad may cost': {
    ...{ dearPrefix: '+44', intlMax: 0.5, dollars: 10 },
    closed: '+442079460018',
  },
  'the calls to one number at once': {
    settings: { callsToOneNumber: 1 },
    earlier: 'live',
    closed: '+12125550100',
  },
  'the minutes of a day': {
    settings: { minutesPerDay: 60 },
    earlier: 'minutes',
    closed: '+12125550100',
  },
  'the dollars of a day': {
    ...{ settings: { dollarsPerDay: 5 }, dearPrefix: '+1212', dollars: 10 },
    earlier: 'dollars',
    closed: '+12125550100',
  },
}

async function setUp(rule: Rule) {
  const { settings = {}, phoneRegions = [], intl = true } = rule
  /** What the application answers. */
  const page = { text: '<Response/>' }
  const t = await setUpCalls((source, host, signal) =>
    runMarkup(source.type === 'inline' ? source : { ...page, type: 'inline' }, host, signal),
  )
  const { carriers, account } = t
  await carriers.put({
    name: 'all',
    host: '127.0.0.1',
    port: 5072,
    transport: 'udp',
    prefixes: ['+'],
    priority: 1,
    weight: 1,
    addresses: [],
    settings: DEFAULT_CARRIER_SETTINGS,
  })
  const changed = await t.accounts.update(account.sid, {
    settings,
    phoneRegions,
    profile: { services: { intl } },
  })
  if (changed === undefined) throw new Error('the account has gone')
  await setPrices(t, rule)
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: t.log,
    mount: [createVoiceApi({ ...t, checkAnswers: true }), legacyMessages(t)],
  })
  return {
    ...t,
    account: changed,
    app,
    page,
    /** The statuses of the INVITEs that were refused. */
    refusals: new Array<number>(),
    /** Makes the earlier call of the rule. */
    spend: () => spend(t, rule),
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  }
}

type Calls = Awaited<ReturnType<typeof setUpCalls>>

/** The messages of the account API in its legacy style. */
function legacyMessages({ db, clock, vault, log, ...t }: Calls) {
  return (app: DescribedApp) => {
    const { legacy = [] } = messageOperations({
      ...{ db, clock, messages: t.messages, campaigns: createScriptedCampaigns() },
      announceCampaigns: () => Promise.resolve(),
    })
    mountApi(app, {
      ...{ base: '/v2.1', tag: 'legacy', dialect: legacyDialect, gate: createLegacyGate(t) },
      ...{ errors: [400, 401, 403], ignoresLastSlash: true, hidesPaths: false, params: {}, log },
      idempotency: createIdempotentRequests(db, clock, vault),
      operations: legacy,
    })
  }
}

async function spend(
  { db, clock, account }: Calls,
  { earlier, closed }: Pick<Rule, 'earlier' | 'closed'>,
): Promise<void> {
  if (earlier === undefined) return
  const now = clock.now()
  const ends = { endedAt: now, status: 'completed', durationSeconds: 3_600 } as const
  const call = newCallRecord(
    {
      ...{ sid: newSid('CA'), accountSid: account.sid, direction: 'outbound-dial' },
      ...{ to: closed, from: HELD, plan: PLAN },
    },
    now,
  )
  const ended = { live: {}, minutes: ends, dollars: { ...ends, price: 50_000 } }[earlier]
  await db.write((tx) => insertCall(tx, { ...call, ...ended }, db.node))
}

async function setPrices(
  { db, rateBook, account, ledger }: Pick<Awaited<ReturnType<typeof setUpCalls>>, PriceKeys>,
  {
    dearPrefix,
    dearText = false,
    intlMax,
    dollars = 0,
  }: Pick<Rule, 'dearPrefix' | 'dearText' | 'intlMax' | 'dollars'>,
): Promise<void> {
  if (dearText) await db.write((tx) => changeAccountRates(tx, account.sid, { sms: 1_000_000 }, 1))
  if (dearPrefix === undefined) return
  const rates = (['outbound', 'sms', 'mms'] as const).map((direction) => ({
    ...{ accountSid: '', prefix: dearPrefix, direction, perMinute: 1_000_000 },
    ...{ minimumSeconds: 60, incrementSeconds: 60, description: '' },
  }))
  const money = { cause: 'adjustment', reference: '', amount: dollars * 10_000 } as const
  const entry = { ...money, key: 'money', accountSid: account.sid, description: '', at: 1 }
  await db.write(async (tx) => {
    await putRates(tx, rates, 1)
    await ledger.post(tx, entry)
  })
  if (intlMax !== undefined)
    await db.write((tx) => changeAccountRates(tx, account.sid, { intlMax: intlMax * 1_000_000 }, 1))
  rateBook.changed()
}

/** Sends a form to the voice API; resolves with the status. */
async function post({ app, account: { sid, secret } }: Voice, path: string, form: object) {
  const { status } = await app.request(`/2010-04-01/Accounts/${sid}${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ ...form }),
  })
  return status
}

/** A call that is answered, and runs the document. */
async function answered(t: Voice, document: string) {
  const plan = { ...PLAN, document: { type: 'inline', text: document } } as const
  const { sid } = await t.calls.create(t.account, { to: OPEN, from: HELD, plan })
  const leg = await t.telephony.leg(0)
  patient(leg)
  await t.spend()
  return { sid, leg }
}

const dial = (to: string) => `<Response><Dial><Number>${to}</Number></Dial></Response>`

/** Resolves with true when a call to the number has been sent to somebody, else once none is live. */
async function leaves(t: Voice, number: string): Promise<boolean> {
  const isSent = () => t.telephony.legs.some(({ request }) => request?.uri.includes(number))
  await waitUntil('it leaves or ends', () => isSent() || t.calls.liveCount() === 0)
  return isSent()
}

const party = (user: string) => ({ user, host: '198.51.100.1', uri: `sip:${user}@198.51.100.1` })

/** A leg that plays what it is asked to for as long as it is wanted. */
function patient(leg: FakeLeg | undefined): void {
  if (leg === undefined) return
  Object.assign(leg.media, {
    play: (_source: unknown, signal: AbortSignal) => whenAborted(signal),
    bridge: (_other: unknown, signal: AbortSignal) => whenAborted(signal),
  })
}

async function invite(t: Voice, to: string, address?: string): Promise<void> {
  const source = address === undefined ? {} : { source: { address, port: 5060, transport: 'udp' } }
  const seen = t.telephony.invite({ requestUri: party(to), to: party(to), ...source })
  await waitUntil('an answer', () => seen.rejected.length > 0 || seen.leg !== undefined)
  t.refusals.push(...seen.rejected)
  patient(seen.leg)
}

/** A call of the registered softphone alice at a domain of the account. */
async function inviteAtDomain(t: Voice, dialled: string): Promise<void> {
  const domain = await t.sip.domains.create(t.account.sid, DOMAIN, SIP_DOMAIN)
  const credentials = { username: 'alice', password: 'IWasAtSignal2018' }
  const list = await t.sip.credentialLists.create(t.account.sid, 'phones')
  await t.sip.credentials.create(t.account.sid, list.sid, credentials)
  const place = { accountSid: t.account.sid, domainSid: domain.sid, purpose: 'calls' } as const
  await t.sip.mappings.create({ ...place, kind: 'credentials' }, list.sid)
  // Before a document rings on it.
  void t.telephony.leg(0).then(patient)
  const ask = async (headers: IncomingInvite['headers']) => {
    const refusals: ResponseHeaders[] = []
    const seen = t.telephony.invite({
      ...{ requestUri: at(dialled), to: at(dialled), from: at('alice'), headers },
      source: { address: '198.51.100.9', port: 5060, transport: 'udp' },
      reject: (_status, _reason, more = {}) => refusals.push(more),
    })
    await waitUntil('an answer', () => refusals.length > 0 || seen.leg !== undefined)
    return [refusals[0]?.['WWW-Authenticate']].flat()[0]
  }
  const challenge = parseChallenge((await ask([])) ?? '')
  if (challenge === undefined) throw new Error('no challenge')
  const { uri } = at(dialled)
  const proof = { ...credentials, method: 'INVITE', uri, count: 1, clientNonce: 'c1' }
  await ask([{ name: 'authorization', value: answerChallenge(challenge, proof) }])
}

const at = (user: string) => ({ user, host: DOMAIN, uri: `sip:${user}@${DOMAIN}` })

const refused = (): false => false

/** What holds for a message to a short code, which begins with no prefix of E.164. */
const CODE_RULES: typeof RULES = {
  BLOCKED_SHORT_CODES: { closed: '66677' },
  'phoneRegions without its country': { phoneRegions: ['GB'], closed: '72345' },
  'destinations, all denied': {
    settings: { destinations: { allowed: [], denied: ['+'] } },
    closed: '72345',
  },
  'destinations, not allowed': {
    settings: { destinations: { allowed: ['+1500', '+1202'], denied: [] } },
    closed: '72345',
  },
  'help, which is no short code': { closed: '911' },
  'want of money': { dearText: true, closed: '72346' },
}

/** What a message is refused with, where it is not the destination itself that is closed. */
const MESSAGE_REFUSALS: Readonly<Record<string, object>> = {
  '911': { number: 21211 },
  '72346': { code: 'insufficient-balance' },
  '+121255501001': { number: 21211 },
  '+13125550100': { code: 'insufficient-balance' },
}

/** Each way: resolves with true when the call or message to the number has left. */
type Ways = Readonly<Record<string, (t: Voice, number: string) => Promise<boolean>>>

const CALLS: Ways = {
  'a call by REST': async (t, to) => {
    await t.spend()
    const made = await t.calls.create(t.account, { to, from: HELD, plan: PLAN }).catch(refused)
    return made !== false && (await leaves(t, to))
  },
  'the Number of a Dial': async (t, to) => {
    const { leg } = await answered(t, dial(to))
    leg.pickUp()
    return await leaves(t, to)
  },
  'the Number of a Dial to which a live call is transferred': async (t, to) => {
    const { sid, leg } = await answered(t, '<Response><Pause length="60"/></Response>')
    leg.pickUp()
    await t.calls.update(t.account.sid, sid, { document: { type: 'inline', text: dial(to) } })
    return await leaves(t, to)
  },
  'a Refer, which a carrier may obey': async (t, to) => {
    const asked = new Set<string>()
    const refer = `<Response><Refer><Sip>sip:${to}@198.51.100.1</Sip></Refer></Response>`
    const { leg } = await answered(t, refer)
    leg.refer = (target) => {
      asked.add(target)
      return Promise.resolve({ how: 'refused', sipStatus: 603, notifiedStatus: undefined })
    }
    leg.pickUp()
    await waitUntil('the call is over', () => t.calls.liveCount() === 0)
    return asked.size > 0
  },
  'the Number of a Dial that a softphone has called for': async (t, to) => {
    await t.spend()
    t.page.text = dial(to)
    await inviteAtDomain(t, to)
    return await leaves(t, to)
  },
  'a participant by REST': async (t, To) => {
    await t.spend()
    const status = await post(t, '/Conferences/room/Participants.json', { To, From: HELD })
    return status === 201 && (await leaves(t, To))
  },
  'the forward of a number': async (t, to) => {
    await t.spend()
    const { number } = await t.numbers.assign(t.account.sid, HELD, {})
    await t.db.write((tx) => changeNumberSettings(tx, number.sid, { forwardTo: to }, 1))
    await invite(t, HELD)
    return await leaves(t, to)
  },
  "the account's PBX": async (t, to) => {
    await t.spend()
    await t.accessLists.add(t.account.sid, [`${LISTED}/32`])
    await t.sipAuthentication.update(t.account.sid, { password: 'abc1234', authType: 1 })
    await invite(t, to, LISTED)
    return await leaves(t, to)
  },
  'the verification of a caller ID': async (t, phoneNumber) => {
    await t.spend()
    const wanted = { phoneNumber, friendlyName: '', callDelaySeconds: 0 }
    const rest = { extension: undefined, callback: undefined }
    const made = await t.callerIds.verify(t.account, { ...wanted, ...rest }).catch(refused)
    return made !== false && (await leaves(t, phoneNumber))
  },
}

const MESSAGES: Ways = {
  'a message': async (t, to) => {
    await t.numbers.assign(t.account.sid, HELD, {})
    const wanted = { to, from: HELD, body: 'hello', direction: 'outbound-api' } as const
    const made = await t.messages.create(t.account, wanted).catch((error: unknown) => {
      expect(error).toMatchObject(MESSAGE_REFUSALS[to] ?? { number: 21408 })
      return false as const
    })
    return made !== false
  },
  'a message by REST': async (t, To) => {
    await t.numbers.assign(t.account.sid, HELD, {})
    return (await post(t, '/Messages.json', { To, From: HELD, Body: 'hello' })) === 201
  },
  'a message in the legacy style': async (t, to) => {
    await t.numbers.assign(t.account.sid, HELD, {})
    const text = { source: HELD.slice(2), messageText: 'hello', apikey: t.account.secret }
    const { status } = await t.app.request('/v2.1/messaging/sms/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...text, destination: to.replace(/^\+1/, '') }),
    })
    return status === 200
  },
  'a message of a softphone': async (t, to) => {
    await t.numbers.assign(t.account.sid, HELD, {})
    const text = { accountSid: t.account.sid, username: 'alice', to, from: HELD, text: 'hello' }
    const rest = { idempotencyKey: to, validitySeconds: undefined }
    return (await sendSoftphoneText({ ...text, ...rest }, t)).status === 202
  },
}

const GATES = [
  [CALLS, CALL_RULES],
  [MESSAGES, RULES],
] as const
const CELLS = GATES.flatMap(([ways, rules]) =>
  Object.entries(ways).map(([way, send]) => [way, send, rules] as const),
)

describe.each(CELLS)('%s', (_way, send, rules) => {
  it.each(Object.entries(rules))('is stopped by: %s', async (_name, rule) => {
    await using t = await setUp(rule)
    expect(await send(t, rule.closed)).toBe(false)
  })

  it('leaves to a number that is open', async () => {
    await using t = await setUp({ intl: false, closed: '' })
    expect(await send(t, '+15005550002')).toBe(true)
  })

  it('leaves to another country when that is switched on', async () => {
    await using t = await setUp({ closed: '' })
    expect(await send(t, '+442079460018')).toBe(true)
  })
})

describe.each(Object.entries(MESSAGES))('%s to a short code', (_way, send) => {
  it.each(Object.entries(CODE_RULES))('is stopped by: %s', async (_name, rule) => {
    await using t = await setUp(rule)
    expect(await send(t, rule.closed)).toBe(false)
  })

  it('leaves without the service intl, from a number of its country', async () => {
    await using t = await setUp({ intl: false, phoneRegions: ['US'], closed: '' })
    expect(await send(t, '72345')).toBe(true)
  })
})

/**
 * Ways that have no number of the world. They go past the rules, so they must not come to a carrier, which
 * would take their user for a number.
 */
const INSIDE: Ways = {
  'the Sip of a Dial': async (t, to) => {
    const sip = `<Response><Dial><Sip>sip:${to}@${CARRIER}</Sip></Dial></Response>`
    const { leg } = await answered(t, sip)
    leg.pickUp()
    return await leaves(t, to)
  },
  'a call by REST to a SIP URI': async (t, to) => {
    const wanted = { to: `sip:${to}@${CARRIER}`, from: HELD, plan: PLAN }
    await t.calls.create(t.account, wanted)
    return await leaves(t, to)
  },
  'a participant at a SIP URI': async (t, to) => {
    const form = { To: `sip:${to}@${CARRIER}`, From: HELD }
    return (
      (await post(t, '/Conferences/room/Participants.json', form)) === 201 && (await leaves(t, to))
    )
  },
  'the Client of a Dial that is named as the number': async (t, to) => {
    const client = `<Response><Dial><Client>${to}</Client></Dial></Response>`
    const { leg } = await answered(t, client)
    leg.pickUp()
    return await leaves(t, to)
  },
  'a call by REST to a client that is named so': async (t, to) => {
    await t.calls.create(t.account, { to: `client:${to}`, from: HELD, plan: PLAN })
    return await leaves(t, to)
  },
}

describe.each(Object.entries(INSIDE))('%s', (_way, send) => {
  it.each([
    ['premium', '+449098790879'],
    ['of another country', '+442079460018'],
    ['open', '+15005550002'],
  ])('brings no carrier a number that is %s', async (_what, number) => {
    await using t = await setUp({ closed: '' })
    expect(await send(t, number)).toBe(false)
  })
})

it('a Client rings where its phone has registered from, and nowhere else', async () => {
  await using t = await setUp({ closed: '' })
  const number = '+449098790879'
  const domain = await t.sip.domains.create(t.account.sid, DOMAIN, SIP_DOMAIN)
  const now = t.clock.now()
  const binding: Binding = {
    ...{ sid: newSid('RG'), accountSid: t.account.sid, domainSid: domain.sid, username: number },
    ...{ key: 'uri:1', contactUri: `sip:${number}@${CARRIER}`, q: 1_000, callId: 'call', cseq: 1 },
    ...{ instanceId: undefined, regId: undefined, userAgent: undefined, silentSince: undefined },
    source: { address: '198.51.100.9', port: 5060, transport: 'udp' },
    ...{ isProbed: false, server: 'signaling:9022', createdAt: now, updatedAt: now },
    expiresAt: now + 60_000,
  }
  await t.db.write((tx) => tx.insertInto('sip_bindings').values(toBindingRow(binding)).execute())
  const { leg } = await answered(t, `<Response><Dial><Client>${number}</Client></Dial></Response>`)
  leg.pickUp()
  expect((await t.telephony.leg(1)).request?.proxy).toContain('198.51.100.9')
})

describe('an account that may have one call at once', () => {
  const open = '+15005550002'
  const setUpOne = () => setUp({ settings: { concurrentCalls: 1 }, closed: '' })
  const way = (name: string) => CALLS[name] ?? (() => Promise.reject(new Error(name)))

  it.each([
    'the Number of a Dial',
    'the Number of a Dial to which a live call is transferred',
    'the Number of a Dial that a softphone has called for',
  ])('has no second one by %s', async (name) => {
    await using t = await setUpOne()
    expect(await way(name)(t, open)).toBe(false)
  })

  it.each(['the forward of a number', "the account's PBX"])('is refused %s', async (name) => {
    await using t = await setUpOne()
    const { leg } = await answered(t, '<Response/>')
    const sent = way(name)(t, open)
    await waitUntil('it is refused', () => t.refusals.length > 0)
    leg.end('rejected', 486)
    expect(await sent).toBe(false)
  })

  it.each([
    'a call by REST',
    'a participant by REST',
    'the verification of a caller ID',
  ])('waits with %s until the other one is over', async (name) => {
    await using t = await setUpOne()
    const { leg } = await answered(t, '<Response/>')
    const sent = way(name)(t, open)
    const waiting = async () => {
      const page = { limit: 10, offset: 0 }
      const { items } = await t.calls.list(t.account.sid, { to: open }, page)
      return items.some(({ status }) => status === 'queued')
    }
    await waitUntil('the second one waits', waiting)
    expect(t.telephony.legs).toHaveLength(1)
    leg.end('rejected', 486)
    expect(await sent).toBe(true)
  })
})
