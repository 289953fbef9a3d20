import { type AccountApiDeps, createAccountApi } from '../../../src/account-api/account-api.js'
import { NO_BILLING } from '../../../src/account-api/account-billing.js'
import { createAccessLists } from '../../../src/accounts/access-lists.js'
import { AccountGate } from '../../../src/accounts/account-gate.js'
import { accountMailChannel } from '../../../src/accounts/account-mails.js'
import { type Account, createAccounts } from '../../../src/accounts/accounts.js'
import { createLogins } from '../../../src/accounts/logins.js'
import { Passwords } from '../../../src/accounts/passwords.js'
import { createRecoveries } from '../../../src/accounts/recoveries.js'
import { createSignUps } from '../../../src/accounts/sign-ups.js'
import { createSipAuthentication } from '../../../src/accounts/sip-authentication.js'
import { createDestinationsOf } from '../../../src/destinations/destinations-of.js'
import {
  createLocalProvider,
  type EmergencyProvider,
} from '../../../src/emergency/emergency-provider.js'
import { createEmergencyService } from '../../../src/emergency/emergency-service.js'
import { createLedger } from '../../../src/ledger/ledger.js'
import { createLookupProvider } from '../../../src/lookups/create-provider.js'
import type { LookupProvider } from '../../../src/lookups/lookup-provider.js'
import { createLookups } from '../../../src/lookups/lookups.js'
import { MailError, type Mailer, type SentMail } from '../../../src/mail/mail.js'
import { createMessages } from '../../../src/messages/messages.js'
import { type OperatorLookup, UNKNOWN_OPERATORS } from '../../../src/messages/operator-lookup.js'
import { createAccountNumbers } from '../../../src/numbers/account-numbers.js'
import { createGatewayCheck } from '../../../src/numbers/gateway-places.js'
import { createGateways } from '../../../src/numbers/gateways.js'
import { createNumberOrders, type OrderDeps } from '../../../src/numbers/number-orders.js'
import {
  createLocalProvider as createLocalNumbers,
  createProviderBeside,
} from '../../../src/numbers/number-provider.js'
import type { NumberSeller } from '../../../src/numbers/number-seller.js'
import { ProviderOrders } from '../../../src/numbers/provider-orders.js'
import { DescribedApp } from '../../../src/platform/api/described-app.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/log.js'
import { Outbox } from '../../../src/platform/outbox/outbox.js'
import { openVault } from '../../../src/platform/secrets.js'
import { portedNumbers } from '../../../src/porting/porting-accounts.js'
import { loadTables } from '../../../src/registry/data/tables.js'
import type { MaySend } from '../../../src/registry/registry.js'
import { isDisposable } from '../../../src/registry/rules/mail.js'
import type { Binding } from '../../../src/voice/registrar/binding.js'
import { quietLedger } from '../billing/quiet-ledger.js'
import { testMedia } from '../messages/media-web.js'
import { ScriptedCarrier } from '../messages/messages-fixture.js'
import { permitAll } from '../messages/permit-all.js'
import { createSilentApplications } from '../messages/silent-applications.js'
import { hold } from '../numbers/stock.js'
import { openPorting } from '../porting/open-porting.js'
import { fund } from '../porting/port-samples.js'
import { tempFolder } from '../process/temp-folder.js'
import { openTestDatabase, testDatabase } from '../process/test-database.js'
import { TurnableClock } from '../registry/registry-fixture.js'
import { RecordingOutbox } from '../voice/recording-outbox.js'
import { QUICK_HASH } from './quick-hash.js'
import { createScriptedCampaigns } from './scripted-campaigns.js'

export type Body = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly body: Body
  readonly text: string
  readonly headers: Headers
}

export interface Asked {
  /** The request's API key; undefined: no credentials. */
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A body to send unchanged. */
  readonly raw?: string
}

/** An emergency provider whose methods tests may replace. */
export type ScriptedProvider = {
  -readonly [Name in keyof EmergencyProvider]: EmergencyProvider[Name]
}

/** A look-up provider whose methods tests may replace. */
export type ScriptedLookups = { -readonly [Name in keyof LookupProvider]: LookupProvider[Name] }

