import type { Channel } from '../channel/channel.js'

/** Holds the live channels by their UUIDs. */
export class ChannelRegistry extends Map<string, Channel> {
  readonly #waiting = new Set<() => void>()

  override delete(uuid: string): boolean {
    const wasThere = super.delete(uuid)
    if (this.size === 0) for (const done of [...this.#waiting]) done()
    return wasThere
  }

  /** Resolves when the last one is gone, or after the limit. */
  async whenEmpty(limitMs: number): Promise<void> {
    if (this.size === 0) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, limitMs)
      this.#waiting.add(done)
    })
  }
}
