/** Plays sources one after the other and without a gap. */

import { SAMPLES_PER_MS } from '../dsp/frame.js'
import { TonePlayer } from '../dsp/tone-player.js'
import { parseToneScript } from '../dsp/tone-script.js'
import { openFileSource } from '../files/file-source.js'
import type { OpenFiles } from '../files/open-files.js'
import type { AudioSource } from '../model/audio-flow.js'
import type { PlayEnd, PlaySource } from '../model/media-endpoint.js'

/** Maximum number of queued playbacks. */
const MAX_QUEUED = 1000

export interface PlaybackEvents {
  onStarted(playback: number): void
  onEnded(playback: number, end: PlayEnd): void
}

interface Item {
  readonly playback: number
  readonly description: PlaySource
  state: 'waiting' | 'opening' | 'ready' | 'over'
  source: AudioSource | undefined
  isStarted: boolean
  playedSamples: number
}

export class PlaybackQueue {
  readonly #events: PlaybackEvents
  readonly #files: OpenFiles
  readonly #items: Item[] = []

  constructor(events: PlaybackEvents, files: OpenFiles) {
    this.#events = events
    this.#files = files
  }

  add(playback: number, description: PlaySource): void {
    if (this.#items.length >= MAX_QUEUED) {
      const error = 'too many playbacks are waiting'
      this.#events.onEnded(playback, { reason: 'failed', playedSamples: 0, error })
      return
    }
    this.#items.push({
      playback,
      description,
      state: 'waiting',
      source: undefined,
      isStarted: false,
      playedSamples: 0,
    })
    this.#prepare()
  }

  /** Fills a frame. Returns false when nothing is playing. */
  fill(into: Int16Array): boolean {
    let at = 0
    while (at < into.length) {
      const item = this.#items[0]
      if (item?.source === undefined) break
      if (!item.isStarted) {
        item.isStarted = true
        this.#events.onStarted(item.playback)
      }
      const count = item.source.read(into, at)
      item.playedSamples += count
      at += count
      if (at < into.length) this.#end(item, 'done')
    }
    if (at > 0 && at < into.length) into.fill(0, at)
    return at > 0
  }

  break(which: 'current' | 'all'): void {
    this.#stop(which === 'all' ? this.#items.length : 1, 'break')
  }

  close(): void {
    this.#stop(this.#items.length, 'closed')
  }

  #stop(count: number, reason: 'break' | 'closed'): void {
    for (const item of this.#items.splice(0, count)) this.#end(item, reason)
    this.#prepare()
  }

  #end(item: Item, reason: 'done' | 'break' | 'closed'): void {
    this.#remove(item)
    this.#events.onEnded(item.playback, { reason, playedSamples: item.playedSamples })
  }

  #remove(item: Item): void {
    item.state = 'over'
    item.source?.close()
    item.source = undefined
    const at = this.#items.indexOf(item)
    if (at < 0) return
    this.#items.splice(at, 1)
    this.#prepare()
  }

  /** Opens the first source, and the next so that it follows without a gap. */
  #prepare(): void {
    for (const item of this.#items.slice(0, 2)) {
      if (item.state !== 'waiting') continue
      item.state = 'opening'
      this.#open(item)
    }
  }

  #open(item: Item): void {
    try {
      const source = openSource(item.description, this.#files)
      if (source instanceof Promise) {
        source.then(
          (opened) => {
            this.#onOpened(item, opened)
          },
          (error: unknown) => {
            this.#fail(item, error)
          },
        )
      } else this.#onOpened(item, source)
    } catch (error) {
      this.#fail(item, error)
    }
  }

  #onOpened(item: Item, source: AudioSource): void {
    if (item.state === 'over') source.close()
    else {
      item.state = 'ready'
      item.source = source
    }
  }

  #fail(item: Item, error: unknown): void {
    if (item.state === 'over') return
    this.#remove(item)
    const text = error instanceof Error ? error.message : String(error)
    this.#events.onEnded(item.playback, { reason: 'failed', playedSamples: 0, error: text })
  }
}

/**
 * Opens a source. One that needs no disk opens at once, to be heard at the next tick. Throws or
 * rejects when the source cannot play.
 */
function openSource(source: PlaySource, files: OpenFiles): AudioSource | Promise<AudioSource> {
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
