/** Wires the voice API, and the handling of other nodes' requests. */
import type { Messages } from '../messages/messages.js'
import type { DescribedApp } from '../platform/api/described-app.js'
import { createUsageCharging } from '../rating/usage-charging.js'
import { createVoiceApi } from '../voice/api/voice-api.js'
import type { Exports } from '../voice/exports/exports.js'
import { createTranscriptions } from '../voice/transcriptions/transcriptions.js'
import type { Base } from './base.js'
import type { Billing } from './ledger.js'
import type { Voice } from './voice.js'

interface BesideVoice {
  readonly messages: Messages
  readonly exports: Exports
  readonly billing: Billing
}

/** Creates the voice API for an app, and starts to handle other nodes' requests. */
export function wireVoiceApi(
  base: Base,
  voice: Voice,
  { messages, exports, billing }: BesideVoice,
): (app: DescribedApp) => void {
  const { config, db, disposer, nodeRequests } = base
  const { callerIds, calls, conferences, queues, recordings, sip, streams } = voice
  const mount = createVoiceApi({
    accounts: base.accounts,
    accountKeys: base.accountKeys,
    callerIds,
    numbers: base.numbers,
    ledger: billing.ledger,
    applications: base.applications,
    inventory: base.inventory,
    calls,
    messages,
    recordings,
    streams,
    conferences,
    queues,
    sip,
    bindings: voice.registration.bindings,
    events: base.events,
    exports,
    transcriptions: createTranscriptions(db, createUsageCharging(billing.ledger)),
    vault: base.vault,
    nodeRequests,
    log: base.log,
    clock: base.clock,
    accountGate: base.accountGate,
    requestsPerSecond: config.http.requestsPerSecond,
    publicUrl: config.publicUrl,
  })
  // Other nodes' requests must stop before the calls that they act on.
  disposer.use(nodeRequests)
  nodeRequests.start()
  return mount
}
