/** The settings of numbers in the legacy style: route, forward, translation, names, PINs. */
import { z } from '@hono/zod-openapi'
import type { NumberSettingsChange } from '../../numbers/number-settings.js'
import { newPortOutPin } from '../../numbers/port-out-pins.js'
import { legacy } from '../dialect/legacy-operation.js'
import type { AccountOperation } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'
import { message } from './legacy-number-operations.js'
import {
  legacyNumbers,
  MAX_NUMBERS,
  number,
  route,
  shownNumberField,
  shownRoute,
  shownTn,
} from './number-fields.js'
import type { Numbering } from './numbering.js'
import { doneOrPartial, type PartialKeys } from './refused-numbers.js'
import {
  callerName,
  destination,
  LIDB_UPDATED,
  orCleared,
  pin,
  translation,
} from './setting-operations.js'
import { tnItems } from './tn-list.js'

type Numbers = Numbering['numbers']

const CHANGED = { done: 'numbers_success', failed: 'numbers_failed' }
const FORWARDED = { done: 'foward_success', failed: 'foward_failed' }
const TRANSLATED = { done: 'translation_success', failed: 'translation_failed' }
const NAMED = { done: 'numbers_success', failed: 'numbers_fail' }

/** Changes each number of a request; answers with those that were changed, as they are shown. */
async function changeAll<Item extends { readonly number: string }, Shown>(
  { numbers, sid, keys }: { numbers: Numbers; sid: string; keys: PartialKeys },
  items: readonly Item[],
  of: {
    readonly change: (item: Item) => NumberSettingsChange
    readonly shown: (item: Item) => Shown
  },
): Promise<Shown[]> {
  const changes = items.map((item) => ({ e164: item.number, change: of.change(item) }))
  const outcomes = await numbers.change(sid, changes)
  return doneOrPartial(items, outcomes, { keys, shown: of.shown })
}

export function legacyNumberSettingOperations({
  numbers,
}: Pick<Numbering, 'numbers'>): AccountOperation[] {
  return [
    ...legacyNameOperations(numbers),
    ...legacyForwardOperations(numbers),
    ...legacyRoutingOperations(numbers),
  ]
}

/** `TRUE` and `FALSE`, or booleans. */
const onOff = z
  .preprocess(
    (value) => (typeof value === 'boolean' ? String(value) : value),
    z.string().regex(/^(true|false)$/i, 'TRUE or FALSE is expected'),
  )
  .transform((text) => text.toUpperCase())
  .openapi({ type: 'string', description: 'TRUE or FALSE.' })

function legacyNameOperations(numbers: Numbers): AccountOperation[] {
  const looked = z
    .object({ number: shownNumberField, cnam: shownText('TRUE or FALSE.') })
    .openapi('LegacyCnamNumber')
  const showing = z
    .object({
      number: shownNumberField,
      cnam: shownText('The name; empty: none.'),
      success: shownText('Where the name was stored, for a person.'),
    })
    .openapi('LegacyLidbNumber')
  return [
    legacy({
      id: 'legacySetCnam',
      summary: "Turn the look-up of callers' names on or off",
      path: '/numbers/cnam/',
      row: 'Inbound caller-name lookup on/off',
      body: { numbers: legacyNumbers({ cnam: onOff }) },
      keys: { message, numbers: z.array(looked).openapi({ description: 'What was changed.' }) },
      errors: [409],
      run: async ({ caller, body }) => ({
        message: 'CNAM results',
        numbers: await changeAll({ numbers, sid: caller.sid, keys: CHANGED }, body.numbers, {
          change: ({ cnam }) => ({ looksUpCallerName: cnam === 'TRUE' }),
          shown: ({ number: e164, cnam }) => ({ number: shownTn(e164), cnam }),
        }),
      }),
    }),
    legacy({
      id: 'legacySetLidb',
      summary: 'Set the names that the calls of numbers show',
      path: '/numbers/lidb/',
      row: 'Set outbound caller name',
      body: {
        numbers: legacyNumbers({
          cnam: callerName,
          customerOrderReference: z
            .string()
            .max(64)
            .optional()
            .openapi({ description: 'A name of yours for the request; it is not kept.' }),
        }),
      },
      keys: { message, numbers: z.array(showing).openapi({ description: 'What was changed.' }) },
      errors: [409],
      run: async ({ caller, body }) => ({
        message: 'LIDB results',
        numbers: await changeAll({ numbers, sid: caller.sid, keys: NAMED }, body.numbers, {
          change: ({ cnam }) => ({ callerName: orCleared(cnam) }),
          shown: ({ number: e164, cnam }) => ({
            number: shownTn(e164),
            cnam,
            success: LIDB_UPDATED,
          }),
        }),
      }),
    }),
  ]
}

