/** Every way in which a call or a message leaves, against every rule for destinations. */
import { describe, expect, it } from 'vitest'
import { changeNumberSettings } from '../../../src/numbers/number-settings.js'
import { whenAborted } from '../../../src/platform/async/abort.js'
import { createPublicApp } from '../../../src/platform/http/public-app.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import { putRates } from '../../../src/rating/rates.js'
import { createVoiceApi } from '../../../src/voice/api/voice-api.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../../src/voice/carriers/carrier.js'
import { runMarkup } from '../../../src/voice/markup/run-markup.js'
import { sendSoftphoneText } from '../../../src/wiring/softphone-texts.js'
import { waitUntil } from '../../support/time/wait-until.js'
import { PLAN, setUpCalls } from '../../support/voice/calls-fixture.js'
import type { FakeLeg } from '../../support/voice/fake-telephony.js'

type Voice = Awaited<ReturnType<typeof setUp>>
type PriceKeys = 'db' | 'rateBook' | 'account' | 'ledger'

const OPEN = '+15005550001'
const HELD = '+12025550143'
/** An address on the access list of the account. */
const LISTED = '198.41.0.9'

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
}

async function setUp({ settings = {}, phoneRegions = [], intl = true, ...prices }: Rule) {
  const t = await setUpCalls(runMarkup)
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
  await setPrices(t, prices)
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: t.log,
    mount: [createVoiceApi({ ...t, checkAnswers: true })],
  })
  return { ...t, account: changed, app, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() }
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
  patient(seen.leg)
}

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
  'a participant by REST': async (t, To) => {
    const status = await post(t, '/Conferences/room/Participants.json', { To, From: HELD })
    return status === 201 && (await leaves(t, To))
  },
  'the forward of a number': async (t, to) => {
    const { number } = await t.numbers.assign(t.account.sid, HELD, {})
    await t.db.write((tx) => changeNumberSettings(tx, number.sid, { forwardTo: to }, 1))
    await invite(t, HELD)
    return await leaves(t, to)
  },
  "the account's PBX": async (t, to) => {
    await t.accessLists.add(t.account.sid, [`${LISTED}/32`])
    await t.sipAuthentication.update(t.account.sid, { password: 'abc1234', authType: 1 })
    await invite(t, to, LISTED)
    return await leaves(t, to)
  },
  'the verification of a caller ID': async (t, phoneNumber) => {
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
