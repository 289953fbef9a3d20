import type { Accounts } from '../../accounts/accounts.js'
import { AdapterError } from '../../platform/errors.js'
import { withCredentialsOf } from '../../platform/http/authorization.js'
import type { CookieJar } from '../../platform/webhooks/cookie-jar.js'
import { decodeText } from '../../platform/webhooks/decode-text.js'
import type { Webhooks } from '../../platform/webhooks/fetch-webhook.js'
import { WebhookError } from '../../platform/webhooks/webhook-error.js'
import type { EventLog } from '../events/event-log.js'
import type { DocumentRequest, FetchedDocument } from '../markup/document.js'
import type { CallRecord } from '../model/call-record.js'
import { standardParams } from '../model/callback-params.js'
import { FetchError } from '../model/fetch-errors.js'

/**
 * Fetches markup from the customer's web server with the call's parameters, signed with the
 * account's secret.
 */
export type FetchDocument = (
  call: CallRecord,
  request: DocumentRequest,
  cookieJar: CookieJar,
  signal: AbortSignal,
) => Promise<FetchedDocument>

export function createDocumentFetcher(deps: {
  readonly webhooks: Webhooks
  readonly accounts: Accounts
  readonly events: EventLog
}): FetchDocument {
  return async (call, request, cookieJar, signal) => {
    const account = await deps.accounts.find(call.accountSid)
    if (account === undefined) throw new AdapterError(`account ${call.accountSid} has gone`)
    const ids = { callSid: call.sid, accountSid: call.accountSid }
    try {
      const answer = await deps.webhooks.fetch(
        {
          method: request.method,
          url: request.url,
          params: [...standardParams(call), ...Object.entries(request.params)],
          accountSid: account.sid,
          signing: {
            authToken: account.secret,
            secondHeader: account.settings.secondSignatureHeader,
          },
          cookieJar,
          onAttempt: (attempt) => {
            deps.events.append({ ...ids, kind: 'webhook', detail: { ...attempt } })
          },
          onOverrideProblem: ({ code, name, value }) => {
            const message = `${name}=${value} is out of range, its default is used`
            deps.events.append({ ...ids, kind: 'warning', detail: { code, message, name, value } })
          },
        },
        signal,
      )
      return {
        // A relative URL in the document refers to the same server, which needs the same password.
        url: withCredentialsOf(answer.url, request.url),
        contentType: answer.contentType,
        text: decodeText(answer.body, answer.contentType),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WebhookError)) throw error
      const { code, url, message, answer } = error
      throw new FetchError(code, url, message, { cause: error, answer })
    }
  }
}
