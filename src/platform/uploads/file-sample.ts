/** The parts of a file that are examined when it is too big to be held whole. Pure. */

export interface FileSample {
  /** The first bytes of the file, at most `HEAD_BYTES`. */
  readonly head: Buffer
  readonly size: number
  /** True when the whole file is UTF-8 without NUL. */
  readonly isText: boolean
}

/**
 * The bytes kept of a file: enough for every signature, and for the dimensions before a JPEG's
 * picture.
 */
export const HEAD_BYTES = 128 * 1024

/** Samples a file piece by piece. */
export class FileSampler {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #head: Uint8Array[] = []
  #headBytes = 0
  #size = 0
  #isText = true

  get size(): number {
    return this.#size
  }

  add(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#headBytes < HEAD_BYTES) {
      // The head is a copy: the chunk that it is part of is not kept.
      const part = Uint8Array.from(bytes.subarray(0, HEAD_BYTES - this.#headBytes))
      this.#head.push(part)
      this.#headBytes += part.length
    }
    this.#isText &&= !bytes.includes(0) && this.#decodes(bytes, true)
  }

  sample(): FileSample {
    const isText = this.#isText && this.#decodes(new Uint8Array(), false)
    return { head: Buffer.concat(this.#head), size: this.#size, isText }
  }

  #decodes(bytes: Uint8Array, isMoreToCome: boolean): boolean {
    try {
      this.#decoder.decode(bytes, { stream: isMoreToCome })
      return true
    } catch (error) {
      if (error instanceof TypeError) return false // what it throws for bytes that are no UTF-8
      throw error
    }
  }
}

export function sampleOf(bytes: Uint8Array): FileSample {
  const sampler = new FileSampler()
  sampler.add(bytes)
  return sampler.sample()
}
