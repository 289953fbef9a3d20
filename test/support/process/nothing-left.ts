import { expect } from 'vitest'
import type { RunningTrunkline } from './trunkline.js'

const LIMIT_MS = 40_000
/**
 * The gauges that show whether a call left anything behind, on either side of the wire protocols.
 */
const GAUGES = [
  'calls_live',
  'legs_live',
  'streams_live',
  'conferences_live',
  'lab_channels',
  'lab_dialogs',
  'lab_media_endpoints',
  'lab_media_open_files',
]

/**
 * Resolves once no leg, dialog, channel, port or file is left; a failure shows the last reading.
 */
export async function expectNothingLeft(trunkline: RunningTrunkline): Promise<void> {
  const end = performance.now() + LIMIT_MS
  for (;;) {
    const metrics = await trunkline.metrics()
    const isLab = Object.keys(metrics).some((name) => name.startsWith('lab_'))
    // Real servers have counts of their own.
    const gauges = GAUGES.filter((name) => isLab || !name.startsWith('lab_'))
    const left = Object.fromEntries(gauges.map((name) => [name, metrics[name]]))
    const isClear = Object.values(left).every((value) => value === 0)
    if (isClear || performance.now() > end) {
      expect(left).toEqual(Object.fromEntries(gauges.map((name) => [name, 0])))
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
