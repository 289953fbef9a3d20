/** Names the clips that were judged wrong: the worst of each kind. */
import { NOISE_LEVELS } from './conditions.js'
import { falseBeepsIn, isBeepHit, isMachine, isRight, SPEECH_KINDS } from './score.js'
import type { Trial } from './trials.js'

const MOST = 8

/** What is told of a hearing. */
type Told = (trial: Trial) => readonly string[]

/** Lists in Markdown: a clip that is missed at the most noise levels comes first, then clean ones. */
export function missesOf(trials: readonly Trial[]): string {
  const of = (...kinds: string[]) => trials.filter((one) => kinds.includes(one.clip.kind))
  const wrong = (one: Trial) => !isRight(one, one.enable)
  const lists: [string, readonly Trial[], Told?][] = [
    ['People taken for machines', of('person').filter((one) => isMachine(one, one.enable))],
    [
      'People not found otherwise',
      of('person').filter((one) => wrong(one) && !isMachine(one, one.enable)),
    ],
    ['Machines not found', of('machine').filter(wrong)],
    [
      'Beeps missed',
      of('machine', 'machine-short', 'beep').filter((one) => one.clip.beep && !isBeepHit(one)),
    ],
    [
      'Beeps heard in speech',
      of(...SPEECH_KINDS).filter((one) => falseBeepsIn(one).length > 0),
      (one) => falseBeepsIn(one).map((ms) => `beep ${ms}`),
    ],
    ['Fax missed', of('fax').filter(wrong)],
    [
      'Nobody taken for somebody',
      of('ringback', 'busy', 'dial-tone', 'digits', 'cough', 'silence').filter(wrong),
    ],
  ]
  return lists
    .filter(([, missed]) => missed.length > 0)
    .map(([title, missed, told = verdictsOf]) => {
      const clips = worst(missed)
      const shown = clips.slice(0, MOST).map((one) => `- ${describe(one, told)}`)
      return [
        `**${title}** (${missed.length} trials of ${clips.length} clips):`,
        '',
        ...shown,
      ].join('\n')
    })
    .join('\n\n')
}

/** The trials of each clip, the worst first. */
function worst(missed: readonly Trial[]): (readonly Trial[])[] {
  const byClip = new Map<number, Trial[]>()
  for (const trial of missed) byClip.set(trial.index, [...(byClip.get(trial.index) ?? []), trial])
  return [...byClip.values()].toSorted(
    (a, b) => b.length - a.length || noiseOf(a[0]) - noiseOf(b[0]),
  )
}

function noiseOf(trial: Trial | undefined): number {
  return trial === undefined ? 0 : NOISE_LEVELS.indexOf(trial.condition.snr)
}

/** The verdicts with their times in ms: enable, then detect-message-end. */
function verdictsOf({ enable, messageEnd }: Trial): readonly string[] {
  return [enable, messageEnd].map(({ answeredBy, atMs }) => `${answeredBy} ${atMs}`)
}

/** The clip, its times in ms, and each wrong hearing. */
function describe(trials: readonly Trial[], told: Told): string {
  const [first] = trials
  if (first === undefined) return ''
  const { source, beep, speechStartMs, speechMs, decidedMs } = first.clip
  const times = [
    `starts at ${Math.round(speechStartMs)} ms`,
    ...(speechMs > 0 ? [`first burst ${Math.round(decidedMs - speechStartMs)} ms`] : []),
    ...(beep === undefined
      ? []
      : [`beep ${beep.shape} at ${Math.round(beep.startMs)}–${Math.round(beep.endMs)} ms`]),
  ]
  const heard = trials.map((trial) => {
    const { snr, noise } = trial.condition
    return `${snr === 'clean' ? 'clean' : `${noise} ${snr} dB`}: ${told(trial).join(', ')}`
  })
  return `\`${source}\` (${times.join(', ')}): ${heard.join('; ')}`
}
