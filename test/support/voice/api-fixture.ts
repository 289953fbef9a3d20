import type { Account } from '../../../src/accounts/accounts.js'
import { createPublicApp } from '../../../src/platform/http/public-app.js'
import { createLogger } from '../../../src/platform/log.js'
import { createVoiceApi } from '../../../src/voice/api/voice-api.js'
import { setUpCalls } from './calls-fixture.js'

export type Body = Readonly<Record<string, unknown>>
export type Form = Readonly<Record<string, string>> | string

/**
 * The voice API over simulated telephony; answers are checked against their schemas. `api`, and the functions
 * that `as` returns, send a form as one account; paths are relative to `…/Accounts/{AccountSid}`.
 */
export async function setUpApi(log = createLogger('silent')) {
  const bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log,
    mount: [createVoiceApi({ ...bench, log, checkAnswers: true })],
  })
  const as = (account: Account) => {
    const basic = Buffer.from(`${account.sid}:${account.secret}`).toString('base64')
    return async (method: string, path: string, form?: Form) => {
      const answer = await app.request(`/2010-04-01/Accounts/${account.sid}${path}`, {
        method,
        headers: { authorization: `Basic ${basic}` },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      })
      const text = await answer.text()
      return { status: answer.status, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
    }
  }
  return { ...bench, app, as, api: as(bench.account) }
}
