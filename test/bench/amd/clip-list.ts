/** Makes all clips of a set, spoken and recorded, and the sounds that its noises are made of. */

import { burstOf } from './bursts.js'
import type { Clip } from './clip.js'
import { speakClip, spokenOf } from './clips.js'
import type { Background } from './noises.js'
import { createRandom, type Random } from './random.js'
import { recordedClips } from './recorded-clips.js'
import type { Recordings } from './recordings.js'
import type { ClipSet, RecordedFiles } from './sets/clip-set.js'
import type { Samples, Speech } from './speech.js'
import { musicClips, toneClips } from './tone-clips.js'

const SHORTEST_MUSIC = 160_000
const SHORTEST_VOICE = 8000

export interface ClipList {
  readonly clips: readonly Clip[]
  readonly background: Background
}

/** The same clips each time, as long as the packages are the same. */
export async function clipListOf(
  set: ClipSet,
  sources: { readonly speech: Speech; readonly recordings: Recordings },
  progress: (text: string) => void,
): Promise<ClipList> {
  const { speech, recordings } = sources
  const random = createRandom(set.seed)
  const spoken = spokenOf(set, random)
  await speech.prepare(
    spoken.map((one) => one.sentence),
    (done) => {
      progress(`speaking: ${(100 * done).toFixed(0)} %`)
    },
  )
  const read = async (files: readonly RecordedFiles[]) => {
    const lists = []
    for (const one of files) lists.push(await recordings.read(one))
    return lists
  }
  progress('reading the recordings')
  const voices = await read(set.recorded)
  const music = (await read(set.music)).flat().map((one) => one.samples)
  const effects = (await read(set.effects)).flat().map((one) => one.samples)
  const clips = [
    ...spoken.map((one) => speakClip(one, speech, random)),
    ...voices.flatMap((voice) => recordedClips(voice, random)),
    ...toneClips(random),
    ...musicClips(
      music.filter((one) => one.length >= SHORTEST_MUSIC),
      random,
    ),
  ]
  const sentences = spoken.filter((one) => one.kind === 'machine')
  const background = {
    voices: [
      ...sentences.map((one) => speech.read(one.sentence)),
      ...voices.flat().flatMap((one) => voiceOf(one.samples)),
    ],
    music,
    effects,
  }
  return { clips, background }
}

/** The clips of voices that only the training hears. */
export async function trainingClipsOf(
  voices: readonly RecordedFiles[],
  recordings: Recordings,
  random: Random,
): Promise<readonly Clip[]> {
  const clips: Clip[] = []
  for (const voice of voices) clips.push(...recordedClips(await recordings.read(voice), random))
  return clips
}

function voiceOf(samples: Samples): Samples[] {
  const burst = burstOf(samples)
  return burst === undefined || burst.samples.length < SHORTEST_VOICE ? [] : [burst.samples]
}
