import type { ErrorNumber } from '../../errors/error-catalogue.js'

/**
 * The attributes and children of each element: the convention's published grammar for every verb, including
 * verbs that this program does not run. Names are case-sensitive. Anything else is a 12200 warning, never a
 * failure.
 */
export interface ElementRule {
  readonly attributes: readonly string[]
  readonly children: readonly string[]
  readonly hasText: boolean
}

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

const rule = (attributes: string, children = '', hasText = false): ElementRule => ({
  attributes: words(attributes),
  children: words(children),
  hasText,
})
const textRule = (attributes: string, children = ''): ElementRule =>
  rule(attributes, children, true)

const STATUS = 'statusCallback statusCallbackMethod statusCallbackEvent'
const RECORDING =
  'recordingStatusCallback recordingStatusCallbackMethod recordingStatusCallbackEvent recordingConfigurationId'
const AMD =
  'machineDetection machineDetectionTimeout machineDetectionSpeechThreshold machineDetectionSpeechEndThreshold machineDetectionSilenceTimeout machineDetectionCorrectionWindow amdStatusCallback amdStatusCallbackMethod'

const SSML_INLINE = 'break emphasis phoneme prosody say-as sub'
const SSML_SENTENCE = `${SSML_INLINE} lang w`
const SSML_PARAGRAPH = `${SSML_SENTENCE} s`
const SSML_ALL = `${SSML_PARAGRAPH} p`

