/**
 * Types of the two classes that we use from drachtio-fsmrf, which has none.
 *
 * `Mrf.connect()` does not expose its event-socket connection until it is ready, which never
 * happens with a wrong password. So we create the connection and the media server ourselves.
 */
import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { Server, Socket } from 'node:net'
import type { Dialog, UacOptions } from 'drachtio-srf'

export interface EslEvent {
  getHeader(name: string): string | null
  getBody(): string
}

/** A parser whose header reader can be replaced by one that returns `Head`. */
export interface EslParser<Head = unknown> {
  buffer: Buffer
  _parseHeaderText(text: string): Head
  _indexOfHeaderEnd(): number
  _parseEvent(head: Head, body?: string): void
  emit(name: string, ...event: readonly unknown[]): void
}

/** An event-socket connection; its events are named `esl::…`. */
export interface EslConnection {
  socket: Socket | null
  parser?: EslParser
  on(event: string, listener: (...args: never[]) => void): void
  removeListener(event: string, listener: (...args: never[]) => void): void
  removeAllListeners(event?: string): void
  send(command: string, headers?: Readonly<Record<string, unknown>> | null): void
  api(command: string, callback: (response: EslEvent) => void): void
  /** Runs the command in the background; the callback gets the BACKGROUND_JOB event. */
  bgapi(command: string, args: string, callback: (done: EslEvent) => void): void
  execute(app: string, arg: string, callback: (complete: EslEvent) => void): void
  /** Takes event names as a list, or as one text separated by spaces. */
  subscribe(events: readonly string[] | string, done?: () => void): void
  /** Passes only events whose header has that value. */
  filter(header: string, value: string): void
  /** The channel's headers and variables at connection time; null on a login connection. */
  getInfo(): EslEvent | null
  _onConnectionGone(): void
}

type EslConnectionConstructor = new (
  host: string,
  port: number,
  password: string,
  onReady: () => void,
) => EslConnection

/** A FreeSWITCH channel: a SIP dialog with it, and its own event-socket connection. */
export interface FsmrfEndpoint extends EventEmitter {
  readonly uuid: string
  readonly conn: EslConnection
  readonly dialog: Dialog
  readonly local: { readonly sdp: string }
}

export interface FsmrfServer extends EventEmitter {
  /** True stops the package from writing to the console when the connection ends. */
  closing?: boolean
  /** The server that accepts FreeSWITCH's connections, one for each channel. Absent before `connect`. */
  readonly _server?: EventEmitter & { readonly server: Server; close(): void }
  createEndpoint(options: {
    remoteSdp?: string
    headers?: Readonly<Record<string, string>>
  }): Promise<FsmrfEndpoint>
  /** The address that channels are told to connect back to. */
  readonly advertisedAddress: string
  readonly advertisedPort: number
}

export type CreateUac = (uri: string, options: UacOptions) => Promise<Dialog>

type FsmrfServerConstructor = new (
  connection: EslConnection,
  mrf: { readonly srf: { readonly createUAC: CreateUac }; readonly customEvents: string[] },
  listenAddress: string,
  listenPort: number,
  advertisedAddress: string | undefined,
  advertisedPort: number | undefined,
  profile: string,
) => FsmrfServer

// The package exports neither class. Resolving from its own folder finds the modules that it uses.
const requireFromHere = createRequire(import.meta.url)
const requireFromFsmrf = createRequire(requireFromHere.resolve('drachtio-fsmrf'))

/** The event-socket connection of drachtio-modesl, typed as in its source. */
export const { Connection } = requireFromFsmrf('drachtio-modesl') as {
  Connection: EslConnectionConstructor
}
/** The media server of drachtio-fsmrf, typed as in its source. */
export const MediaServer = requireFromFsmrf('./mediaserver.js') as FsmrfServerConstructor
