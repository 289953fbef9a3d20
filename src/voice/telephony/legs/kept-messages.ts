import type { KeptMessage, LegEvents, SipPlace } from '../port.js'
import type { WireMessage } from '../signaling/message-tap.js'
import { withoutCredentials } from '../signaling/without-credentials.js'

/** Maximum number of messages of one leg. */
const MAX_MESSAGES = 200
/** Maximum length of a message, in characters: as text, and as a string of JSON. */
const MAX_CHARS = 12_000
const MAX_JSON_CHARS = 14_000

type Listener = NonNullable<LegEvents['onSipMessage']>

/** The whole SIP messages of one leg: bounded, without credentials. */
export class KeptMessages {
  readonly #listener: Listener
  readonly #callId: string
  readonly #listenerOf: (transport: string) => SipPlace | undefined
  #count = 0

  /** `listenerOf` returns our SIP listener of a transport. */
  constructor(
    listener: Listener,
    callId: string,
    listenerOf: (transport: string) => SipPlace | undefined,
  ) {
    this.#listener = listener
    this.#callId = callId
    this.#listenerOf = listenerOf
  }

  add({ direction, text, peer }: WireMessage): void {
    this.#count += 1
    if (this.#count > MAX_MESSAGES) return
    const local = peer && this.#listenerOf(peer.transport)
    this.#listener({
      direction,
      callId: this.#callId,
      ...bounded(withoutCredentials(text)),
      ...(peer !== undefined && { peer }),
      ...(local !== undefined && { local }),
    })
  }

  /** Reports how many messages were not kept, once the leg is over. */
  end(): void {
    const notKept = this.#count - MAX_MESSAGES
    if (notKept > 0) this.#listener({ callId: this.#callId, notKept })
  }
}

function bounded(text: string): Pick<KeptMessage, 'text' | 'omittedChars'> {
  let kept = text.slice(0, MAX_CHARS)
  while (JSON.stringify(kept).length > MAX_JSON_CHARS)
    kept = kept.slice(0, Math.floor(kept.length * 0.8))
  const omittedChars = text.length - kept.length
  return { text: kept, ...(omittedChars > 0 && { omittedChars }) }
}
