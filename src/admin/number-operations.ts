import { z } from '@hono/zod-openapi'
import type { Accounts } from '../accounts/accounts.js'
import { shownUrl } from '../platform/url-passwords.js'
import type { BoundNumber, NumberBindings } from '../voice/applications/number-bindings.js'
import { parseCallAddress } from '../voice/model/address.js'
import { type AdminOperation, operation, url } from './admin-operation.js'
import { AdminError, notFound } from './private-dialect.js'

const PATH = '/numbers/{number}'
const params = { number: z.string().openapi({ description: 'The number in E.164: +15551112222.' }) }

const webhook = (description: string) => url.optional().openapi({ description })
const method = (of: string) =>
  z
    .enum(['GET', 'POST'])
    .default('POST')
    .openapi({ description: `The method of ${of}.` })

/** A field of the answer that requests may repeat without effect, so that an answer can be sent back. */
const shownOnly = (description: string) => z.string().optional().openapi({ description })

const numberBody = z
  .strictObject({
    accountSid: z.string().openapi({ description: 'The account that gets the number.' }),
    voiceUrl: webhook('The URL that is asked for a document when the number is called.'),
    voiceMethod: method('voiceUrl'),
    voiceFallbackUrl: webhook('The URL that is asked when voiceUrl fails.'),
    voiceFallbackMethod: method('voiceFallbackUrl'),
    voiceApplicationSid: z
      .string()
      .regex(/^AP[0-9a-fA-F]{32}$/)
      .optional()
      .openapi({ description: "The account's application that answers in place of these URLs." }),
    statusCallback: webhook('The URL that is told of the end of a call.'),
    statusCallbackMethod: method('statusCallback'),
    number: shownOnly('The path says which number it is.'),
    sid: shownOnly('The system gives it.'),
  })
  .openapi('NumberRouting')

const numberResource = z
  .object({
    ...numberBody.shape,
    number: z.string().openapi({ description: 'The number in E.164.' }),
    sid: z.string().openapi({ description: 'PN and 32 hex digits.' }),
  })
  .openapi('Number')

/** The operations on the numbers of this system and the voice applications that answer them. */
export function numberOperations(numbers: NumberBindings, accounts: Accounts): AdminOperation[] {
  return [
    operation({
      id: 'listNumbers',
      summary: 'List all phone numbers',
      method: 'get',
      path: '/numbers',
      response: z.object({
        numbers: z.array(numberResource).openapi({ description: 'In the order of the numbers.' }),
      }),
      run: async () => ({ numbers: (await numbers.all()).map(numberToWire) }),
    }),
    operation({
      id: 'putNumber',
      summary: 'Give a phone number to an account, or route it anew',
      method: 'put',
      path: PATH,
      params,
      body: numberBody,
      response: numberResource,
      errors: [404, 409],
      run: async ({ params: { number }, body: { accountSid, ...routing } }) => {
        const address = parseCallAddress(number, [])
        if (address?.type !== 'number') throw new AdminError(400, 'not an E.164 number')
        const account = await accounts.find(accountSid)
        if (account === undefined) throw new AdminError(404, `there is no account ${accountSid}`)
        const assigned = await numbers.assign(account.sid, address.e164, {
          voiceUrl: routing.voiceUrl,
          voiceMethod: routing.voiceMethod,
          voiceFallbackUrl: routing.voiceFallbackUrl,
          voiceFallbackMethod: routing.voiceFallbackMethod,
          voiceApplicationSid: routing.voiceApplicationSid,
          statusCallback: routing.statusCallback,
          statusCallbackMethod: routing.statusCallbackMethod,
        })
        return numberToWire(assigned)
      },
    }),
    operation({
      id: 'releaseNumber',
      summary: 'Take a phone number from its account',
      method: 'delete',
      path: PATH,
      params,
      errors: [404, 409],
      run: async ({ params: { number } }) => {
        if (!(await numbers.take(number))) throw notFound()
      },
    }),
  ]
}

function numberToWire({ number, binding }: BoundNumber) {
  return {
    number: number.e164,
    sid: number.sid,
    accountSid: number.accountSid,
    voiceUrl: shownUrl(binding.voiceUrl) ?? undefined,
    voiceMethod: binding.voiceMethod,
    voiceFallbackUrl: shownUrl(binding.voiceFallbackUrl) ?? undefined,
    voiceFallbackMethod: binding.voiceFallbackMethod,
    voiceApplicationSid: binding.voiceApplicationSid,
    statusCallback: shownUrl(binding.statusCallback) ?? undefined,
    statusCallbackMethod: binding.statusCallbackMethod,
  }
}
