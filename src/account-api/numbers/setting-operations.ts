/** Number settings in both styles: route, forward, translation, caller name, PIN. */
import { z } from '@hono/zod-openapi'
import { isPossiblePhoneNumber } from 'libphonenumber-js/max'
import type { NumberSettingsChange } from '../../numbers/number-settings.js'
import { newPortOutPin, PORT_OUT_PIN } from '../../numbers/port-out-pins.js'
import { legacy, message } from '../dialect/legacy-operation.js'
import { type AccountOperation, operation, rest, type Styles } from '../dialect/rest-operation.js'
import { flag, shownText } from '../fields.js'
import {
  legacyNumbers,
  MAX_NUMBERS,
  number,
  route,
  shownNumberField,
  shownRoute,
  shownTn,
} from './number-fields.js'
import { numberOfPath, params } from './number-operations.js'
import type { Numbering } from './numbering.js'
import { doneOrPartial, refuseOne } from './refused-numbers.js'
import { tnItems } from './tn-list.js'

type Numbers = Numbering['numbers']

const MAX_USER = 64

/** A dialable number: the country or network code and the length are valid. */
const destination = number
  .refine((e164) => isPossiblePhoneNumber(e164), 'a number that can be called is expected')
  .openapi({
    type: 'string',
    description: 'The number that calls go to: E.164, or ten digits.',
  })

/** Outbound caller name; 15 characters is the limit of a caller-name record. */
const callerName = z
  .string()
  .trim()
  .regex(/^[\x20-\x7e]{0,15}$/, 'at most 15 printable ASCII characters are expected')
  .openapi({ description: 'The name, at most 15 characters; empty: none.' })

