import { waitUntil } from '../time/wait-until.js'
import type { RunningTrunkline } from './trunkline.js'

const LIMIT_MS = 40_000
/** Gauges that reveal anything left behind by a call, on either side of the wire protocols. */
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

/** Resolves once no leg, dialog, channel, port or file is left; a failure shows the last values. */
export async function expectNothingLeft(trunkline: RunningTrunkline): Promise<void> {
  let left: readonly (readonly [name: string, value: number | undefined])[] = []
  const isClear = async () => {
    const metrics = await trunkline.metrics()
    const isLab = Object.keys(metrics).some((name) => name.startsWith('lab_'))
    // Real servers have their own counters.
    const gauges = GAUGES.filter((name) => isLab || !name.startsWith('lab_'))
    left = gauges.map((name) => [name, metrics[name]] as const).filter(([, value]) => value !== 0)
    return left.length === 0
  }
  await waitUntil('nothing is left', isClear, LIMIT_MS, () => left, 50)
}
