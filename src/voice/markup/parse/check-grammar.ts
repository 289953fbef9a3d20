import { type ElementRule, NESTING_WARNINGS, ruleOf } from './grammar.js'
import type { Warn } from './warnings.js'
import type { XmlElement, XmlNode } from './xml.js'

const SCHEMA_WARNING = 12200

/**
 * Removes from the tree what the grammar does not know, with a warning for each removal: misspelled
 * elements with their content, unknown attributes, and text where none may stand. Comments are gone
 * already.
 */
export function checkGrammar(element: XmlElement, warn: Warn, parent?: string): XmlElement {
  const rule = ruleOf(element.name, parent)
  if (rule === undefined) return element
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
  warn(code, `<${parent.name}> cannot contain <${child.name}>${hint(child.name, rule.children)}`)
  return []
}

/** A hint for a name in wrong case, which is by far the commonest mistake. */
function hint(name: string, known: readonly string[]): string {
  const meant = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}

function isNamespace(attribute: string): boolean {
  return attribute === 'xmlns' || attribute.startsWith('xmlns:') || attribute.startsWith('xsi:')
}
