import { type HostedStream, type StreamRequest, StreamStartError } from '../hosted-stream.js'
import type { StreamNoun } from '../parse/stream.js'
import { resolveCallback } from './resolve-url.js'
import type { VerbContext } from './verb-run.js'

/** Starts a stream. Resolves with undefined when it could not start; the event log has the reason. */
export async function startStream(
  noun: StreamNoun,
  how: Pick<StreamRequest, 'kind' | 'track'>,
  { host, documentUrl }: VerbContext,
): Promise<HostedStream | undefined> {
  if (noun.url === undefined) return undefined // the parser has warned about the missing URL
  const statusCallback = resolveCallback(noun.statusCallback, documentUrl, 'Stream', host)
  const parameters = Object.fromEntries(noun.parameters.map(({ name, value }) => [name, value]))
  try {
    const { url, name } = noun
    return await host.startStream({ url, name, ...how, statusCallback, parameters })
  } catch (error) {
    if (!(error instanceof StreamStartError)) throw error
    host.log({ type: 'error', code: error.number, message: error.message, url: noun.url })
    return undefined
  }
}
