/** Parses markup text into verbs, or into the documented reason for a failure. Never throws. */
import { nearestName } from '../../../platform/nearest-name.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { parseConnect } from './connect.js'
import { parseDial } from './dial.js'
import { parseEnqueue } from './enqueue.js'
import { parseGather } from './gather.js'
import { type ElementRule, GRAMMAR, NESTING_WARNINGS, ruleOf, SPEECH } from './grammar.js'
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
import { readXml, type XmlElement, type XmlNode } from './xml.js'

export type ParseResult =
  | {
      readonly type: 'document'
      readonly verbs: readonly Verb[]
      readonly warnings: readonly Warning[]
    }
  /**
   * A document that cannot be run. 12100: not well-formed. 12101: XML version. 12102: root element. 11750:
   * too big.
   */
  | { readonly type: 'failure'; readonly code: ErrorNumber; readonly message: string }

/** The parsers of supported verbs. Every other verb of the grammar is kept as written. */
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

const SCHEMA_WARNING = 12200
/** The replacement of an unknown empty tag such as `<br/>`. */
const BETWEEN_WORDS: XmlNode = { type: 'text', text: ' ' }

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

/**
 * Removes everything outside the grammar from the tree, with a warning for each removal: unknown elements
 * with their content, unknown attributes, and misplaced text. Inside Say only the tags are removed, so their
 * text is spoken. Comments are already gone.
 */
function checkGrammar(element: XmlElement, warn: Warn, parent?: string): XmlElement {
  const rule = ruleOf(element.name, parent)
  if (rule === undefined) return element
  if (element.name === 'Connect' && element.children.every(isBlank))
    warn(SCHEMA_WARNING, '<Connect> has nothing inside to give the call to: it is over at once')
  const attributes = new Map<string, string>()
  for (const [name, value] of element.attributes) {
    if (rule.attributes.includes(name)) attributes.set(name, value)
    else if (!isNamespace(name))
      warn(
        SCHEMA_WARNING,
        `<${element.name}> has no attribute "${name}"${hint(name, rule.attributes)}`,
      )
  }
  const children = element.children.flatMap((child) => checkChild(child, element, rule, warn))
  return { ...element, attributes, children }
}

function checkChild(child: XmlNode, parent: XmlElement, rule: ElementRule, warn: Warn): XmlNode[] {
  if (child.type === 'text') {
    if (rule.hasText) return [child]
    if (child.text.trim() !== '') warn(SCHEMA_WARNING, `<${parent.name}> takes no text`)
    return []
  }
  if (rule.children.includes(child.name)) return [checkGrammar(child, warn, parent.name)]
  const code = NESTING_WARNINGS.get(parent.name) ?? SCHEMA_WARNING
  const found = `<${parent.name}> cannot contain <${child.name}>${hint(child.name, rule.children)}`
  if (!SPEECH.has(parent.name) || isVerb(child)) {
    warn(code, found)
    return []
  }
  warn(code, `${found}; its text is spoken`)
  const inside: readonly XmlNode[] = child.children.length > 0 ? child.children : [BETWEEN_WORDS]
  return inside.flatMap((inner) => checkChild(inner, parent, rule, warn))
}

/** True for an element that is not speech: a URL inside a `<Play>` must not be spoken. */
function isVerb({ name }: XmlElement): boolean {
  return GRAMMAR.has(name) && !SPEECH.has(name)
}

function isBlank(node: XmlNode): boolean {
  return node.type === 'text' && node.text.trim() === ''
}

/** Maximum length of a name that is compared with the known ones, in characters. */
const MAX_NAME = 60

/** Returns a hint for a name in wrong case or with a slip of typing. */
function hint(name: string, known: readonly string[]): string {
  const meant = name.length > MAX_NAME ? undefined : nearestName(name, known)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}

function isNamespace(attribute: string): boolean {
  return attribute === 'xmlns' || attribute.startsWith('xmlns:') || attribute.startsWith('xsi:')
}
