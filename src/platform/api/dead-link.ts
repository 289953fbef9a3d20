import type { Dialect } from './dialect.js'
import { plainAnswer, plainDialect } from './plain-dialect.js'

/** A signed link is forged or expired, or its target is gone. All three get the same answer. */
export class DeadLinkError extends Error {
  override readonly name = 'DeadLinkError'
}

/** The dialect of signed links. */
export const linkDialect: Dialect = {
  ...plainDialect,
  explain: (error) =>
    error instanceof DeadLinkError ? plainAnswer(404, 'the link is not valid any more') : undefined,
}
