import {
  openStreamFarEnd,
  type StreamFarEnd,
  sendMedia,
} from '../../bench/streams/stream-far-end.js'
import type { RunningTrunkline } from '../process/trunkline.js'
import type { VoiceApp } from './voice-app.js'

/** Time limit of one call and its callbacks, ms; a call takes a few seconds. */
const LIMIT_MS = 60_000
const FROM = '+15005550000'
const LISTENS = '+15005550002'
const SPEAKS = '+15005550001'
/** Speaks for some seconds, so that Record detects it on a busy machine too. */
const VOICEMAIL = '+15005550010'
const PRESSES_42 = '+15005550004'

/** Runs one or several connected calls that use one feature; rejects if the feature failed. */
export type SoakCall = () => Promise<void>

/** Features of a soak test, each with calls of some seconds that end by themselves. */
export interface SoakCalls extends AsyncDisposable {
  readonly features: Readonly<Record<string, SoakCall>>
  /** Number of placed calls so far, without those placed by Dial. */
  readonly placed: number
}

export async function openSoakCalls(
  trunkline: RunningTrunkline,
  app: VoiceApp,
): Promise<SoakCalls> {
  const farEnd: StreamFarEnd = await openStreamFarEnd({
    onMedia: (stream, payload) => {
      sendMedia(stream, payload)
    },
  })
  let placed = 0
  let rooms = 0
  app.page('/after', '<Hangup/>')

  const place = async (to: string, verbs: string): Promise<string> => {
    placed += 1
    const { sid } = await trunkline.createCall({
      To: to,
      From: FROM,
      Markup: `<Response>${verbs}</Response>`,
      StatusCallback: `${app.url}/status`,
    })
    return sid
  }
  const isOver = async (sid: string): Promise<void> => {
    const last = (await app.completed(sid, LIMIT_MS)).at(-1)
    if (last?.['CallStatus'] !== 'completed')
      throw new Error(`${sid} ended as ${last?.['CallStatus'] ?? ''}`)
  }
  /** Resolves after the request to the action URL of the call's verb; checks its parameters. */
  const result = async (sid: string, expected: Readonly<Record<string, string>>): Promise<void> => {
    const told = await app.asked('/after', sid)
    for (const [name, value] of Object.entries(expected))
      if (told[name] !== value) throw new Error(`${sid}: ${name} is ${told[name] ?? 'absent'}`)
  }
  const action = `action="${app.url}/after"`
  const tone = `<Play>${app.url}/tone.wav</Play>`

  const features: Record<string, SoakCall> = {
    play: async () => {
      await isOver(await place(LISTENS, `${tone}<Say>Thank you.</Say>`))
    },
    gather: async () => {
      const prompt = '<Say>Please press four.</Say>'
      const sid = await place(
        PRESSES_42,
        `<Gather numDigits="2" timeout="20" ${action}>${prompt}</Gather>`,
      )
      await result(sid, { Digits: '42' })
      await isOver(sid)
    },
    record: async () => {
      const sid = await place(
        VOICEMAIL,
        `<Record maxLength="3" timeout="10" playBeep="false" trim="do-not-trim" ${action}/>`,
      )
      await result(sid, { RecordingDuration: '3' })
      await isOver(sid)
    },
    conference: async () => {
      const room = `soak-${(rooms += 1)}`
      const join = (limit: number) =>
        `<Dial timeLimit="${limit}" ${action}><Conference beep="false">${room}</Conference></Dial>`
      const sids = await Promise.all([place(SPEAKS, join(4)), place(LISTENS, join(5))])
      await Promise.all(sids.map(isOver))
    },
    queue: async () => {
      const name = `soak-${(rooms += 1)}`
      const waiting = await place(LISTENS, `<Enqueue ${action}>${name}</Enqueue>`)
      const agent = await place(
        SPEAKS,
        `<Pause length="1"/><Dial timeLimit="3"><Queue>${name}</Queue></Dial>`,
      )
      await result(waiting, { QueueResult: 'bridged' })
      await Promise.all([isOver(waiting), isOver(agent)])
    },
    stream: async () => {
      const url = `ws://127.0.0.1:${farEnd.port}/`
      await isOver(await place(SPEAKS, `<Start><Stream url="${url}"/></Start>${tone}`))
    },
    dial: async () => {
      const dial = `<Dial timeLimit="3" record="record-from-answer-dual" ${action}><Number>${SPEAKS}</Number></Dial>`
      const sid = await place(LISTENS, dial)
      await result(sid, { DialCallStatus: 'completed' })
      await isOver(sid)
    },
  }
  return {
    features,
    get placed() {
      return placed
    },
    [Symbol.asyncDispose]: () => farEnd.close(),
  }
}
