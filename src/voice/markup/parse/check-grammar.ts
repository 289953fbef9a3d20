import { type ElementRule, GRAMMAR, NESTING_WARNINGS, ruleOf, SPEECH } from './grammar.js'
import type { Warn } from './warnings.js'
import type { XmlElement, XmlNode } from './xml.js'

const SCHEMA_WARNING = 12200
/** What an unknown tag without content, such as `<br/>`, is replaced by. */
const BETWEEN_WORDS: XmlNode = { type: 'text', text: ' ' }

/**
 * Removes from the tree what the grammar does not know, with a warning for each removal: misspelled
 * elements with their content, unknown attributes, and text where none may stand. Inside Say the tags
 * alone are removed: what they mark is spoken. Comments are gone already.
 */
export function checkGrammar(element: XmlElement, warn: Warn, parent?: string): XmlElement {
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

/** True for the elements that are no speech: a URL inside a `<Play>` is not to be spoken. */
function isVerb({ name }: XmlElement): boolean {
  return GRAMMAR.has(name) && !SPEECH.has(name)
}

function isBlank(node: XmlNode): boolean {
  return node.type === 'text' && node.text.trim() === ''
}

/** A hint for a name in wrong case, which is by far the commonest mistake. */
function hint(name: string, known: readonly string[]): string {
  const meant = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}

function isNamespace(attribute: string): boolean {
  return attribute === 'xmlns' || attribute.startsWith('xmlns:') || attribute.startsWith('xsi:')
}
