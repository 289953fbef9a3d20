import type { SipPlace } from '../port.js'

/** A SIP message as drachtio received or sent it. */
export interface WireMessage {
  readonly direction: 'sent' | 'received'
  readonly text: string
  /** The other end; undefined for a response that drachtio made itself. */
  readonly peer: SipPlace | undefined
}

type Listener = (message: WireMessage) => void

const CALL_ID = /^(?:call-id|i)[ \t]*:[ \t]*(\S+)/im

/** Passes on the messages between drachtio and us, by the Call-ID that somebody watches. */
export class MessageTap {
  readonly #listeners = new Map<string, Set<Listener>>()

  /** Calls the listener with each message of the Call-ID; the returned function unsubscribes. */
  watch(callId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(callId) ?? new Set<Listener>()
    this.#listeners.set(callId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(callId)
    }
  }

  /** Reads a message of drachtio's protocol: a line with facts, then a SIP message. */
  onMessage(message: string): void {
    if (this.#listeners.size === 0) return
    const end = message.indexOf('\r\n')
    if (end === -1) return
    const text = message.slice(end + 2)
    const listeners = this.#listeners.get(CALL_ID.exec(text)?.[1] ?? '')
    const facts = listeners && factsOf(message.slice(0, end).split('|'))
    if (facts === undefined) return
    for (const listener of [...(listeners ?? [])]) listener({ ...facts, text })
  }
}

/** Reads `id|sip|network|…`, and the echo `id|response|id|OK|application|…` of what we sent. */
function factsOf(tokens: readonly string[]): Omit<WireMessage, 'text'> | undefined {
  const [, type, , outcome] = tokens
  if (type !== 'sip' && !(type === 'response' && outcome === 'OK')) return undefined
  const [source, , transport = '', host = '', port = ''] = tokens.slice(type === 'sip' ? 2 : 4)
  return {
    direction: source === 'network' ? 'received' : 'sent',
    peer: host === '' ? undefined : { transport, host, port: Number(port) },
  }
}
