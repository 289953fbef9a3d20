/** How likely each frame is somebody who speaks into the phone, told LOOKAHEAD frames late. */

import { VoiceInput } from './voice-input.js'
import { type Layer, readLayers, VoiceNetwork } from './voice-network.js'
import { VOICE_WEIGHTS } from './voice-weights.js'

const LAYERS: readonly Layer[] = readLayers(VOICE_WEIGHTS)

export class Voice {
  readonly #input = new VoiceInput()
  readonly #network = new VoiceNetwork(LAYERS)

  /** Takes a spectrum; returns the likelihood, 0 to 1, of the frame of LOOKAHEAD frames ago. */
  onFrame(power: Float64Array): number {
    this.#input.onFrame(power)
    return this.#network.likelihood(this.#input.vector)
  }
}
