/** Stores which FreeSWITCH server each room is on: that of the leg that entered first. */

interface Lost {
  readonly isLost: boolean
}

/** A member's claim on the server of its room. */
export interface RoomPlace<Server> {
  readonly server: Server
  /** Releases the claim. The last release frees the room's name. */
  leave(): void
}

/**
 * The rooms and their servers. A room stays on its server while it has members; it ends when its server is
 * lost.
 */
export class RoomPlaces<Server extends Lost> {
  readonly #places = new Map<string, { readonly server: Server; members: number }>()

  /** Claims a place in the room; a new room is placed on the member's own server. */
  enter(room: string, own: Server): RoomPlace<Server> {
    const known = this.#places.get(room)
    const place = known === undefined || known.server.isLost ? { server: own, members: 0 } : known
    this.#places.set(room, place)
    place.members++
    let isHeld = true
    return {
      server: place.server,
      leave: () => {
        if (!isHeld) return
        isHeld = false
        place.members--
        if (place.members === 0 && this.#places.get(room) === place) this.#places.delete(room)
      },
    }
  }
}
