/** The settings of one number in the REST style: route, forward, translation, names, PIN. */
import { z } from '@hono/zod-openapi'
import { isPossiblePhoneNumber } from 'libphonenumber-js/max'
import type { NumberSettingsChange } from '../../numbers/number-settings.js'
import { PORT_OUT_PIN } from '../../numbers/port-out-pins.js'
import { type AccountOperation, operation, rest } from '../dialect/rest-operation.js'
import { flag, shownText } from '../fields.js'
import { number, route, shownNumberField, shownRoute, shownTn } from './number-fields.js'
import { numberOfPath, params } from './number-operations.js'
import type { Numbering } from './numbering.js'
import { refuseOne } from './refused-numbers.js'

type Numbers = Numbering['numbers']

const MAX_USER = 64

/** A number that a country, or a network without one, can have: its code and its length are known. */
export const destination = number
  .refine((e164) => isPossiblePhoneNumber(e164), 'a number that can be called is expected')
  .openapi({
    type: 'string',
    description: 'The number that calls go to: E.164, or ten digits.',
  })

/** The name that calls show to who is called: the length of a record of callers' names. */
export const callerName = z
  .string()
  .trim()
  .regex(/^[\x20-\x7e]{0,15}$/, 'at most 15 printable ASCII characters are expected')
  .openapi({ description: 'The name, at most 15 characters; empty: none.' })

