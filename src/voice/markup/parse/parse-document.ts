/**
 * Turns markup text into the verbs to run, or into the documented reason why there are none. Never
 * throws.
 */
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { checkGrammar } from './check-grammar.js'
import { parseConnect } from './connect.js'
import { parseDial } from './dial.js'
import { parseEnqueue } from './enqueue.js'
import { parseGather } from './gather.js'
import { parseHangup } from './hangup.js'
import { parseLeave } from './leave.js'
import { parsePause } from './pause.js'
import { parsePlay } from './play.js'
import { parseRecord } from './record.js'
import { parseRedirect } from './redirect.js'
import { parseRefer } from './refer.js'
import { parseReject } from './reject.js'
import { parseSay } from './say.js'
import { parseStart } from './start.js'
import { parseStop } from './stop.js'
import type { Verb } from './verb.js'
import { collectWarnings, type Warn, type Warning } from './warnings.js'
import { readXml, type XmlElement } from './xml.js'

export type ParseResult =
  | {
      readonly type: 'document'
      readonly verbs: readonly Verb[]
      readonly warnings: readonly Warning[]
    }
  /**
   * A document that cannot be run. 12100: not well-formed. 12101: XML version. 12102: root element.
   * 11750: too big.
   */
  | { readonly type: 'failure'; readonly code: ErrorNumber; readonly message: string }

/** The parsers of the verbs that run. Every other verb of the grammar stays as written. */
const VERBS: ReadonlyMap<string, (element: XmlElement, warn: Warn) => Verb> = new Map<
  string,
  (element: XmlElement, warn: Warn) => Verb
>([
  ['Say', parseSay],
  ['Play', (element, warn) => parsePlay(element, warn)],
  ['Pause', parsePause],
  ['Gather', parseGather],
  ['Dial', parseDial],
  ['Redirect', parseRedirect],
  ['Hangup', parseHangup],
  ['Reject', parseReject],
  ['Record', parseRecord],
  ['Refer', parseRefer],
  ['Enqueue', parseEnqueue],
  ['Leave', parseLeave],
  ['Connect', parseConnect],
  ['Start', parseStart],
  ['Stop', parseStop],
])

export function parseDocument(text: string): ParseResult {
  const root = readXml(text)
  if (root.type === 'failure') return root
  if (root.name !== 'Response')
    return {
      type: 'failure',
      code: 12102,
      message: `root element is <${root.name.slice(0, 40)}>, must be <Response>`,
    }
  const { warn, warnings } = collectWarnings()
  const verbs = checkGrammar(root, warn).children.flatMap((child): Verb[] => {
    if (child.type === 'text') return []
    const parse = VERBS.get(child.name)
    return [parse === undefined ? { type: 'other', element: child } : parse(child, warn)]
  })
  return { type: 'document', verbs, warnings }
}
