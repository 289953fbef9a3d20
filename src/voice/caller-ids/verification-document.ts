import { isSameSecret, type Vault } from '../../platform/secrets.js'
import type { DocumentRequest, FetchedDocument } from '../markup/document.js'
import type { CallRecord } from '../model/call-record.js'
import type { Verification } from './caller-id-record.js'
import { verificationCallback } from './verification-callback.js'
import { askForCode, hangUp, MAX_ATTEMPTS, sayFailed, sayVerified } from './verification-markup.js'
import type { VerificationStore } from './verification-store.js'

export interface VerificationDocumentDeps {
  readonly store: Pick<VerificationStore, 'pending' | 'succeed'>
  readonly vault: Pick<Vault, 'open'>
}

/**
 * Creates the document of verification calls. It prompts for the code, checks the input, and stores
 * the caller ID before it announces success.
 */
export function createVerificationDocument({ store, vault }: VerificationDocumentDeps) {
  const answer = async (call: CallRecord, { url, params }: DocumentRequest): Promise<string> => {
    const verification = await store.pending(call.sid)
    if (verification === undefined) return hangUp()
    const attempt = Number(new URL(url).searchParams.get('attempt') ?? '0')
    if (attempt === 0) return askForCode(1)
    const entered = params['Digits'] ?? ''
    if (isSameSecret(entered, vault.open(verification.sealedCode)))
      return (await succeed(verification, call)) ? sayVerified() : hangUp()
    return attempt < MAX_ATTEMPTS ? askForCode(attempt + 1) : sayFailed()
  }
  const succeed = (verification: Verification, call: CallRecord): Promise<boolean> =>
    store.succeed(verification, (callerIdSid) =>
      verificationCallback(verification, call, {
        VerificationStatus: 'success',
        OutgoingCallerIdSid: callerIdSid,
      }),
    )
  return async (call: CallRecord, request: DocumentRequest): Promise<FetchedDocument> => ({
    url: request.url,
    contentType: 'text/xml',
    text: await answer(call, request),
  })
}
