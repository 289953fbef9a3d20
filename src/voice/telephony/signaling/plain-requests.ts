import type { FlowAddress, SipText } from '../port.js'
import type { PlainRequest } from './send-request.js'
import { nameAddress, sipUri } from './sip-text.js'

/** An OPTIONS that asks nothing: its answer shows that the way is open. */
export function optionsTo(uri: string, proxy: string): PlainRequest {
  const headers = { From: '<sip:keep-alive@localhost>' }
  return { method: 'OPTIONS', uri: sipUri(uri), proxy: sipUri(proxy), headers }
}

/** Writes a MESSAGE (RFC 3428 §4). Throws UnsafeArgumentError before anything is sent. */
export function messageTo({ uri, proxy }: FlowAddress, { from, body }: SipText): PlainRequest {
  const headers = {
    From: nameAddress({ user: from, host: 'localhost' }),
    'Content-Type': 'text/plain;charset=utf-8',
  }
  return { method: 'MESSAGE', uri: sipUri(uri), proxy: sipUri(proxy), headers, body }
}
