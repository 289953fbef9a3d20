/**
 * A process that is both ends of many streams, the callers and the customer's websocket server, so
 * that one clock times what goes through the server.
 */
import { pause } from '../../../src/platform/async/sleep.js'
import { FRAME_MS, type ManyCalls, placeCalls, startFrameClock } from '../caller/many-calls.js'
import { type PlacedCall, SipCaller } from '../caller/sip-caller.js'
import { answerCommands } from '../child.js'
import { readStamp, writeStamp } from './stamp.js'
import {
  type FarEndStream,
  openStreamFarEnd,
  type StreamFarEnd,
  sendClear,
  sendMedia,
} from './stream-far-end.js'

/**
 * A command to the process that is both ends of many streams. Each one is answered by one report.
 */
export type StreamBankCommand =
  | { readonly type: 'listen' }
  | ({ readonly type: 'connect' } & ManyCalls)
  /** Counts frames for this many seconds. */
  | { readonly type: 'hold'; readonly seconds: number }
  /** Speaks and is cleared this many times, a few streams at once. */
  | { readonly type: 'clear'; readonly times: number }
  | { readonly type: 'hang-up' }

export interface StreamBankReport {
  /** The port of its websocket server. */
  readonly port: number
  readonly connected: number
  readonly problem: string | undefined
  /** The times from RTP sent to websocket message received, milliseconds. */
  readonly frameMs: readonly number[]
  /** Frames sent while they were counted; `lost` are those that came twice or not at all. */
  readonly sent: number
  readonly lost: number
  /** Milliseconds from media sent to the first packet with sound. */
  readonly speakMs: readonly number[]
  /** Milliseconds from clear sent to the end of the last packet with sound. */
  readonly clearMs: readonly number[]
}

/** The number of frames whose time of sending is remembered. */
const REMEMBERED = 1 << 17
const LANES = 4
const STREAM_LIMIT_MS = 10_000
const WAIT_LIMIT_MS = 3_000
/** The time after which a frame that has not come is lost. */
const SETTLE_MS = 500
/** The length of silence after which the sound is over. */
const SILENT_MS = 200
/**
 * The length of speech before it is cleared: it ends anywhere in a frame, with the media server's
 * buffers as full as they get.
 */
const SPEAK_MS = 600
const TONE = tone(440, 3_000)

class StreamBank {
  readonly #calls: PlacedCall[] = []
  /** The time at which each frame left, by the number in its stamp; 0 once it came. */
  readonly #sentAt = new Float64Array(REMEMBERED)
  /** The sending phone, by the number in the stamp. */
  readonly #phones: PlacedCall['phone'][] = []
  /** The phone whose stamps each stream brings. */
  readonly #phoneOf = new Map<FarEndStream, PlacedCall['phone']>()
  readonly #callers: SipCaller[] = []
  #farEnd: StreamFarEnd | undefined
  #clock: NodeJS.Timeout | undefined
  #nextStamp = 0
  #countedFrom = Infinity
  #frameMs: number[] = []

