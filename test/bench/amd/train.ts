/**
 * Trains a network on examples and writes its weights. Everything is seeded, so the same clips give
 * the same weights.
 */
import { writeFileSync } from 'node:fs'
import type { Layer } from '../../../src/voice/amd/detector/network.js'
import { createRandom, type Random } from './random.js'

const BATCH = 32
const RATE_FIRST = 0.002
const DECAY = 0.03

export interface Examples {
  readonly count: number
  readonly labels: Uint8Array
  input(index: number): Float32Array
}

export interface Training {
  readonly seed: number
  /** The units of each layer, the inputs first. */
  readonly units: readonly number[]
  /** How many times each example is learned. */
  readonly rounds: number
  /** How much an example that should be unlikely counts, beside one that should be likely. */
  readonly unlikelyWeight: number
}

interface Trained extends Layer {
  readonly out: Float32Array
  readonly error: Float32Array
  readonly gradient: Float32Array
  readonly biasGradient: Float32Array
  readonly moments: readonly [Float32Array, Float32Array, Float32Array, Float32Array]
}

/** Returns the trained layers and tells the loss of each round. */
export function train(
  { seed, units, rounds, unlikelyWeight }: Training,
  examples: Examples,
  say: (text: string) => void,
): readonly Layer[] {
  const random = createRandom(seed)
  const layers = units.slice(1).map((count, i) => startLayer(units[i] ?? 0, count, random))
  const order = Uint32Array.from({ length: examples.count }, (_, i) => i)
  say(`${examples.count} examples`)
  let steps = 0
  for (let round = 0; round < rounds; round++) {
    shuffle(order, random)
    let loss = 0
    for (let at = 0; at + BATCH <= order.length; at += BATCH) {
      for (let i = at; i < at + BATCH; i++)
        loss += learn(layers, examples, order[i] ?? 0, unlikelyWeight)
      const rate =
        RATE_FIRST * 0.5 * (1 + Math.cos((Math.PI * (round + at / order.length)) / rounds))
      steps++
      for (const layer of layers) descend(layer, rate, steps)
    }
    say(`round ${round + 1} of ${rounds}: loss ${(loss / order.length).toFixed(4)}`)
  }
  return layers
}

function startLayer(inputs: number, units: number, random: Random): Trained {
  const reach = Math.sqrt(6 / inputs)
  const size = inputs * units
  return {
    inputs,
    units,
    weights: Float32Array.from({ length: size }, () => random.between(-reach, reach)),
    biases: new Float32Array(units),
    out: new Float32Array(units),
    error: new Float32Array(units),
    gradient: new Float32Array(size),
    biasGradient: new Float32Array(units),
    moments: [
      new Float32Array(size),
      new Float32Array(size),
      new Float32Array(units),
      new Float32Array(units),
    ],
  }
}

/** Adds one example's gradient; returns its loss. */
function learn(
  layers: readonly Trained[],
  examples: Examples,
  example: number,
  unlikelyWeight: number,
): number {
  const input = examples.input(example)
  let values = input
  for (const [index, layer] of layers.entries()) {
    forward(layer, values, index < layers.length - 1)
    values = layer.out
  }
  const wanted = examples.labels[example] ?? 0
  const likely = 1 / (1 + Math.exp(-(values[0] ?? 0)))
  const last = layers.at(-1)
  if (last !== undefined) last.error[0] = wanted === 1 ? likely - 1 : unlikelyWeight * likely
  for (let index = layers.length - 1; index >= 0; index--) {
    const layer = layers[index]
    const below = layers[index - 1]
    if (layer !== undefined) backward(layer, below?.out ?? input, below)
  }
  return -Math.log(Math.max(1e-6, wanted === 1 ? likely : 1 - likely))
}

