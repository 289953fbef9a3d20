import { pathToFileURL } from 'node:url'
import { type Lab, type StartLabOptions, startLab } from '../../../src/lab/start-lab.js'
import { createLogger } from '../../../src/platform/log.js'
import { connectClient, type DrachtioClient } from '../sip/drachtio-client.js'
import { Fsmrf, type FsmrfEndpoint, type FsmrfMediaServer } from './fsmrf-client.js'
import { RtpPeer } from './rtp-peer.js'

/** The built process: vitest runs TypeScript, child processes do not. `LAB_PROCESS` selects another build. */
export const LAB_PROCESS =
  process.env['LAB_PROCESS'] === undefined
    ? new URL('../../../dist/lab/lab-process.js', import.meta.url)
    : pathToFileURL(process.env['LAB_PROCESS'])

/** Opens a lab for one test, on free ports. */
export function openLab(options: Partial<StartLabOptions> = {}): Promise<Lab> {
  return startLab(
    {
      sipHost: '127.0.0.1',
      sipPort: 0,
      rtpPorts: { first: 0, last: 0 },
      sourceRate: 1_000,
      logLevel: 'silent',
      processFile: LAB_PROCESS,
      ...options,
    },
    createLogger('silent'),
  )
}

export interface ServerUrls {
  readonly drachtioUrl: string
  readonly freeswitchUrl: string
}

/** The client libraries, connected to a pair of servers. */
export interface MediaClient extends AsyncDisposable {
  readonly srf: DrachtioClient
  readonly mediaServer: FsmrfMediaServer
  /** Opens an endpoint with an RTP peer at its far end. */
  endpoint(): Promise<EndpointWithPeer>
}

export interface EndpointWithPeer {
  readonly endpoint: FsmrfEndpoint
  readonly peer: RtpPeer
}

export async function connectMediaClient(urls: ServerUrls): Promise<MediaClient> {
  const drachtio = new URL(urls.drachtioUrl)
  const freeswitch = new URL(urls.freeswitchUrl)
  const srf = await connectClient(Number(drachtio.port), drachtio.password)
  const mediaServer = await new Fsmrf(srf).connect({
    address: freeswitch.hostname,
    port: Number(freeswitch.port),
    secret: freeswitch.password,
    listenAddress: '127.0.0.1',
  })
  // Without this, each command takes 44 ms.
  mediaServer.conn.socket.setNoDelay(true)
  const peers: RtpPeer[] = []
  return {
    srf,
    mediaServer,
    async endpoint() {
      const peer = await RtpPeer.open()
      peers.push(peer)
      const endpoint = await mediaServer.createEndpoint({ remoteSdp: sdpOf(peer) })
      endpoint.conn.socket.setNoDelay(true)
      peer.connect(Number(endpoint.local.mediaPort))
      return { endpoint, peer }
    },
    async [Symbol.asyncDispose]() {
      for (const peer of peers) await peer[Symbol.asyncDispose]()
      mediaServer.disconnect()
      srf.disconnect()
    },
  }
}

/** The peer's SDP offer. */
export function sdpOf(peer: RtpPeer): string {
  return (
    'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n' +
    `m=audio ${peer.port} RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\n` +
    'a=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-15\r\n'
  )
}
