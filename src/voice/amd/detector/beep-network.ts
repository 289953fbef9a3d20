/** Computes how likely a tone after speech is the beep of a voicemail. */
import { type Around, BEEP_INPUTS, readBeepInput } from './beep-input.js'
import { BEEP_WEIGHTS } from './beep-weights.js'
import { type Layer, Network, readLayers } from './network.js'
import type { ToneRun } from './tone-run.js'
import type { ToneShape } from './tone-shape.js'

/** Number of units in each layer. */
export const BEEP_LAYERS = [BEEP_INPUTS, 48, 24, 1] as const

const LAYERS: readonly Layer[] = readLayers(BEEP_WEIGHTS)

/** Returns the likelihood, 0 to 1, that a tone that ended after speech is a beep. */
export type BeepJudge = (run: ToneRun, around: Around, shape: ToneShape) => number

export function createBeepJudge(): BeepJudge {
  const network = new Network(LAYERS)
  const input = new Float32Array(BEEP_INPUTS)
  return (run, around, shape) => {
    readBeepInput(run, around, shape, input)
    return network.likelihood(input)
  }
}
