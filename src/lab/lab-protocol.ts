/** Messages between the lab's process and its parent, as JSON over their channel. */
import type { EngineStats } from './media/model/media-engine.js'

export interface LabOptions {
  /** The address of the SIP listener, which the SDP names for RTP too. */
  readonly sipHost: string
  /** 0 picks a free one. */
  readonly sipPort: number
  /** 0–0 picks free ones. */
  readonly rtpPorts: { readonly first: number; readonly last: number }
  /** Addresses and CIDRs that RTP may come from although no SDP names them. */
  readonly mediaRelays?: readonly string[]
  /** Made if it is not there. */
  readonly recordingsDir?: string
  /** Gets every event-socket command as one JSON line. */
  readonly commandLogFile?: string
  /** New SIP requests a second from one address. */
  readonly sourceRate: number
  readonly logLevel: string
}

/** Ports that stay the same when the process is started again; 0 lets it choose. */
export interface LabPorts {
  readonly sip: number
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
      /** `sip:127.0.0.1:5060;transport=udp`: where other user agents reach the server. */
      readonly sipContacts: readonly string[]
    }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'stats'; readonly request: number; readonly stats: LabStats }

export interface LabStats {
  readonly channels: number
  readonly eventSocketConnections: number
  readonly phoneCalls: number
  /** Dialogs of the drachtio server, the media server and the phones. */
  readonly dialogs: number
  readonly transactions: number
  readonly timers: number
  /** Requests of scanners, dropped unanswered. */
  readonly scannersIgnored: number
  /** Responses to no request of ours, dropped unanswered. */
  readonly strayResponses: number
  /** Requests and stray responses of sources that sent more than they may. */
  readonly requestsLimited: number
  /** Lateness of the process's event loop since the last time it was asked. */
  readonly loopP99Ms: number
  /** The media server's; the phones have a thread of their own. */
  readonly media: EngineStats
}
