import type { AppContext, Application } from '../channel/application.js'
import type { Channel } from '../channel/channel.js'
import type { RecordingRequest } from '../channel/recordings.js'
import { separate } from '../protocol/separate.js'

const BRIEF = { isPollable: false, holdsAudio: false } as const

/** `record_session path [+limit seconds]`: records both directions in the background. */
export const recordSession: Application = {
  ...BRIEF,
  async run({ channel, arg, log }) {
    const [path = '', limit = '0'] = separate(arg, ' ')
    if (path === '') return
    const limitSeconds = Number.parseInt(limit.replace('+', ''), 10) || 0
    const failure = await channel.work.recordings.start(
      recordingRequest(channel, path, limitSeconds),
    )
    if (failure !== undefined)
      log.error({ path, failure, channel: channel.uuid }, 'could not start a recording')
  },
}

/** `stop_record_session path` or `stop_record_session all`. */
export const stopRecordSession: Application = {
  ...BRIEF,
  async run({ channel, arg }) {
    if (arg === 'all') await channel.work.recordings.stopAll()
    else await channel.work.recordings.stop(arg)
  },
}

export const maskRecordSession = masking(true)
export const unmaskRecordSession = masking(false)

function masking(isMasked: boolean): Application {
  return {
    ...BRIEF,
    run({ channel, arg, log }: AppContext) {
      if (!channel.work.recordings.mask(arg, isMasked))
        log.warn({ path: arg, channel: channel.uuid }, 'no recording to mask')
    },
  }
}

/** Makes a recording request from the channel's variables `RECORD_STEREO` and `RECORD_READ_ONLY`. */
export function recordingRequest(
  { variables }: Channel,
  path: string,
  limitSeconds: number,
): RecordingRequest {
  return {
    path,
    limitSeconds,
    channels: variables.isTrue('RECORD_STEREO') ? 'stereo' : 'mono',
    isReadOnly: variables.isTrue('RECORD_READ_ONLY'),
  }
}
