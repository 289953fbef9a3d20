/** Makes the sources that need no disk, and chooses a source. */

import { SAMPLES_PER_MS } from '../dsp/frame.js'
import { TonePlayer } from '../dsp/tone-player.js'
import { parseToneScript } from '../dsp/tone-script.js'
import { openFileSource } from '../files/file-source.js'
import type { OpenFiles } from '../files/open-files.js'
import type { AudioSource } from '../model/audio-flow.js'
import type { PlaySource } from '../model/media-endpoint.js'

/**
 * Opens a source. One that needs no disk opens at once, to be heard at the next tick. Throws or
 * rejects when the source cannot play.
 */
export function openSource(
  source: PlaySource,
  files: OpenFiles,
): AudioSource | Promise<AudioSource> {
  switch (source.type) {
    case 'file':
      return openFileSource(source.path, source.offsetSamples ?? 0, files)
    case 'tone':
      return new ToneSource(new TonePlayer(parseToneScript(source.script)))
    case 'silence':
      return new SilenceSource(source.durationMs)
    case 'samples':
      return new SampleSource(source.pcm)
  }
}

class ToneSource implements AudioSource {
  readonly #player: TonePlayer

  constructor(player: TonePlayer) {
    this.#player = player
  }

  read(into: Int16Array, start: number): number {
    return this.#player.read(into, start)
  }

  close(): void {
    // holds nothing
  }
}

class SilenceSource implements AudioSource {
  #left: number

  constructor(durationMs: number) {
    this.#left = durationMs <= 0 ? Infinity : Math.round(durationMs * SAMPLES_PER_MS)
  }

  read(into: Int16Array, start: number): number {
    const count = Math.min(into.length - start, this.#left)
    into.fill(0, start, start + count)
    this.#left -= count
    return count
  }

  close(): void {
    this.#left = 0
  }
}

class SampleSource implements AudioSource {
  #pcm: Int16Array

  constructor(pcm: Int16Array) {
    this.#pcm = pcm
  }

  read(into: Int16Array, start: number): number {
    const count = Math.min(into.length - start, this.#pcm.length)
    into.set(this.#pcm.subarray(0, count), start)
    this.#pcm = this.#pcm.subarray(count)
    return count
  }

  close(): void {
    this.#pcm = new Int16Array(0)
  }
}
