/** A sample of a file that is too big to hold in memory. Pure. */

export interface FileSample {
  /** The first bytes of the file, at most `HEAD_BYTES`. */
  readonly head: Buffer
  readonly size: number
  /** True when the whole file is UTF-8 without NUL. */
  readonly isText: boolean
}

/** Number of bytes kept of a file: enough for every signature and for the dimensions of a JPEG. */
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
      // A copy, so that the whole chunk can be freed.
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
      if (error instanceof TypeError) return false // thrown for bytes that are not UTF-8
      throw error
    }
  }
}

export function sampleOf(bytes: Uint8Array): FileSample {
  const sampler = new FileSampler()
  sampler.add(bytes)
  return sampler.sample()
}
