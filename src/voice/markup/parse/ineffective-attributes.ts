/** Attributes of the convention that are accepted without effect. Pure. */
import { GRAMMAR } from './grammar.js'
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

/**
 * The attributes of Dial without effect around a noun that is entered instead of called. docs/markup.md has
 * the same list.
 */
export const INEFFECTIVE_AROUND: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'Application',
    words('answerOnBridge callReason referMethod referUrl ringTone sequential timeout'),
  ],
  [
    'Conference',
    words(
      'answerOnBridge callReason callerId record recordingStatusCallback recordingStatusCallbackEvent recordingStatusCallbackMethod recordingTrack referMethod referUrl ringTone sequential timeout trim',
    ),
  ],
  ['Queue', words('callReason callerId referMethod referUrl sequential')],
])

const SCHEMA_WARNING = 12200

/** Warns about each attribute without effect in the element and its descendants. */
export function warnOfIneffective(element: XmlElement, warn: Warn): void {
  for (const name of INEFFECTIVE_ATTRIBUTES.get(element.name) ?? []) {
    const value = element.attributes.get(name)
    if (value !== undefined)
      warn(SCHEMA_WARNING, `<${element.name}>: ${name}="${value}" is accepted and has no effect`)
  }
  for (const child of element.children) if (child.type === 'element') warnOfIneffective(child, warn)
}

/** Warns about each attribute of the Dial without effect around its noun. */
export function warnOfIneffectiveAround(noun: string, dial: XmlElement, warn: Warn): void {
  for (const name of INEFFECTIVE_AROUND.get(noun) ?? []) {
    const value = dial.attributes.get(name)
    if (value === undefined) continue
    const own = GRAMMAR.get(noun)?.attributes.includes(name) === true
    const hint = own ? `; write it on the <${noun}>` : ''
    warn(SCHEMA_WARNING, `<Dial>: ${name}="${value}" has no effect around <${noun}>${hint}`)
  }
}

function words(text: string): readonly string[] {
  return text.split(' ')
}
