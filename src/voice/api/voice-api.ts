import type { AccountGate } from '../../accounts/account-gate.js'
import type { AccountKeys } from '../../accounts/account-keys.js'
import type { Account, Accounts } from '../../accounts/accounts.js'
import type { Ledger } from '../../ledger/ledger.js'
import type { Messages } from '../../messages/messages.js'
import type { Inventory } from '../../numbers/inventory.js'
import type { Gate } from '../../platform/api/api.js'
import { openGate } from '../../platform/api/api.js'
import type { ApiRequest } from '../../platform/api/api-request.js'
import { basicOf } from '../../platform/api/authorization.js'
import { createCallerRate } from '../../platform/api/caller-rates.js'
import type { DescribedApp } from '../../platform/api/described-app.js'
import { RefusedError } from '../../platform/api/dialect.js'
import { mountApi } from '../../platform/api/mount-api.js'
import { createNodeRouting } from '../../platform/api/node-routing.js'
import { type Operation, operationsOf } from '../../platform/api/operation.js'
import type { Clock } from '../../platform/clock.js'
import { pageAnswer } from '../../platform/http/page-answer.js'
import type { Logger } from '../../platform/log.js'
import type { NodeRequests } from '../../platform/nodes/node-requests.js'
import type { Vault } from '../../platform/secrets.js'
import type { Applications } from '../applications/applications.js'
import type { NumberBindings } from '../applications/number-bindings.js'
import type { CallerIds } from '../caller-ids/caller-ids.js'
import type { Calls } from '../calls/calls.js'
import type { Conferences } from '../conferences/conferences.js'
import { type CataloguedError, ERROR_CATALOGUE } from '../errors/error-catalogue.js'
import type { EventLog } from '../events/event-log.js'
import type { Exports } from '../exports/exports.js'
import { API_VERSION } from '../model/callback-params.js'
import type { Queues } from '../queues/queues.js'
import type { Recordings } from '../recordings/recordings.js'
import type { Bindings } from '../registrar/bindings.js'
import type { SipResources } from '../sip-domains/sip-resources.js'
import type { Streams } from '../streams/streams.js'
import type { Transcriptions } from '../transcriptions/transcriptions.js'
import { accountOperations } from './account-operations.js'
import { applicationOperations } from './application-operations.js'
import { availableNumberOperations } from './available-number-operations.js'
import { balanceOperations } from './balance-operations.js'
import { callOperations } from './call-operations.js'
import { callerIdOperations } from './caller-id-operations.js'
import { conferenceOperations } from './conference-operations.js'
import { PARAMS, type VoiceOperation } from './dialect/operation.js'
import { createVoiceDialect } from './dialect/voice-dialect.js'
import { eventOperations } from './event-operations.js'
import { exportOperations } from './export-operations.js'
import { incomingNumberOperations } from './incoming-number-operations.js'
import { keyOperations } from './key-operations.js'
import { legOperations } from './leg-operations.js'
import { messageOperations } from './message-operations.js'
import { notificationOperations } from './notification-operations.js'
import { participantOperations } from './participant-operations.js'
import { queueOperations } from './queue-operations.js'
import { recordingOperations } from './recording-operations.js'
import { addressOperations } from './sip/address-operations.js'
import { credentialOperations } from './sip/credential-operations.js'
import { type DomainDeps, domainOperations } from './sip/domain-operations.js'
import { sipListOperations } from './sip/list-operations.js'
import { mappingOperations } from './sip/mapping-operations.js'
import { REGION_BASE, regionOperations } from './sip/region-operations.js'
import { registrationOperations } from './sip/registration-operations.js'
import { streamOperations } from './stream-operations.js'
import { transcriptionOperations } from './transcription-operations.js'