function forward(layer: Trained, input: Float32Array, isHidden: boolean): void {
  let at = 0
  for (let unit = 0; unit < layer.units; unit++) {
    let sum = layer.biases[unit] ?? 0
    for (let i = 0; i < layer.inputs; i++) sum += (layer.weights[at++] ?? 0) * (input[i] ?? 0)
    layer.out[unit] = isHidden && sum < 0 ? 0 : sum
  }
}

function backward(layer: Trained, input: Float32Array, below: Trained | undefined): void {
  below?.error.fill(0)
  for (let unit = 0; unit < layer.units; unit++) {
    const error = layer.error[unit] ?? 0
    if (error === 0) continue
    layer.biasGradient[unit] = (layer.biasGradient[unit] ?? 0) + error
    const at = unit * layer.inputs
    for (let i = 0; i < layer.inputs; i++)
      layer.gradient[at + i] = (layer.gradient[at + i] ?? 0) + error * (input[i] ?? 0)
    if (below !== undefined) passDown(error, layer.weights, at, below)
  }
}

/** Passes a unit's error to the units below that were not silent. */
function passDown(error: number, weights: Float32Array, at: number, below: Trained): void {
  for (let i = 0; i < below.units; i++)
    if ((below.out[i] ?? 0) > 0)
      below.error[i] = (below.error[i] ?? 0) + error * (weights[at + i] ?? 0)
}

/** One step of Adam, and forgets the gradient. */
function descend(layer: Trained, rate: number, steps: number): void {
  const [first, second, biasFirst, biasSecond] = layer.moments
  const size = rate * (Math.sqrt(1 - 0.999 ** steps) / (1 - 0.9 ** steps))
  move(layer.weights, layer.gradient, first, second, size, rate * DECAY)
  move(layer.biases, layer.biasGradient, biasFirst, biasSecond, size, 0)
}

function move(
  values: Float32Array,
  gradient: Float32Array,
  first: Float32Array,
  second: Float32Array,
  size: number,
  decay: number,
): void {
  for (let i = 0; i < values.length; i++) {
    const slope = (gradient[i] ?? 0) / BATCH
    const mean = 0.9 * (first[i] ?? 0) + 0.1 * slope
    const square = 0.999 * (second[i] ?? 0) + 0.001 * slope * slope
    first[i] = mean
    second[i] = square
    values[i] = (values[i] ?? 0) * (1 - decay) - (size * mean) / (Math.sqrt(square) + 1e-8)
    gradient[i] = 0
  }
}

function shuffle(order: Uint32Array, random: Random): void {
  for (let i = order.length - 1; i > 0; i--) {
    const other = Math.floor(random.next() * (i + 1))
    const kept = order[i] ?? 0
    order[i] = order[other] ?? 0
    order[other] = kept
  }
}

/** What a file of weights is for: the constant in it, whose they are, and what made them. */
export interface WeightsFile {
  readonly file: string
  readonly constant: string
  readonly title: string
  readonly option: string
}

/** Writes the layers as source text, one byte for each weight. */
export function writeWeights(
  layers: readonly Layer[],
  { file, constant, title, option }: WeightsFile,
): void {
  const stored = layers.map(({ weights, biases }) => {
    const step = weights.reduce((most, one) => Math.max(most, Math.abs(one)), 0) / 127
    const bytes = Int8Array.from(weights, (one) => Math.round(one / step))
    const lines = (
      Buffer.from(bytes.buffer)
        .toString('base64')
        .match(/.{1,88}/gu) ?? []
    ).map((line) => `      '${line}'`)
    return `  {
    step: ${step.toPrecision(6)},
    weights:${lines.length > 1 ? `\n${lines.join(' +\n')}` : ` ${lines.join('').trim()}`},
    biases: [${[...biases].map((one) => one.toPrecision(4)).join(', ')}],
  },`
  })
  writeFileSync(
    file,
    `/**
 * The weights of the ${title}. Made by \`npm run bench:amd -- ${option}\`; do not edit.
 */
import type { StoredLayer } from './network.js'

export const ${constant}: readonly StoredLayer[] = [
${stored.join('\n')}
]
`,
  )
}
