/** The settings of an account, stored as JSON with sealed secrets. Pure. */
import { type JsonAtRest, jsonAtRest } from '../platform/database/at-rest.js'
import type { WebhookMethod } from '../platform/http/http-method.js'
import { withKnownPasswords, withMaskedUrls } from '../platform/url-passwords.js'

/** `owned-or-verified`: a number of the account, or one that it has verified by a call. */
export type CallerIdPolicy = 'any' | 'owned-or-verified'

export interface AccountSettings {
  /** The calls of this account that may start in a second; undefined: the server's default. */
  readonly callsPerSecond?: number | undefined
  /** The calls of this account that may be under way at once; undefined: the server's own limit. */
  readonly concurrentCalls?: number | undefined
  /** The calls of this account that may wait for their turn; undefined: the server's default. */
  readonly waitingCalls?: number | undefined
  /** The requests to the voice API in a second; undefined: the server's default. */
  readonly requestsPerSecond?: number | undefined
  /** The numbers that calls may show as From; undefined: any. */
  readonly callerIds?: CallerIdPolicy | undefined
  /** The numbers that it may call, by prefix; undefined: all but premium numbers. */
  readonly destinations?: Destinations | undefined
  /** The outbound calls to one number that may be under way at once; undefined: no limit. */
  readonly callsToOneNumber?: number | undefined
  /** The minutes of outbound calls in a day (UTC), after which no call begins; undefined: no limit. */
  readonly minutesPerDay?: number | undefined
  /** The dollars of outbound calls in a day (UTC), after which no call begins; undefined: no limit. */
  readonly dollarsPerDay?: number | undefined
  /** A further header that carries the webhook signature, for validators that read only that name. */
  readonly secondSignatureHeader?: string | undefined
  readonly tts: TtsSettings
  readonly stt: SttSettings
  readonly storage: StorageSettings
  readonly voice: VoiceSettings
  /** The addresses and CIDRs that may use the account's credentials; an empty list allows all. */
  readonly allowCidr: readonly string[]
}

/** E.164 prefixes such as `+1876`; where both lists have one, the longer one decides. */
export interface Destinations {
  /** With one, every number that begins with none of them is closed. A premium number needs one. */
  readonly allowed: readonly string[]
  readonly denied: readonly string[]
}

/** The account's own HTTP speech engine; without a URL the built-in engine speaks. */
export interface TtsSettings {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly engineName?: string | undefined
  readonly defaultVoice?: string | undefined
  readonly defaultLanguage?: string | undefined
}

export interface SttSettings {
  /** The speech recogniser of the media server. */
  readonly vendor?: string | undefined
  readonly url?: string | undefined
  readonly token?: string | undefined
}

/** The bucket to which recordings are copied. */
export interface StorageSettings {
  readonly bucket?: string | undefined
  readonly region?: string | undefined
  readonly prefix?: string | undefined
  readonly accessKeyId?: string | undefined
  readonly secretAccessKey?: string | undefined
  readonly kmsKeyId?: string | undefined
}

/** The application for calls that have no more specific one. A method is POST unless set. */
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

/** A change of settings: an absent field stays, an undefined one is cleared, a list is replaced. */
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
  readonly tts?: TtsSettings
  readonly stt?: SttSettings
  readonly storage?: StorageSettings
  readonly voice?: VoiceSettings
  readonly allowCidr?: readonly string[]
}

/** Throws MaskedPasswordError for a URL whose masked password is not that of the same setting. */
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

/** Reads stored settings. `open` throws for a secret that was sealed with another key. */
export function readSettings(stored: string, open: Translate): AccountSettings {
  // `writeSettings` below is the only writer of this JSON.
  const settings = JSON.parse(stored) as Partial<AccountSettings>
  return withSecrets({ ...NO_SETTINGS, ...settings }, open)
}

export function writeSettings(settings: AccountSettings, seal: Translate): JsonAtRest {
  return jsonAtRest(withSecrets(settings, seal))
}

/**
 * The settings as they may be shown: each secret is replaced by whether it is set, the passwords of
 * URLs are masked.
 */
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
