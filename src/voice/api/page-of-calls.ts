/** A page of a list that is known whole, of what calls name: participants, callers in a queue. Pure. */
import type { PageFacts, PageRequest } from './paging.js'

/** Whoever a cursor names may have left: the page's number counts then. */
export function pageOfCalls<Item extends { readonly callSid: string }>(
  all: readonly Item[],
  request: PageRequest,
): { readonly shown: readonly Item[]; readonly facts: PageFacts } {
  const shown = slice(all, request)
  const last = shown.at(-1)
  return {
    shown,
    facts: {
      total: all.length,
      first: shown[0]?.callSid,
      nextAfter: last === undefined || last === all.at(-1) ? undefined : last.callSid,
    },
  }
}

function slice<Item extends { readonly callSid: string }>(
  all: readonly Item[],
  { page, pageSize, cursor }: PageRequest,
): readonly Item[] {
  const at = cursor === undefined ? -1 : all.findIndex(({ callSid }) => callSid === cursor.sid)
  if (at < 0) return all.slice(page * pageSize, (page + 1) * pageSize)
  return cursor?.side === 'after'
    ? all.slice(at + 1, at + 1 + pageSize)
    : all.slice(Math.max(0, at - pageSize), at)
}
