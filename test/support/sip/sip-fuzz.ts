/** Seeded mutations of SIP and SDP; the same seed gives the same series, so that failures can be repeated. */

/** A random generator for [0, 1), identical for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Values that have broken parsers before: overflows, format strings, UTF-8, numbers, addresses, separators. */
const POISONS: readonly (string | Buffer)[] = [
  '',
  ' ',
  '\t',
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\r\n ',
  '\0',
  '%s%n%x%d',
  '%',
  '%0',
  '%00',
  '%ff%fe',
  '"',
  '\\',
  '<',
  '>',
  ',',
  ';',
  ';;',
  '=',
  '@',
  ':',
  '?',
  '&',
  '*',
  '-1',
  '0',
  '00000000000000000001',
  '65536',
  '2147483648',
  '4294967296',
  '18446744073709551616',
  '9'.repeat(400),
  '1e9',
  '0x7f',
  '256.256.256.256',
  '[::',
  '[::1]',
  '[]',
  'A'.repeat(3_000),
  ';a'.repeat(500),
  '<'.repeat(200),
  '"'.repeat(201),
  '\u202e\u0000',
  '\u2028',
  '__proto__',
  'constructor',
  ';__proto__=1',
  'SIP/2.0',
  'sip:',
  'Content-Length: 3\r\n',
  'l: 0\r\n',
  'Via: SIP/2.0/UDP x\r\n',
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xff, 0xfe, 0xfd]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
]

/** Applies one to four changes to a message. */
export function mutate(bytes: Buffer, random: () => number): Buffer {
  let mutated = bytes
  const changes = 1 + Math.floor(random() * 4)
  for (let change = 0; change < changes; change++) mutated = mutateOnce(mutated, random)
  return mutated
}

function mutateOnce(bytes: Buffer, random: () => number): Buffer {
  const at = (): number => Math.floor(random() * (bytes.length + 1))
  const [start, end] = [at(), at()].sort((a, b) => a - b) as [number, number] // exactly two elements
  const near = Math.min(end, start + 1 + Math.floor(random() * 12))
  const poison = Buffer.from(POISONS[Math.floor(random() * POISONS.length)] ?? '')
  const splice = (from: number, to: number, insert: Buffer): Buffer =>
    Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(to)])
  switch (Math.floor(random() * 8)) {
    case 0:
      return splice(start, start, poison)
    case 1:
      return splice(start, near, poison)
    case 2:
      return splice(start, near, Buffer.alloc(0))
    case 3:
      return splice(
        start,
        Math.min(bytes.length, start + 1),
        Buffer.from([Math.floor(random() * 256)]),
      )
    case 4:
      return bytes.subarray(0, start)
    case 5:
      return splice(end, end, bytes.subarray(start, Math.min(end, start + 400)))
    case 6:
      return mutateLines(bytes, random, poison)
    default:
      return splice(start, start, bytes.subarray(start, near))
  }
}

/** Duplicates, removes, moves or empties a line. */
function mutateLines(bytes: Buffer, random: () => number, poison: Buffer): Buffer {
  const lines = bytes.toString('latin1').split('\r\n')
  const index = Math.floor(random() * lines.length)
  const line = lines[index] ?? ''
  const colon = line.search(/[:=]/)
  switch (Math.floor(random() * 4)) {
    case 0:
      lines.splice(index, 0, line)
      break
    case 1:
      lines.splice(index, 1)
      break
    case 2:
      lines.splice(index, 1)
      lines.splice(Math.floor(random() * lines.length), 0, line)
      break
    default:
      lines[index] = line.slice(0, colon + 1) + poison.toString('latin1')
  }
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

/** Splits bytes into pieces, as they may arrive on a stream. */
export function cut(bytes: Buffer, random: () => number): Buffer[] {
  const pieces: Buffer[] = []
  const longest = 1 + Math.floor(random() * bytes.length)
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + Math.floor(random() * longest)
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}
