import { expect } from 'vitest'
import {
  type ParseResult,
  parseDocument,
} from '../../../../../src/voice/markup/parse/parse-document.js'
import type { Verb } from '../../../../../src/voice/markup/parse/verb.js'

export type ParsedDocument = Extract<ParseResult, { type: 'document' }>

export function documentOf(body: string): ParsedDocument {
  const result = parseDocument(`<Response>${body}</Response>`)
  if (result.type === 'failure') throw new Error(`${result.code} ${result.message}`)
  return result
}

/** The one verb in `body`, and the numbers of the warnings it caused. */
export function verbOf<T extends Verb['type']>(
  type: T,
  body: string,
): { verb: Extract<Verb, { type: T }>; codes: number[] } {
  const { verbs, warnings } = documentOf(body)
  expect(verbs).toHaveLength(1)
  const [verb] = verbs
  if (verb?.type !== type) throw new Error(`expected ${type}, got ${String(verb?.type)}`)
  // The type was compared in the line above; TypeScript does not narrow a generic discriminant.
  return { verb: verb as Extract<Verb, { type: T }>, codes: warnings.map((w) => w.code) }
}
