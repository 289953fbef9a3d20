/** The webhooks that both applications and numbers have. Pure. */
import { urlAtRest } from '../../platform/database/at-rest.js'
import type { UrlColumn } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import { withKnownPasswords } from '../../platform/url-passwords.js'
import { FallbackWithoutUrlError } from './application-errors.js'

export interface WebhookSettings {
  readonly voiceUrl: string | undefined
  readonly voiceMethod: WebhookMethod
  readonly voiceFallbackUrl: string | undefined
  readonly voiceFallbackMethod: WebhookMethod
  readonly voiceCallerIdLookup: boolean
  readonly statusCallback: string | undefined
  readonly statusCallbackMethod: WebhookMethod
  readonly smsUrl: string | undefined
  readonly smsMethod: WebhookMethod
  readonly smsFallbackUrl: string | undefined
  readonly smsFallbackMethod: WebhookMethod
}

export const NO_WEBHOOKS: WebhookSettings = {
  voiceUrl: undefined,
  voiceMethod: 'POST',
  voiceFallbackUrl: undefined,
  voiceFallbackMethod: 'POST',
  voiceCallerIdLookup: false,
  statusCallback: undefined,
  statusCallbackMethod: 'POST',
  smsUrl: undefined,
  smsMethod: 'POST',
  smsFallbackUrl: undefined,
  smsFallbackMethod: 'POST',
}

/** A change of settings: an absent field is kept, an undefined one gets its default. */
export type SettingsChange<Settings> = {
  readonly [Name in keyof Settings]?: Settings[Name] | undefined
}

/**
 * Returns the settings after a change; `defaults` holds the values of cleared fields. Throws
 * MaskedPasswordError for a URL whose masked password does not belong to the same field.
 */
export function changedSettings<Settings extends object>(
  current: Settings,
  change: SettingsChange<Settings>,
  defaults: Settings,
): Settings {
  const cleared = Object.entries(defaults).filter(
    ([name]) => name in change && change[name as keyof Settings] === undefined,
  )
  const restored = Object.fromEntries(cleared) as Partial<Settings> // entries of the defaults
  return { ...current, ...withKnownPasswords(change, current), ...restored }
}

/**
 * Throws FallbackWithoutUrlError for a fallback URL without the URL that it replaces on failure.
 */
export function checkFallbacks(settings: WebhookSettings): void {
  const { voiceUrl, voiceFallbackUrl, smsUrl, smsFallbackUrl } = settings
  if (voiceFallbackUrl !== undefined && voiceUrl === undefined)
    throw new FallbackWithoutUrlError(21405)
  if (smsFallbackUrl !== undefined && smsUrl === undefined) throw new FallbackWithoutUrlError(21406)
}

export interface WebhookColumns {
  voiceUrl: UrlColumn<null>
  voiceMethod: WebhookMethod
  voiceFallbackUrl: UrlColumn<null>
  voiceFallbackMethod: WebhookMethod
  voiceCallerIdLookup: number
  statusCallback: UrlColumn<null>
  statusCallbackMethod: WebhookMethod
  smsUrl: UrlColumn<null>
  smsMethod: WebhookMethod
  smsFallbackUrl: UrlColumn<null>
  smsFallbackMethod: WebhookMethod
}

/** Returns the columns that are stored in another form than their fields have. */
export function webhookColumns(settings: WebhookSettings) {
  return {
    voiceUrl: urlAtRest(settings.voiceUrl),
    voiceFallbackUrl: urlAtRest(settings.voiceFallbackUrl),
    voiceCallerIdLookup: Number(settings.voiceCallerIdLookup),
    statusCallback: urlAtRest(settings.statusCallback),
    smsUrl: urlAtRest(settings.smsUrl),
    smsFallbackUrl: urlAtRest(settings.smsFallbackUrl),
  }
}
