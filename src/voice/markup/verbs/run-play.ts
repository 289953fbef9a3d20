import type { PlayVerb } from '../parse/play.js'
import { resolveUrl } from './resolve-url.js'
import type { VerbContext } from './verb-run.js'

/** Play: fetches the file once and plays it `times` times, or sends the digits. */
export async function runPlay(verb: PlayVerb, context: VerbContext): Promise<void> {
  const { host, signal, documentUrl, onProgress } = context
  const { what } = verb
  if (what.type === 'nothing') return
  if (what.type === 'digits') {
    await host.leg.media.sendDigits(what.digits, signal)
    onProgress()
    return
  }
  const source = await host.fetchMedia(resolveUrl(what.url, documentUrl), signal)
  for (let time = 0; time < verb.times; time += 1) {
    signal.throwIfAborted()
    await (host.audience ?? host.leg.media).play(source, signal)
    onProgress()
  }
}
