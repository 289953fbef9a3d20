/**
 * Who waits in a queue, and for whom: callers for a dialler, diallers for a caller. Whoever came first
 * is served first, and nobody is served twice. Pure.
 *
 *   arriving → waiting ⇄ reserved (a dialler has it, and may yet give it back)
 *                 ⇅
 *              called (taken out by the API; it is about to leave)
 */
import { InvariantError } from '../../platform/errors.js'

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
  /** It is stored: from now on it can be taken; also of one that was reserved or called in vain. */
  | { readonly type: 'waits'; readonly callSid: string }
  | { readonly type: 'called'; readonly callSid: string }
  | { readonly type: 'left'; readonly callSid: string }
  | { readonly type: 'dialled'; readonly dialler: number }
  | { readonly type: 'withdrew'; readonly dialler: number }

/** The caller is the dialler's now. */
export interface Match {
  readonly callSid: string
  readonly dialler: number
}

export const EMPTY_LINE: Line = { members: [], diallers: [] }

export function stepLine(line: Line, event: LineEvent): { line: Line; match: Match | undefined } {
  const next = changed(line, event)
  const waiting = next.members.find(({ state }) => state === 'waiting')
  const [dialler, ...diallers] = next.diallers
  if (waiting === undefined || dialler === undefined) return { line: next, match: undefined }
  const { callSid } = waiting
  return {
    line: { ...withState(next, callSid, 'reserved'), diallers },
    match: { callSid, dialler },
  }
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

/** Callers who are in the queue for anybody who looks; those being connected have left it. */
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
