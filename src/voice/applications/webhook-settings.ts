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
  voice_url: UrlColumn<null>
  voice_method: WebhookMethod
  voice_fallback_url: UrlColumn<null>
  voice_fallback_method: WebhookMethod
  voice_caller_id_lookup: number
  status_callback: UrlColumn<null>
  status_callback_method: WebhookMethod
  sms_url: UrlColumn<null>
  sms_method: WebhookMethod
  sms_fallback_url: UrlColumn<null>
  sms_fallback_method: WebhookMethod
}

export function toWebhookColumns(settings: WebhookSettings): Written<WebhookColumns> {
  return {
    voice_url: urlAtRest(settings.voiceUrl),
    voice_method: settings.voiceMethod,
    voice_fallback_url: urlAtRest(settings.voiceFallbackUrl),
    voice_fallback_method: settings.voiceFallbackMethod,
    voice_caller_id_lookup: Number(settings.voiceCallerIdLookup),
    status_callback: urlAtRest(settings.statusCallback),
    status_callback_method: settings.statusCallbackMethod,
    sms_url: urlAtRest(settings.smsUrl),
    sms_method: settings.smsMethod,
    sms_fallback_url: urlAtRest(settings.smsFallbackUrl),
    sms_fallback_method: settings.smsFallbackMethod,
  }
}

export function toWebhookSettings(row: Selectable<WebhookColumns>): WebhookSettings {
  return {
    voiceUrl: row.voice_url ?? undefined,
    voiceMethod: row.voice_method,
    voiceFallbackUrl: row.voice_fallback_url ?? undefined,
    voiceFallbackMethod: row.voice_fallback_method,
    voiceCallerIdLookup: row.voice_caller_id_lookup === 1,
    statusCallback: row.status_callback ?? undefined,
    statusCallbackMethod: row.status_callback_method,
    smsUrl: row.sms_url ?? undefined,
    smsMethod: row.sms_method,
    smsFallbackUrl: row.sms_fallback_url ?? undefined,
    smsFallbackMethod: row.sms_fallback_method,
  }
}
