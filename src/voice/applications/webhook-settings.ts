/** The webhooks that an application and a number can both have. Pure. */
import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Selectable, UrlColumn, Written } from '../../platform/database/tables.js'
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

/** A change of settings: an absent field stays, one that is undefined gets its default. */
export type SettingsChange<Settings> = {
  readonly [Name in keyof Settings]?: Settings[Name] | undefined
}

/**
 * The settings after a change; `defaults` has the values of cleared fields. Throws MaskedPasswordError
 * for a URL whose masked password is not that of the same field.
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

/** Throws FallbackWithoutUrlError for a fallback without the URL that it stands in for. */
export function checkFallbacks(settings: WebhookSettings): void {
  const { voiceUrl, voiceFallbackUrl, smsUrl, smsFallbackUrl } = settings
  if (voiceFallbackUrl !== undefined && voiceUrl === undefined)
    throw new FallbackWithoutUrlError(21405)
  if (smsFallbackUrl !== undefined && smsUrl === undefined) throw new FallbackWithoutUrlError(21406)
}

interface WebhookColumns {
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

export function toWebhookColumns(settings: WebhookSettings): Written<WebhookColumns> {
  return {
    voiceUrl: urlAtRest(settings.voiceUrl),
    voiceMethod: settings.voiceMethod,
    voiceFallbackUrl: urlAtRest(settings.voiceFallbackUrl),
    voiceFallbackMethod: settings.voiceFallbackMethod,
    voiceCallerIdLookup: Number(settings.voiceCallerIdLookup),
    statusCallback: urlAtRest(settings.statusCallback),
    statusCallbackMethod: settings.statusCallbackMethod,
    smsUrl: urlAtRest(settings.smsUrl),
    smsMethod: settings.smsMethod,
    smsFallbackUrl: urlAtRest(settings.smsFallbackUrl),
    smsFallbackMethod: settings.smsFallbackMethod,
  }
}

export function toWebhookSettings(row: Selectable<WebhookColumns>): WebhookSettings {
  return {
    voiceUrl: row.voiceUrl ?? undefined,
    voiceMethod: row.voiceMethod,
    voiceFallbackUrl: row.voiceFallbackUrl ?? undefined,
    voiceFallbackMethod: row.voiceFallbackMethod,
    voiceCallerIdLookup: row.voiceCallerIdLookup === 1,
    statusCallback: row.statusCallback ?? undefined,
    statusCallbackMethod: row.statusCallbackMethod,
    smsUrl: row.smsUrl ?? undefined,
    smsMethod: row.smsMethod,
    smsFallbackUrl: row.smsFallbackUrl ?? undefined,
    smsFallbackMethod: row.smsFallbackMethod,
  }
}
