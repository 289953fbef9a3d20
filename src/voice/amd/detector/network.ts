/** A small network of dense layers that computes a likelihood. `npm run bench:amd` trains the weights. */

export interface Layer {
  readonly inputs: number
  readonly units: number
  /** Weights, unit by unit. */
  readonly weights: Float32Array
  readonly biases: Float32Array
}

/** Weights as text: each layer's weights as bytes (base64), the value of one step, and its biases. */
export interface StoredLayer {
  readonly step: number
  readonly weights: string
  readonly biases: readonly number[]
}

export class Network {
  readonly #layers: readonly Layer[]
  readonly #values: readonly Float32Array[]

  constructor(layers: readonly Layer[]) {
    this.#layers = layers
    this.#values = layers.map((layer) => new Float32Array(layer.units))
  }

  /** Returns the likelihood, 0 to 1. */
  likelihood(input: Float32Array): number {
    let values = input
    for (const [index, layer] of this.#layers.entries()) {
      const out = this.#values[index] ?? values
      forward(layer, values, out)
      if (index < this.#layers.length - 1) rectify(out)
      values = out
    }
    return 1 / (1 + Math.exp(-(values[0] ?? 0)))
  }
}

function forward(layer: Layer, input: Float32Array, out: Float32Array): void {
  const { inputs, units, weights, biases } = layer
  let at = 0
  for (let unit = 0; unit < units; unit++) {
    let sum = biases[unit] ?? 0
    for (let i = 0; i < inputs; i++) sum += (weights[at++] ?? 0) * (input[i] ?? 0)
    out[unit] = sum
  }
}

function rectify(values: Float32Array): void {
  for (let i = 0; i < values.length; i++) if ((values[i] ?? 0) < 0) values[i] = 0
}

export function readLayers(stored: readonly StoredLayer[]): readonly Layer[] {
  return stored.map(({ step, weights, biases }) => {
    const bytes = new Int8Array(Buffer.from(weights, 'base64'))
    return {
      inputs: bytes.length / biases.length,
      units: biases.length,
      weights: Float32Array.from(bytes, (one) => one * step),
      biases: Float32Array.from(biases),
    }
  })
}
