/** The webhooks that an application and a number can both have. Pure. */
import type { WebhookMethod } from '../../platform/http/http-method.js'
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

/** The settings after a change; `defaults` has the values of cleared fields. */
export function changedSettings<Settings extends object>(
  current: Settings,
  change: SettingsChange<Settings>,
  defaults: Settings,
): Settings {
  const cleared = Object.entries(defaults).filter(
    ([name]) => name in change && change[name as keyof Settings] === undefined,
  )
  const restored = Object.fromEntries(cleared) as Partial<Settings> // entries of the defaults
  return { ...current, ...change, ...restored }
}

/** Throws FallbackWithoutUrlError for a fallback without the URL that it stands in for. */
export function checkFallbacks(settings: WebhookSettings): void {
  const { voiceUrl, voiceFallbackUrl, smsUrl, smsFallbackUrl } = settings
  if (voiceFallbackUrl !== undefined && voiceUrl === undefined)
    throw new FallbackWithoutUrlError(21405)
  if (smsFallbackUrl !== undefined && smsUrl === undefined) throw new FallbackWithoutUrlError(21406)
}

interface WebhookColumns {
  voice_url: string | null
  voice_method: WebhookMethod
  voice_fallback_url: string | null
  voice_fallback_method: WebhookMethod
  voice_caller_id_lookup: number
  status_callback: string | null
  status_callback_method: WebhookMethod
  sms_url: string | null
  sms_method: WebhookMethod
  sms_fallback_url: string | null
  sms_fallback_method: WebhookMethod
}

export function toWebhookColumns(settings: WebhookSettings): WebhookColumns {
  return {
    voice_url: settings.voiceUrl ?? null,
    voice_method: settings.voiceMethod,
    voice_fallback_url: settings.voiceFallbackUrl ?? null,
    voice_fallback_method: settings.voiceFallbackMethod,
    voice_caller_id_lookup: Number(settings.voiceCallerIdLookup),
    status_callback: settings.statusCallback ?? null,
    status_callback_method: settings.statusCallbackMethod,
    sms_url: settings.smsUrl ?? null,
    sms_method: settings.smsMethod,
    sms_fallback_url: settings.smsFallbackUrl ?? null,
    sms_fallback_method: settings.smsFallbackMethod,
  }
}

export function toWebhookSettings(row: WebhookColumns): WebhookSettings {
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
