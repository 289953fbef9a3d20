/** Holds all rooms of the thread, by the numbers that the main thread gave them. */
import type { Endpoint } from './endpoint.js'
import type { Room } from './room.js'

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

  /** Removes a room; undefined when there is no such room any more. */
  remove(number: number): Room | undefined {
    const room = this.#rooms.get(number)
    this.#rooms.delete(number)
    return room
  }

  get numbers(): readonly number[] {
    return [...this.#rooms.keys()]
  }
}