/** The rules by element name, or by `Parent/Name` when an element differs inside that parent. */
export const GRAMMAR: ReadonlyMap<string, ElementRule> = new Map<string, ElementRule>([
  [
    'Response',
    rule(
      '',
      'Connect Dial Echo Enqueue Gather Hangup Leave Pause Pay Play Prompt Queue Record Redirect Refer Reject Say Sms Start Stop',
    ),
  ],
  ['Say', textRule('voice language loop', `${SSML_ALL} speak`)],
  ['Play', textRule('loop digits')],
  ['Pause', rule('length')],
  [
    'Gather',
    rule(
      'action method input timeout finishOnKey numDigits actionOnEmptyResult language hints partialResultCallback partialResultCallbackMethod profanityFilter speechModel speechTimeout bargeIn maxSpeechTime enhanced debug',
      'Say Play Pause',
    ),
  ],
  [
    'Record',
    rule(
      `action method timeout finishOnKey maxLength playBeep trim transcribe transcribeCallback recordingTrack ${RECORDING}`,
    ),
  ],
  [
    'Dial',
    textRule(
      `action method timeout timeLimit callerId callReason hangupOnStar answerOnBridge record recordingTrack trim ringTone sequential referUrl referMethod events passports ${RECORDING}`,
      'Application Client Conference Number Queue Sim Sip WhatsApp',
    ),
  ],
  ['Enqueue', textRule('action method waitUrl waitUrlMethod maxQueueSize workflowSid', 'Task')],
  ['Leave', rule('')],
  ['Hangup', rule('', 'Parameter')],
  ['Redirect', textRule('method')],
  ['Reject', rule('reason', 'Parameter')],
  ['Refer', rule('action method', 'Sip')],
  [
    'Connect',
    rule(
      'action method',
      'Stream ConversationRelay ConversationRelaySession Assistant AiSession Autopilot Conversation Room VirtualAgent',
    ),
  ],
  ['Start', rule('action method', 'Stream Siprec Recording Transcription')],
  // `Recording` is an extension: in the convention, only REST stops a recording.
  ['Stop', rule('', 'Stream Siprec Transcription Recording')],
  ['Stop/Recording', rule('')],
  [
    'Pay',
    rule(
      'input action bankAccountType statusCallback statusCallbackMethod timeout maxAttempts securityCode postalCode minPostalCodeLength paymentConnector paymentMethod tokenType chargeAmount currency description validCardTypes language',
      'Prompt Parameter',
    ),
  ],
  ['Prompt', rule('for errorType cardType attempt requireMatchingInputs', 'Say Play Pause')],
  ['Queue', textRule('url method reservationSid postWorkActivitySid')],
  ['Sms', textRule('to from action method statusCallback')],
  ['Echo', rule('')],

  ['Number', textRule(`url method sendDigits byoc ${STATUS} ${AMD}`)],
  [
    'Sip',
    textRule(`url method sendDigits username password ${STATUS} ${AMD}`, 'Uri Headers Parameter'),
  ],
  ['Refer/Sip', textRule('')],
  ['Uri', textRule('username password priority weight')],
  ['Headers', rule('', 'Header')],
  ['Header', rule('name value')],
  ['Client', textRule(`url method ${STATUS}`, 'Identity Parameter')],
  ['Identity', textRule('')],
  [
    'Conference',
    textRule(
      `muted beep startConferenceOnEnter endConferenceOnExit participantLabel jitterBufferSize waitUrl waitMethod maxParticipants record trim region coach eventCallbackUrl ${STATUS} ${RECORDING}`,
    ),
  ],
  [
    'Application',
    textRule(`url method copyParentTo customerId ${STATUS}`, 'ApplicationSid Parameter'),
  ],
  ['ApplicationSid', textRule('')],
  ['WhatsApp', textRule(`url method ${STATUS}`)],
  ['Sim', textRule('')],
  ['Task', textRule('priority timeout')],

  [
    'Stream',
    rule(
      'url name track connectorName audioFormat sampleRate statusCallback statusCallbackMethod',
      'Parameter',
    ),
  ],
  ['Siprec', rule('name connectorName track statusCallback statusCallbackMethod', 'Parameter')],
  ['Recording', rule(`channels track trim ${RECORDING}`)],
  [
    'Transcription',
    rule(
      'name track statusCallbackUrl statusCallbackMethod languageCode partialResults inboundTrackLabel outboundTrackLabel profanityFilter speechModel hints enableAutomaticPunctuation transcriptionEngine intelligenceService',
      'Config Parameter',
    ),
  ],
  ['Parameter', rule('name value')],
  ['Config', rule('name value')],
  [
    'ConversationRelay',
    rule(
      'url action method language ttsLanguage ttsProvider voice transcriptionLanguage transcriptionProvider speechModel hints interruptible interruptSensitivity preemptible welcomeGreeting welcomeGreetingInterruptible profanityFilter dtmfDetection reportInputDuringAgentSpeech debug events partialPrompts elevenlabsTextNormalization intelligenceService backgroundnoisereduction deepgramsmartformat ignorebackchannel speechtimeout',
      'Language Parameter',
    ),
  ],
  ['Assistant', rule('id welcomeGreeting', 'Language Parameter')],
  ['Language', rule('code ttsProvider voice transcriptionProvider speechModel')],
  ['ConversationRelaySession', rule('connector sessionConfiguration')],
  ['AiSession', rule('aiConnector aiSessionConfiguration')],
  ['Autopilot', textRule('')],
  ['Room', textRule('participantIdentity')],
  [
    'VirtualAgent',
    rule(
      'connectorName language sentimentAnalysis statusCallback statusCallbackMethod',
      'Config Parameter',
    ),
  ],
  [
    'Conversation',
    rule(
      `serviceInstanceSid inboundAutocreation inboundTimeout routingAssignmentTimeout record trim url method ${STATUS} ${RECORDING}`,
    ),
  ],

  ['break', rule('strength time')],
  ['emphasis', textRule('level', SSML_SENTENCE)],
  ['lang', textRule('xml:lang', SSML_ALL)],
  ['p', textRule('', SSML_PARAGRAPH)],
  ['phoneme', textRule('alphabet ph')],
  ['prosody', textRule('volume rate pitch', SSML_ALL)],
  ['s', textRule('', SSML_SENTENCE)],
  ['say-as', textRule('interpret-as format')],
  ['speak', textRule('version xmlns xml:lang', SSML_ALL)],
  ['sub', textRule('alias')],
  ['w', textRule('role', SSML_INLINE)],
])

/** Say and the elements of SSML. */
export const SPEECH: ReadonlySet<string> = new Set(['Say', 'speak', ...words(SSML_ALL)])

/** The documented warnings for a wrong child, by parent. */
export const NESTING_WARNINGS: ReadonlyMap<string, ErrorNumber> = new Map([
  ['Dial', 13215],
  ['Gather', 13320],
])

export function ruleOf(name: string, parent?: string): ElementRule | undefined {
  return GRAMMAR.get(`${parent ?? ''}/${name}`) ?? GRAMMAR.get(name)
}
