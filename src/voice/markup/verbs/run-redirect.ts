import type { RedirectVerb } from '../parse/redirect.js'
import { resolveUrl } from './resolve-url.js'
import type { VerbContext, VerbOutcome } from './verb-run.js'

/** Redirect: continues with another document. The verbs after it do not run. */
export function runRedirect(verb: RedirectVerb, { documentUrl }: VerbContext): VerbOutcome {
  const url = resolveUrl(verb.url, documentUrl)
  return { type: 'fetch', request: { url, method: verb.method, params: {} } }
}
