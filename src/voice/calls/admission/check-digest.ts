import {
  type DigestGate,
  type DigestPlace,
  type DigestRefusal,
  type DigestRequest,
  MISDIRECTED,
} from '../../registrar/digest-gate.js'
import { RETRY_AFTER_SECONDS } from '../../registrar/guess-limit.js'
import type { StoredNonceCounts } from '../../registrar/nonce-counts.js'
import { warning } from '../../registrar/warning.js'
import type { IncomingInvite } from '../../telephony/port.js'
import type { Rejection } from './classify-sender.js'

export interface DigestDeps {
  readonly gate: DigestGate
  readonly nonceCounts: StoredNonceCounts
}

export type Caller =
  | { readonly type: 'known'; readonly username: string | undefined }
  | Rejection
  | { readonly type: 'drop' }

/** A request that starts a call or sends a text. */
export type AskedRequest = Omit<DigestRequest, 'place'>

export function askedOfInvite(invite: IncomingInvite): AskedRequest {
  const headerOf = (name: string) =>
    invite.headers.find((header) => header.name.toLowerCase() === name)?.value
  return {
    method: 'INVITE',
    requestUri: invite.requestUri.uri,
    authorization: headerOf('authorization') ?? headerOf('proxy-authorization'),
    userAgent: invite.userAgent,
    address: invite.source.address,
  }
}

/** Challenges a request without credentials, and checks credentials. */
export async function checkDigest(
  request: AskedRequest,
  place: DigestPlace,
  { gate, nonceCounts }: DigestDeps,
): Promise<Caller> {
  const asked: DigestRequest = { ...request, place }
  const verdict = await gate.judge(asked)
  if (verdict.type !== 'accepted') return refusalOf(verdict)
  if (!(await nonceCounts.accept(verdict.use))) return refusalOf(gate.challengeAgain(asked))
  return { type: 'known', username: verdict.username }
}

function refusalOf(verdict: DigestRefusal): Rejection | { readonly type: 'drop' } {
  switch (verdict.type) {
    case 'challenge':
      return {
        type: 'reject',
        status: 401,
        reason: 'Unauthorized',
        headers: { 'WWW-Authenticate': verdict.challenges },
      }
    case 'wrong':
      return forbidden(warning(32202, 'the user name or the password is wrong'))
    case 'misdirected':
      return {
        type: 'reject',
        status: 400,
        reason: 'Bad Request',
        headers: warning(32202, MISDIRECTED),
      }
    case 'refuse':
      return {
        type: 'reject',
        status: 503,
        reason: 'Service Unavailable',
        headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
      }
    case 'ignore':
      return { type: 'drop' }
  }
}

export function forbidden(headers?: Readonly<Record<string, string>>): Rejection {
  const refused = { type: 'reject', status: 403, reason: 'Forbidden' } as const
  return headers === undefined ? refused : { ...refused, headers }
}
