/**
 * State machine of one recorder, until its parts are joined into the finished file.
 *
 *   recording ⇄ masked  (pause with silence: the file continues with silence)
 *   recording ⇄ parted  (pause with skip: the part ends; the resume starts the next one)
 *   any state ─stop─▶ stopped
 *
 * Pure. An event that changes nothing is ignored; a stopped recorder refuses pause and resume.
 */
import { enter, type Step, stay } from '../../platform/step.js'

export type PauseBehavior = 'silence' | 'skip'

export interface Recorder {
  readonly state: 'recording' | 'masked' | 'parted' | 'stopped'
}

export type RecorderEvent =
  | { readonly type: 'pause'; readonly behavior: PauseBehavior }
  | { readonly type: 'resume' }
  | { readonly type: 'stop' }

/** The effects of a step. `refuse` fails the request, since the recorder has stopped. */
export interface RecorderEffect {
  readonly type: 'mask' | 'unmask' | 'end-part' | 'begin-part' | 'finish' | 'refuse'
}

export type RecorderStep = Step<Recorder, RecorderEffect>

export const RECORDING: Recorder = { state: 'recording' }

export function step(recorder: Recorder, event: RecorderEvent): RecorderStep {
  const { state } = recorder
  if (state === 'stopped')
    return event.type === 'stop' ? stay(recorder) : stay(recorder, { type: 'refuse' })
  switch (event.type) {
    case 'pause':
      if (state !== 'recording') return stay(recorder)
      return event.behavior === 'silence'
        ? enter({ state: 'masked' }, { type: 'mask' })
        : enter({ state: 'parted' }, { type: 'end-part' })
    case 'resume':
      if (state === 'masked') return enter(RECORDING, { type: 'unmask' })
      return state === 'parted' ? enter(RECORDING, { type: 'begin-part' }) : stay(recorder)
    case 'stop':
      return enter({ state: 'stopped' }, { type: 'finish' })
  }
}

/** Returns the API's status of the recorder. */
export function statusOf({ state }: Recorder): 'in-progress' | 'paused' | 'stopped' {
  switch (state) {
    case 'recording':
      return 'in-progress'
    case 'masked':
    case 'parted':
      return 'paused'
    case 'stopped':
      return 'stopped'
  }
}
