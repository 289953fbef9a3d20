/** The public listener. It binds its port before the app exists. */

import { accountTooLarge } from '../account-api/account-api.js'
import type { AccountGate } from '../accounts/account-gate.js'
import { hostPort, type ListenAddress } from '../config.js'
import { PAYMENTS_PATH } from '../ledger/payment-api.js'
import { MESSAGE_PROVIDER_PATH } from '../messages/provider-operations.js'
import { plainTooLarge } from '../platform/api/plain-dialect.js'
import { type ListenerApp, type ListenerOptions, startListener } from '../platform/http/listener.js'
import { registryTooLarge } from '../registry/registry.js'
import { tooLarge as voiceTooLarge } from '../voice/api/dialect/voice-dialect.js'
import { openListener } from './listening.js'

export interface Front extends AsyncDisposable {
  readonly url: string
  /** Sets the app that serves requests. */
  serve(app: FrontApp): void
}

export interface FrontApp extends ListenerApp {
  /** True for an upload: its handler streams the body and has its own size limit. */
  isUpload(method: string, path: string): boolean
  /** Handles a read request without the app; false if it cannot. */
  readonly lane: NonNullable<ListenerOptions['lane']>
}

/** Opens the listener, which answers 503 until it has an app: features that need its URL are wired first. */
export async function openFront(
  { host, port }: ListenAddress,
  gate: Pick<AccountGate, 'isKnown' | 'isProxy'>,
): Promise<Front> {
  let app: FrontApp = { fetch: starting, isUpload: () => false, lane: () => false }
  const listener = await openListener('HTTP_HOST, HTTP_PORT', { host, port }, () =>
    startListener(
      { fetch: (request, env) => app.fetch(request, env) },
      {
        host,
        port,
        tooLarge,
        peers: {
          isKnown: (address) => gate.isKnown(address),
          isProxy: (address) => gate.isProxy(address),
        },
        isUpload: (method, path) => app.isUpload(method, path),
        lane: (incoming, outgoing) => app.lane(incoming, outgoing),
      },
    ),
  )
  return {
    url: `http://${hostPort({ host, port: listener.port })}`,
    serve: (served) => {
      app = served
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}

/** The 413 for a body above the listener's limit, in the format of the requested API. */
function tooLarge(request: Request): Response {
  return (
    accountTooLarge(request) ??
    registryTooLarge(request) ??
    webhookTooLarge(request) ??
    voiceTooLarge(request)
  )
}

/** The 413 for a provider's webhook; undefined for any other path. */
function webhookTooLarge({ url }: Request): Response | undefined {
  const { pathname } = new URL(url)
  const isWebhook = [PAYMENTS_PATH, MESSAGE_PROVIDER_PATH].some((path) =>
    pathname.startsWith(`${path}/`),
  )
  return isWebhook ? plainTooLarge() : undefined
}

function starting(): Response {
  return Response.json({ status: 'starting' }, { status: 503, headers: { 'retry-after': '1' } })
}
