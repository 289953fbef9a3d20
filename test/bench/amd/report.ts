/** Writes the figures as lines of text, which are Markdown too. */
import type { ByNoise, Compared, Latency, Score, Share } from './score.js'

const NOISE_NAMES: Readonly<Record<string, string>> = {
  clean: 'clean',
  '20': '20 dB',
  '10': '10 dB',
  '5': '5 dB',
  all: 'all',
}
const LEVELS = ['clean', '20', '10', '5', 'all'] as const
const VERDICTS = ['human', 'machine_start', 'fax', 'unknown'] as const

export function reportOf(score: Score): string {
  return [
    `${score.trials} trials, ${score.audioHours.toFixed(1)} h of audio.`,
    '',
    ...accuracyTable(score),
    '',
    ...noiseTable(score),
    '',
    ...toneLines(score),
    '',
    ...latencyLines(score),
    '',
    ...confusionTable(score),
  ].join('\n')
}

function accuracyTable(score: Score): string[] {
  const rows: [string, ByNoise<Compared>][] = [
    ['**machine on a person** (lower is better)', score.machineOnPerson],
    ['… counting greetings over the threshold too', score.machineOnAnyPerson],
    ['person found', score.humanRecall],
    ['machine found', score.machineRecall],
    ['machine found, greeting under the threshold', score.shortMachineRecall],
    ['… first burst under 3 s', score.briefMachineRecall],
    ['fax found', score.faxRecall],
    ['information tones found', score.informationToneRecall],
    ['nobody found (network tones, digits, coughs, silence)', score.nobodyRecall],
  ]
  const compared = rows.flatMap(([name, byNoise]) => [
    row(name, byNoise, (one) => one.detector),
    row('– baseline', byNoise, (one) => one.baseline),
  ])
  return [
    `| % (hits/of) | ${LEVELS.map((level) => NOISE_NAMES[level]).join(' | ')} | 95 % interval of all |`,
    `|---|${LEVELS.map(() => '---:|').join('')}---|`,
    ...compared,
    row('plain beep hit (`machine_end_beep` in time)', score.beepHits, (one) => one),
    row('unusual beep hit', score.unusualBeepHits, (one) => one),
    row('end said inside the greeting (lower is better)', score.earlyEnds, (one) => one),
    row('end by silence found', score.silentEnds, (one) => one),
  ]
}

function row<T>(name: string, byNoise: ByNoise<T>, shareOf: (one: T) => Share): string {
  const shares = LEVELS.flatMap((level) => {
    const one = byNoise[level]
    return one === undefined ? [] : [shareOf(one)]
  })
  const cells = shares.map((one) => `${one.percent.toFixed(1)} (${one.hits}/${one.of})`)
  const last = shares.at(-1)
  const interval = last === undefined ? '' : `${last.low.toFixed(1)}–${last.high.toFixed(1)}`
  return `| ${name} | ${cells.join(' | ')} | ${interval} |`
}

function noiseTable({ byNoiseKind }: Score): string[] {
  const cell = (one: Share) => `${one.percent.toFixed(1)} (${one.hits}/${one.of})`
  return [
    '| noise at 10 dB | machine on a person, % | machine found, % |',
    '|---|---:|---:|',
    ...Object.entries(byNoiseKind).map(
      ([kind, { person, machine }]) => `| ${kind} | ${cell(person)} | ${cell(machine)} |`,
    ),
  ]
}

function toneLines({ falseBeeps }: Score): string[] {
  const { count, speechHours, perHour, inMusic, musicHours, perMusicHour } = falseBeeps
  return [
    `False beeps: ${count} in ${speechHours.toFixed(2)} h of speech, ${perHour.toFixed(2)} an hour; ${inMusic} in ${musicHours.toFixed(2)} h of music, ${perMusicHour.toFixed(1)} an hour.`,
  ]
}

function latencyLines({ latency, messageEndLatency, machineFromFirstSound }: Score): string[] {
  const kinds = (['person', 'machine', 'fax'] as const).map((kind) => {
    const { fromAnswer, fromDecided } = latency[kind]
    return `| ${kind} | ${latencyCells(fromAnswer)} | ${latencyCells(fromDecided)} |`
  })
  return [
    '| right verdicts, ms | p50 after the answer | p95 | p50 after the speech or tone ended | p95 |',
    '|---|---:|---:|---:|---:|',
    ...kinds,
    `| first sound of a machine → its verdict | | | ${latencyCells(machineFromFirstSound)} |`,
    `| beep ended → \`machine_end_beep\` | | | ${latencyCells(messageEndLatency)} |`,
  ]
}

function latencyCells({ p50, p95 }: Latency): string {
  return `${p50} | ${p95}`
}

function confusionTable({ confusion }: Score): string[] {
  return [
    `| was \\ said | ${VERDICTS.join(' | ')} |`,
    `|---|${VERDICTS.map(() => '---:|').join('')}`,
    ...Object.entries(confusion).map(
      ([kind, said]) => `| ${kind} | ${VERDICTS.map((one) => said[one] ?? 0).join(' | ')} |`,
    ),
  ]
}
