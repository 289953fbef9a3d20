import { describe, expect, it } from 'vitest'
import { Transfer } from '../../../../src/voice/markup/transfer.js'
import type { LegMedia } from '../../../../src/voice/telephony/leg-media.js'
import { type Leg, LegEndedError } from '../../../../src/voice/telephony/port.js'

/** A leg whose bridge lasts until the signal aborts, or fails. */
function party(failure?: Error) {
  const bridged: LegMedia[] = []
  const media = {
    bridge: async (other: LegMedia, signal: AbortSignal) => {
      bridged.push(other)
      if (failure !== undefined) throw failure
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve)
      })
    },
  } as LegMedia // a transfer uses no more
  const gone = new AbortController()
  return { leg: { media } as Leg, bridged, gone, signal: gone.signal }
}

function transfer() {
  const failures: unknown[] = []
  return { failures, transfer: new Transfer((error) => failures.push(error)) }
}

describe('an attended transfer', () => {
  it.each(['first', 'second'] as const)('lasts until the %s party goes', async (who) => {
    const t = transfer()
    const parties = { first: party(), second: party() }
    const joined = [parties.first, parties.second].map(({ leg, signal }) =>
      t.transfer.join(leg, signal),
    )
    expect(parties.first.bridged).toEqual([parties.second.leg.media])
    parties[who].gone.abort()
    await Promise.all(joined)
    expect(t.failures).toEqual([])
  })

  it('keeps nobody waiting for a party that has gone', async () => {
    const t = transfer()
    const [first, second] = [party(), party()]
    const joined = t.transfer.join(first.leg, first.signal)
    second.gone.abort()
    await t.transfer.join(second.leg, second.signal)
    await joined
    expect(first.bridged).toEqual([])
  })

  it('is given up when the waiting party goes', async () => {
    const t = transfer()
    const [first, second] = [party(), party()]
    const joined = t.transfer.join(first.leg, first.signal)
    first.gone.abort()
    await joined
    await t.transfer.join(second.leg, second.signal)
    expect(first.bridged).toEqual([])
  })

  it.each([
    ['a leg that ended in between is no failure', new LegEndedError('over'), 0],
    ['two media servers are one', new Error('two media servers'), 1],
  ])('%s', async (_title, failure, count) => {
    const t = transfer()
    const [first, second] = [party(failure), party()]
    await Promise.all([first, second].map(({ leg, signal }) => t.transfer.join(leg, signal)))
    expect(t.failures).toHaveLength(count)
  })
})
