import { z } from '@hono/zod-openapi'
import type { Bindings } from '../../voice/registrar/bindings.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'

const registration = {
  agent: shownText('What the softphone calls itself; empty when it does not say.'),
  uri: shownText('The SIP address at which it is reached.'),
}
const common = {
  summary: 'Get the newest SIP registration of the account',
  errors: [404],
  addressLimit: 'registration',
} as const

type Registrations = Pick<Bindings, 'newestOf'>

export function registrationOperations(bindings: Registrations): AccountOperation[] {
  return [
    rest({
      ...common,
      id: 'getRegistration',
      method: 'get',
      path: '/account/registration',
      data: z.object(registration),
      run: ({ caller }) => newest(bindings, caller.sid),
    }),
  ]
}

export function legacyRegistrationOperations(bindings: Registrations): AccountOperation[] {
  return [
    legacy({
      ...common,
      id: 'legacyGetRegistration',
      path: '/account/registration/',
      idempotency: 'none',
      keys: registration,
      run: ({ caller }) => newest(bindings, caller.sid),
    }),
  ]
}

async function newest(bindings: Registrations, accountSid: string) {
  const binding = await bindings.newestOf(accountSid)
  if (binding === undefined) throw new ApiFailure(404, 'Nothing is registered')
  return { agent: binding.userAgent ?? '', uri: binding.contactUri }
}
