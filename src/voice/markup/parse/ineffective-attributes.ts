/** Attributes of the convention that are accepted and have no effect here. Pure. */
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** The attributes by element. docs/markup.md has the same list. */
export const INEFFECTIVE_ATTRIBUTES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Application', ['method', 'url']],
  ['Conference', ['eventCallbackUrl', 'jitterBufferSize', 'recordingConfigurationId', 'region']],
  ['Dial', ['events', 'passports', 'recordingConfigurationId']],
  ['Enqueue', ['workflowSid']],
  [
    'Gather',
    [
      'debug',
      'enhanced',
      'hints',
      'language',
      'maxSpeechTime',
      'partialResultCallback',
      'partialResultCallbackMethod',
      'profanityFilter',
      'speechModel',
      'speechTimeout',
    ],
  ],
  ['Number', ['byoc']],
  ['Queue', ['postWorkActivitySid', 'reservationSid']],
  ['Record', ['recordingConfigurationId']],
  ['Recording', ['recordingConfigurationId']],
  ['Start', ['action', 'method']],
  ['Stream', ['audioFormat', 'connectorName', 'sampleRate']],
  ['Task', ['priority', 'timeout']],
])

const SCHEMA_WARNING = 12200

/** Warns of each attribute without effect in the element and its descendants. */
export function warnOfIneffective(element: XmlElement, warn: Warn): void {
  for (const name of INEFFECTIVE_ATTRIBUTES.get(element.name) ?? []) {
    const value = element.attributes.get(name)
    if (value !== undefined)
      warn(SCHEMA_WARNING, `<${element.name}>: ${name}="${value}" is accepted and has no effect`)
  }
  for (const child of element.children) if (child.type === 'element') warnOfIneffective(child, warn)
}
