/**
 * The line of a queue: callers wait for a dialler, diallers wait for a caller. The first to come is
 * served first, and no caller is served twice. Pure.
 *
 *   arriving → waiting ⇄ reserved (a dialler has it, and may yet give it back)
 *                 ⇅
 *              called (taken out by the API; it is about to leave)
 */
import { InvariantError } from '../../platform/errors.js'
import { enter, type Step, stay } from '../../platform/step.js'

export interface LineMember {
  readonly callSid: string
  readonly state: 'arriving' | 'waiting' | 'reserved' | 'called'
}

export interface Line {
  readonly members: readonly LineMember[]
  readonly diallers: readonly number[]
}

export type LineEvent =
  | { readonly type: 'joined'; readonly callSid: string }
  /** The caller can be taken: it is stored, or was returned by a dialler. */
  | { readonly type: 'waits'; readonly callSid: string }
  | { readonly type: 'called'; readonly callSid: string }
  | { readonly type: 'left'; readonly callSid: string }
  | { readonly type: 'dialled'; readonly dialler: number }
  | { readonly type: 'withdrew'; readonly dialler: number }

/** The only effect: the caller is reserved for the dialler. */
export interface Match {
  readonly type: 'match'
  readonly callSid: string
  readonly dialler: number
}

export const EMPTY_LINE: Line = { members: [], diallers: [] }

export function stepLine(line: Line, event: LineEvent): Step<Line, Match> {
  const next = changed(line, event)
  const waiting = next.members.find(({ state }) => state === 'waiting')
  const [dialler, ...diallers] = next.diallers
  if (waiting === undefined || dialler === undefined) return stay(next)
  const { callSid } = waiting
  const reserved = withState(next, callSid, 'reserved')
  return enter({ ...reserved, diallers }, { type: 'match', callSid, dialler })
}

function changed(line: Line, event: LineEvent): Line {
  switch (event.type) {
    case 'joined':
      if (find(line, event.callSid) !== undefined)
        throw new InvariantError(`${event.callSid} is in the queue already`)
      return {
        ...line,
        members: [...line.members, { callSid: event.callSid, state: 'arriving' }],
      }
    case 'waits':
      return withState(line, event.callSid, 'waiting')
    case 'called':
      return withState(line, event.callSid, 'called')
    case 'left':
      return { ...line, members: line.members.filter(({ callSid }) => callSid !== event.callSid) }
    case 'dialled':
      return { ...line, diallers: [...line.diallers, event.dialler] }
    case 'withdrew':
      return { ...line, diallers: line.diallers.filter((dialler) => dialler !== event.dialler) }
  }
}

/** Returns the callers that the API shows; a caller that is being connected has left the queue. */
export function waitingIn({ members }: Line): readonly string[] {
  return members.filter(isInLine).map(({ callSid }) => callSid)
}

export function stateOf(line: Line, callSid: string): LineMember['state'] | undefined {
  return find(line, callSid)?.state
}

function isInLine({ state }: LineMember): boolean {
  return state === 'arriving' || state === 'waiting'
}

function find({ members }: Line, sid: string): LineMember | undefined {
  return members.find(({ callSid }) => callSid === sid)
}

function withState(line: Line, sid: string, state: LineMember['state']): Line {
  const members = line.members.map((member) =>
    member.callSid === sid ? { callSid: sid, state } : member,
  )
  return { ...line, members }
}
