import type { MediaEndpoint } from '../../media/model/media-endpoint.js'

/**
 * Notices when the peer talks, and when it has said nothing for a while. It serves one watcher at a
 * time.
 */
export class SilenceWatch {
  readonly #media: MediaEndpoint
  #onTalking: ((isTalking: boolean) => void) | undefined

  constructor(media: MediaEndpoint) {
    this.#media = media
  }

  /** Takes the media's report that the peer talks, or has been quiet for as long as was asked. */
  hear(isTalking: boolean): void {
    this.#onTalking?.(isTalking)
  }

  /**
   * Calls `onSilent` once after this much silence, also when the peer never began; 0 watches
   * nothing.
   */
  watch(silenceMs: number, onSilent: () => void): () => void {
    if (silenceMs <= 0) return () => undefined
    const timer = setTimeout(onSilent, silenceMs)
    this.#onTalking = (isTalking) => {
      clearTimeout(timer)
      if (!isTalking) onSilent()
    }
    this.#media.watchLevel({ hangoverMs: silenceMs })
    return () => {
      clearTimeout(timer)
      this.#onTalking = undefined
    }
  }

  /**
   * Calls `onTalking` at each change, quiet only after the hang-over, until the returned function
   * is called.
   */
  follow(hangoverMs: number, onTalking: (isTalking: boolean) => void): () => void {
    this.#onTalking = onTalking
    this.#media.watchLevel({ hangoverMs })
    return () => {
      this.#onTalking = undefined
    }
  }
}
