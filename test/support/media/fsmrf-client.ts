import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { ClientDialog, DrachtioClient } from '../sip/drachtio-client.js'

/** The client library's endpoint, with the members that tests use; the library has no types. */
export interface FsmrfEndpoint extends EventEmitter {
  readonly uuid: string
  readonly conn: { readonly socket: Socket; execute(app: string, arg: string): void }
  readonly dialog: ClientDialog
  readonly local: { readonly sdp: string; readonly mediaIp: string; readonly mediaPort: string }
  readonly remote: { readonly sdp: string; readonly mediaPort: string }
  readonly dtmfType: string
  play(file: string | readonly string[]): Promise<PlayResult>
  playCollect(options: object): Promise<CollectResult>
  record(file: string, options: object): Promise<Readonly<Record<string, string>>>
  recordSession(file: string): Promise<unknown>
  execute(app: string, arg?: string): Promise<FsmrfEvent>
  api(command: string, args?: string): Promise<FsmrfEvent>
  set(variables: Readonly<Record<string, string>>): Promise<unknown>
  getChannelVariables(withMedia: boolean): Promise<Readonly<Record<string, string>>>
  modify(sdp: string): Promise<string>
  bridge(other: FsmrfEndpoint): Promise<unknown>
  unbridge(): Promise<unknown>
  mute(): Promise<unknown>
  unmute(): Promise<unknown>
  destroy(): Promise<unknown>
}

export interface PlayResult {
  readonly playbackSeconds: string
  readonly playbackMilliseconds: string
  readonly playbackLastOffsetPos: string
}

export interface CollectResult {
  readonly digits: string | null
  readonly invalidDigits: string | null
  readonly terminatorUsed: string | null
}

export interface FsmrfEvent {
  getHeader(name: string): string | null
  getBody(): string
}

export interface FsmrfMediaServer extends EventEmitter {
  readonly sip: { readonly ipv4: { readonly udp: { readonly address: string } } }
  readonly conn: { readonly socket: Socket }
  api(command: string): Promise<string>
  createEndpoint(options?: { remoteSdp?: string }): Promise<FsmrfEndpoint>
  disconnect(): void
}

export interface EslClientConnection extends EventEmitter {
  readonly socket: Socket
  closing?: boolean
}

type Mrf = new (
  srf: DrachtioClient,
) => {
  connect(options: {
    address: string
    port: number
    secret: string
    listenAddress: string
  }): Promise<FsmrfMediaServer>
}

const requireHere = createRequire(import.meta.url)
const requireFromFsmrf = createRequire(requireHere.resolve('drachtio-fsmrf'))

/** The untyped package, with types written from its source. */
export const Fsmrf = requireHere('drachtio-fsmrf') as Mrf
/** The untyped package, with types written from its source. */
export const { Connection } = requireFromFsmrf('drachtio-modesl') as {
  Connection: new (
    host: string,
    port: number,
    secret: string,
    onReady: () => void,
  ) => EslClientConnection
}
