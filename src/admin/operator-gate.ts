import type { Gate } from '../platform/api/api.js'
import { RefusedError } from '../platform/api/dialect.js'
import { isSameSecret } from '../platform/secrets.js'

/** Admits a request with `Authorization: Bearer ADMIN_TOKEN`. */
export function createOperatorGate(token: string): Gate<unknown> {
  return {
    scheme: {
      name: 'adminToken',
      definition: { type: 'http', scheme: 'bearer', description: 'The token ADMIN_TOKEN.' },
    },
    identify: (request) => {
      const header = request.header('authorization') ?? ''
      const given = /^Bearer (\S{1,200})$/i.exec(header)?.[1] ?? ''
      return isSameSecret(given, token)
        ? Promise.resolve(undefined)
        : Promise.reject(new RefusedError({ type: 'unauthenticated' }))
    },
    nameOf: () => 'operator',
  }
}
