import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { listenForStopSignals } from '../../../src/wiring/stop-signals.js'

/** The second signals in milliseconds after the first, and whether they hurry the end. */
it.each([
  ['the copy that npm hands on', ['SIGTERM', 3], false],
  ['the copy of a busy machine', ['SIGTERM', 900], false],
  ['the same signal later', ['SIGTERM', 1_100], true],
  ['another signal', ['SIGINT', 3], true],
] as const)('%s behind SIGTERM', async (_title, [second, afterMs], isHurried) => {
  const source = new EventEmitter()
  let now = 5
  const { first, hurry } = listenForStopSignals(source, { monotonic: () => now })
  source.emit('SIGTERM')
  now += afterMs
  source.emit(second)
  expect(await first).toBe('drain')
  expect(hurry.aborted).toBe(isHurried)
})
