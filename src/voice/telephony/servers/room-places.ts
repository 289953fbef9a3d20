/** The FreeSWITCH server that each room is on: the one of the leg that entered first. */

interface Lost {
  readonly isLost: boolean
}

/** A member's claim on the place of its room. */
export interface RoomPlace<Server> {
  readonly server: Server
  /** Gives the claim back. The last one frees the room's name. */
  leave(): void
}

/** A room is at one server for as long as somebody is in it. A room of a lost server is over. */
export class RoomPlaces<Server extends Lost> {
  readonly #places = new Map<string, { readonly server: Server; members: number }>()

  /** Claims a place in the room; the room is made on the member's own server when there is none. */
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
