import type { Recording, RecordingEnd } from '../../media/model/media-endpoint.js'
import type { AppContext, Application } from '../channel/application.js'
import { separate } from '../protocol/separate.js'
import { digitTerminator } from './playback.js'

/** `record path [limit seconds] [silence threshold] [silence seconds]`: records only the peer's audio. */
export const record: Application = {
  isPollable: true,
  holdsAudio: true,
  async run(context) {
    const { channel, arg, log } = context
    const [path = '', limit = '0', threshold = '0', silence = '0'] = separate(arg, ' ')
    if (path === '') {
      log.error({ channel: channel.uuid }, 'record names no file')
      return
    }
    const limitSeconds = Number.parseInt(limit.replace('+', ''), 10) || 0
    const silenceMs = Number(threshold) > 0 ? (Number.parseInt(silence, 10) || 0) * 1000 : 0
    const recording = channel.leg.media.record(path, {
      channels: 'mono',
      isReadOnly: true,
      limitMs: limitSeconds > 0 ? limitSeconds * 1000 : undefined,
    })
    tell(context, path, await untilStopped(context, path, { recording, silenceMs }))
  },
}

interface RecordingRun {
  readonly recording: Recording
  /** The silence that ends the recording, ms; 0 to record through silence. */
  readonly silenceMs: number
}

async function untilStopped(
  context: AppContext,
  path: string,
  { recording, silenceMs }: RecordingRun,
): Promise<RecordingEnd> {
  const { channel, frame } = context
  const stop = (): void => {
    channel.leg.media.stopRecording(path)
  }
  const isTerminator = digitTerminator(context)
  frame.takeDigits({
    take(digit) {
      if (isTerminator(digit)) stop()
    },
  })
  const forget = frame.onInterrupt(stop)
  const stopWatching = channel.work.silence.watch(silenceMs, () => {
    channel.variables.set('silence_hits_exhausted', 'true')
    stop()
  })
  channel.variables.set('silence_hits_exhausted', 'false')
  const isStarted = await recording.started.then(
    () => true,
    () => false,
  )
  if (isStarted) channel.fire('RECORD_START', [['Record-File-Path', path]])
  const end = await recording.ended
  stopWatching()
  forget()
  return end
}

function tell({ channel, log }: AppContext, path: string, end: RecordingEnd): void {
  if (end.reason === 'failed') {
    log.error({ path, end, channel: channel.uuid }, 'a recording failed')
    channel.hangup('DESTINATION_OUT_OF_ORDER', 'us')
    return
  }
  const size = String(44 + end.samples * 2)
  channel.variables.setAll({
    record_record_file_size: size,
    record_file_size: size,
    record_seconds: String(Math.floor(end.samples / 8000)),
    record_ms: String(Math.floor(end.samples / 8)),
    record_samples: String(end.samples),
  })
  channel.fire('RECORD_STOP', [['Record-File-Path', path]])
}
