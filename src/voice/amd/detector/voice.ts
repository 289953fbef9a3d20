/** Computes how likely each frame is a voice that speaks into the phone, with a delay of LOOKAHEAD frames. */

import { type Layer, Network, readLayers } from './network.js'
import { INPUTS, VoiceInput } from './voice-input.js'
import { VOICE_WEIGHTS } from './voice-weights.js'

/** Number of units in each layer. */
export const VOICE_LAYERS = [INPUTS, 32, 16, 1] as const
const LAYERS: readonly Layer[] = readLayers(VOICE_WEIGHTS)

export class Voice {
  readonly #input = new VoiceInput()
  readonly #network = new Network(LAYERS)

  /** Handles a spectrum; returns the likelihood, 0 to 1, of the frame of LOOKAHEAD frames ago. */
  onFrame(power: Float64Array): number {
    this.#input.onFrame(power)
    return this.#network.likelihood(this.#input.vector)
  }
}
