import { expect, it } from 'vitest'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

it('describes every operation that it serves, and serves what it describes', async () => {
  await using bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const description = (await (await app.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    path.startsWith('/2010-04-01/')
      ? Object.keys(methods).map((method) => `${method} ${path}`)
      : [],
  )
  const served = app.routes.flatMap(({ method, path }) =>
    path.startsWith('/2010-04-01/') && method !== 'ALL'
      ? [`${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`]
      : [],
  )
  expect(described.sort()).toEqual([...new Set(served)].sort())
})
