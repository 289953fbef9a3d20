import { randomInt } from 'node:crypto'
import type { Account } from '../../accounts/accounts.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { Logger } from '../../platform/log.js'
import type { Vault } from '../../platform/secrets.js'
import type { Calls } from '../calls/calls.js'
import { CallNotFoundError } from '../model/call-errors.js'
import type { CallRecord } from '../model/call-record.js'
import type { Verification } from './caller-id-record.js'
import { type CallerIdStore, createCallerIdStore } from './caller-id-store.js'
import { settleVerification } from './settle-verification.js'
import { CODE_DIGITS } from './verification-markup.js'
import { insertVerification, type VerificationStore } from './verification-store.js'

export interface CallerIdsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly vault: Vault
  readonly calls: Pick<Calls, 'create' | 'fetch' | 'whenEnded'>
  readonly store: VerificationStore
  /** From of verification calls; undefined uses the number being verified. */
  readonly from: string | undefined
}

export interface VerificationRequest {
  /** The number in E.164. */
  readonly phoneNumber: string
  readonly friendlyName: string
  readonly callDelaySeconds: number
  /** DTMF digits sent when the call is answered. */
  readonly extension: string | undefined
  readonly callback: { readonly url: string; readonly method: WebhookMethod } | undefined
}

export interface StartedVerification {
  readonly callSid: string
  readonly code: string
}

/** The verified numbers of accounts, and the calls that verify them. */
export interface CallerIds extends CallerIdStore {
  /**
   * Calls a number to verify it. Rejects with CallerIdExistsError, VerificationUnderWayError,
   * TooManyVerificationsError, or an error of `Calls.create`; no verification is then stored.
   */
  verify(account: Account, wanted: VerificationRequest): Promise<StartedVerification>
}

const RING_SECONDS = 60
/** Time for three attempts to enter the code, s. */
const TALK_SECONDS = 90

export function createCallerIds(deps: CallerIdsDeps): CallerIds {
  const { calls, clock, log, store, vault } = deps

  const findCall = async (accountSid: string, sid: string): Promise<CallRecord | undefined> => {
    try {
      return await calls.fetch(accountSid, sid)
    } catch (error) {
      if (error instanceof CallNotFoundError) return undefined
      throw error
    }
  }
  const settle = (verification: Verification) => settleVerification(verification, store, findCall)

  const verify: CallerIds['verify'] = async (account, wanted) => {
    const { phoneNumber } = wanted
    // If the end of an earlier call could not be stored, it must not block the number for ever.
    for (const earlier of await store.allPending({ accountSid: account.sid, phoneNumber }))
      await settle(earlier)
    const code = newCode()
    const sealedCode = vault.seal(code)
    const verificationOf = (call: CallRecord): Verification => ({
      callSid: call.sid,
      accountSid: account.sid,
      phoneNumber,
      friendlyName: wanted.friendlyName,
      sealedCode,
      callback: wanted.callback,
      createdAt: call.createdAt,
    })
    const call = await calls.create(account, {
      to: phoneNumber,
      from: deps.from ?? phoneNumber,
      plan: {
        document: { type: 'internal', name: 'caller-id-verification' },
        timeoutSeconds: RING_SECONDS,
        timeLimitSeconds: TALK_SECONDS,
        ...(wanted.extension === undefined ? {} : { sendDigits: wanted.extension }),
      },
      internal: {
        delayMs: wanted.callDelaySeconds * 1_000,
        store: (tx, made) => insertVerification(tx, verificationOf(made)),
      },
    })
    calls.whenEnded(call.sid, () => {
      settle(verificationOf(call)).catch((err: unknown) => {
        log.error({ err, callSid: call.sid }, 'could not store the end of a verification call')
      })
    })
    return { callSid: call.sid, code }
  }

  return { ...createCallerIdStore({ db: deps.db, clock }), verify }
}

function newCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
}
