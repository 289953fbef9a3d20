/** Writes docs/amd.md: what the detector does, and the last figures of the frozen part. */
import { reportOf } from './report.js'
import type { Score } from './score.js'

export interface Documented {
  readonly manifest: string
  readonly score: Score
  readonly frameMicros: number
  readonly machine: string
}

export function documentOf({ manifest, score, frameMicros, machine }: Documented): string {
  return `# Answering-machine detection: what it does and how well

Written by \`npm run bench:amd -- --doc\`; do not edit.

## What it does

The detector (\`src/voice/amd\`) is a pure function from 20 ms frames of the called party's audio to
events. It learns no words and sends audio nowhere.

- **Talk**: in each frame it looks anew at the levels of the last twenty seconds. Noise is what a tenth
  of the frames stay below, the voice what the loudest 160 ms reach; talk is what stands out of the
  noise by more than the noise varies, and is not far below the voice. Tones are no talk.
- **Tones**: a spectrum every 20 ms; frames with the same one or two peaks make a run. A run's
  frequency, length, purity and steadiness, and whether it was quiet afterwards, name it: beep
  (400–2000 Hz, 150 ms to 3 s), fax (2100 Hz; half a second of 1100 Hz), the three special information
  tones, busy, ringback.
- **Verdict**: talk of MachineDetectionSpeechThreshold (2400 ms) is a machine, and so are a beep and
  special information tones; talk and then silence for MachineDetectionSpeechEndThreshold (1200 ms) is
  a person; silence for MachineDetectionSilenceTimeout (5000 ms) and MachineDetectionTimeout (30 s) are
  unknown. With \`DetectMessageEnd\` a machine is reported at its beep, after a silence of
  MachineDetectionSpeechEndThreshold, or as \`machine_end_other\`. Pauses count as talk up to 400 ms;
  the fading end of a word is neither talk nor pause. In noise, in which soft words are no talk, a
  silence ends a message only when hardly anything stood out of the noise, or two seconds later.

## What it cannot do

- A person whose first sentence is longer than the threshold is a machine; a machine whose first
  sentence is shorter and who then pauses for 1.2 s is a person. Both are so by definition.
- A beep that comes later than MachineDetectionSpeechEndThreshold after the greeting comes after the
  verdict \`machine_end_silence\`; in noise it may still be waited for, which the figures below count
  as a miss of the end by silence.
- A voicemail that says nothing and beeps at 415–435 Hz is taken for a network's tone; one that beeps
  half a second at 1100 Hz, for a fax machine.
- Voices in the background nearly as loud as the one that answers are talk.

## Figures

**Synthetic and made by us**: espeak-ng and flite read the texts, sox plays the music, the tones are
sines. No real carrier, handset or mood is in it; do not put these figures beside those of others.
The part that these figures are from shares no voice, no text and no seed with the part on which
constants were tuned (\`src/cli/bench-amd/sets\`, manifest ${manifest}). Each clip is heard at four noise levels
(white noise, babble of six voices, mains hum, in turn), by either G.711 law, with 0, 1 or 5 % of the
packets lost and concealed, at three levels, with 0 to 1.5 s of silence first. The baseline is the same
timers over a fixed threshold of 256, without tones; in noise it calls everything a machine, which is
why it finds every machine there. People whose greeting lasts more than 2.25 s are left out of the
first row, since the threshold makes machines of them; the second counts them too.

${reportOf(score)}

One frame of 20 ms costs ${frameMicros.toFixed(1)} µs, ${(frameMicros / 200).toFixed(3)} % of a core for a call (${machine}).
`
}
