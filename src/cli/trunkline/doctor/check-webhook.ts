/** Asks a customer's web server for a document, exactly as a call would, and reads the answer. */
import { systemClock } from '../../../platform/clock.js'
import { createOutbound } from '../../../platform/http/outbound.js'
import { createLogger } from '../../../platform/log.js'
import { decodeText } from '../../../platform/webhooks/decode-text.js'
import type { AttemptReport } from '../../../platform/webhooks/fetch-webhook.js'
import { createWebhooks } from '../../../platform/webhooks/fetch-webhook.js'
import { WebhookError } from '../../../platform/webhooks/webhook-error.js'
import { ERROR_CATALOGUE, isErrorNumber } from '../../../voice/errors/error-catalogue.js'
import { readFetched } from '../../../voice/markup/verbs/load-document.js'
import { DocumentError } from '../../../voice/markup/verbs/verb-run.js'
import { addressPolicy } from '../../../wiring/base.js'
import { VERSION } from '../../../wiring/version.js'
import { voiceTarget } from '../servers/target.js'
import type { Facts } from './facts.js'
import { type Finding, fail, ok, warn } from './finding.js'

const SUBJECT = 'webhook'

export async function checkWebhook(url: string, facts: Facts): Promise<readonly Finding[]> {
  const { config, flags, env } = facts
  const { accountSid, token } = voiceTarget(flags, env)
  const clock = systemClock
  const policy = addressPolicy(config, [config.admin])
  await using outbound = createOutbound({ policy, clock, log: createLogger('silent') })
  const { signatureHeaders } = config
  const webhooks = createWebhooks({ outbound, clock, version: VERSION, signatureHeaders })
  const attempts: AttemptReport[] = []
  try {
    const answer = await webhooks.fetch(
      {
        method: 'POST',
        url,
        params: paramsOf(accountSid),
        accountSid,
        signing: { authToken: token },
        onAttempt: (attempt) => attempts.push(attempt),
      },
      new AbortController().signal,
    )
    const { contentType } = answer
    const text = decodeText(answer.body, contentType)
    const { verbs, warnings } = readFetched({ url: answer.url, contentType, text })
    const names = verbs.map(({ element }) => element.name)
    const took = `${answer.status} in ${attempts.at(-1)?.durationMs ?? 0} ms`
    return [
      ok(SUBJECT, `${url} answered ${took} with ${names.join(', ') || 'no verb'}`),
      ...warnings.map(({ code, message }) => warn(SUBJECT, `${code}: ${message}`, remedyOf(code))),
    ]
  } catch (error) {
    if (!(error instanceof WebhookError || error instanceof DocumentError)) throw error
    const number = error instanceof WebhookError ? error.code : error.number
    return [fail(SUBJECT, `${url}: ${number}: ${error.message}`, remedyOf(number))]
  }
}

function remedyOf(code: number): string {
  return isErrorNumber(code) ? ERROR_CATALOGUE[code].remedy : 'see docs/errors.md'
}

/** The parameters of an inbound call that is ringing; no call has this sid. */
function paramsOf(accountSid: string): readonly (readonly [string, string])[] {
  return [
    ['CallSid', `CA${'0'.repeat(32)}`],
    ['AccountSid', accountSid],
    ['From', '+15005550000'],
    ['To', '+15005550001'],
    ['CallStatus', 'ringing'],
    ['ApiVersion', '2010-04-01'],
    ['Direction', 'inbound'],
  ]
}
