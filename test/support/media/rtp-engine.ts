import { pathToFileURL } from 'node:url'
import type { EndpointEvents, MediaEndpoint } from '../../../src/lab/media/model/media-endpoint.js'
import type { MediaEngine } from '../../../src/lab/media/model/media-engine.js'
import type { RemoteMedia } from '../../../src/lab/media/model/remote-media.js'
import { RtpPeer, type RtpPeerOptions } from './rtp-peer.js'

/**
 * The built media thread: vitest runs TypeScript, worker threads do not. `MEDIA_WORKER` selects another build.
 */
export const MEDIA_WORKER =
  process.env['MEDIA_WORKER'] === undefined
    ? new URL('../../../dist/lab/media/worker.js', import.meta.url)
    : pathToFileURL(process.env['MEDIA_WORKER'])

export interface PeerCall extends AsyncDisposable {
  readonly endpoint: MediaEndpoint
  readonly peer: RtpPeer
}

export type PeerCallOptions = RtpPeerOptions & {
  readonly events?: EndpointEvents
  readonly remote?: Partial<RemoteMedia>
  /** True when the peer supports telephone events; the default. */
  readonly hasEvents?: boolean
}

/** Connects an endpoint to an RTP peer. */
export async function connectPeer(
  engine: MediaEngine,
  options: PeerCallOptions = {},
): Promise<PeerCall> {
  const endpoint = await engine.open(options.events ?? {})
  const peer = await RtpPeer.open(options)
  peer.connect(endpoint.port)
  endpoint.setRemote(remoteOf(peer, options))
  return {
    endpoint,
    peer,
    [Symbol.asyncDispose]: async () => {
      await endpoint.close()
      await peer[Symbol.asyncDispose]()
    },
  }
}

export function remoteOf(peer: RtpPeer, options: PeerCallOptions = {}): RemoteMedia {
  return {
    address: peer.host,
    port: peer.port,
    codec: peer.codec,
    ...(options.hasEvents === false ? {} : { dtmfPayloadType: options.dtmfPayloadType ?? 101 }),
    direction: 'sendrecv',
    ...options.remote,
  }
}
