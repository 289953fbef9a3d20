/**
 * A room: each member hears all others and the room's playbacks, but not itself. Each tick sums all
 * members once, then subtracts each member's own audio for that member.
 */
import { clip16, FRAME_SAMPLES } from '../dsp/frame.js'
import type { Feed, Tap } from '../model/audio-flow.js'
import type { PlaybackQueue } from '../playback/playback-queue.js'
import type { Endpoint } from './endpoint.js'

export class Room {
  readonly playbacks: PlaybackQueue
  /** The taps, which receive the room's whole mix. */
  readonly taps = new Set<Tap>()
  readonly #members = new Map<Endpoint, Member>()
  readonly #total = new Int32Array(FRAME_SAMPLES)
  readonly #played = new Int16Array(FRAME_SAMPLES)
  readonly #whole = new Int16Array(FRAME_SAMPLES)
  readonly #silence = new Int16Array(FRAME_SAMPLES)

  constructor(playbacks: PlaybackQueue) {
    this.playbacks = playbacks
  }

  has(endpoint: Endpoint): boolean {
    return this.#members.has(endpoint)
  }

  join(endpoint: Endpoint): void {
    if (this.has(endpoint)) return
    const member = new Member(endpoint, this.#total)
    this.#members.set(endpoint, member)
    endpoint.setFeed(member)
  }

  leave(endpoint: Endpoint): void {
    const gone = this.#members.get(endpoint)
    if (gone === undefined) return
    this.#members.delete(endpoint)
    endpoint.setFeed(undefined)
    for (const member of this.#members.values()) member.deafTo.delete(gone)
  }

  setVoice(endpoint: Endpoint, voice: { readonly speaks: boolean; readonly hears: boolean }): void {
    const member = this.#members.get(endpoint)
    if (member === undefined) return
    member.speaks = voice.speaks
    member.hears = voice.hears
  }

  /** Stops or resumes one endpoint's audio for another. */
  setDeafTo(endpoint: Endpoint, other: Endpoint, isDeaf: boolean): void {
    const [one, another] = [this.#members.get(endpoint), this.#members.get(other)]
    if (one === undefined || another === undefined) return
    if (isDeaf) one.deafTo.add(another)
    else one.deafTo.delete(another)
  }

  /** Mixes the frame; called after all have listened and before any speaks. */
  mix(): void {
    const total = this.#total
    const whole = this.#whole
    total.fill(0)
    for (const { endpoint, speaks } of this.#members.values())
      if (speaks) addTo(total, endpoint.heard)
    if (this.playbacks.fill(this.#played)) addTo(total, this.#played)
    if (this.taps.size === 0) return
    for (let i = 0; i < FRAME_SAMPLES; i++) whole[i] = clip16(total[i] ?? 0)
    for (const tap of this.taps) tap.write(this.#silence, whole, true)
  }

  /** Removes all members. Resolves when all are closed. */
  async close(): Promise<void> {
    for (const endpoint of [...this.#members.keys()]) this.leave(endpoint)
    this.playbacks.close()
    const taps = [...this.taps]
    this.taps.clear()
    await Promise.all(taps.map((tap) => tap.close()))
  }
}

class Member implements Feed {
  readonly endpoint: Endpoint
  readonly deafTo = new Set<Member>()
  speaks = true
  hears = true
  readonly #total: Int32Array
  readonly #mine = new Int32Array(FRAME_SAMPLES)

  constructor(endpoint: Endpoint, total: Int32Array) {
    this.endpoint = endpoint
    this.#total = total
  }

  fill(into: Int16Array): boolean {
    if (!this.hears) return false
    const mine = this.#mine
    mine.set(this.#total)
    if (this.speaks) takeFrom(mine, this.endpoint.heard)
    for (const other of this.deafTo) if (other.speaks) takeFrom(mine, other.endpoint.heard)
    for (let i = 0; i < FRAME_SAMPLES; i++) into[i] = clip16(mine[i] ?? 0)
    return true
  }
}

function addTo(sum: Int32Array, samples: Int16Array): void {
  for (let i = 0; i < FRAME_SAMPLES; i++) sum[i] = (sum[i] ?? 0) + (samples[i] ?? 0)
}

function takeFrom(sum: Int32Array, samples: Int16Array): void {
  for (let i = 0; i < FRAME_SAMPLES; i++) sum[i] = (sum[i] ?? 0) - (samples[i] ?? 0)
}

/** All rooms of the thread, by the numbers that the main thread assigned. */
export class Rooms {
  readonly #rooms = new Map<number, Room>()

  add(number: number, room: Room): void {
    this.#rooms.set(number, room)
  }

  get(number: number): Room | undefined {
    return this.#rooms.get(number)
  }

  roomOf(endpoint: Endpoint): Room | undefined {
    for (const room of this.#rooms.values()) if (room.has(endpoint)) return room
    return undefined
  }

  mix(): void {
    for (const room of this.#rooms.values()) room.mix()
  }

  /** Removes a room; undefined when it no longer exists. */
  remove(number: number): Room | undefined {
    const room = this.#rooms.get(number)
    this.#rooms.delete(number)
    return room
  }

  get numbers(): readonly number[] {
    return [...this.#rooms.keys()]
  }
}
