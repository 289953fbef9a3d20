import type { MediaEndpoint } from '../../media/model/media-endpoint.js'

/** Detects when the peer talks and when it falls silent, for one listener at a time. */
export class SilenceWatch {
  readonly #media: MediaEndpoint
  #onTalking: ((isTalking: boolean) => void) | undefined

  constructor(media: MediaEndpoint) {
    this.#media = media
  }

  /** Receives the media endpoint's report that the peer talks, or has been silent for the hangover time. */
  hear(isTalking: boolean): void {
    this.#onTalking?.(isTalking)
  }

  /** Calls `onSilent` after this much silence, also when the peer never began to talk; 0 disables it. */
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
   * Calls `onTalking` at each change until the returned function is called; silence is reported after
   * `hangoverMs`.
   */
  follow(hangoverMs: number, onTalking: (isTalking: boolean) => void): () => void {
    this.#onTalking = onTalking
    this.#media.watchLevel({ hangoverMs })
    return () => {
      this.#onTalking = undefined
    }
  }
}
