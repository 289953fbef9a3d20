import type { SrfRequest, SrfResponse } from 'drachtio-srf'
import { withLimit } from '../../../platform/async/limit.js'
import type { DialAuth } from '../port.js'
import { digestAuth } from './digest-auth.js'
import type { SignalingConnection } from './signaling-connection.js'

/** A request of ours outside a dialog; its texts are checked. */
export interface PlainRequest {
  readonly method: 'OPTIONS' | 'REGISTER' | 'MESSAGE'
  readonly uri: string
  readonly proxy?: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly auth?: DialAuth | undefined
  readonly body?: string | undefined
}

/** The time that an answer may take; UDP is sent again for as long. */
const LIMIT_MS = 5_000

/** Sends a request. Resolves with its final response, or with undefined when none came in time. */
export function sendRequest(
  { method, uri, proxy, headers, auth, body }: PlainRequest,
  signaling: SignalingConnection,
): Promise<SrfResponse | undefined> {
  const answered = new Promise<SrfResponse | undefined>((resolve) => {
    const options = {
      method,
      // The package writes into this object.
      headers: { ...headers },
      ...(proxy === undefined ? {} : { proxy }),
      ...(auth === undefined ? {} : { auth: digestAuth(auth, signaling.allowAnotherChallenge) }),
      ...(body === undefined ? {} : { body }),
    }
    const onResponse = (response: SrfResponse): void => {
      if (response.status >= 200) resolve(response)
    }
    signaling.srf.request(uri, options, (err, request?: SrfRequest) => {
      if (err || !request) resolve(undefined)
      // The answer to a challenge takes this listener over.
      else request.on('response', onResponse)
    })
  })
  return withLimit(answered, LIMIT_MS, () => undefined)
}
