/**
 * Gathers the messages of one callback of the event loop, and posts them as one: each post wakes the other
 * thread, and costs both more than most messages. They leave before the next callback, whose packets may
 * need them.
 */
export class PostBox<Message> {
  readonly #post: (messages: readonly Message[]) => void
  #waiting: Message[] = []

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post
  }

  /** Posts the message at the end of this callback, behind those before it. */
  add(message: Message): void {
    if (this.#waiting.push(message) === 1)
      queueMicrotask(() => {
        this.flush()
      })
  }

  /** Posts the collected messages now. */
  flush(): void {
    const messages = this.#waiting
    this.#waiting = []
    if (messages.length > 0) this.#post(messages)
  }
}
