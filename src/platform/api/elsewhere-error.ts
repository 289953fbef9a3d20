import type { ErrorAnswer } from './dialect.js'

/** The answer of another node, which ran the operation and failed. */
export class ElsewhereError extends Error {
  override readonly name = 'ElsewhereError'
  readonly answer: ErrorAnswer
  constructor(answer: ErrorAnswer) {
    super('another node refused')
    this.answer = answer
  }
}
