import { expect, it } from 'vitest'
import { parseDocument } from '../../../../../src/voice/markup/parse/parse-document.js'
import { pick, type Random, randomDocument, seeded } from './builder-grammar.js'

const MUTATIONS = 10_000
const PIECES = [
  ...Array.from('<>&"\'/!?=[]-;# \n\0\u0001'),
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?',
  '?>',
  '<!DOCTYPE a>',
  '&amp;',
  '&#',
  '&#x110000;',
  '&lol;',
  '<Say>',
  '</Say>',
  '<Gather',
  'timeout="',
  '__proto__',
  'constructor',
  'xmlns:',
  ':',
  '\ufeff',
  '\ud800',
  '😀',
]

it(`${String(MUTATIONS)} damaged documents never throw anything`, () => {
  const seen = new Map<string, number>()
  for (let seed = 1; seed <= MUTATIONS; seed += 1) {
    const random = seeded(seed)
    const text = damage(randomDocument(random).text, random)
    const kind = resultOf(text, seed)
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
  }
  // Both outcomes must occur often, or the damage proves nothing.
  expect(seen.get('failure')).toBeGreaterThan(1000)
  expect(seen.get('document')).toBeGreaterThan(1000)
})

function resultOf(text: string, seed: number): string {
  try {
    const result = parseDocument(text)
    if (result.type === 'failure') expect([12100, 12101, 12102, 11750]).toContain(result.code)
    return result.type
  } catch (error) {
    throw new Error(`seed ${seed}: ${JSON.stringify(text)}`, { cause: error })
  }
}

function damage(text: string, random: Random): string {
  let damaged = text
  for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) {
    const at = Math.floor(random() * damaged.length)
    const length = Math.floor(random() * 6)
    const kind = random()
    if (kind < 0.3) damaged = damaged.slice(0, at) + damaged.slice(at + length)
    else if (kind < 0.7) damaged = damaged.slice(0, at) + pick(random, PIECES) + damaged.slice(at)
    else if (kind < 0.9)
      damaged = damaged.slice(0, at) + damaged.slice(at, at + 20).repeat(2) + damaged.slice(at + 20)
    else damaged = damaged.slice(0, at)
  }
  return damaged
}