function legacyForwardOperations(numbers: Numbers): AccountOperation[] {
  const row = 'Remove call forward / Set call forward'
  const foward = z
    .array(
      z
        .object({
          number: shownNumberField,
          destination: shownText('The number that its calls go to in E.164, or `removed`.'),
        })
        .openapi('LegacyForwardedNumber'),
    )
    .openapi({ description: 'What was changed; the key is spelled this way.' })
  return [
    legacy({
      id: 'legacySetForward',
      summary: 'Forward the calls of numbers',
      path: '/numbers/forward/',
      row,
      body: { numbers: legacyNumbers({ destination }) },
      keys: { message, foward },
      errors: [409],
      run: async ({ caller, body }) => ({
        message: 'Foward results',
        foward: await changeAll({ numbers, sid: caller.sid, keys: FORWARDED }, body.numbers, {
          change: (each) => ({ forwardTo: each.destination }),
          shown: (each) => ({ number: shownTn(each.number), destination: each.destination }),
        }),
      }),
    }),
    legacy({
      id: 'legacyRemoveForward',
      summary: 'Forward the calls of numbers no longer',
      method: 'delete',
      path: '/numbers/forward/',
      row,
      body: { numbers: legacyNumbers({}) },
      keys: { message, foward },
      errors: [409],
      run: async ({ caller, body }) => ({
        message: 'Foward results',
        foward: await changeAll({ numbers, sid: caller.sid, keys: FORWARDED }, body.numbers, {
          change: () => ({ forwardTo: null }),
          shown: (each) => ({ number: shownTn(each.number), destination: 'removed' }),
        }),
      }),
    }),
  ]
}

function legacyRoutingOperations(numbers: Numbers): AccountOperation[] {
  const routed = z
    .object({ number: shownNumberField, route: shownRoute })
    .openapi('LegacyRoutedNumber')
  const translated = z
    .object({
      number: shownNumberField,
      translation: shownText('The digits that the destination gets; empty: those called.'),
    })
    .openapi('LegacyTranslatedNumber')
  return [
    legacy({
      id: 'legacyRouteNumbers',
      summary: 'Route numbers to gateways or system routes',
      path: '/numbers/route/',
      row: 'Route numbers',
      body: { numbers: legacyNumbers({ route }) },
      keys: { message, numbers: z.array(routed).openapi({ description: 'What was changed.' }) },
      errors: [409],
      run: async ({ caller, body }) => ({
        message: 'Route results',
        numbers: await changeAll({ numbers, sid: caller.sid, keys: CHANGED }, body.numbers, {
          change: (each) => ({ route: each.route }),
          shown: (each) => ({ number: shownTn(each.number), route: each.route }),
        }),
      }),
    }),
    legacy({
      id: 'legacyTranslateNumbers',
      summary: 'Set the called numbers that the destinations of numbers get (DNIS)',
      path: '/numbers/translations/',
      row: 'Set translations',
      body: { numbers: legacyNumbers({ translation }) },
      keys: {
        message,
        translation: z.array(translated).openapi({ description: 'What was changed.' }),
      },
      errors: [409],
      run: async ({ caller, body }) => ({
        message: 'Translation results',
        translation: await changeAll({ numbers, sid: caller.sid, keys: TRANSLATED }, body.numbers, {
          change: (each) => ({ translation: orCleared(each.translation) }),
          shown: (each) => ({ number: shownTn(each.number), translation: each.translation }),
        }),
      }),
    }),
  ]
}

/** A PIN that is empty is one that is absent: it is made. */
const givenPin = z
  .preprocess((value) => (value === '' || value === null ? undefined : value), pin.optional())
  .openapi({ type: 'string', description: 'The PIN: four digits; without one it is made.' })
const pinItem = z.object({ tn: number, portOutPin: givenPin }).openapi('PortOutPinItem')
const shownPins = z
  .object({
    tnList: z
      .object({
        tnItem: z
          .array(
            z
              .object({ tn: shownNumberField, portOutPin: shownText('The PIN: four digits.') })
              .openapi('SetPortOutPin'),
          )
          .openapi({ description: 'The numbers of the account that were named.' }),
      })
      .openapi({ description: 'The numbers.' }),
  })
  .openapi({ description: 'The PINs as they are now.' })

/** The operation on PINs below `/v2`. */
export function portOutPinOperations({ numbers }: Pick<Numbering, 'numbers'>): AccountOperation[] {
  return [
    legacy({
      id: 'updatePortOutPins',
      summary: 'Set the PINs with which other carriers may take numbers',
      description:
        'A number of another account is left out, and so is one that is named again; a PIN that is absent is made.',
      path: '/numbering/portOutPinUpdate/',
      aliases: ['/iNumbering/portOutPinUpdate/'],
      row: 'Update port-out PINs',
      body: {
        portOutPin: z
          .object({
            tnList: z
              .object({
                tnItem: tnItems(
                  pinItem,
                  MAX_NUMBERS,
                  'The numbers, at most 100, each perhaps with its PIN.',
                ),
              })
              .openapi({ description: 'The numbers.' }),
          })
          .openapi({ description: 'The PINs.' }),
      },
      keys: { portOutPin: shownPins },
      run: async ({ caller, body }) => {
        const pins = body.portOutPin.tnList.tnItem.map((each) => ({
          e164: each.tn,
          pin: each.portOutPin ?? newPortOutPin(),
        }))
        const outcomes = await numbers.setPins(caller.sid, pins)
        const tnItem = pins
          .filter((_, index) => outcomes[index]?.refused === undefined)
          .map((each) => ({ tn: shownTn(each.e164), portOutPin: each.pin }))
        return { portOutPin: { tnList: { tnItem } } }
      },
    }),
  ]
}
