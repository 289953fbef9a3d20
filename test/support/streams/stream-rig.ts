import { decodeSample, encodeSample } from '../media/rtp-g711.js'
import { expectNothingLeft } from '../process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../process/trunkline.js'
import { type PeerCall, SipPeer } from '../sip/sip-peer.js'
import { sine } from '../sound/tone.js'
import { waitUntil } from '../time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../voice/voice-app.js'

const LIMIT_MS = 20_000
const NUMBER = '+15551112222'
/** Time limit for the start of a stream, its far end and the outbox, ms. */
const LAST_LIMIT_MS = 30_000

type Told = Readonly<Record<string, string>>

/** The built server, a customer's application and one phone, for calls with streams. */
export interface StreamRig extends AsyncDisposable {
  readonly trunkline: RunningTrunkline
  readonly app: VoiceApp
  readonly peer: SipPeer
  /** Places an answered call that runs these verbs. */
  run(verbs: string): Promise<{ readonly sid: string; readonly call: PeerCall }>
  /** Attributes of a Stream with callbacks. */
  attributes(url: string): string
  /** Callbacks of the call's streams so far. */
  told(callSid: string): readonly Told[]
  /** Hangs up; resolves with the events of the callbacks once nothing is left and the last one has arrived. */
  toldInAll(sid: string, call: PeerCall): Promise<readonly (string | undefined)[]>
  /** Resolves once the phone receives that tone. */
  hears(hz: number): Promise<void>
  /** Resolves once the call's event log contains the text. */
  logged(sid: string, text: string): Promise<void>
}

export async function openStreamRig(
  env: Readonly<Record<string, string>> = {},
): Promise<StreamRig> {
  const trunkline = await startTrunkline(env)
  const app = await startVoiceApp()
  const peer = await SipPeer.open()
  const told = (callSid: string) =>
    app.sink.requests
      .filter(({ target }) => target === '/stream-status')
      .map(({ params }): Told => Object.fromEntries(params))
      .filter((params) => params['CallSid'] === callSid)
  const eventsOf = async (sid: string) =>
    JSON.stringify((await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=200`)).body)
  return {
    ...{ trunkline, app, peer, told },
    run: async (verbs) => {
      const invited = peer.nextCall(LIMIT_MS)
      const { sid } = await trunkline.createCall({
        To: peer.uri('caller'),
        From: NUMBER,
        Markup: `<Response>${verbs}</Response>`,
        StatusCallback: `${app.url}/status`,
      })
      const call = await invited
      await call.answer()
      const isUp = async () => (await trunkline.fetchCall(sid)).status === 'in-progress'
      await waitUntil('it talks', isUp, LIMIT_MS)
      return { sid, call }
    },
    attributes: (url) => `url="${url}" statusCallback="${app.url}/stream-status"`,
    toldInAll: async (sid, call) => {
      call.bye()
      await app.completed(sid)
      await expectNothingLeft(trunkline)
      const isOver = () => isLast(told(sid).at(-1))
      await waitUntil('the last callback', isOver, LAST_LIMIT_MS)
      return told(sid).map((params) => params['StreamEvent'])
    },
    hears: (hz) => waitUntil(`${hz} Hz are heard`, () => peer.rtp.hears(hz), LIMIT_MS),
    logged: (sid, text) =>
      waitUntil(`the log says ${text}`, async () => (await eventsOf(sid)).includes(text), LIMIT_MS),
    [Symbol.asyncDispose]: async () => {
      peer.close()
      await app[Symbol.asyncDispose]()
      await trunkline[Symbol.asyncDispose]()
    },
  }
}

/** True for the last callback of a stream; a stream continues after the error of a slow far end (31930). */
function isLast(told: Told | undefined): boolean {
  if (told?.['StreamEvent'] === 'stream-stopped') return true
  return told?.['StreamEvent'] === 'stream-error' && !told['StreamError']?.startsWith('31930')
}

/** Decodes µ-law. */
export function linear(muLaw: Buffer): Int16Array {
  return Int16Array.from(muLaw, (byte) => decodeSample('PCMU', byte))
}

/** Generates a tone in µ-law; `hz` is a multiple of 100. */
export function muLawTone(hz: number, ms: number): Buffer {
  const codes = Array.from(sine(hz, 800), (sample) => encodeSample('PCMU', sample))
  return Buffer.from(Array.from({ length: 8 * ms }, (_, i) => codes[i % 800] ?? 0xff))
}
