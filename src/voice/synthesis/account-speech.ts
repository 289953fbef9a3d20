/**
 * Speech for an account, from its own engine or the built-in one. When the account's engine fails, the
 * built-in engine speaks instead, and the failed one is not used for 30 s, so that not every sentence waits
 * for it.
 *
 * The built-in voices are English. They speak a text in another language, with a warning, if all its letters
 * are Latin. Other texts are refused, since only their digits and brand names would be spoken.
 */

import type { TtsSettings } from '../../accounts/settings.js'
import type { Clock } from '../../platform/clock.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import { FetchError, MediaTypeError } from '../model/fetch-errors.js'
import { type SpeechRequest, SpeechTextError } from '../model/speech-request.js'
import { type CommandEngine, SpeechCommandError } from './command-engine.js'
import type { HttpEngine } from './http-engine.js'
import type { SpeakingCall, Speech, SpokenFile } from './speech.js'
import { sharesLetters } from './speech.js'
import { hasBuiltInVoice, languageOf } from './voices.js'

/** The call that speaks; `warn` writes to its event log. */
export interface Speaker extends SpeakingCall {
  readonly warn: (code: ErrorNumber, message: string) => void
}

/** One request to an engine, as the call's log shows it. */
export type EngineRequest = Readonly<{
  engine: string
  characters: number
  /** Time until there was audio, or until the failure, ms. */
  durationMs: number
  error?: string
}>

export interface AccountSpeechDeps {
  readonly builtIn: Pick<Speech, 'synthesise'>
  readonly http: Pick<HttpEngine, 'speak'>
  /** The engine of this machine for other languages; undefined for none. */
  readonly local?: Pick<CommandEngine, 'voiceFor' | 'speak'> | undefined
  /** Called after each request to an engine. */
  readonly onRequest?: (call: SpeakingCall, request: EngineRequest) => void
  readonly settingsOf: (accountSid: string) => Promise<TtsSettings>
  readonly clock: Clock
}

/**
 * Speaks a text. Rejects with SpeechTextError, AdapterError or the signal's reason, as the built-in engine
 * does.
 */
export type AccountSpeech = (
  request: SpeechRequest,
  speaker: Speaker,
  signal: AbortSignal,
) => Promise<SpokenFile>

const REST_MS = 30_000

export function createAccountSpeech(deps: AccountSpeechDeps): AccountSpeech {
  /** Failed engines by account, and the time until which they are not used. */
  const resting = new Map<string, { readonly url: string; readonly until: number }>()
  return async (request, speaker, signal) => {
    const { url, token, engineName: engine, ...usual } = await deps.settingsOf(speaker.accountSid)
    const voice = request.voice ?? usual.defaultVoice
    const language = request.language ?? usual.defaultLanguage
    const speech = { ...request, voice, language }
    const { accountSid, callSid } = speaker
    const call = { accountSid, callSid }
    if (url !== undefined && isRested(accountSid, url))
      try {
        return await reported(deps, "account's own", speech, call, () =>
          deps.http.speak({ ...speech, ...call, url, token, engine }, signal),
        )
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof FetchError || error instanceof MediaTypeError)) throw error
        resting.set(accountSid, { url, until: deps.clock.monotonic() + REST_MS })
        speaker.warn(error.number, `Say: the account's speech engine failed: ${error.message}`)
      }
    else if (url !== undefined)
      speaker.warn(11200, "Say: the account's speech engine failed a moment ago, and is not asked")
    const local = await spokenLocally(deps, speech, speaker, signal)
    if (local !== undefined) return local
    warnOfBuiltIn(speech, speaker, deps.local !== undefined)
    return await reported(deps, 'built-in', speech, call, () =>
      deps.builtIn.synthesise(speech, call, signal),
    )
  }

  function isRested(accountSid: string, url: string): boolean {
    const rest = resting.get(accountSid)
    if (rest === undefined) return true
    if (rest.url === url && deps.clock.monotonic() < rest.until) return false
    resting.delete(accountSid)
    return true
  }
}

/** Runs a request to an engine, and tells how long its audio took. */
async function reported(
  { clock, onRequest }: Pick<AccountSpeechDeps, 'clock' | 'onRequest'>,
  engine: string,
  { text }: SpeechRequest,
  call: SpeakingCall,
  work: () => Promise<SpokenFile>,
): Promise<SpokenFile> {
  const startedAt = clock.monotonic()
  const tell = (error?: string): void => {
    const durationMs = Math.round(clock.monotonic() - startedAt)
    const failed = error === undefined ? {} : { error }
    onRequest?.(call, { engine, characters: text.length, durationMs, ...failed })
  }
  try {
    const file = await work()
    tell()
    return file
  } catch (error) {
    tell(error instanceof Error ? error.message : 'unknown failure')
    throw error
  }
}

/** Speaks a language that the built-in voices lack; undefined when the local engine cannot either. */
async function spokenLocally(
  deps: AccountSpeechDeps,
  speech: SpeechRequest,
  { accountSid, callSid, warn }: Speaker,
  signal: AbortSignal,
): Promise<SpokenFile | undefined> {
  const { local } = deps
  const language = languageOf(speech.voice, speech.language)
  if (local === undefined || language === undefined || hasBuiltInVoice(language)) return undefined
  const voice = await local.voiceFor(language)
  if (voice === undefined) return undefined
  const call = { accountSid, callSid }
  try {
    return await reported(deps, 'espeak-ng', speech, call, () =>
      local.speak(speech, voice, call, signal),
    )
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof SpeechCommandError)) throw error
    warn(13512, `Say: espeak-ng failed in ${language}: ${error.message}`)
    return undefined
  }
}

/** Warns of what the built-in voices do otherwise than the document says. Throws as `warnOfLanguage`. */
function warnOfBuiltIn(speech: SpeechRequest, speaker: Speaker, hasLocal: boolean): void {
  warnOfLanguage(speech, speaker, hasLocal)
  for (const what of speech.markup?.unheard ?? [])
    speaker.warn(13520, `Say: the built-in voice speaks without ${what}`)
}

/**
 * Warns of a language that the built-in voices do not have. Throws SpeechTextError when the text
 * has letters that an English voice cannot say.
 */
function warnOfLanguage(
  { text, voice, language }: SpeechRequest,
  { warn }: Speaker,
  hasLocal: boolean,
): void {
  const spoken = languageOf(voice, language)
  if (spoken === undefined || hasBuiltInVoice(spoken)) return
  warn(13512, `Say: no built-in voice speaks ${spoken}; an English one stands in where it can`)
  if (!sharesLetters(text))
    throw new SpeechTextError(
      13520,
      `no engine here speaks ${spoken}: the built-in voices speak English, ${remedyOf(hasLocal)}`,
    )
}

function remedyOf(hasLocal: boolean): string {
  const own = "an account's own engine (tts.url) may speak any language"
  return hasLocal
    ? `espeak-ng has no voice for it or failed, and ${own}`
    : `espeak-ng would speak about 100 languages (SPEECH_COMMAND), and ${own}`
}
