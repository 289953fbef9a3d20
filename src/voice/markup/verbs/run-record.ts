/**
 * Record: records the caller until a key, silence, the maximum length or the hangup. Then the action is
 * requested; the next verb runs when nothing was recorded. When the caller hung up, the action is sent and
 * its answer is not run.
 */
import { withAbort } from '../../../platform/async/abort.js'
import type { RecordingWish } from '../../model/recording-wish.js'
import type { AudioSource } from '../../telephony/leg-media.js'
import { LegEndedError } from '../../telephony/port.js'
import type { HostedRecording, RecordingEnd } from '../host.js'
import type { RecordVerb } from '../parse/record.js'
import { resolveCallback, resolveUrl } from './resolve-url.js'
import { CONTINUE, type VerbContext, type VerbOutcome } from './verb-run.js'
import { warnOfAction } from './warn-of-action.js'

const BEEP: AudioSource = { type: 'tone', frequencies: [1_000], onMs: 400, offMs: 0, repeat: 1 }

export async function runRecord(verb: RecordVerb, context: VerbContext): Promise<VerbOutcome> {
  const { host, documentUrl, onProgress } = context
  // An invalid action URL is an error before the recording.
  if (verb.action !== undefined) resolveUrl(verb.action, documentUrl)
  else warnOfAction('Record', verb.action, context)
  if (verb.transcribe)
    host.log({ type: 'warning', code: 13614, message: 'Record: recordings are not transcribed' })
  const { end, key } = await record(verb, context)
  if (key !== '') host.log({ type: 'digits', digits: '', finishedOnKey: key })
  if (end.type === 'nothing') return CONTINUE
  onProgress()
  return { type: 'fetch', request: requestOf(verb, documentUrl, end, key) }
}

interface Recorded {
  readonly end: RecordingEnd
  /** The key that ended the recording; empty when no key did. */
  readonly key: string
}

async function record(verb: RecordVerb, context: VerbContext): Promise<Recorded> {
  const { host, signal, documentUrl } = context
  let key = ''
  let recording: HostedRecording | undefined
  const unsubscribe = host.leg.digits.subscribe(({ digit }) => {
    if (key !== '' || !verb.finishOnKeys.includes(digit)) return
    key = digit
    void recording?.stop()
  })
  try {
    if (verb.playBeep) await host.leg.media.play(BEEP, signal)
    recording = await host.record(wantedBy(verb, context))
    // A key was pressed during the beep, or before the recording started.
    if (key !== '') void recording.stop()
    const end = await withAbort(recording.finished, signal)
    // A call's end ends its recordings before its documents.
    if (host.leg.state === 'ended') throw new LegEndedError('the caller hung up')
    return { end, key }
  } catch (error) {
    const end = await recording?.stop()
    if (host.leg.state === 'ended' && end?.type === 'recorded')
      await host.tell(requestOf(verb, documentUrl, end, 'hangup'))
    throw error
  } finally {
    unsubscribe()
  }
}

function wantedBy(verb: RecordVerb, { host, documentUrl }: VerbContext): RecordingWish {
  return {
    source: 'RecordVerb',
    channels: 'mono',
    track: verb.track,
    trim: verb.trim,
    maxMs: verb.maxLengthMs,
    silenceMs: verb.silenceMs,
    callback: resolveCallback(verb.statusCallback, documentUrl, 'Record', host),
  }
}

function requestOf(
  { action, method }: RecordVerb,
  documentUrl: string | undefined,
  { params }: Extract<RecordingEnd, { readonly type: 'recorded' }>,
  key: string,
) {
  return { url: resolveUrl(action, documentUrl), method, params: { ...params, Digits: key } }
}
