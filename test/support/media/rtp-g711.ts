/** G.711 computed from the recommendation, independently of the code under test. */
export type Law = 'PCMU' | 'PCMA'

export function decodeSample(law: Law, code: number): number {
  return law === 'PCMU' ? decodeUlaw(code) : decodeAlaw(code)
}

/** Finds the code with the nearest value by search: slow, but evidently correct. */
export function encodeSample(law: Law, sample: number): number {
  let best = 0
  let bestDistance = Infinity
  for (let code = 0; code < 256; code++) {
    const distance = Math.abs(decodeSample(law, code) - sample)
    if (distance < bestDistance) {
      best = code
      bestDistance = distance
    }
  }
  return best
}

const TABLES = new Map<Law, Uint8Array>()

/** Nearest codes, indexed by the 16 bits of a sample: `table[sample & 0xffff]`. */
export function encodingTable(law: Law): Uint8Array {
  const known = TABLES.get(law)
  if (known !== undefined) return known
  const values = Array.from({ length: 256 }, (_, code) => ({ code, at: decodeSample(law, code) }))
  values.sort((a, b) => a.at - b.at)
  const table = new Uint8Array(65_536)
  let best = 0
  for (let sample = -32_768; sample < 32_768; sample++) {
    const off = (index: number) => Math.abs((values[index]?.at ?? Infinity) - sample)
    while (off(best + 1) <= off(best)) best++
    table[sample & 0xffff] = values[best]?.code ?? 0
  }
  TABLES.set(law, table)
  return table
}

function decodeUlaw(code: number): number {
  const bits = 255 - code
  const chord = Math.floor((bits % 128) / 16)
  const magnitude = ((bits % 16) * 2 + 33) * 2 ** chord - 33
  return (bits >= 128 ? -1 : 1) * magnitude * 4
}

function decodeAlaw(code: number): number {
  const bits = code ^ 0b01010101
  const chord = Math.floor((bits % 128) / 16)
  const step = bits % 16
  const magnitude = chord === 0 ? step * 2 + 1 : (step * 2 + 33) * 2 ** (chord - 1)
  return (bits >= 128 ? 1 : -1) * magnitude * 8
}
