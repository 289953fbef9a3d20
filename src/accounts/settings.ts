/** Settings of an account, stored as JSON with sealed secrets. Pure. */
import { type JsonAtRest, jsonAtRest } from '../platform/database/at-rest.js'
import type { WebhookMethod } from '../platform/http/http-method.js'
import { withKnownPasswords, withMaskedUrls } from '../platform/url-passwords.js'

/** `owned-or-verified`: a number of the account, or one that it verified by a call. */
export type CallerIdPolicy = 'any' | 'owned-or-verified'

export interface AccountSettings {
  /** Maximum number of this account's calls that start per second; undefined: the server's default. */
  readonly callsPerSecond?: number | undefined
  /** Maximum number of this account's concurrent calls; undefined: the server's limit. */
  readonly concurrentCalls?: number | undefined
  /** Maximum number of this account's queued calls; undefined: the server's default. */
  readonly waitingCalls?: number | undefined
  /** Maximum number of voice API requests per second; undefined: the server's default. */
  readonly requestsPerSecond?: number | undefined
  /** Numbers allowed as From of calls; undefined: any. */
  readonly callerIds?: CallerIdPolicy | undefined
  /** Prefixes of callable numbers; undefined: all but premium numbers. */
  readonly destinations?: Destinations | undefined
  /** Maximum number of concurrent outbound calls to one number; undefined: no limit. */
  readonly callsToOneNumber?: number | undefined
  /** Daily limit (UTC) of outbound calls, minutes; once reached, calls are refused. Undefined: no limit. */
  readonly minutesPerDay?: number | undefined
  /** Daily limit (UTC) of outbound calls, dollars; once reached, calls are refused. Undefined: no limit. */
  readonly dollarsPerDay?: number | undefined
  /** Second header with the webhook signature, for validators that read only that name. */
  readonly secondSignatureHeader?: string | undefined
  /** True when whole SIP messages of all its calls are kept; undefined: of none. */
  readonly keepSipMessages?: boolean | undefined
  /** Numbers in E.164 from or to which calls are kept with their whole SIP messages. */
  readonly keepSipMessagesOf?: readonly string[] | undefined
  readonly tts: TtsSettings
  readonly stt: SttSettings
  readonly storage: StorageSettings
  readonly voice: VoiceSettings
  /** Addresses and CIDRs from which the account's credentials are accepted; empty: any. */
  readonly allowCidr: readonly string[]
}

/** E.164 prefixes such as `+1876`; if both lists match a number, the longer prefix wins. */
export interface Destinations {
  /**
   * If not empty, all numbers without one of these prefixes are blocked. Premium numbers always need a prefix
   * here.
   */
  readonly allowed: readonly string[]
  readonly denied: readonly string[]
}

/** The account's own HTTP speech engine; without a URL, the built-in engine is used. */
export interface TtsSettings {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly engineName?: string | undefined
  readonly defaultVoice?: string | undefined
  readonly defaultLanguage?: string | undefined
}

export interface SttSettings {
  /** Speech recogniser of the media server. */
  readonly vendor?: string | undefined
  readonly url?: string | undefined
  readonly token?: string | undefined
}

/** Bucket to which recordings are copied. */
export interface StorageSettings {
  readonly bucket?: string | undefined
  readonly region?: string | undefined
  readonly prefix?: string | undefined
  readonly accessKeyId?: string | undefined
  readonly secretAccessKey?: string | undefined
  readonly kmsKeyId?: string | undefined
}

/** Webhooks for calls without a more specific application. The default method is POST. */
export interface VoiceSettings {
  readonly url?: string | undefined
  readonly method?: WebhookMethod | undefined
  readonly fallbackUrl?: string | undefined
  readonly fallbackMethod?: WebhookMethod | undefined
}

export const NO_SETTINGS: AccountSettings = {
  tts: {},
  stt: {},
  storage: {},
  voice: {},
  allowCidr: [],
}

/** A change of settings: absent fields keep their value, undefined ones are cleared, lists are replaced. */
export interface SettingsChange {
  readonly callsPerSecond?: number | undefined
  readonly concurrentCalls?: number | undefined
  readonly waitingCalls?: number | undefined
  readonly requestsPerSecond?: number | undefined
  readonly callerIds?: CallerIdPolicy | undefined
  readonly destinations?: Destinations | undefined
  readonly callsToOneNumber?: number | undefined
  readonly minutesPerDay?: number | undefined
  readonly dollarsPerDay?: number | undefined
  readonly secondSignatureHeader?: string | undefined
  readonly keepSipMessages?: boolean | undefined
  readonly keepSipMessagesOf?: readonly string[] | undefined
  readonly tts?: TtsSettings
  readonly stt?: SttSettings
  readonly storage?: StorageSettings
  readonly voice?: VoiceSettings
  readonly allowCidr?: readonly string[]
}

/**
 * Applies a change. Throws MaskedPasswordError for a URL with a masked password that differs from the stored
 * URL.
 */
export function changedSettings(
  settings: AccountSettings,
  change: SettingsChange,
): AccountSettings {
  return {
    ...settings,
    ...change,
    tts: changedPart(settings.tts, change.tts),
    stt: changedPart(settings.stt, change.stt),
    storage: { ...settings.storage, ...change.storage },
    voice: changedPart(settings.voice, change.voice),
  }
}

function changedPart<Part extends object>(current: Part, change: Part | undefined): Part {
  return change === undefined ? current : { ...current, ...withKnownPasswords(change, current) }
}

type Translate = (secret: string) => string

/** Parses stored settings. `open` throws for a secret that was sealed with another key. */
export function readSettings(stored: string, open: Translate): AccountSettings {
  // `writeSettings` is the only writer of this JSON.
  const settings = JSON.parse(stored) as Partial<AccountSettings>
  return withSecrets({ ...NO_SETTINGS, ...settings }, open)
}

export function writeSettings(settings: AccountSettings, seal: Translate): JsonAtRest {
  return jsonAtRest(withSecrets(settings, seal))
}

/** Settings for display: each secret is replaced by whether it is set, and URL passwords are masked. */
export function withoutSecrets(settings: AccountSettings) {
  const { token: ttsToken, ...tts } = settings.tts
  const { token: sttToken, ...stt } = settings.stt
  const { secretAccessKey, ...storage } = settings.storage
  return {
    ...settings,
    tts: { ...withMaskedUrls(tts), hasToken: ttsToken !== undefined },
    stt: { ...withMaskedUrls(stt), hasToken: sttToken !== undefined },
    voice: withMaskedUrls(settings.voice),
    storage: { ...storage, hasSecretAccessKey: secretAccessKey !== undefined },
  }
}

function withSecrets(settings: AccountSettings, translate: Translate): AccountSettings {
  const translated = (secret: string | undefined) =>
    secret === undefined ? undefined : translate(secret)
  const { tts, stt, storage } = settings
  return {
    ...settings,
    tts: { ...tts, token: translated(tts.token) },
    stt: { ...stt, token: translated(stt.token) },
    storage: { ...storage, secretAccessKey: translated(storage.secretAccessKey) },
  }
}