const NOWHERE = { request: () => Promise.reject(new Error('nobody is asked here')) }

export const PASSWORD = 'abcdef1234'

/** Time for which a request waits for an order at a number seller, ms. */
const PROVIDER_WAIT_MS = 200
const PUBLIC_ONLY = { mode: 'public-only', allow: [] } as const
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'pbx.example.com': ['8.8.8.8'],
  'two.example.com': ['8.8.4.4', '10.0.0.7'],
  'six.example.com': ['2606:4700::1'],
}
/** Resolves the tests' host names only. */
const KNOWN_NAMES = (name: string): Promise<readonly string[]> =>
  name in NAMES ? Promise.resolve(NAMES[name] ?? []) : Promise.reject(new Error('no such host'))

/** The account API over its own database; answers are checked against their schemas. */
export async function accountApiFixture(
  options: Partial<AccountApiDeps> = {},
  {
    watch = (db: Database) => db,
    passwords = new Passwords(QUICK_HASH),
    seller,
    operators = UNKNOWN_OPERATORS,
  }: {
    readonly watch?: (db: Database) => Database
    readonly passwords?: Passwords
    /** A number seller in addition to the inventory. */
    readonly seller?: NumberSeller
    readonly operators?: OperatorLookup | undefined
  } = {},
) {
  const temporary = tempFolder()
  const clock = new TurnableClock()
  const log = createLogger(process.env['LOG_LEVEL'] ?? 'error')
  const vault = openVault(`${temporary.path}/key`)
  const place = await testDatabase(temporary.path)
  const opened = await openTestDatabase(temporary.path)
  // Mails are sent in the background: their statements are not recorded.
  const db = watch(opened)
  const accounts = createAccounts({ db, vault, clock })
  const sent: SentMail[] = []
  let failures = 0
  const mailer: Mailer = {
    send: (mail) => {
      if (failures > 0) {
        failures -= 1
        return Promise.reject(new MailError('the server is away', { isRetryable: true }))
      }
      sent.push(mail)
      return Promise.resolve()
    },
  }
  const outbox = new Outbox({ db: opened, clock, random: () => 0.5, log })
  const publicUrl = 'http://trunkline.test'
  const mails = outbox.open(
    accountMailChannel({ db: opened, vault, clock, accounts, mailer, publicUrl }),
  )
  const porting = openPorting({
    db: opened,
    clock,
    log,
    vault,
    accounts,
    mailer,
    outbox,
    folder: temporary.path,
  })
  const campaigns = createScriptedCampaigns()
  let maySend: MaySend = permitAll
  const messages = createMessages({
    db: opened,
    clock,
    log,
    ledger: quietLedger(),
    outbox,
    callbacks: new RecordingOutbox(opened),
    carrier: Object.assign(new ScriptedCarrier(), { takesShortCodes: true }),
    otherCarriers: [new ScriptedCarrier('other')],
    maySend: (e164) => maySend(e164),
    destinationsOf: createDestinationsOf(accounts, []),
    operators,
    applications: createSilentApplications(),
    ...testMedia(temporary.path, clock),
  })
  outbox.start()
  const registered: Binding[] = []
  const gateways = createGateways({ db, clock, ported: portedNumbers })
  const provider: ScriptedProvider = { ...createLocalProvider(loadTables().usStates) }
  const ledger = createLedger({
    thresholdOf: () => Promise.resolve(undefined),
    onLow: () => Promise.resolve(),
  })
  const lookupProvider: ScriptedLookups = {
    ...createLookupProvider({ db, clock, outbound: NOWHERE }, undefined),
  }
  const ordering: OrderDeps = {
    db,
    clock,
    ledger: quietLedger(),
    gateways,
    ported: portedNumbers,
    joinCampaign: async (_tx, ...asked) => (await campaigns.assign(...asked))?.reason,
  }
  const providerOrders =
    seller && new ProviderOrders({ ...ordering, log, seller, waitMs: PROVIDER_WAIT_MS })
  const deps: AccountApiDeps = {
    db,
    vault,
    clock,
    log,
    accounts,
    accountGate: new AccountGate([], clock),
    logins: createLogins({ db, accounts, passwords }),
    passwords,
    lists: createAccessLists({ db, clock }),
    sipAuthentication: createSipAuthentication({ db, vault, accounts, clock }),
    gateways,
    checkGateway: createGatewayCheck({ policy: PUBLIC_ONLY, resolve: KNOWN_NAMES, log }),
    bindings: { newestOf: () => Promise.resolve(registered.at(-1)) },
    signUps: createSignUps({
      ...{ db, clock, log, accounts, mails },
      isDisposable: (address) => isDisposable(address, loadTables()),
    }),
    recoveries: createRecoveries({ db, clock, accounts, passwords, mails }),
    billing: NO_BILLING,
    numbering: {
      numbers: createAccountNumbers({ db, clock, vault, gateways }),
      orders: createNumberOrders(ordering),
      provider:
        seller === undefined
          ? createLocalNumbers({ db, clock, ported: portedNumbers })
          : createProviderBeside({ db, clock, ported: portedNumbers }, seller),
      providerOrders,
    },
    emergency: createEmergencyService({ db, clock, provider }),
    lookups: createLookups({ db, clock, ledger, provider: lookupProvider }),
    porting,
    messages,
    campaigns,
    announceCampaigns: (accountSid, numbers) =>
      mails.commit((_tx, enqueue) =>
        enqueue([{ kind: 'campaigns-required', accountSid, numbers }]),
      ),
    requestsPerHour: 0,
    checkAnswers: true,
    ...options,
  }
  const app = new DescribedApp()
  createAccountApi(deps)(app)
  const passwordHash = await passwords.hash(PASSWORD)
  const account = await accounts.create({
    friendlyName: 'Acme',
    username: '2025550100',
    passwordHash,
    profile: { email: 'owner@acme.example' },
  })
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    { key, headers = {}, raw }: Asked = {},
  ): Promise<Answer> => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await app.request(path, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return {
      status: response.status,
      body: (isJson ? JSON.parse(text) : {}) as Body, // an object in both styles
      text,
      headers: response.headers,
    }
  }
  return {
    deps,
    db,
    clock,
    accounts,
    passwords,
    provider,
    lookupProvider,
    ledger,
    app,
    account,
    send,
    /** Sends a request of an account in the REST style; the path is relative to /v2.2. */
    rest: (method: string, path: string, body?: unknown, as: Account = account) =>
      send(method, `/v2.2${path}`, body, { key: as.secret }),
    /**
     * Sends a request of an account in the legacy style, with the key in its body; the path is relative to
     * /v2.1.
     */
    legacy: (path: string, body: Body = {}, as: Account = account) =>
      send('POST', `/v2.1${path}`, { apikey: as.secret, ...body }),
    another: (name: string) => accounts.create({ friendlyName: name }),
    /** Resolves with all mails so far, after due ones are sent. */
    mailed: async (): Promise<readonly SentMail[]> => {
      await outbox.settled()
      return [...sent]
    },
    failNextMails: (count: number) => {
      failures = count
    },
    /** Assigns a number, given as ten digits, to an account. */
    hold: (ten: string, as: Account = account) => hold(db, as.sid, `+1${ten}`),
    /** Enables emergency addresses for an account. */
    allowEmergency: (as: Account = account) =>
      accounts.update(as.sid, { profile: { services: { e911: true } } }),
    porting,
    messages,
    campaigns,
    providerOrders,
    ordering,
    /** Location of the database, for another node. */
    place,
    /** Sets which numbers may send for a campaign; by default all. */
    permit: (permission: MaySend) => {
      maySend = permission
    },
    /** Credits dollars to an account. */
    fund: (dollars: number, as: Account = account) => fund(db, quietLedger(), as.sid, dollars),
    /** Registers a contact for the account. */
    register: (contactUri: string, userAgent: string) => {
      // Only these two fields are shown.
      registered.push({ contactUri, userAgent } as Binding)
    },
    [Symbol.asyncDispose]: async () => {
      await providerOrders?.[Symbol.asyncDispose]()
      await messages[Symbol.asyncDispose]()
      await porting[Symbol.asyncDispose]()
      await outbox[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
      temporary[Symbol.dispose]()
    },
  }
}