export interface VoiceApiDeps {
  readonly accounts: Accounts
  readonly accountKeys: AccountKeys
  readonly callerIds: CallerIds
  readonly numbers: NumberBindings
  /** Charges accounts for claimed numbers. */
  readonly ledger: Pick<Ledger, 'post'>
  readonly applications: Applications
  readonly inventory: Inventory
  readonly calls: Calls
  readonly messages: Messages
  readonly streams: Streams
  readonly recordings: Recordings
  readonly transcriptions: Transcriptions
  readonly conferences: Conferences
  readonly queues: Queues
  readonly sip: SipResources
  readonly bindings: Bindings
  readonly events: EventLog
  readonly exports: Exports
  readonly vault: Vault
  /** Sends requests to the nodes of remote calls and conferences. */
  readonly nodeRequests: Pick<NodeRequests, 'on' | 'ask'>
  readonly log: Logger
  readonly clock: Clock
  readonly accountGate: AccountGate
  /** Maximum requests of one account, per second; bursts may be twice as large. */
  readonly requestsPerSecond: number
  /** The URL that customers use for this server; the default is the host in the request. */
  readonly publicUrl?: string | undefined
  /** True in tests: a response that does not match its schema is an error. */
  readonly checkAnswers?: boolean
}

/** Maximum number of requests in progress; requests are short, so more means an overload. */
const MAX_IN_PROGRESS = 1_000

interface SipDeps extends DomainDeps {
  readonly bindings: Bindings
}

