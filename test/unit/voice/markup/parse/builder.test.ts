import { expect, it } from 'vitest'
import { parseDocument } from '../../../../../src/voice/markup/parse/parse-document.js'
import { builderElements, exhaustiveDocuments, randomDocument, seeded } from './builder-grammar.js'

const DOCUMENTS = 2_000

/** What the library can make and warns of: a Connect of nothing, and a number beside the nouns of a Dial. */
const MISTAKES = /<Connect(?: [\w-]+="[^"]*")*\/>|<Dial(?: [\w-]+="[^"]*")*>[^<]*[^<\s][^<]*<[^/]/g

const warningsOf = (text: string) => [...text.matchAll(MISTAKES)].map(() => ({ code: 12200 }))

it(`${String(DOCUMENTS)} documents of the client library's builder parse without a warning but of mistakes`, () => {
  const made = new Set<string>()
  for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
    const { text, verbs } = randomDocument(seeded(seed), made)
    const result = parseDocument(text)
    expect(result, `seed ${seed}: ${text}`).toMatchObject({
      type: 'document',
      warnings: warningsOf(text),
    })
    expect(result.type === 'document' && result.verbs.length).toBe(verbs)
  }
  expect([...builderElements()].filter((name) => !made.has(name))).toEqual([])
  expect(made.size).toBeGreaterThan(50)
})

it('every attribute of every element, with every value of its type, parses without a warning', () => {
  let documents = 0
  const elements = new Set<string>()
  for (const text of exhaustiveDocuments()) {
    documents += 1
    for (const [, name = ''] of text.matchAll(/<([\w-]+)/g)) elements.add(name)
    expect(parseDocument(text), text).toMatchObject({
      type: 'document',
      warnings: warningsOf(text),
    })
  }
  expect(documents).toBeGreaterThan(2000)
  expect(elements.size).toBeGreaterThan(50)
})
