import { withLimit } from '../../../platform/async/limit.js'
import type { SignalingConnection } from './signaling-connection.js'

/** The time that an answer may take; UDP is sent again for as long. */
const LIMIT_MS = 5_000

/** Sends an OPTIONS; resolves with its final status, or undefined when none came in time. */
export function keepAlive(
  uri: string,
  proxy: string,
  signaling: SignalingConnection,
): Promise<number | undefined> {
  const answered = new Promise<number | undefined>((resolve) => {
    const headers = { From: '<sip:keep-alive@localhost>' }
    signaling.srf.request(uri, { method: 'OPTIONS', headers, proxy }, (err, request) => {
      if (err || !request) {
        resolve(undefined)
        return
      }
      request.on('response', (response: { readonly status: number }) => {
        if (response.status >= 200) resolve(response.status)
      })
    })
  })
  return withLimit(answered, LIMIT_MS, () => undefined)
}
