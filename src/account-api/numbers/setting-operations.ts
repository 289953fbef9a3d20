/** The settings of one number in the REST style: route, forward, translation, names, PIN. */
import { z } from '@hono/zod-openapi'
import type { NumberSettingsChange } from '../../numbers/number-settings.js'
import { type AccountOperation, operation, rest } from '../dialect/rest-operation.js'
import { flag, shownText } from '../fields.js'
import { route, shownNumberField, shownRoute, shownTn } from './number-fields.js'
import { numberOfPath, params } from './number-operations.js'
import type { Numbering } from './numbering.js'
import { refuseOne } from './refused-numbers.js'
import { callerName, destination, orCleared, pin, translation, user } from './setting-fields.js'

type Numbers = Numbering['numbers']

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

/** The success of a change of an outgoing name: this system shows it by itself. */
export const LIDB_UPDATED = 'Local database updated'
