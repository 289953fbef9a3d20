/** A number of an account in the REST style. */
import { z } from '@hono/zod-openapi'
import type { NumberWithSettings } from '../../numbers/number-settings.js'
import { SYSTEM_ROUTES } from '../../numbers/system-routes.js'
import { flag, shownText } from '../fields.js'
import { shownNumberField, shownRoute, shownTn } from './number-fields.js'

/** Carrier number: one for all carriers of the operator. */
const CARRIER = 1

const fields = {
  carrier: z
    .number()
    .int()
    .openapi({ description: 'The carrier that brings its calls: always 1.' }),
  faxEnabled: flag('Whether calls to it may be faxes.'),
  translated: shownText('The number that the destination is given in its place; empty: none.'),
  forward: flag('Whether its calls are forwarded.'),
  forwardTo: z
    .string()
    .nullable()
    .openapi({ description: 'The number that its calls are forwarded to, in E.164.' }),
  number: shownNumberField,
  smsEnabled: flag('Whether it sends and takes text messages.'),
  cnam: flag('Whether the name of its callers is looked up.'),
  route: shownRoute,
  user: z
    .string()
    .nullable()
    .openapi({ description: 'The registered user of the route 1 (USER); null: any.' }),
  lidb: shownText('The name that its calls show; empty: none.'),
  porting: flag('Whether it is on its way to or from another carrier.'),
}

/** A number alone in an answer, and in a list. */
export const shownNumberData = z.object(fields)
export const shownNumberSchema = z.object(fields).openapi('AccountNumber')

/** True for a number with fax in the inventory or its settings, and for one with the route T.30. */
function takesFaxes({ number, settings }: NumberWithSettings): boolean {
  return number.capabilities.fax || settings.isFaxEnabled || settings.route === SYSTEM_ROUTES.T30
}

/**
 * The number with its settings, as `shownNumberSchema` describes it; `silent` has the sids of numbers with
 * messaging disabled.
 */
export function numberToWire(
  { number, settings }: NumberWithSettings,
  silent: ReadonlySet<string>,
) {
  const { forwardTo } = settings
  return {
    carrier: CARRIER,
    faxEnabled: takesFaxes({ number, settings }),
    translated: settings.translation ?? '',
    forward: forwardTo !== undefined,
    forwardTo: forwardTo ?? null,
    number: shownTn(number.e164),
    smsEnabled: number.capabilities.sms && !silent.has(number.sid),
    cnam: settings.looksUpCallerName,
    route: settings.route,
    user: settings.user ?? null,
    lidb: settings.callerName ?? '',
    porting: settings.porting !== undefined,
  }
}
