/** The regular expressions of a description. */

/** The end of a RegExp that was written with its flags; a slash within one is escaped. */
const FLAGGED = /^(.*?)(?<!\\)\/([a-z]+)$/s

/**
 * Takes the flags from the patterns of a document, where the generator leaves them behind a slash: no
 * text matches that. JSON Schema reads a pattern as with `u` and without any other flag, so one that
 * ignores the case is left out.
 */
export function withoutFlags(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { pattern } = value as { readonly pattern?: unknown }
  const [, source, flags = ''] = typeof pattern === 'string' ? (FLAGGED.exec(pattern) ?? []) : []
  if (flags.includes('i')) Reflect.deleteProperty(value, 'pattern')
  else if (source !== undefined) Object.assign(value, { pattern: source })
  for (const member of Object.values(value)) withoutFlags(member)
}
