import type { Logger } from '../../platform/log.js'
import type { DocumentStart } from '../calls/document-run.js'
import type { EventLog } from '../events/event-log.js'
import type { HostedRecording, MarkupHost, RecordingEnd } from '../markup/host.js'
import type { RecordingRecord } from '../recordings/recording-record.js'
import type { Recordings } from '../recordings/recordings.js'

const NOTHING: RecordingEnd = { type: 'nothing' }
/** The error number of an internal failure. */
const INTERNAL_FAILURE = 12400

/** The recordings of a call for its documents. A failed recording never fails the call. */
export function recordingsFor(
  { call, leg }: DocumentStart,
  recordings: Recordings,
  deps: { readonly events: EventLog; readonly log: Logger },
): Pick<MarkupHost, 'record' | 'startRecording' | 'stopRecording'> {
  const endOf = (record: RecordingRecord): RecordingEnd => {
    // A file that waits for space on the disk comes later: the sound is there.
    if (record.status === 'absent') return NOTHING
    return { type: 'recorded', params: Object.fromEntries(recordings.paramsOf(record)) }
  }
  const failed = (err: unknown): void => {
    const { sid: callSid, accountSid } = call()
    deps.log.error({ err, callSid }, 'a recording could not be begun')
    const detail = { code: INTERNAL_FAILURE, message: 'a recording could not be begun' } as const
    deps.events.append({ callSid, accountSid, kind: 'error', detail })
  }
  return {
    record: async (wanted): Promise<HostedRecording> => {
      try {
        const running = await recordings.start(call(), leg, wanted)
        return {
          finished: running.finished.then(endOf),
          stop: async () => endOf(await running.stop()),
        }
      } catch (error) {
        failed(error)
        return { finished: Promise.resolve(NOTHING), stop: () => Promise.resolve(NOTHING) }
      }
    },
    startRecording: async (wanted) => {
      try {
        await recordings.startOnce(call(), leg, wanted)
      } catch (error) {
        failed(error)
      }
    },
    stopRecording: () => recordings.stopOnce(call().sid),
  }
}
