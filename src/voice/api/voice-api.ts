import type { AccountGate } from '../../accounts/account-gate.js'
import type { AccountKeys } from '../../accounts/account-keys.js'
import type { Accounts } from '../../accounts/accounts.js'
import type { Ledger } from '../../ledger/ledger.js'
import type { Messages } from '../../messages/messages.js'
import type { Inventory } from '../../numbers/inventory.js'
import { createCallerRate } from '../../platform/api/caller-rates.js'
import type { DescribedApp } from '../../platform/api/described-app.js'
import { createElsewhere } from '../../platform/api/elsewhere.js'
import { mountApi } from '../../platform/api/mount-api.js'
import { openGate } from '../../platform/api/open-gate.js'
import { type Operation, operationsOf } from '../../platform/api/operation.js'
import type { Clock } from '../../platform/clock.js'
import type { Logger } from '../../platform/log.js'
import type { NodeRequests } from '../../platform/nodes/node-requests.js'
import type { Vault } from '../../platform/secrets.js'
import type { Applications } from '../applications/applications.js'
import type { NumberBindings } from '../applications/number-bindings.js'
import type { CallerIds } from '../caller-ids/caller-ids.js'
import type { Calls } from '../calls/calls.js'
import type { Conferences } from '../conferences/conferences.js'
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
import { createBasicGate, createVoiceGate } from './dialect/voice-gate.js'
import { errorsPage } from './errors-page.js'
import { eventOperations } from './event-operations.js'
import { exportOperations } from './export-operations.js'
import { incomingNumberOperations } from './incoming-number-operations.js'
import { keyOperations } from './key-operations.js'
import { messageOperations } from './message-operations.js'
import { notificationOperations } from './notification-operations.js'
import { participantOperations } from './participant-operations.js'
import { queueOperations } from './queue-operations.js'
import { recordingOperations } from './recording-operations.js'
import { REGION_BASE, regionOperations } from './sip/region-operations.js'
import { sipOperations } from './sip/sip-operations.js'
import { streamOperations } from './stream-operations.js'
import { transcriptionOperations } from './transcription-operations.js'

export interface VoiceApiDeps {
  readonly accounts: Accounts
  readonly accountKeys: AccountKeys
  readonly callerIds: CallerIds
  readonly numbers: NumberBindings
  /** Charges numbers that accounts claim. */
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
  /** Asks the nodes of calls and conferences that are not here. */
  readonly nodeRequests: Pick<NodeRequests, 'on' | 'ask'>
  readonly log: Logger
  readonly clock: Clock
  readonly accountGate: AccountGate
  /** The rate of requests of one account, per second; bursts of twice as many are served. */
  readonly requestsPerSecond: number
  /** The URL that customers use for this server; undefined: the host that each request names. */
  readonly publicUrl?: string | undefined
  /** True in tests: an answer that does not match its schema is a fault. */
  readonly checkAnswers?: boolean
}

/** The most requests in progress at once: requests are short, so more of them means an overload. */
const MAX_IN_PROGRESS = 1_000

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
  const elsewhere = createElsewhere({ api: shared, nodeRequests: deps.nodeRequests, callerOf })
  return (app) => {
    mountApi(app, {
      ...shared,
      elsewhere,
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

/** Every operation of the API. */
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