  async handle(command: StreamBankCommand): Promise<StreamBankReport> {
    const report = { port: 0, sent: 0, lost: 0, frameMs: [], speakMs: [], clearMs: [] }
    const connected = () => ({ connected: this.#calls.length, problem: undefined })
    switch (command.type) {
      case 'listen':
        this.#farEnd = await openStreamFarEnd({
          onMedia: (stream, payload, at) => {
            this.#take(stream, payload, at)
          },
        })
        return { ...report, ...connected(), port: this.#farEnd.port }
      case 'connect':
        return { ...report, problem: await this.#connect(command), connected: this.#calls.length }
      case 'hold':
        return { ...report, ...connected(), ...(await this.#hold(command.seconds)) }
      case 'clear':
        return { ...report, ...connected(), ...(await this.#clear(command.times)) }
      case 'hang-up':
        await this.#hangUp()
        return { ...report, ...connected() }
    }
  }

  async #connect(command: ManyCalls): Promise<string | undefined> {
    const caller = await SipCaller.open(command.sipPort)
    this.#callers.push(caller)
    this.#clock = startFrameClock(this.#calls)
    const problems = await placeCalls(caller, command, (call) => {
      this.#join(call)
    })
    const isThere = () => this.#phoneOf.size === this.#calls.length
    const areThere = await within(STREAM_LIMIT_MS, isThere)
    if (problems.length > 0 || areThere) return problems[0]
    return `${this.#calls.length - this.#phoneOf.size} streams brought no audio`
  }

  #join(call: PlacedCall): void {
    this.#calls.push(call)
    call.phone.onVoice((payload) => {
      const number = this.#nextStamp
      this.#nextStamp = (number + 1) % REMEMBERED
      writeStamp(payload, number)
      this.#sentAt[number] = performance.now()
      this.#phones[number] = call.phone
    })
  }

  #take(stream: FarEndStream, payload: Buffer, at: number): void {
    const number = readStamp(payload)
    if (number === undefined || number >= REMEMBERED) return
    const sentAt = this.#sentAt[number] ?? 0
    const phone = this.#phones[number]
    if (phone !== undefined && !this.#phoneOf.has(stream)) this.#phoneOf.set(stream, phone)
    if (sentAt === 0) return
    this.#sentAt[number] = 0
    if (sentAt >= this.#countedFrom) this.#frameMs.push(at - sentAt)
  }

  async #hold(seconds: number) {
    this.#frameMs = []
    this.#countedFrom = performance.now()
    await pause(1_000 * seconds)
    const until = performance.now()
    const from = this.#countedFrom
    const isCounted = (at: number) => at >= from && at < until
    await pause(SETTLE_MS)
    const lost = this.#sentAt.filter(isCounted).length
    this.#countedFrom = Infinity
    const frameMs = this.#frameMs
    return { frameMs, sent: frameMs.length + lost, lost }
  }

  async #clear(times: number) {
    const speakMs: number[] = []
    const clearMs: number[] = []
    const streams = [...this.#phoneOf]
    let done = 0
    const lane = async (_: unknown, index: number) => {
      // Lanes have streams of their own.
      const mine = streams.filter((__, at) => at % LANES === index)
      for (let turn = 0; mine.length > 0 && done < times; turn += 1) {
        done += 1
        const [stream, phone] = mine[turn % mine.length] ?? []
        if (stream === undefined || phone === undefined) return
        phone.listenAnew()
        const spokeAt = performance.now()
        sendMedia(stream, TONE)
        await heard(() => phone.heardAt.firstLoud > 0)
        speakMs.push(phone.heardAt.firstLoud - spokeAt)
        await pause(SPEAK_MS + FRAME_MS * Math.random())
        const clearedAt = performance.now()
        sendClear(stream)
        await heard(() => performance.now() - phone.heardAt.lastLoud > SILENT_MS)
        // What came last is heard for its whole frame.
        clearMs.push(phone.heardAt.lastLoud + FRAME_MS - clearedAt)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    return { speakMs, clearMs }
  }

  async #hangUp(): Promise<void> {
    clearInterval(this.#clock)
    await Promise.all(this.#calls.splice(0).map((call) => call.hangUp()))
    for (const caller of this.#callers.splice(0)) caller.close()
    await this.#farEnd?.close()
  }
}

async function heard(isSo: () => boolean): Promise<void> {
  if (!(await within(WAIT_LIMIT_MS, isSo))) throw new Error('a stream was not heard in time')
}

async function within(limitMs: number, isSo: () => boolean): Promise<boolean> {
  const end = performance.now() + limitMs
  while (!isSo()) {
    if (performance.now() > end) return false
    await pause(2)
  }
  return true
}

/** Makes a loud µ-law tone of a frequency that a tenth of a second holds whole. */
function tone(hz: number, ms: number): Buffer {
  return Buffer.from(
    Array.from({ length: 8 * ms }, (_, i) => {
      const isUp = Math.sin((2 * Math.PI * hz * i) / 8_000) >= 0
      return isUp ? 0x90 : 0x10
    }),
  )
}

const bank = new StreamBank()
answerCommands((command: StreamBankCommand) => bank.handle(command))
