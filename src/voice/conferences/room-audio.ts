import { whenAborted } from '../../platform/async/abort.js'
import { AdapterError } from '../../platform/errors.js'
import type { Logger } from '../../platform/log.js'
import type { AudioSource, RoomRecording } from '../telephony/leg-media.js'
import type { Participant } from './participant.js'
import { speaks } from './participant-settings.js'

export interface RoomAudioDeps {
  readonly log: Logger
  readonly conferenceSid: string
  readonly listener: RoomAudioListener
}

/** Receives the audio events of a room. */
export interface RoomAudioListener {
  seated(participant: Participant): void
  talking(participant: Participant, talking: 'started' | 'stopped'): void
}

const BEEP: AudioSource = { type: 'tone', frequencies: [440], onMs: 200, offMs: 0, repeat: 1 }

/** Decides which participants hear each other in a room of the media server. */
export class RoomAudio {
  readonly #deps: RoomAudioDeps
  readonly #seated = new Set<Participant>()

  constructor(deps: RoomAudioDeps) {
    this.#deps = deps
  }

  /**
   * Keeps the participant in the media server's room until it leaves. A participant on hold stays in it,
   * muted and deaf, so that the room continues even when all are on hold.
   */
  async mix(participant: Participant): Promise<void> {
    const { leg, entry } = participant
    // A coach is unmuted only once the others cannot hear it.
    const voice = participant.settings.coach === undefined ? speaks(participant.settings) : 'no'
    const seat = await leg.media.joinRoom(this.#deps.conferenceSid, { speaks: voice })
    participant.seat = seat
    this.#seated.add(participant)
    void seat.left.then(() => {
      participant.end('hung-up')
    })
    const unsubscribe = seat.onTalking((talking) => {
      this.#deps.listener.talking(participant, talking)
    })
    try {
      this.#deps.listener.seated(participant)
      await this.#relateCoaches()
      // The media server reports an entry late, so settings that changed meanwhile had no seat to apply to.
      const { coach, hold } = participant.settings
      const isChanged = speaks(participant.settings) !== voice
      if (coach !== undefined || hold !== undefined || isChanged)
        await this.#applyVoice(participant)
      if (entry.beep === 'true' || entry.beep === 'onEnter') await this.beep()
      while (!participant.isOver) {
        await participant.afterAnnouncement()
        const { untilChange } = participant
        if (participant.settings.hold === undefined) await whenAborted(untilChange)
        else await participant.wait(participant.settings.hold)
      }
    } finally {
      unsubscribe()
      this.#seated.delete(participant)
      participant.seat = undefined
      await seat.leave()
    }
  }

  /** Applies changed mute and hold settings. */
  async voiceChanged(participant: Participant): Promise<void> {
    await this.#quietly(this.#applyVoice(participant))
  }

  async coachChanged({ callSid, seat, settings }: Participant): Promise<void> {
    if (settings.coach === undefined)
      for (const other of this.#seated)
        if (other.callSid !== callSid && other.seat !== undefined)
          await this.#quietly(seat?.setHeardBy(other.seat, 'yes'))
    await this.#relateCoaches()
  }

  async beep(): Promise<void> {
    const [anybody] = this.#seated
    await this.#quietly(anybody?.seat?.play(BEEP))
  }

  /** Records all participants, including later ones. Rejects with AdapterError when the room is empty. */
  record(path: string): Promise<RoomRecording> {
    const [anybody] = this.#seated
    if (anybody?.seat === undefined)
      return Promise.reject(new AdapterError('nobody is in the room'))
    return anybody.seat.record(path)
  }

  async #applyVoice({ seat, settings }: Participant): Promise<void> {
    await seat?.setSpeaks(speaks(settings))
    await seat?.setHears(settings.hold === undefined ? 'yes' : 'no')
  }

  /** Lets only the coached participant hear its coach. */
  async #relateCoaches(): Promise<void> {
    for (const coach of this.#seated) {
      if (coach.settings.coach === undefined) continue
      for (const other of this.#seated) {
        if (other === coach || other.seat === undefined) continue
        const hears = other.callSid === coach.settings.coach ? 'yes' : 'no'
        await this.#quietly(coach.seat?.setHeardBy(other.seat, hears))
      }
    }
  }

  /** Ignores the failure of a command whose participant has left meanwhile. */
  async #quietly(work: Promise<void> | undefined): Promise<void> {
    try {
      await work
    } catch (err) {
      const { conferenceSid, log } = this.#deps
      log.debug({ err, conferenceSid }, 'a room command failed: its participant has left')
    }
  }
}
