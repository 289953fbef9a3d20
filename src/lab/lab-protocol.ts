/** The messages between the lab's process and its parent, sent as JSON over IPC. */
import type { LogFormat } from '../platform/log.js'
import type { TlsFiles } from '../platform/tls/tls-files.js'
import type { EngineStats } from './media/model/media-engine.js'

export interface LabOptions {
  /** The address of the SIP listener, also announced in SDP for RTP. */
  readonly sipHost: string
  /** The SIP port; 0 chooses a free one. */
  readonly sipPort: number
  /** TLS beside UDP and TCP; undefined for none. */
  readonly tls?: LabTlsOptions | undefined
  /** The RTP port range; 0–0 chooses free ports. */
  readonly rtpPorts: { readonly first: number; readonly last: number }
  /** Addresses and CIDR ranges from which RTP is accepted although no SDP names them. */
  readonly mediaRelays?: readonly string[]
  /** The folder of recordings; created if missing. */
  readonly recordingsDir?: string
  /** The file that gets every event-socket command as one JSON line. */
  readonly commandLogFile?: string
  /** Maximum number of new SIP requests per second from one source address. */
  readonly sourceRate: number
  /** The server that gets a copy of each SIP message; undefined for none. */
  readonly hep?: HepOptions | undefined
  readonly logLevel: string
  readonly logFormat?: LogFormat
  /** Faults that the media server simulates, for tests of how faults of real servers are reported. */
  readonly mediaFaults?: MediaFaults | undefined
}

export interface HepOptions {
  readonly host: string
  readonly port: number
  /** The number by which the server knows who captured. */
  readonly captureId: number
}

export interface MediaFaults {
  /** The modules reported as not loaded. */
  readonly missingModules?: readonly string[]
  /** The name of the SIP profile; `drachtio_mrf` by default. */
  readonly profile?: string
  /** The external RTP address that the profile reports; the RTP listen address by default. */
  readonly extRtpAddress?: string
}

export interface LabTlsOptions {
  readonly files: TlsFiles
  /** The port; 0 chooses a free one. */
  readonly port: number
  /** The interval at which the certificate files are checked, ms. */
  readonly checkMs: number
}

/** The ports to use again after a restart of the process; 0 chooses a free one. */
export interface LabPorts {
  readonly sip: number
  /** The SIP port for TLS; 0 without TLS. */
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
      /** The system's error code for an address that cannot be used, such as EADDRINUSE, and the port. */
      readonly code?: string | undefined
      readonly port?: number | undefined
    }
  | { readonly type: 'stats'; readonly request: number; readonly stats: LabStats }

export interface LabStats {
  readonly channels: number
  readonly eventSocketConnections: number
  readonly phoneCalls: number
  /** Number of dialogs of the drachtio server, the media server and the phones. */
  readonly dialogs: number
  readonly transactions: number
  readonly timers: number
  /** Number of scanners' requests, which were dropped without a response. */
  readonly scannersIgnored: number
  /** Number of responses that match no request of ours, which were dropped. */
  readonly strayResponses: number
  /** Number of requests and stray responses dropped because their source exceeded its rate. */
  readonly requestsLimited: number
  /** 99th-percentile event-loop delay since the last query, ms. */
  readonly loopP99Ms: number
  /** Statistics of the media server; the phones have their own thread and are not counted. */
  readonly media: EngineStats
}
