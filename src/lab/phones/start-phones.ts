/** Starts simulated phones at reserved numbers, for a first call and for tests without hardware. */
import { join } from 'node:path'
import type { Logger } from '../../platform/log.js'
import { parseUri } from '../../platform/sip-grammar/uri.js'
import type { MediaEngine } from '../media/model/media-engine.js'
import type { IncomingCall, UserAgent } from '../sip/user-agent/user-agent-types.js'
import { PhoneLine, SENTENCES, type Sentence } from './phone-line.js'
import { phoneOf } from './phone-table.js'
import { speakSentences } from './speech/speak-sentences.js'

export interface PhonesOptions {
  /** The user agent; every INVITE it receives is for a phone. Its creator disposes of it. */
  readonly userAgent: UserAgent
  readonly media: MediaEngine
  /** The address in our SDP. */
  readonly mediaAddress: string
  /**
   * An existing folder; each answered call records the audio that the phone receives to
   * `<number>-<n>.wav`.
   */
  readonly recordingsDir?: string | undefined
  readonly log: Logger
  /** Maximum length of a call, after which the phone hangs up, ms. */
  readonly callLimitMs?: number
  /** Factor of every wait of the phones; tests set a small one. */
  readonly pace?: number
  /** Synthesises the sentences; tests that run from source provide their own function. */
  readonly speak?: (sentences: readonly string[]) => Promise<readonly Int16Array[]>
}

export interface Phones extends AsyncDisposable {
  callCount(): number
}

const CALL_LIMIT_MS = 10 * 60_000

export function startPhones(options: PhonesOptions): Phones {
  const calls = new Set<{ readonly line: PhoneLine; readonly over: Promise<void> }>()
  const speech = lazySpeech(options)
  let taken = 0
  let isClosing = false
  options.userAgent.onInvite((invite) => {
    if (isClosing) {
      invite.reject(503)
      return
    }
    const { number, behaviour } = phoneOf(parseUri(invite.request.uri)?.user ?? '')
    taken += 1
    const line = new PhoneLine({
      invite,
      media: options.media,
      mediaAddress: options.mediaAddress,
      recordingFile: recordingFile(options, `${number}-${taken}.wav`),
      pace: options.pace ?? 1,
      speech,
    })
    const call = {
      line,
      over: run(options, invite, line, behaviour).finally(() => {
        calls.delete(call)
      }),
    }
    calls.add(call)
  })
  return {
    callCount: () => calls.size,
    [Symbol.asyncDispose]: async () => {
      isClosing = true
      const open = [...calls]
      for (const { line } of open) line.hangup()
      await Promise.all(open.map(({ over }) => over))
    },
  }
}

/** Runs a phone from the first ring until its resources are released; never rejects. */
async function run(
  { log, callLimitMs = CALL_LIMIT_MS }: PhonesOptions,
  invite: IncomingCall,
  line: PhoneLine,
  behave: (line: PhoneLine) => Promise<void>,
): Promise<void> {
  const limit = setTimeout(() => {
    line.hangup()
  }, callLimitMs)
  const acting = behave(line).catch((err: unknown) => {
    // A call that ends during the phone's script is no failure.
    if (line.signal.aborted) return
    log.warn({ callId: invite.callId, err }, 'a phone failed in a call')
    line.hangup()
  })
  await ended(line.signal)
  clearTimeout(limit)
  try {
    await line.close()
  } catch (err) {
    log.warn({ callId: invite.callId, err }, 'could not free the media of a phone')
  }
  await acting
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve()
        },
        { once: true },
      )
  })
}

function recordingFile({ recordingsDir }: PhonesOptions, name: string): string | undefined {
  return recordingsDir === undefined ? undefined : join(recordingsDir, name)
}

/** Synthesises all sentences together on first use and caches them. */
function lazySpeech({
  log,
  speak = speakSentences,
}: PhonesOptions): (sentence: Sentence) => Promise<Int16Array | undefined> {
  const names = Object.keys(SENTENCES) as Sentence[] // its own keys
  let spoken: Promise<readonly Int16Array[]> | undefined
  return async (sentence) => {
    spoken ??= speak(names.map((name) => SENTENCES[name])).catch((err: unknown) => {
      log.warn({ err }, 'could not speak the sentences of the phones')
      return []
    })
    return (await spoken)[names.indexOf(sentence)]
  }
}
