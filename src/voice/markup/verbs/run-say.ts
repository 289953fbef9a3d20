import { SpeechTextError } from '../../model/speech-request.js'
import type { AudioSource, LegMedia } from '../../telephony/leg-media.js'
import type { MarkupHost } from '../host.js'
import type { SayVerb } from '../parse/say.js'
import { type SpeechSegment, speechSegments } from '../parse/speech-segments.js'
import type { Warn } from '../parse/warnings.js'
import type { VerbContext } from './verb-run.js'

/** The part of the verb's context that a Say uses. */
export interface SayContext extends Pick<VerbContext, 'signal' | 'onProgress'> {
  readonly host: Pick<MarkupHost, 'audience' | 'log' | 'synthesise'> & {
    readonly leg: { readonly media: Pick<LegMedia, 'play'> }
  }
}

/**
 * Say: speaks the text `times` times. Each segment is synthesized once, while the one before it plays. A
 * segment that cannot be spoken is a warning.
 */
export async function runSay(verb: SayVerb, context: SayContext): Promise<void> {
  const sources: AudioSource[] = []
  const segments = speechSegments(verb.content, verb.language)
  const warn = warnOnce(context.host)
  let upcoming = prepare(segments[0], verb, context, warn)
  for (const next of [...segments.slice(1), undefined]) {
    const source = await upcoming
    upcoming = prepare(next, verb, context, warn)
    if (source === undefined) continue
    sources.push(source)
    await play(source, context)
  }
  for (let time = 1; time < verb.times; time += 1)
    for (const source of sources) await play(source, context)
}

function prepare(
  segment: SpeechSegment | undefined,
  verb: SayVerb,
  context: SayContext,
  warn: Warn,
): Promise<AudioSource | undefined> {
  if (segment === undefined) return Promise.resolve(undefined)
  const source = sourceOf(segment, verb, context, warn)
  // A failure of the source is handled when the segment is played, or ignored if the call ends before.
  source.catch(() => undefined)
  return source
}

async function play(source: AudioSource, { host, signal, onProgress }: SayContext): Promise<void> {
  signal.throwIfAborted()
  await (host.audience ?? host.leg.media).play(source, signal)
  onProgress()
}

async function sourceOf(
  segment: SpeechSegment,
  verb: SayVerb,
  { host, signal }: SayContext,
  warn: Warn,
): Promise<AudioSource | undefined> {
  if (segment.type === 'silence') return segment
  try {
    const { text, language, markup } = segment
    return await host.synthesise({ text, voice: verb.voice, language, markup }, warn, signal)
  } catch (error) {
    if (!(error instanceof SpeechTextError)) throw error
    warn(error.number, `Say: ${error.message}`)
    return undefined
  }
}

/** Returns a function that logs each warning only once, since several segments may cause the same one. */
function warnOnce(host: SayContext['host']): Warn {
  const known = new Set<string>()
  return (code, message) => {
    if (known.has(message)) return
    known.add(message)
    host.log({ type: 'warning', code, message })
  }
}
