import { z } from '@hono/zod-openapi'
import type { DescribedApp } from './described-app.js'
import { type Operation, operationsOf } from './operation.js'

interface DescribedService {
  readonly title: string
  readonly version: string
  /** The server's URL for clients. */
  readonly url: string
}

const operation = operationsOf<unknown>()

/** Declares `/openapi.json`, which describes every operation mounted on `app`, itself included. */
export function descriptionOperation(
  app: DescribedApp,
  { title, version, url }: DescribedService,
): Operation<unknown> {
  let description: object | undefined
  return operation({
    id: 'getDescription',
    summary: 'Get this description',
    method: 'get',
    path: '/openapi.json',
    isOpen: true,
    response: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'An OpenAPI document of version 3.1.' }),
    run: () => {
      description ??= app.document({
        openapi: '3.1.0',
        info: { title, version },
        servers: [{ url }],
      })
      return description
    },
  })
}
