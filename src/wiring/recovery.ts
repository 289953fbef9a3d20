/**
 * Recovers from a crash: ends the unfinished work of the process before, ahead of the first call.
 */
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { recoverVerifications } from '../voice/caller-ids/settle-verification.js'
import type { VerificationStore } from '../voice/caller-ids/verification-store.js'
import type { CallRecorder } from '../voice/calls/call-recorder.js'
import type { CallCharging } from '../voice/calls/charging/call-charging.js'
import { recoverCalls } from '../voice/calls/recovery/recover-calls.js'
import { findCall } from '../voice/calls/storage/call-storage.js'
import type { ConferenceStore } from '../voice/conferences/conference-store.js'
import { recoverQueueMembers } from '../voice/queues/recover-queue-members.js'
import type { Streams } from '../voice/streams/streams.js'
import type { Base } from './base.js'

export interface RecoveryParts {
  readonly callbacks: CallbackOutbox
  readonly charging: CallCharging
  readonly conferenceStore: ConferenceStore
  readonly recorder: CallRecorder
  readonly streams: Streams
  readonly verifications: VerificationStore
}

/**
 * Lets the features recover one after the other. The order is that of the callbacks: a call's last
 * callback names its recordings and follows every other one of the call. Dialogs are recovered when
 * a signaling server connects, channels when a media server connects. The registry's jobs and the
 * outbox go on where they were. With `remains` they end what a dead node left under that name.
 */
export async function recoverAll(
  { clock, db, log }: Base,
  parts: RecoveryParts,
  remains?: string,
): Promise<void> {
  const { callbacks: outbox, charging, conferenceStore, recorder, streams, verifications } = parts
  const find = (accountSid: string, sid: string) => findCall(db.read, accountSid, sid)
  const recoveries: readonly (readonly [what: string, recover: () => Promise<number>])[] = [
    ['queue members', () => recoverQueueMembers({ db, outbox, findCall: find, node: remains })],
    ['streams', () => streams.recover(remains)],
    ['conferences', () => conferenceStore.recover(remains)],
    ['recordings', () => recorder.recordings.recover(remains)],
    ['calls', () => recoverCalls({ db, clock, recorder, outbox, charging, node: remains })],
    ['caller ID verifications', () => recoverVerifications(verifications, find)],
  ]
  for (const [what, recover] of recoveries) {
    const count = await recover()
    if (count > 0) log.warn({ count }, `recovered unfinished ${what}`)
  }
}
