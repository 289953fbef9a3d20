import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AnsweredBy, createDetector } from '../../src/voice/amd/amd.js'
import { clipListOf } from '../bench/amd/clip-list.js'
import { conditionOf, degrade } from '../bench/amd/conditions.js'
import { createRandom } from '../bench/amd/random.js'
import { Recordings } from '../bench/amd/recordings.js'
import { FROZEN_SET } from '../bench/amd/sets/frozen-set.js'
import { Speech } from '../bench/amd/speech.js'
import { DEFAULTS } from '../bench/amd/trials.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const CLIPS = 50
const AT_ONCE = 5
/** What a detector hears after the clip, until it knows. */
const SILENCE_SAMPLES = 8 * (DEFAULTS.timeoutMs + 2_000)

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

interface Heard {
  readonly kind: string
  readonly law: 'PCMU' | 'PCMA'
  readonly audio: Int16Array
}

/** Of all kinds, without noise, as either law makes of them. */
async function clipsOfTheSet(): Promise<readonly Heard[]> {
  const cache = join(homedir(), '.cache/trunkline/amd')
  const sources = { speech: new Speech(join(cache, 'spoken')), recordings: new Recordings(cache) }
  const { clips, background } = await clipListOf(FROZEN_SET, sources, () => undefined)
  const every = Math.floor(clips.length / CLIPS)
  return Array.from({ length: CLIPS }, (_, index) => {
    const clip = clips[index * every] ?? expect.fail('too few clips')
    const random = createRandom(FROZEN_SET.seed + index)
    const condition = { ...conditionOf('clean', random), lossPercent: 0 }
    const audio = degrade(clip, condition, background, random)
    return { kind: clip.kind, law: condition.law, audio }
  })
}

function offline(audio: Int16Array): AnsweredBy | undefined {
  const detector = createDetector({ mode: 'enable', ...DEFAULTS })
  detector.push(audio)
  detector.push(new Int16Array(SILENCE_SAMPLES))
  return detector.answeredBy
}

async function onACall({ law, audio }: Heard): Promise<string | undefined> {
  const peer = await SipPeer.open()
  try {
    peer.rtp.codec = law
    const invited = peer.nextCall(20_000)
    const { sid } = await trunkline.createCall({
      To: peer.uri('callee'),
      From: '+15551112222',
      Markup: '<Response><Pause length="60"/></Response>',
      StatusCallback: `${app.url}/status`,
      MachineDetection: 'Enable',
      AsyncAmdStatusCallback: `${app.url}/amd`,
    })
    const call = await invited
    await call.answer(peer.sdp({ codecs: [law] }))
    peer.rtp.say(audio)
    const { AnsweredBy } = await app.asked('/amd', sid)
    call.bye()
    await app.completed(sid)
    return AnsweredBy
  } finally {
    peer.close()
  }
}

it('fifty clips of the labelled set are judged on calls as they are offline [detection]', async ({
  task,
}) => {
  const clips = await clipsOfTheSet()
  const verdicts: { kind: string; offline?: string | undefined; onACall?: string | undefined }[] =
    []
  for (let at = 0; at < clips.length; at += AT_ONCE)
    verdicts.push(
      ...(await Promise.all(
        clips.slice(at, at + AT_ONCE).map(async (clip) => ({
          kind: clip.kind,
          offline: offline(clip.audio),
          onACall: await onACall(clip),
        })),
      )),
    )
  const differing = verdicts.filter((one) => one.offline !== one.onACall)
  reportRow(task, 'detection', { clips: CLIPS, 'judged alike': CLIPS - differing.length })
  expect(differing).toEqual([])
  await expectNothingLeft(trunkline)
})
