/**
 * Warns of values that SSML does not have (12200). The text is spoken as if they were not there; an
 * engine of the account's own that reads SSML gets them as they are.
 */
import { isInterpretation } from '../../synthesis/say-as.js'
import { isLanguageTag } from './language-tag.js'
import { strengthMs, timeMs } from './speech-breaks.js'
import { gainOf, isEmphasis, rateOf } from './speech-style.js'
import type { Warn } from './warnings.js'
import type { XmlElement, XmlNode } from './xml.js'

type IsValue = (value: string) => boolean

const PITCH =
  /^(?:x-low|low|medium|high|x-high|default|[+-]?[0-9]{1,4}(?:\.[0-9]{1,3})?(?:%|st|Hz))$/

const VALUES: ReadonlyMap<string, Readonly<Record<string, IsValue>>> = new Map([
  [
    'break',
    {
      strength: (value: string) => strengthMs(value) !== undefined,
      time: (value: string) => timeMs(value) !== undefined,
    },
  ],
  ['emphasis', { level: isEmphasis }],
  ['lang', { 'xml:lang': isLanguageTag }],
  [
    'prosody',
    {
      pitch: (value: string) => PITCH.test(value.trim()),
      rate: (value: string) => rateOf(value) !== undefined,
      volume: (value: string) => gainOf(value) !== undefined,
    },
  ],
  ['say-as', { 'interpret-as': isInterpretation }],
])

export function checkSsml(nodes: readonly XmlNode[], warn: Warn): void {
  for (const node of nodes) {
    if (node.type === 'text') continue
    checkElement(node, warn)
    checkSsml(node.children, warn)
  }
}

function checkElement({ name, attributes }: XmlElement, warn: Warn): void {
  if (name === 'say-as' && !attributes.has('interpret-as'))
    warn(12200, 'Say: <say-as> has no interpret-as; its text is spoken as it stands')
  for (const [attribute, isValue] of Object.entries(VALUES.get(name) ?? {})) {
    const value = attributes.get(attribute)
    if (value !== undefined && !isValue(value))
      warn(12200, `Say: <${name} ${attribute}="${value}"> is not a value of SSML; ignored`)
  }
}
