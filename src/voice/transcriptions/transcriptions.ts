/** Transcriptions of recordings. A recogniser begins each one and settles it once. */
import type { Database, Writer } from '../../platform/database/database.js'
import type { Page, PageRequest } from '../../platform/database/newest-first.js'
import { DomainError } from '../../platform/errors.js'
import { newSid } from '../../platform/ids.js'
import type { UsageCharging } from '../../rating/usage-charging.js'
import {
  deleteTranscription,
  findTranscription,
  insertTranscription,
  listTranscriptions,
  setTranscriptionPrice,
  settleTranscription,
  type TranscriptionFilter,
} from './storage/transcription-storage.js'
import type { Transcription } from './tables.js'

export interface Transcriptions {
  /** Stores a transcription made by `newTranscription`, in the caller's transaction. */
  begin(tx: Writer, made: Transcription): Promise<void>
  /**
   * Stores the result and charges for the text; false when the transcription was deleted or already has a
   * result.
   */
  settle(tx: Writer, sid: string, result: TranscriptionResult, at: number): Promise<boolean>
  /**
   * Rejects with TranscriptionNotFoundError, as `remove` does. With `recordingSid`, only a transcription of
   * that recording matches.
   */
  fetch(accountSid: string, sid: string, recordingSid?: string): Promise<Transcription>
  remove(accountSid: string, sid: string, recordingSid?: string): Promise<void>
  list(
    accountSid: string,
    filter: TranscriptionFilter,
    page: PageRequest,
  ): Promise<Page<Transcription>>
}

export interface TranscribedRecording {
  readonly accountSid: string
  readonly recordingSid: string
}

export type TranscriptionResult =
  | { readonly status: 'completed'; readonly text: string; readonly durationMs: number }
  | { readonly status: 'failed' }

export class TranscriptionNotFoundError extends DomainError {
  override readonly name = 'TranscriptionNotFoundError'
  readonly code = 'transcription-not-found'
}

/** Returns a new transcription in progress; `begin` stores it. */
export function newTranscription(
  { accountSid, recordingSid }: TranscribedRecording,
  now: number,
): Transcription {
  return {
    sid: newSid('TR'),
    accountSid,
    recordingSid,
    status: 'in-progress',
    durationMs: undefined,
    text: undefined,
    price: undefined,
    createdAt: now,
    updatedAt: now,
  }
}

export function createTranscriptions(db: Database, charging: UsageCharging): Transcriptions {
  const fetch: Transcriptions['fetch'] = async (accountSid, sid, recordingSid) => {
    const found = await findTranscription(db.read, accountSid, sid)
    const isWanted = recordingSid === undefined || found?.recordingSid === recordingSid
    if (found === undefined || !isWanted)
      throw new TranscriptionNotFoundError(`there is no transcription ${sid}`)
    return found
  }
  return {
    begin: insertTranscription,
    settle: async (tx, sid, result, at) => {
      const settled = await settleTranscription(tx, sid, {
        status: result.status,
        text: result.status === 'completed' ? result.text : null,
        durationMs: result.status === 'completed' ? result.durationMs : null,
        updatedAt: at,
      })
      if (settled?.status !== 'completed') return settled !== undefined
      const { accountSid, recordingSid } = settled
      const price = await charging.charge(tx, {
        kind: 'transcription',
        sid,
        accountSid,
        recordingSid,
        at,
      })
      if (price !== undefined) await setTranscriptionPrice(tx, sid, price)
      return true
    },
    fetch,
    remove: async (accountSid, sid, recordingSid) => {
      const { sid: known } = await fetch(accountSid, sid, recordingSid)
      if (!(await db.write((tx) => deleteTranscription(tx, accountSid, known))))
        throw new TranscriptionNotFoundError(`there is no transcription ${sid}`)
    },
    list: (accountSid, filter, page) => listTranscriptions(db.read, accountSid, filter, page),
  }
}