const ERRORS_PAGE_STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}
td{border-top:1px solid #d0d7de;padding:.3rem 1rem .3rem 0;vertical-align:top}tr:target{background:#fff8c5}
small,em{color:#57606a}a{color:inherit}
`

const ACCOUNTS = '/Accounts/'

/** Mounts every operation below `/2010-04-01`, and the page that explains error numbers. */
export function createVoiceApi(deps: VoiceApiDeps): (app: DescribedApp) => void {
  const { accounts, clock, log } = deps
  const common = { tag: 'Voice', dialect: createVoiceDialect(deps.publicUrl), log }
  const rates = createCallerRate(deps.requestsPerSecond, clock)
  const shared = {
    ...common,
    base: `/${API_VERSION}`,
    gate: createVoiceGate(accounts, deps.accountGate),
    operations: voiceOperations(deps),
  }
  const callerOf = (sid: string) => accounts.find(sid)
  const nodeRouting = createNodeRouting({ api: shared, nodeRequests: deps.nodeRequests, callerOf })
  return (app) => {
    mountApi(app, {
      ...shared,
      nodeRouting,
      rates,
      params: PARAMS,
      errors: [400, 401, 403, 429, 503],
      hidesPaths: true,
      maxInProgress: MAX_IN_PROGRESS,
      checkAnswers: deps.checkAnswers,
    })
    mountApi(app, {
      ...common,
      base: REGION_BASE,
      gate: createBasicGate(accounts, deps.accountGate),
      rates,
      operations: regionOperations(deps.sip.domains),
      params: {},
      errors: [400, 401, 403, 429, 503],
      hidesPaths: true,
    })
    mountApi(app, {
      ...common,
      base: '/docs/errors',
      gate: openGate,
      operations: [errorsPageOperation()],
      params: {},
      errors: [],
      hidesPaths: false,
    })
  }
}

/**
 * Authenticates a request by HTTP Basic: an AccountSid with its secret, or a key sid with its
 * secret. The path must name the same account.
 */
function createVoiceGate(accounts: Accounts, accountGate: AccountGate): Gate<Account> {
  return createBasicGate(accounts, accountGate, (request, account) => {
    // Another customer's account counts as missing.
    if (accountOfPath(request.path) !== account.sid)
      throw new RefusedError({ type: 'unknown-path' })
  })
}

/**
 * Authenticates a request by HTTP Basic where the path need not name an account. `check` throws
 * when the account may not make the request.
 */
function createBasicGate(
  accounts: Accounts,
  accountGate: AccountGate,
  check: (request: ApiRequest, account: Account) => void = () => undefined,
): Gate<Account> {
  return {
    scheme: {
      name: 'account',
      definition: {
        type: 'http',
        scheme: 'basic',
        description:
          'Username: the AccountSid, or the sid of a key. Password: the secret of the account or the key.',
      },
    },
    identify: async (request) => {
      const given = basicOf(request)
      const known = given && (await accounts.authenticate(given.username, given.password))
      const account = accountGate.admit(request, known?.account)
      check(request, account)
      if (known?.keySid !== undefined && isForTheAccountsOwnSecret(request))
        throw new RefusedError({ type: 'key-not-enough' })
      return account
    },
    nameOf: ({ sid }) => sid,
    requestsPerSecond: ({ settings }) => settings.requestsPerSecond,
  }
}

/**
 * True for a request that changes the account's keys or settings. A key must not do that: a thief
 * could otherwise create a key that outlives the stolen one.
 */
function isForTheAccountsOwnSecret({ method, path }: ApiRequest): boolean {
  if (method === 'GET' || accountOfPath(path) === undefined) return false
  const [, , , , resource] = path.split('/', 5)
  return resource === undefined || resource === 'Keys' || resource === 'SigningKeys'
}

/** Returns the AccountSid in `/2010-04-01/Accounts/{AccountSid}/…`. */
function accountOfPath(path: string): string | undefined {
  const start = path.indexOf('/', 1)
  if (start < 0 || !path.startsWith(ACCOUNTS, start)) return undefined
  const from = start + ACCOUNTS.length
  const end = path.indexOf('/', from)
  const sid = end < 0 ? path.slice(from) : path.slice(from, end)
  return sid === '' ? undefined : sid
}

/** Returns every operation of the API. */
export function voiceOperations(
  deps: Omit<VoiceApiDeps, 'accountGate' | 'requestsPerSecond'>,
): readonly VoiceOperation[] {
  return [
    ...accountOperations(deps.accounts),
    ...balanceOperations(),
    ...keyOperations(deps.accountKeys),
    ...notificationOperations(deps.calls),
    ...callerIdOperations(deps.callerIds),
    ...availableNumberOperations(deps.inventory),
    ...incomingNumberOperations(deps.numbers, deps.ledger),
    ...applicationOperations(deps),
    ...callOperations(deps),
    ...messageOperations(deps),
    ...eventOperations(deps),
    ...legOperations(deps),
    ...exportOperations(deps.exports),
    ...streamOperations(deps),
    ...recordingOperations(deps),
    ...transcriptionOperations(deps),
    ...queueOperations(deps),
    ...conferenceOperations(deps.conferences),
    ...participantOperations(deps),
    ...sipOperations(deps),
  ]
}

/** Returns every operation on SIP domains and their subresources. */
function sipOperations(deps: SipDeps): VoiceOperation[] {
  return [
    ...domainOperations(deps),
    ...sipListOperations(deps.sip),
    ...credentialOperations(deps.sip),
    ...addressOperations(deps.sip),
    ...mappingOperations(deps.sip),
    ...registrationOperations({ domains: deps.sip.domains, bindings: deps.bindings }),
  ]
}

function errorsPageOperation(): Operation<unknown> {
  return operationsOf<unknown>()({
    id: 'readErrors',
    summary: 'Read the meanings of error numbers',
    method: 'get',
    path: '',
    isOpen: true,
    response: { mediaTypes: ['text/html'], description: 'A page for a browser.' },
    run: () => errorsPage(),
  })
}

/**
 * Returns the page at `/docs/errors`. Each number has an anchor, which `more_info` of an error
 * links to.
 */
function errorsPage(): Response {
  const rows = Object.entries<CataloguedError>(ERROR_CATALOGUE).map(
    ([number, { name, text, remedy }]) =>
      `<tr id="${number}"><td><a href="#${number}">${number}</a><br><small>${name}</small></td>` +
      `<td>${html(text)}<br><em>${html(remedy)}</em></td></tr>`,
  )
  const body = `<h1>Errors</h1><table>\n${rows.join('\n')}\n</table>`
  return pageAnswer({ title: 'Errors', style: ERRORS_PAGE_STYLE, body })
}

/** Escapes a text for HTML; text in backticks becomes code. */
function html(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
