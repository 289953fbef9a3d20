/**
 * The two classes that this adapter uses of drachtio-fsmrf, with their types; the package has none.
 *
 * `Mrf.connect()` keeps its event-socket connection to itself until it is ready, which never happens
 * with a wrong password, so connection and media server are made here one by one.
 */
import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import type { Server, Socket } from 'node:net'
import type { Dialog, UacOptions } from 'drachtio-srf'

export interface EslEvent {
  getHeader(name: string): string | null
  getBody(): string
}

/** A parser that is given its own way to read headers, of type `Head`. */
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
  /** Runs the command beside others; the callback gets the BACKGROUND_JOB event. */
  bgapi(command: string, args: string, callback: (done: EslEvent) => void): void
  execute(app: string, arg: string, callback: (complete: EslEvent) => void): void
  /** The events by name: as a list, or as one text with spaces between them. */
  subscribe(events: readonly string[] | string, done?: () => void): void
  /** Lets only events through in which the header has that value. */
  filter(header: string, value: string): void
  /** The channel's headers and variables when it connected; null on a login connection. */
  getInfo(): EslEvent | null
  _onConnectionGone(): void
}

type EslConnectionConstructor = new (
  host: string,
  port: number,
  password: string,
  onReady: () => void,
) => EslConnection

/** A channel of FreeSWITCH: a SIP dialog with it, and its own event-socket connection. */
export interface FsmrfEndpoint extends EventEmitter {
  readonly uuid: string
  readonly conn: EslConnection
  readonly dialog: Dialog
  readonly local: { readonly sdp: string }
}

export interface FsmrfServer extends EventEmitter {
  /** True keeps the package from writing to the console when the connection ends. */
  closing?: boolean
  /**
   * The server that takes FreeSWITCH's connections, one for each channel. Absent before `connect`.
   */
  readonly _server?: EventEmitter & { readonly server: Server; close(): void }
  createEndpoint(options: {
    remoteSdp?: string
    /** Headers of the INVITE. */
    headers?: Readonly<Record<string, string>>
  }): Promise<FsmrfEndpoint>
  /** The address that FreeSWITCH is told to connect channels to. */
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

// The package exports neither class. Resolving from its own folder finds the very modules it uses.
const requireFromHere = createRequire(import.meta.url)
const requireFromFsmrf = createRequire(requireFromHere.resolve('drachtio-fsmrf'))

/** The event-socket connection of drachtio-modesl, with types as its source declares it. */
export const { Connection } = requireFromFsmrf('drachtio-modesl') as {
  Connection: EslConnectionConstructor
}
/** The media server of drachtio-fsmrf, with types as its source declares it. */
export const MediaServer = requireFromFsmrf('./mediaserver.js') as FsmrfServerConstructor
