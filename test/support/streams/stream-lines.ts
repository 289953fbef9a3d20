import { SipCaller } from '../../bench/caller/sip-caller.js'
import { readStamp, StampReader, writeStamp } from '../../bench/streams/stamp.js'
import {
  type FarEndStream,
  openStreamFarEnd,
  sendMark,
  sendMedia,
} from '../../bench/streams/stream-far-end.js'
import type { RunningTrunkline } from '../process/trunkline.js'
import { waitUntil } from '../time/wait-until.js'
import type { VoiceApp } from '../voice/voice-app.js'

const FRAME_MS = 20
const FRAME_BYTES = 160
const PIECE_FRAMES = 50
/** Audio that a speaking far end sends ahead, seconds. */
const AHEAD = 3
const LIMIT_MS = 30_000
/** Number of stamps, and of remembered frames. */
const STAMPS = 1 << 20
/** A square wave in µ-law: loud, and without codes used by stamps. */
const SOUND = Buffer.from(
  Array.from({ length: FRAME_BYTES }, (_, i) => (i % 20 < 10 ? 0x90 : 0xb0)),
)

/** Delays between the two ends in ms, each with its time of measurement. */
export type Timed = readonly { readonly at: number; readonly ms: number }[]

/** One call with a two-way stream; every frame carries a number, in both directions. */
export class StreamLine {
  /** Delays from the phone's packet to the far end's message. */
  readonly out: { at: number; ms: number }[] = []
  /** Delays from the phone's packet until the copy from an echoing far end arrives. */
  readonly back: { at: number; ms: number }[] = []
  /** Delays of a speaking far end's marks, each from the end of the preceding packet. */
  readonly marks: { at: number; ms: number }[] = []
  readonly #sentAt = new Float64Array(STAMPS)
  readonly #heardAt = new Float64Array(STAMPS)
  #next = { sent: 0, spoken: 0 }
  #firstArrived = 0
  #waiting: { readonly frame: number; readonly at: number }[] = []

  /** Number of marks that arrived before their audio. */
  get earlyMarks(): number {
    return this.#waiting.length
  }

  /** Number of frames sent since the stream started. */
  get framesSent(): number {
    return this.#next.sent - this.#firstArrived
  }

  stamp(payload: Buffer): void {
    writeStamp(payload, this.#next.sent % STAMPS)
    this.#sentAt[this.#next.sent % STAMPS] = performance.now()
    this.#next.sent += 1
  }

  /** Records a frame that has reached the far end. */
  arrived(number: number, at: number): void {
    if (this.out.length === 0) this.#firstArrived = number
    this.out.push({ at, ms: at - (this.#sentAt[number] ?? 0) })
  }

  heard(number: number, at: number, kind: 'echoes' | 'speaks'): void {
    if (kind === 'echoes') this.back.push({ at, ms: at - (this.#sentAt[number] ?? 0) })
    else this.#heardAt[number] = at + FRAME_MS
    this.#settle()
  }

  /** Sends one second of audio and its mark, both numbered. */
  speak(stream: FarEndStream): void {
    const piece = Buffer.alloc(PIECE_FRAMES * FRAME_BYTES)
    for (let frame = 0; frame < PIECE_FRAMES; frame += 1) {
      const part = piece.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES)
      SOUND.copy(part)
      writeStamp(part, this.#next.spoken % STAMPS)
      this.#heardAt[this.#next.spoken % STAMPS] = 0
      this.#next.spoken += 1
    }
    sendMedia(stream, piece)
    sendMark(stream, String((this.#next.spoken - 1) % STAMPS))
  }

  marked(frame: number, at: number): void {
    this.#waiting.push({ frame, at })
    this.#settle()
  }

  #settle(): void {
    this.#waiting = this.#waiting.filter(({ frame, at }) => {
      const heardAt = this.#heardAt[frame] ?? 0
      if (heardAt > 0) this.marks.push({ at, ms: at - heardAt })
      return heardAt === 0
    })
  }
}

export interface StreamLines extends AsyncDisposable {
  readonly speaking: readonly StreamLine[]
  readonly echoing: readonly StreamLine[]
}

/** Opens calls with streams. The far end speaks in every other one and echoes in the rest. */
export async function openStreamLines(
  trunkline: RunningTrunkline,
  app: VoiceApp,
  count: number,
): Promise<StreamLines> {
  const lines = new Map<FarEndStream, StreamLine>()
  const kindOf = (line: StreamLine) => (all.indexOf(line) % 2 === 0 ? 'speaks' : 'echoes')
  const all: StreamLine[] = []
  const unclaimed: StreamLine[] = []
  const farEnd = await openStreamFarEnd({
    onMedia: (stream, payload, at) => {
      const line = lines.get(stream) ?? claim(stream)
      const number = readStamp(payload)
      if (number !== undefined) line?.arrived(number, at)
      if (line !== undefined && kindOf(line) === 'echoes') sendMedia(stream, payload)
    },
    onMark: (stream, name, at) => {
      const line = lines.get(stream)
      line?.marked(Number(name), at)
      line?.speak(stream)
    },
  })
  // Calls are placed one at a time, so a new stream belongs to the last call.
  const claim = (stream: FarEndStream): StreamLine | undefined => {
    const line = unclaimed.shift()
    if (line === undefined) return undefined
    lines.set(stream, line)
    if (kindOf(line) === 'speaks') for (let i = 0; i < AHEAD; i += 1) line.speak(stream)
    return line
  }
  const number = '+15551230199'
  app.page('/stream', `<Connect><Stream url="ws://127.0.0.1:${farEnd.port}/"/></Connect>`)
  await trunkline.assignNumber(number, { voiceUrl: `${app.url}/stream` })
  const caller = await SipCaller.open(trunkline.sipPort)
  const calls: Awaited<ReturnType<SipCaller['call']>>[] = []
  const clock = startClock(() => calls)
  for (let index = 0; index < count; index += 1) {
    const call = await caller.call(number)
    const line = new StreamLine()
    all.push(line)
    unclaimed.push(line)
    const reader = new StampReader()
    call.phone.onVoice((payload) => {
      line.stamp(payload)
    })
    call.phone.onHeard((payload, at) => {
      const stamp = reader.read(payload)
      if (stamp !== undefined) line.heard(stamp, at, kindOf(line))
    })
    calls.push(call)
    await waitUntil('its stream', () => line.out.length > 0, LIMIT_MS)
  }
  return {
    speaking: all.filter((line) => kindOf(line) === 'speaks'),
    echoing: all.filter((line) => kindOf(line) === 'echoes'),
    [Symbol.asyncDispose]: async () => {
      clearInterval(clock)
      await Promise.all(calls.map((call) => call.hangUp()))
      caller.close()
      await farEnd.close()
    },
  }
}

/**
 * Sends a packet of each call every 20 ms, evenly spread over the calls. After a late timer, missed packets are
 * sent at once.
 */
function startClock(
  calls: () => readonly { readonly phone: { tick(): boolean } }[],
): NodeJS.Timeout {
  const slots = 10
  const startedAt = performance.now()
  let slot = 0
  return setInterval(() => {
    const due = Math.floor((performance.now() - startedAt) / (FRAME_MS / slots))
    for (; slot < due; slot += 1)
      for (let index = slot % slots; index < calls().length; index += slots)
        calls()[index]?.phone.tick()
  }, FRAME_MS / slots)
}
