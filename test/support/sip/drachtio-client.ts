import { type EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'

/** The client library with the members that tests use; its own types are outdated. */
export interface DrachtioClient extends EventEmitter {
  connect(options: { host: string; port: number; secret: string }): unknown
  disconnect(): void
  invite(handler: (req: ClientRequest, res: ClientResponse) => void): void
  request(
    uri: string,
    options: { method: string; headers?: Record<string, string> },
    callback: (error: unknown, req: ClientRequest) => void,
  ): unknown
  createUAS(
    req: ClientRequest,
    res: ClientResponse,
    options: { localSdp: string; headers?: Record<string, string> },
  ): Promise<ClientDialog>
  createUAC(
    uri: string,
    options: {
      localSdp?: string
      headers?: Record<string, string>
      auth?: object
      noAck?: boolean
    },
    callbacks?: {
      cbRequest?: (error: unknown, req: ClientRequest) => void
      cbProvisional?: (res: ClientResponse) => void
    },
  ): Promise<ClientDialog>
}

interface ClientMessage extends EventEmitter {
  readonly body: string
  get(name: string): string
  has(name: string): boolean
}

export interface ClientRequest extends ClientMessage {
  readonly method: string
  readonly uri: string
  readonly source_address: string
  readonly receivedOn: string
  cancel(callback: (error: unknown) => void): void
}

export interface ClientResponse extends ClientMessage {
  readonly status: number
  send(status: number, options?: { headers?: Record<string, string>; body?: string }): void
}

export interface ClientDialog extends EventEmitter {
  readonly id: string
  readonly remote: { readonly sdp: string }
  destroy(options?: { headers: Record<string, string> }): Promise<unknown>
  modify(sdp: string): Promise<string>
  request(options: {
    method: string
    body?: string
    headers?: Record<string, string>
  }): Promise<ClientResponse>
}

const Client = createRequire(import.meta.url)('drachtio-srf') as new () => DrachtioClient // see above

export async function connectClient(port: number, secret: string): Promise<DrachtioClient> {
  const client = new Client()
  client.on('error', () => undefined)
  client.connect({ host: '127.0.0.1', port, secret })
  await once(client, 'connect')
  return client
}

/**
 * Resolves when the server has processed every command so far. Subscribing to requests has no reply of its own,
 * and earlier requests would not be delivered.
 */
export async function commandsHandled(client: DrachtioClient): Promise<void> {
  await new Promise<void>((resolve) => {
    client.request('sip:127.0.0.1:9', { method: 'OPTIONS' }, () => {
      resolve()
    })
  })
}

/** Resolves when the server has closed the connection too, and sends no more requests to the client. */
export async function disconnectClient(client: DrachtioClient): Promise<void> {
  const closed = once(client, 'close', { signal: AbortSignal.timeout(15_000) })
  client.disconnect()
  await closed
}
