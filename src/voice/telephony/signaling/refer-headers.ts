import type { DialogFacts } from '../dialog-facts.js'
import { sipUri } from './sip-text.js'

/** Headers of a REFER in the dialog. Throws UnsafeArgumentError for a target that is not a URI. */
export function referHeaders(
  target: string,
  { localParty }: Pick<DialogFacts, 'localParty'>,
): Record<string, string> {
  const us = /<([^>]*)>/.exec(localParty)?.[1] ?? localParty.replace(/;.*$/s, '').trim()
  return {
    // The brackets keep the parts behind `;` or `?` in the URI; without them they would belong to
    // the header (RFC 3261 §20).
    'Refer-To': `<${sipUri(target)}>`,
    // The referrer (RFC 3892 §2.1).
    'Referred-By': `<${us}>`,
  }
}
