/** Names the clips that were judged wrong most often, by kind. */
import { isBeepHit, isMachine, isRight } from './score.js'
import type { Trial } from './trials.js'

const MOST = 12

export function missesOf(trials: readonly Trial[]): string {
  const of = (...kinds: string[]) => trials.filter((one) => kinds.includes(one.clip.kind))
  const lists: [string, readonly Trial[]][] = [
    ['people taken for machines', of('person').filter((one) => isMachine(one, one.enable))],
    [
      'people not found otherwise',
      of('person').filter((one) => !isMachine(one, one.enable) && !isRight(one, one.enable)),
    ],
    ['machines not found', of('machine').filter((one) => !isRight(one, one.enable))],
    [
      'beeps missed',
      of('machine', 'machine-short', 'beep').filter((one) => one.clip.beep && !isBeepHit(one)),
    ],
    ['fax missed', of('fax').filter((one) => !isRight(one, one.enable))],
    [
      'nobody taken for somebody',
      of('ringback', 'busy', 'dial-tone', 'digits', 'cough', 'silence').filter(
        (one) => !isRight(one, one.enable),
      ),
    ],
  ]
  return lists.flatMap(([title, missed]) => [`\n${title}:`, ...worst(missed)]).join('\n')
}

/** Clean clips first, then the least noise. */
function worst(trials: readonly Trial[]): string[] {
  const order = ['clean', '20', '10', '5']
  return trials
    .toSorted((a, b) => order.indexOf(a.condition.snr) - order.indexOf(b.condition.snr))
    .slice(0, MOST)
    .map(({ clip, condition, enable, messageEnd }) => {
      const noise = condition.snr === 'clean' ? 'clean' : `${condition.noise} ${condition.snr} dB`
      const beep =
        clip.beep === undefined
          ? ''
          : ` beep ${clip.beep.shape} ${Math.round(clip.beep.startMs)}–${Math.round(clip.beep.endMs)}`
      const speech = `${Math.round(clip.speechStartMs)}–${Math.round(clip.decidedMs)}–${Math.round(clip.speechEndMs)}`
      return `  ${clip.source} [${noise}] ${speech}${beep}: ${enable.answeredBy} ${enable.atMs}, ${messageEnd.answeredBy} ${messageEnd.atMs}`
    })
}