export const translation = z
  .union([z.string(), z.number().int()], 'at most 32 digits are expected')
  .transform(String)
  .pipe(z.string().regex(/^\+?[0-9*#]{0,32}$/, 'at most 32 digits are expected'))
  .openapi({
    type: 'string',
    description: 'The digits that the destination gets as the called number; empty: none.',
  })

export const pin = z
  .union([z.string(), z.number().int()], 'four digits are expected')
  .transform(String)
  .pipe(z.string().regex(PORT_OUT_PIN, 'four digits are expected'))
  .openapi({ type: 'string', description: 'The PIN: four digits.' })

const user = z
  .string()
  .trim()
  .max(MAX_USER)
  .regex(/^[^\s<>"@:;]*(@[^\s<>"@:;]+)?$/, 'a user name is expected, perhaps with its domain')
  .openapi({
    description: 'Route 1 (USER) only: the registered user that calls go to; empty: any.',
  })

/** Changes one number of an account, and resolves with it as it is shown. */
async function changeOne(
  numbers: Numbers,
  { sid, e164 }: { readonly sid: string; readonly e164: string },
  change: NumberSettingsChange,
): Promise<string> {
  refuseOne(await numbers.change(sid, [{ e164, change }]))
  return shownTn(e164)
}

export function numberSettingOperations({
  numbers,
}: Pick<Numbering, 'numbers'>): AccountOperation[] {
  return [...routingOperations(numbers), ...forwardOperations(numbers), ...nameOperations(numbers)]
}

function routingOperations(numbers: Numbers): AccountOperation[] {
  return [
    rest({
      id: 'setNumberRoute',
      summary: 'Route a number to a gateway or a system route',
      method: 'put',
      path: '/numbers/{number}/route',
      params,
      body: z.strictObject({ route, user: user.optional() }),
      data: z.object({ number: shownNumberField, route: shownRoute }),
      errors: [404],
      run: async ({ caller, params: named, body }) => {
        const target = { sid: caller.sid, e164: numberOfPath(named) }
        const change = body.user === undefined ? {} : ({ user: orCleared(body.user) } as const)
        const shown = await changeOne(numbers, target, { route: body.route, ...change })
        return { number: shown, route: body.route }
      },
    }),
    rest({
      id: 'setNumberTranslation',
      summary: 'Set the called number that the destination of a number gets (DNIS)',
      method: 'put',
      path: '/numbers/{number}/translation',
      params,
      body: z.strictObject({ translation }),
      data: z.object({
        number: shownNumberField,
        translation: shownText('The digits that the destination gets; empty: those called.'),
      }),
      errors: [404],
      run: async ({ caller, params: named, body }) => {
        const target = { sid: caller.sid, e164: numberOfPath(named) }
        const change = { translation: orCleared(body.translation) }
        const shown = await changeOne(numbers, target, change)
        return { number: shown, translation: body.translation }
      },
    }),
    rest({
      id: 'setPortOutPin',
      summary: 'Set the PIN with which another carrier may take a number',
      method: 'patch',
      path: '/numbers/{number}/port-out-pin',
      params,
      body: z.strictObject({ pin }),
      data: z.object({ number: shownNumberField, portOutPin: shownText('The PIN: four digits.') }),
      errors: [404],
      run: async ({ caller, params: named, body }) => {
        const e164 = numberOfPath(named)
        refuseOne(await numbers.setPins(caller.sid, [{ e164, pin: body.pin }]))
        return { number: shownTn(e164), portOutPin: body.pin }
      },
    }),
  ]
}

function forwardOperations(numbers: Numbers): AccountOperation[] {
  return [
    rest({
      id: 'setNumberForward',
      summary: 'Forward the calls of a number',
      method: 'put',
      path: '/numbers/{number}/forward',
      params,
      row: 'Set number forward',
      body: z.strictObject({ destination }),
      data: z.object({
        number: shownNumberField,
        forwardTo: shownText('The number that its calls go to, in E.164.'),
      }),
      errors: [404],
      run: async ({ caller, params: named, body }) => {
        const target = { sid: caller.sid, e164: numberOfPath(named) }
        const shown = await changeOne(numbers, target, { forwardTo: body.destination })
        return { number: shown, forwardTo: body.destination }
      },
    }),
    operation({
      id: 'removeNumberForward',
      summary: 'Forward the calls of a number no longer',
      method: 'delete',
      path: '/numbers/{number}/forward',
      params,
      errors: [404],
      run: async ({ caller, params: named }) => {
        const target = { sid: caller.sid, e164: numberOfPath(named) }
        await changeOne(numbers, target, { forwardTo: null })
      },
    }),
  ]
}

function nameOperations(numbers: Numbers): AccountOperation[] {
  return [
    rest({
      id: 'setNumberCnam',
      summary: 'Turn the look-up of the names of the callers of a number on or off',
      method: 'put',
      path: '/numbers/{number}/cnam',
      params,
      body: z.strictObject({ enabled: flag('True: the name of each caller is looked up.') }),
      data: z.object({
        number: shownNumberField,
        enabled: flag('Whether the name of each caller is looked up.'),
      }),
      errors: [404],
      run: async ({ caller, params: named, body }) => {
        const target = { sid: caller.sid, e164: numberOfPath(named) }
        const shown = await changeOne(numbers, target, { looksUpCallerName: body.enabled })
        return { number: shown, enabled: body.enabled }
      },
    }),
    rest({
      id: 'setNumberLidb',
      summary: 'Set the name that the calls of a number show',
      method: 'put',
      path: '/numbers/{number}/lidb',
      params,
      body: z.strictObject({
        cnam: callerName,
        customerOrderReference: z
          .string()
          .max(64)
          .optional()
          .openapi({ description: 'A name of yours for the request; it is not kept.' }),
      }),
      data: z.object({
        number: shownNumberField,
        cnam: shownText('The name; empty: none.'),
        carrierStatus: shownText('Where the name was stored, for a person.'),
      }),
      errors: [404],
      run: async ({ caller, params: named, body }) => {
        const target = { sid: caller.sid, e164: numberOfPath(named) }
        const shown = await changeOne(numbers, target, { callerName: orCleared(body.cnam) })
        return { number: shown, cnam: body.cnam, carrierStatus: LIDB_UPDATED }
      },
    }),
  ]
}

/** The text, or null where an empty one clears the setting. */
export function orCleared(text: string): string | null {
  return text === '' ? null : text
}

/** The success of a change of an outgoing name: this system shows it by itself. */
export const LIDB_UPDATED = 'Local database updated'
