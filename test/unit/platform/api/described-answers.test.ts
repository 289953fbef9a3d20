import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paymentApi } from '../../../../src/ledger/payment-api.js'
import { messageProviderApi } from '../../../../src/messages/provider-operations.js'
import { DescribedApp } from '../../../../src/platform/api/described-app.js'
import { mountApi } from '../../../../src/platform/api/mount-api.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { accountApiFixture } from '../../../support/account/account-api-fixture.js'
import { sentAnswer } from '../../../support/http/answer-fault.js'
import { Description } from '../../../support/http/description.js'
import { registryFixture } from '../../../support/registry/registry-fixture.js'

const log = createLogger('silent')
const JSON_TYPE = 'application/json'
const PAGE = 'text/html'

/** The apps whose descriptions are read, each with the APIs of one feature. */
async function openApps() {
  const account = await accountApiFixture()
  const registry = await registryFixture()
  const hooks = new DescribedApp()
  const { clock, accounts } = account
  // Nobody pays here: the description asks them nothing.
  const unasked = {} as never
  mountApi(hooks, paymentApi({ payments: unasked, provider: unasked, clock, accounts, log }))
  const listener = account.messages
  mountApi(hooks, messageProviderApi({ listener, secret: 'a'.repeat(16), clock, log }))
  const service = createPublicApp({
    version: '0.0.0',
    log,
    readiness: () => ({ isReady: false, detail: { drachtio: 'away' } }),
    mount: [],
  })
  return { account, registry, hooks, service }
}

let apps: Awaited<ReturnType<typeof openApps>>
let descriptions: Readonly<Record<'account' | 'registry' | 'hooks' | 'service', Description>>
beforeAll(async () => {
  apps = await openApps()
  descriptions = {
    account: new Description(apps.account.app),
    registry: new Description(apps.registry.app),
    hooks: new Description(apps.hooks),
    service: new Description(apps.service),
  }
})
afterAll(async () => {
  await apps.account[Symbol.asyncDispose]()
  await apps.registry[Symbol.asyncDispose]()
})

describe('the description of an operation names', () => {
  it.each([
    ['the credentials in a body', 'account', 'POST /v2.2/account/api-key', [401, 403]],
    ['those of the legacy style', 'account', 'POST /v2.1/account/apikey/', [401, 403]],
    ['a reused key', 'account', 'POST /v2.2/messages', [400, 409, 413, 415, 503]],
    ['what is in the way of a body', 'account', 'POST /v2/numbering/tnOrder/', [413, 415, 503]],
    ['a database that is away', 'account', 'GET /v2.2/account', [401, 403, 429, 503]],
    ['a body in a coding', 'registry', 'POST /v2/csp/brand', [400, 401, 403, 415, 429, 503]],
    ['a wrong signature of a payment', 'hooks', 'POST /payments/webhook', [400, 401, 413, 415]],
    ['one of a receipt', 'hooks', 'POST /message-provider/receipts', [400, 401, 413, 415]],
    ['one of a message', 'hooks', 'POST /message-provider/messages', [400, 401, 413, 415]],
  ] as const)('%s', (_title, app, operation, statuses) => {
    const [method = '', path = ''] = operation.split(' ')
    const answers = descriptions[app].answersOf(method, path)
    for (const status of statuses) expect([status, answers[status]]).toEqual([status, [JSON_TYPE]])
  })

  it.each([
    ['a dead link of a sign-up', 'account', 'GET /v2.2/account/verification/{token}', 404, [PAGE]],
    ['a wrong password', 'account', 'POST /v2.2/account/recovery/{token}', 400, [JSON_TYPE, PAGE]],
    ['a dead link of a contact', 'registry', 'GET /v2/csp/confirm/{token}', 404, [PAGE]],
    ['a wrong PIN', 'registry', 'POST /v2/csp/confirm/{token}', 400, [JSON_TYPE, PAGE]],
    ['a letter of a wrong type', 'account', 'POST /a/loa/{pid}/{key}', 400, [PAGE]],
  ] as const)('%s as a page', (_title, app, operation, status, types) => {
    const [method = '', path = ''] = operation.split(' ')
    expect(descriptions[app].answersOf(method, path)[status]).toEqual(types)
  })
})

describe('an answer is as the description has it:', () => {
  it.each([
    [
      'credentials that are wrong',
      'POST',
      '/v2.2/account/api-key',
      { username: 'a', password: 'b' },
    ],
    ['a dead link', 'GET', '/v2.2/account/verification/x', undefined],
  ])('%s', async (_title, method, path, body) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const answer = await sentAnswer(await apps.account.app.request(path, init))
    const template = path.replace(/x$/, '{token}')
    expect(descriptions.account.faultOf(method, template, answer)).toBeUndefined()
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })

  it('a message with media that is wrong', async () => {
    const { account } = apps
    await account.hold('2025550111')
    const wrong = {
      source: 2025550111,
      destination: 3035550142,
      messageText: 'a',
      mmsURL: 'ftp://a',
    }
    for (const body of [wrong, { ...wrong, destination: 1 }]) {
      const sent = { apikey: account.account.secret, ...body }
      const init = { method: 'POST', body: JSON.stringify(sent) }
      const answer = await sentAnswer(await account.app.request('/v2.1/messaging/mms/', init))
      expect(answer.status).toBe(400)
      const fault = descriptions.account.faultOf('POST', '/v2.1/messaging/mms/', answer)
      expect(fault).toBeUndefined()
    }
  })

  it('a link of a business contact that was never made', async () => {
    const answer = await sentAnswer(await apps.registry.app.request('/v2/csp/confirm/x'))
    expect([answer.status, answer.mediaType]).toEqual([404, PAGE])
  })

  it('a server that is not ready', async () => {
    const answer = await sentAnswer(await apps.service.request('/readyz'))
    expect(answer.status).toBe(503)
    expect(descriptions.service.faultOf('GET', '/readyz', answer)).toBeUndefined()
  })
})
