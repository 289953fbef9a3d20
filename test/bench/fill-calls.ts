import { fillTable } from '../support/process/fill-sqlite-table.js'

const SECOND_MS = 1_000
const PLAN = JSON.stringify({
  document: { type: 'url', url: 'http://app.test/voice', method: 'POST', fallbackMethod: 'POST' },
  timeoutSeconds: 60,
})

export interface FilledCalls {
  readonly accountSid: string
  /**
   * The first call's number in the row; its sid and all else follow from it. Parts of the bench that
   * share a database have numbers of their own.
   */
  readonly from: number
  readonly until: number
  /** The time of call 0 in epoch milliseconds; each call is a second after the one before. */
  readonly startAt: number
}

export const filledSid = (index: number): string => `CA${index.toString(16).padStart(32, '0')}`

/**
 * The called number of a stored call. One in ten calls goes to the same number, one in twenty is
 * not completed: a page of each of a thousand.
 */
export const filledTo = (index: number): string => `+1555${String(index % 10).padStart(7, '0')}`

/**
 * Stores `count` ended calls, beside a server that has `file` open. Blocks the thread meanwhile.
 */
export function fillCalls(file: string, calls: FilledCalls): void {
  fillTable(file, 'calls', callRows(calls))
}

function* callRows({ accountSid, from, until, startAt }: FilledCalls) {
  for (let index = from; index < until; index++) {
    const at = startAt + index * SECOND_MS
    yield {
      sid: filledSid(index),
      accountSid,
      node: 'bench',
      direction: 'outbound-api',
      toAddress: filledTo(index),
      fromAddress: '+15550009999',
      status: index % 20 === 0 ? 'busy' : 'completed',
      startedAt: at,
      answeredAt: at + 2_000,
      endedAt: at + 32_000,
      durationSeconds: 30,
      queueMs: 0,
      sipStatus: 200,
      plan: PLAN,
      callbackCount: 0,
      createdAt: at,
      updatedAt: at + 32_000,
    }
  }
}
