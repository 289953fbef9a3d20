/** The announcements of a room: one at a time, in order. */
import { SerialQueue } from '../../platform/async/serial-queue.js'
import type { Logger } from '../../platform/log.js'
import { type Announcement, AnnouncementError, type Audience } from '../markup/conference-entry.js'
import type { AnnouncementNews } from './conference-callbacks.js'
import { BusyAnnouncementsError } from './conference-errors.js'
import type { Participant } from './participant.js'

export interface AnnouncementsDeps {
  readonly log: Logger
  /** Returns the participants for an announcement to everybody. */
  readonly audience: () => readonly Participant[]
  readonly report: (news: AnnouncementNews) => Promise<void>
}

/** Maximum number of queued announcements, including the current one. */
const MOST_WAITING = 20

export class Announcements {
  readonly #deps: AnnouncementsDeps
  readonly #over = new AbortController()
  readonly #turns = new SerialQueue()
  #waiting = 0

  constructor(deps: AnnouncementsDeps) {
    this.#deps = deps
  }

  /**
   * Plays an announcement to one participant, or to all. The room's callback reports its start and end.
   * Throws BusyAnnouncementsError.
   */
  add(announcement: Announcement, one: Participant | undefined): void {
    if (this.#waiting >= MOST_WAITING)
      throw new BusyAnnouncementsError('too many announcements wait for their turn')
    this.#waiting += 1
    void this.#turns
      .run(() => this.#announce(announcement, one))
      .catch((err: unknown) => {
        this.#deps.log.error({ err }, 'could not report an announcement')
      })
      .finally(() => {
        this.#waiting -= 1
      })
  }

  /** Stops the current announcement; the waiting ones fail. */
  close(): void {
    this.#over.abort(new AnnouncementError('the conference is over'))
  }

  async #announce(announcement: Announcement, one: Participant | undefined): Promise<void> {
    const { report } = this.#deps
    const about = { url: announcement.url, participant: one?.facts }
    let reported: Promise<void> | undefined
    const begin = () => (reported ??= report({ ...about, type: 'announcement-begin' }))
    try {
      await this.#play(announcement, one === undefined ? this.#deps.audience() : [one], begin)
      await begin()
      await report({ ...about, type: 'announcement-end' })
    } catch (error) {
      const isKnown = error instanceof AnnouncementError
      if (!isKnown) this.#deps.log.error({ err: error }, 'an announcement failed')
      const reason = isKnown ? error.message : 'internal failure'
      await report({ ...about, type: 'announcement-fail', reason })
    }
  }

  async #play(
    announcement: Announcement,
    listeners: readonly Participant[],
    begin: () => Promise<void>,
  ): Promise<void> {
    const { signal } = this.#over
    signal.throwIfAborted()
    const present = () => listeners.filter(({ isOver }) => !isOver)
    const [first] = present()
    if (first === undefined) throw new AnnouncementError('no participant can hear it')
    const audience: Audience = {
      play: async (source, until) => {
        await begin()
        await Promise.all(present().map((listener) => listener.play(source, until)))
        if (present().length === 0) throw new AnnouncementError('no participant can hear it')
      },
    }
    try {
      await Promise.all(present().map((listener) => listener.beginAnnouncement()))
      await first.entry.announce(announcement, audience, signal)
    } finally {
      for (const listener of listeners) listener.endAnnouncement()
    }
  }
}
