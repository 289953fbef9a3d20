/**
 * The life of one recorder, until its files are handed on to be finished.
 *
 *   recording ⇄ masked  (pause with silence: the file goes on, without sound)
 *   recording ⇄ parted  (pause with skip: the file ends, and the next one begins at the resume)
 *   any of them ─stop─▶ stopped
 *
 * Pure. An event that changes nothing is absorbed; one that a stopped recorder cannot follow is refused.
 */
export type PauseBehavior = 'silence' | 'skip'

export type RecorderState = 'recording' | 'masked' | 'parted' | 'stopped'

export type RecorderEvent =
  | { readonly type: 'pause'; readonly behavior: PauseBehavior }
  | { readonly type: 'resume' }
  | { readonly type: 'stop' }

export type RecorderEffect = 'mask' | 'unmask' | 'end-part' | 'begin-part' | 'finish'

export type RecorderStep =
  | {
      readonly type: 'moved'
      readonly state: RecorderState
      readonly effects: readonly RecorderEffect[]
    }
  | { readonly type: 'refused' }

export function step(state: RecorderState, event: RecorderEvent): RecorderStep {
  if (state === 'stopped') return event.type === 'stop' ? moved(state) : { type: 'refused' }
  switch (event.type) {
    case 'pause':
      if (state !== 'recording') return moved(state)
      return event.behavior === 'silence' ? moved('masked', 'mask') : moved('parted', 'end-part')
    case 'resume':
      if (state === 'masked') return moved('recording', 'unmask')
      return state === 'parted' ? moved('recording', 'begin-part') : moved(state)
    case 'stop':
      return moved('stopped', 'finish')
  }
}

/** What the API calls the state. */
export function statusOf(state: RecorderState): 'in-progress' | 'paused' | 'stopped' {
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

function moved(state: RecorderState, ...effects: RecorderEffect[]): RecorderStep {
  return { type: 'moved', state, effects }
}
