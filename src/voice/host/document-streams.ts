import type { DocumentStart } from '../calls/document-run.js'
import type { MarkupHost } from '../markup/host.js'
import { type StreamRequest, StreamStartError } from '../markup/hosted-stream.js'
import { StreamRefusedError } from '../streams/stream-errors.js'
import { tracksOf } from '../streams/stream-tracks.js'
import type { Streams } from '../streams/streams.js'

export type DocumentStreams = Pick<Streams, 'start' | 'stopNamed'>

/** The streams of a call for its documents. */
export function streamsFor(
  { call, leg }: DocumentStart,
  streams: DocumentStreams,
): Pick<MarkupHost, 'startStream' | 'stopStream'> {
  return {
    startStream: async (wanted: StreamRequest) => {
      const { sid: callSid, accountSid } = call()
      const { statusCallback: callback, ...rest } = wanted
      const tracks = tracksOf(wanted.track)
      try {
        const target = { callSid, accountSid, leg }
        const started = await streams.start(target, { ...rest, tracks, callback })
        return { ...started, sid: started.record.sid }
      } catch (error) {
        if (!(error instanceof StreamRefusedError)) throw error
        throw new StreamStartError(error.number, error.message, { cause: error })
      }
    },
    stopStream: (name) => streams.stopNamed(call().sid, name),
  }
}