const translation = z
  .union([z.string(), z.number().int()], 'at most 32 digits are expected')
  .transform(String)
  .pipe(z.string().regex(/^\+?[0-9*#]{0,32}$/, 'at most 32 digits are expected'))
  .openapi({
    type: 'string',
    description: 'The digits that the destination gets as the called number; empty: none.',
  })

const pin = z
  .union([z.string(), z.number().int()], 'four digits are expected')
  .transform(String)
  .pipe(z.string().regex(PORT_OUT_PIN, 'four digits are expected'))
  .openapi({ type: 'string', description: 'The PIN: four digits.' })

const shownTranslation = shownText('The digits that the destination gets; empty: those called.')
const shownPin = shownText('The PIN: four digits.')

const user = z
  .string()
  .trim()
  .max(MAX_USER)
  .regex(/^[^\s<>"@:;]*(@[^\s<>"@:;]+)?$/, 'a user name is expected, perhaps with its domain')
  .openapi({
    description: 'Route 1 (USER) only: the registered user that calls go to; empty: any.',
  })

const namedCaller = {
  cnam: callerName,
  customerOrderReference: z
    .string()
    .max(64)
    .optional()
    .openapi({ description: 'A name of yours for the request; it is not kept.' }),
}

/** Text for a changed caller name: this system stores the names itself. */
const LIDB_UPDATED = 'Local database updated'

/** The text; null for an empty text, which clears the setting. */
const orCleared = (text: string): string | null => (text === '' ? null : text)

export function numberSettingOperations({ numbers }: Pick<Numbering, 'numbers'>): Styles {
  return {
    rest: [...routingSettings(numbers), ...forwardSettings(numbers), ...nameSettings(numbers)],
    legacy: [...legacyNames(numbers), ...legacyRoutes(numbers)],
    numbering: [pinsOperation(numbers)],
  }
}

type Fields<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>

/** A setting of one number, in the REST style. */
interface Setting<Body extends z.ZodRawShape> {
  readonly id: string
  readonly summary: string
  /** Last part of its path. */
  readonly at: string
  readonly more?: { readonly row: string }
  readonly body: Body
  /** Fields of the answer, except the number. */
  readonly data: z.ZodRawShape
  readonly change: (body: Fields<Body>) => NumberSettingsChange
  readonly shown: (body: Fields<Body>) => object
}

function settingOf<Body extends z.ZodRawShape>(
  numbers: Numbers,
  { id, summary, at, more, body: fields, data, change, shown }: Setting<Body>,
): AccountOperation {
  return rest({
    ...{ id, summary, method: 'put', path: `/numbers/{number}/${at}`, ...more },
    params,
    body: z.strictObject(fields),
    data: z.object({ number: shownNumberField, ...data }),
    errors: [404],
    run: async ({ caller, params: named, body }) => {
      const e164 = numberOfPath(named)
      const given = body as Fields<Body> // the same fields
      refuseOne(await numbers.change(caller.sid, [{ e164, change: change(given) }]))
      return { number: shownTn(e164), ...shown(given) }
    },
  })
}

function routingSettings(numbers: Numbers): AccountOperation[] {
  return [
    settingOf(numbers, {
      id: 'setNumberRoute',
      summary: 'Route a number to a gateway or a system route',
      at: 'route',
      body: { route, user: user.optional() },
      data: { route: shownRoute },
      change: ({ route: to, user: named }) =>
        named === undefined ? { route: to } : { route: to, user: orCleared(named) },
      shown: ({ route: to }) => ({ route: to }),
    }),
    settingOf(numbers, {
      id: 'setNumberTranslation',
      summary: 'Set the called number that the destination of a number gets (DNIS)',
      at: 'translation',
      body: { translation },
      data: { translation: shownTranslation },
      change: ({ translation: to }) => ({ translation: orCleared(to) }),
      shown: ({ translation: to }) => ({ translation: to }),
    }),
    rest({
      id: 'setPortOutPin',
      summary: 'Set the PIN with which another carrier may take a number',
      method: 'patch',
      path: '/numbers/{number}/port-out-pin',
      params,
      body: z.strictObject({ pin }),
      data: z.object({ number: shownNumberField, portOutPin: shownPin }),
      errors: [404],
      run: async ({ caller, params: named, body }) => {
        const e164 = numberOfPath(named)
        refuseOne(await numbers.setPins(caller.sid, [{ e164, pin: body.pin }]))
        return { number: shownTn(e164), portOutPin: body.pin }
      },
    }),
  ]
}

function forwardSettings(numbers: Numbers): AccountOperation[] {
  return [
    settingOf(numbers, {
      id: 'setNumberForward',
      summary: 'Forward the calls of a number',
      at: 'forward',
      more: { row: 'Set number forward' },
      body: { destination },
      data: { forwardTo: shownText('The number that its calls go to, in E.164.') },
      change: ({ destination: to }) => ({ forwardTo: to }),
      shown: ({ destination: to }) => ({ forwardTo: to }),
    }),
    operation({
      id: 'removeNumberForward',
      summary: 'Forward the calls of a number no longer',
      method: 'delete',
      path: '/numbers/{number}/forward',
      params,
      errors: [404],
      run: async ({ caller, params: named }) => {
        const e164 = numberOfPath(named)
        refuseOne(await numbers.change(caller.sid, [{ e164, change: { forwardTo: null } }]))
      },
    }),
  ]
}

function nameSettings(numbers: Numbers): AccountOperation[] {
  return [
    settingOf(numbers, {
      id: 'setNumberCnam',
      summary: 'Turn the look-up of the names of the callers of a number on or off',
      at: 'cnam',
      body: { enabled: flag('True: the name of each caller is looked up.') },
      data: { enabled: flag('Whether the name of each caller is looked up.') },
      change: ({ enabled }) => ({ looksUpCallerName: enabled }),
      shown: ({ enabled }) => ({ enabled }),
    }),
    settingOf(numbers, {
      id: 'setNumberLidb',
      summary: 'Set the name that the calls of a number show',
      at: 'lidb',
      body: namedCaller,
      data: {
        cnam: shownText('The name; empty: none.'),
        carrierStatus: shownText('Where the name was stored, for a person.'),
      },
      change: ({ cnam }) => ({ callerName: orCleared(cnam) }),
      shown: ({ cnam }) => ({ cnam, carrierStatus: LIDB_UPDATED }),
    }),
  ]
}

/** A setting of several numbers, in the legacy style. */
interface ListSetting<Item extends z.ZodRawShape> {
  readonly id: string
  readonly summary: string
  readonly method?: 'delete'
  readonly path: string
  readonly row: string
  readonly item: Item
  readonly says: string
  /** Key of the changed numbers. */
  readonly key: string
  /** Key of the refused numbers; by default the other key with `_failed`. */
  readonly failed?: string
  /** Schema name of an item in the answer, and its fields except the number. */
  readonly shows: readonly [string, z.ZodRawShape]
  readonly described?: string
  readonly change: (item: Fields<Item>) => NumberSettingsChange
  readonly shown: (item: Fields<Item>) => object
}

function listSettingOf<Item extends z.ZodRawShape>(
  numbers: Numbers,
  setting: ListSetting<Item>,
): AccountOperation {
  const { id, summary, method = 'post', path, row, item, says, key, change, shown } = setting
  const { failed = `${key}_failed`, shows, described = 'What was changed.' } = setting
  const [name, fields] = shows
  const list = z.array(z.object({ number: shownNumberField, ...fields }).openapi(name))
  return legacy({
    ...{ id, summary, method, path, row },
    body: { numbers: legacyNumbers(item) },
    keys: { message, [key]: list.openapi({ description: described }) },
    errors: [409],
    run: async ({ caller, body }) => {
      // Items have the number and the fields of `item`.
      const items = body.numbers as unknown as readonly (Fields<Item> & { number: string })[]
      const changes = items.map((each) => ({ e164: each.number, change: change(each) }))
      const done = doneOrPartial(items, await numbers.change(caller.sid, changes), {
        keys: { done: `${key}_success`, failed },
        shown: (each) => ({ number: shownTn(each.number), ...shown(each) }),
      })
      return { message: says, [key]: done }
    },
  })
}

/** `TRUE` and `FALSE`, or booleans. */
const onOff = z
  .preprocess(
    (value) => (typeof value === 'boolean' ? String(value) : value),
    z.string().regex(/^(true|false)$/i, 'TRUE or FALSE is expected'),
  )
  .transform((text) => text.toUpperCase())
  .openapi({ type: 'string', description: 'TRUE or FALSE.' })

function legacyNames(numbers: Numbers): AccountOperation[] {
  return [
    listSettingOf(numbers, {
      id: 'legacySetCnam',
      summary: "Turn the look-up of callers' names on or off",
      path: '/numbers/cnam/',
      row: 'Inbound caller-name lookup on/off',
      item: { cnam: onOff },
      says: 'CNAM results',
      key: 'numbers',
      shows: ['LegacyCnamNumber', { cnam: shownText('TRUE or FALSE.') }],
      change: ({ cnam }) => ({ looksUpCallerName: cnam === 'TRUE' }),
      shown: ({ cnam }) => ({ cnam }),
    }),
    listSettingOf(numbers, {
      id: 'legacySetLidb',
      summary: 'Set the names that the calls of numbers show',
      path: '/numbers/lidb/',
      row: 'Set outbound caller name',
      item: namedCaller,
      says: 'LIDB results',
      key: 'numbers',
      failed: 'numbers_fail',
      shows: [
        'LegacyLidbNumber',
        {
          cnam: shownText('The name; empty: none.'),
          success: shownText('Where the name was stored, for a person.'),
        },
      ],
      change: ({ cnam }) => ({ callerName: orCleared(cnam) }),
      shown: ({ cnam }) => ({ cnam, success: LIDB_UPDATED }),
    }),
  ]
}

function legacyRoutes(numbers: Numbers): AccountOperation[] {
  const forwarded = {
    path: '/numbers/forward/',
    row: 'Remove call forward / Set call forward',
    says: 'Foward results',
    key: 'foward',
    shows: [
      'LegacyForwardedNumber',
      { destination: shownText('The number that its calls go to in E.164, or `removed`.') },
    ],
    described: 'What was changed; the key is spelled this way.',
  } as const
  return [
    listSettingOf(numbers, {
      ...forwarded,
      id: 'legacySetForward',
      summary: 'Forward the calls of numbers',
      item: { destination },
      change: ({ destination: to }) => ({ forwardTo: to }),
      shown: ({ destination: to }) => ({ destination: to }),
    }),
    listSettingOf(numbers, {
      ...forwarded,
      id: 'legacyRemoveForward',
      summary: 'Forward the calls of numbers no longer',
      method: 'delete',
      item: {},
      change: () => ({ forwardTo: null }),
      shown: () => ({ destination: 'removed' }),
    }),
    listSettingOf(numbers, {
      id: 'legacyRouteNumbers',
      summary: 'Route numbers to gateways or system routes',
      path: '/numbers/route/',
      row: 'Route numbers',
      item: { route },
      says: 'Route results',
      key: 'numbers',
      shows: ['LegacyRoutedNumber', { route: shownRoute }],
      change: ({ route: to }) => ({ route: to }),
      shown: ({ route: to }) => ({ route: to }),
    }),
    listSettingOf(numbers, {
      id: 'legacyTranslateNumbers',
      summary: 'Set the called numbers that the destinations of numbers get (DNIS)',
      path: '/numbers/translations/',
      row: 'Set translations',
      item: { translation },
      says: 'Translation results',
      key: 'translation',
      shows: ['LegacyTranslatedNumber', { translation: shownTranslation }],
      change: ({ translation: to }) => ({ translation: orCleared(to) }),
      shown: ({ translation: to }) => ({ translation: to }),
    }),
  ]
}

/** A PIN that is empty or absent is generated. */
const givenPin = z
  .preprocess((value) => (value === '' || value === null ? undefined : value), pin.optional())
  .openapi({ type: 'string', description: 'The PIN: four digits; without one it is made.' })
const pinItem = z.object({ tn: number, portOutPin: givenPin }).openapi('PortOutPinItem')
const shownPins = z
  .object({
    tnList: z
      .object({
        tnItem: z
          .array(z.object({ tn: shownNumberField, portOutPin: shownPin }).openapi('SetPortOutPin'))
          .openapi({ description: 'The numbers of the account that were named.' }),
      })
      .openapi({ description: 'The numbers.' }),
  })
  .openapi({ description: 'The PINs as they are now.' })

/** The PIN operation below `/v2`. */
function pinsOperation(numbers: Numbers): AccountOperation {
  return legacy({
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
  })
}
