/**
 * The part of drachtio-srf that this adapter uses. The package's own declarations omit the agent, its
 * connection and parts of the dialog, and declare callbacks that do not exist.
 */
declare module 'drachtio-srf' {
  import type { EventEmitter } from 'node:events'
  import type { Socket } from 'node:net'

  export interface SipMessage {
    readonly headers: Readonly<Record<string, string | undefined>>
    readonly source_address: string
    readonly source_port: number | string
    readonly protocol: string
    readonly body: string | undefined
    readonly raw: string
    get(name: string): string | undefined
    has(name: string): boolean
  }

  export interface ParsedUri {
    readonly user?: string | undefined
    readonly host?: string
    readonly port?: number
    /** The number of a `tel:` URI. */
    readonly number?: string
  }

  export interface ParsedAddress {
    readonly name?: string
    readonly uri: string
    readonly params: Readonly<Record<string, string | null>>
  }

  export interface SrfRequest extends EventEmitter, SipMessage {
    readonly method: string
    readonly uri: string
    /** The origin of the message. `application`: drachtio made it itself, for a dialog that it ended. */
    readonly source: 'network' | 'application'
    readonly source_address: string
    readonly source_port: number
    readonly protocol: string
    readonly socket: Socket
    /** drachtio's id of the request's transaction. */
    readonly stackTxnId: string
    getParsedHeader(name: 'from' | 'to'): ParsedAddress
    /** Adds a header to the received message. */
    set(name: string, value: string): void
    /** Sends CANCEL. Throws when the connection to the server is gone. */
    cancel(callback: (err: Error | null) => void): void
  }

  /** A request that was given credentials. */
  export interface ChallengeableRequest extends SrfRequest {
    /** The options it was sent with; they are sent again after a challenge. */
    readonly _originalParams: {
      readonly options: {
        readonly method: string
        readonly uri: string
        headers?: Record<string, string>
        readonly body?: string | undefined
      }
    }
  }

  export interface SendOptions {
    readonly headers?: Record<string, string>
    readonly body?: string
  }

  export interface SrfResponse extends SipMessage {
    readonly status: number
    readonly reason: string
    /** drachtio's id of the dialog that a response to an INVITE creates. */
    readonly stackDialogId: string
    /**
     * The address that sent the response; empty when drachtio made the response itself, because nobody
     * answered.
     */
    readonly source_address: string
    readonly finalResponseSent: boolean
    send(
      status: number,
      options?: SendOptions,
      callback?: (err: unknown, sent?: SipMessage) => void,
    ): void
    send(
      status: number,
      reason: string,
      options?: SendOptions,
      callback?: (err: unknown, sent?: SipMessage) => void,
    ): void
  }

  export interface Dialog extends EventEmitter {
    readonly type: 'uac' | 'uas'
    readonly id: string
    /** The INVITE that created the dialog. */
    readonly req: SrfRequest
    /** The 200 of the INVITE: received, or sent by `send`. */
    readonly res: SrfResponse
    readonly sip: { readonly callId: string; readonly localTag: string }
    readonly local: { sdp: string; contact: string }
    readonly remote: { readonly uri: string; sdp: string }
    /** False once a BYE of either side was answered. */
    readonly connected: boolean
    destroy(options: { headers?: Record<string, string> }): Promise<unknown>
    /**
     * Sends a request. The callback gets every response, provisional ones included. With `noAck` and no body,
     * the caller acknowledges the 200 of an INVITE with the third argument.
     */
    request(
      options: { method: string; body?: string; headers?: Record<string, string>; noAck?: boolean },
      callback: (
        err: Error | null,
        response?: SrfResponse,
        ack?: (options: { body: string; headers?: Record<string, string> }) => void,
      ) => void,
    ): void
    /** Handles each request inside the dialog. */
    handle(req: SrfRequest, res: SrfResponse): void
  }

  /** A final response other than 2xx. */
  export interface SipError extends Error {
    readonly status: number
    readonly reason?: string
    readonly res?: SrfResponse
  }

  export interface UacOptions {
    readonly headers?: Record<string, string>
    readonly localSdp?: string | undefined
    readonly proxy?: string
    readonly auth?: DigestAuth
  }

  /** Called for a challenge; passes the username and password, or an error, to the callback. */
  export type DigestAuth = (
    request: ChallengeableRequest,
    challenge: SrfResponse,
    callback: (err: Error | null, username?: string, password?: string) => void,
  ) => void

  export interface UacCallbacks {
    cbRequest?: (err: Error | null, req?: SrfRequest) => void
    cbProvisional?: (res: SrfResponse) => void
  }

  /** The agent's state for one connection to the server. */
  export interface ServerConnection {
    /** INVITEs without a final response, by Call-ID. */
    readonly pendingNetworkInvites: Map<string, unknown>
    /** Requests that were challenged and retried once, by Call-ID. */
    readonly pendingSipAuthRequests: Map<string, unknown>
  }

  export interface WireProtocol extends EventEmitter {
    closing?: boolean
    /** Starts the package's own endless reconnect. */
    _onConnectionGone(): void
  }

  export interface DrachtioAgent extends EventEmitter {
    readonly wp: WireProtocol
    readonly mapServer: Map<Socket, ServerConnection>
    /** Sends a response in a transaction, which another process may have received. `msg` is its text. */
    sendResponse(
      response: {
        readonly socket: Socket
        readonly msg: string
        readonly req: { readonly stackTxnId: string }
      },
      options: SendOptions,
      callback: (err: unknown) => void,
    ): void
    /** Sends an ACK in the dialog of that id. */
    sendAck(
      method: 'ACK',
      dialogId: string,
      request: { readonly uri: string },
      response: { readonly socket: Socket },
      options: SendOptions,
      callback: (err: unknown) => void,
    ): void
  }

  export default class Srf extends EventEmitter {
    static parseUri(uri: string): ParsedUri | undefined
    readonly app: { readonly client: DrachtioAgent | undefined }
    connect(options: {
      host: string
      port: number
      secret: string
      enablePing?: boolean
      pingInterval?: number
    }): unknown
    disconnect(): void
    use(method: string, handler: (req: SrfRequest, res: SrfResponse) => void): void
    /** Adds a handler of every method; drachtio itself is not notified. */
    use(handler: (req: SrfRequest, res: SrfResponse, next: () => void) => void): void
    /** Sends an INVITE. Without `localSdp`, resolves with the 200's offer and a function to answer it. */
    createUAC(
      uri: string,
      options: UacOptions & { readonly noAck: true },
    ): Promise<{ readonly sdp: string; ack(localSdp: string): Promise<Dialog> }>
    createUAC(uri: string, options: UacOptions, callbacks?: UacCallbacks): Promise<Dialog>
    /**
     * Sends a 200. The callback runs before anything else in the dialog is delivered; a promise would resolve
     * after messages that come right behind the 200.
     */
    createUAS(
      req: SrfRequest,
      res: SrfResponse,
      options: { localSdp: string; headers?: Record<string, string> },
      callback: (err: unknown, dialog?: Dialog) => void,
    ): void
    request(
      uri: string,
      options: {
        method: string
        headers: Record<string, string>
        proxy?: string
        auth?: DigestAuth
        body?: string
        /** The transaction that a CANCEL ends. */
        stackTxnId?: string
        /** The dialog that the request is sent in. */
        stackDialogId?: string
      },
      callback: (err: Error | null, request?: SrfRequest) => void,
    ): void
    removeDialog(dialog: Dialog): void
  }
}
