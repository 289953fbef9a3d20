/** The messages between the lab's process and its parent, as JSON over their channel. */
import type { TlsFiles } from '../platform/tls/tls-files.js'
import type { EngineStats } from './media/model/media-engine.js'

export interface LabOptions {
  /** The address of the SIP listener, which the SDP names for RTP too. */
  readonly sipHost: string
  /** The SIP port; 0 picks a free one. */
  readonly sipPort: number
  /** TLS beside UDP and TCP; undefined for none. */
  readonly tls?: LabTlsOptions | undefined
  /** The RTP ports; 0–0 picks free ones. */
  readonly rtpPorts: { readonly first: number; readonly last: number }
  /** The addresses and CIDRs that RTP may come from although no SDP names them. */
  readonly mediaRelays?: readonly string[]
  /** The folder of recordings, which is made if it is not there. */
  readonly recordingsDir?: string
  /** The file that gets every event-socket command as one JSON line. */
  readonly commandLogFile?: string
  /** The number of new SIP requests a second that one address may send. */
  readonly sourceRate: number
  readonly logLevel: string
  /** What the media server lacks. Tests show by it how a fault of real servers is told. */
  readonly mediaFaults?: MediaFaults | undefined
}

export interface MediaFaults {
  /** The modules that are not loaded. */
  readonly missingModules?: readonly string[]
  /** The name of the SIP profile; `drachtio_mrf` by default. */
  readonly profile?: string
  /** The address outside that its profile tells; the one where RTP is taken by default. */
  readonly extRtpAddress?: string
}

export interface LabTlsOptions {
  readonly files: TlsFiles
  /** The port; 0 picks a free one. */
  readonly port: number
  /** The time between two looks at the files. */
  readonly checkMs: number
}

/** The ports that stay the same when the process is started again; 0 lets it choose. */
export interface LabPorts {
  readonly sip: number
  /** The SIP port of TLS; 0 where there is none. */
  readonly sipTls: number
  readonly drachtio: number
  readonly eventSocket: number
  readonly mediaSip: number
  readonly phonesSip: number
}

export interface LabSecrets {
  readonly drachtio: string
  readonly eventSocket: string
}

export type LabCommand =
  | {
      readonly type: 'start'
      readonly options: LabOptions
      readonly ports: LabPorts
      readonly secrets: LabSecrets
    }
  | { readonly type: 'stats'; readonly request: number }

export type LabReport =
  | {
      readonly type: 'ready'
      readonly ports: LabPorts
      /**
       * The addresses where other user agents reach the server, such as
       * `sip:127.0.0.1:5060;transport=udp`.
       */
      readonly sipContacts: readonly string[]
    }
  | {
      readonly type: 'failed'
      readonly reason: string
      /** The system's code and the port of an address that cannot be had, such as EADDRINUSE. */
      readonly code?: string | undefined
      readonly port?: number | undefined
    }
  | { readonly type: 'stats'; readonly request: number; readonly stats: LabStats }

export interface LabStats {
  readonly channels: number
  readonly eventSocketConnections: number
  readonly phoneCalls: number
  /** The number of dialogs of the drachtio server, the media server and the phones. */
  readonly dialogs: number
  readonly transactions: number
  readonly timers: number
  /** The number of scanners' requests, which were dropped unanswered. */
  readonly scannersIgnored: number
  /** The number of responses to no request of ours, which were dropped unanswered. */
  readonly strayResponses: number
  /** The number of requests and stray responses from sources that sent more than they may. */
  readonly requestsLimited: number
  /** The lateness of the process's event loop since the last time it was asked, 99th percentile. */
  readonly loopP99Ms: number
  /** The figures of the media server; the phones have a thread of their own. */
  readonly media: EngineStats
}
