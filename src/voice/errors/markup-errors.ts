/** Errors of a markup document, in its text or while it runs. */
export const MARKUP_ERRORS = {
  12100: {
    name: 'document-parse-failure',
    text: 'The document is not well-formed XML.',
    remedy: 'Check it with an XML parser; `&` in a URL is written `&amp;`.',
  },
  12101: {
    name: 'unsupported-xml-version',
    text: 'The XML declaration names a version other than 1.0 or 1.1.',
    remedy: 'Write `<?xml version="1.0" encoding="UTF-8"?>` or leave the declaration out.',
  },
  12102: {
    name: 'wrong-root-element',
    text: 'The root element of a document is not Response.',
    remedy: 'Put all verbs into one `<Response>` element, written with a capital R.',
  },
  12200: {
    name: 'schema-warning',
    text: 'An element or attribute is unknown, misspelled or out of place, or has no effect here; it was ignored.',
    remedy:
      'Correct the name; names are case-sensitive. docs/markup.md lists the verbs and attributes.',
  },
  12300: {
    name: 'invalid-content-type',
    text: 'The content type of a document is not markup, text or audio.',
    remedy: 'Answer with `text/xml` or `application/xml`.',
  },
  12400: {
    name: 'internal-failure',
    text: 'The document could not be run, through no fault of yours.',
    remedy: "Tell the operator; the server's log names the cause.",
  },
  13310: {
    name: 'gather-invalid-finish-on-key',
    text: 'The finishOnKey of a Gather is not one key; # is used.',
    remedy: 'Give one of 0-9 # *, or nothing for none.',
  },
  13312: {
    name: 'gather-invalid-method',
    text: 'The method of a Gather is neither GET nor POST; POST is used.',
    remedy: 'Write `GET` or `POST`.',
  },
  13313: {
    name: 'gather-invalid-timeout',
    text: 'The timeout of a Gather is not a whole number from 1; 5 is used.',
    remedy: 'Give seconds as a whole number.',
  },
  13314: {
    name: 'gather-invalid-num-digits',
    text: 'The numDigits of a Gather is not a whole number from 1; there is no limit.',
    remedy: 'Give a whole number from 1.',
  },
  13320: {
    name: 'gather-invalid-child',
    text: 'A Gather holds an element that it cannot hold; it is ignored.',
    remedy: 'Put Say, Play or Pause into it.',
  },
  13321: {
    name: 'gather-say-invalid-voice',
    text: 'A Say in a Gather names a voice that is not known.',
    remedy: 'Use man, woman, alice, or a documented Polly or Google voice.',
  },
  13322: {
    name: 'gather-say-invalid-loop',
    text: 'The loop of a Say in a Gather is not a whole number; it is spoken once.',
    remedy: 'Give a whole number from 0.',
  },
  13325: {
    name: 'gather-play-invalid-content',
    text: 'What a Play in a Gather names is not audio of a supported type.',
    remedy: 'Give WAV, AIFF, MP3, GSM or µ-law audio with its content type.',
  },
  13326: {
    name: 'gather-invalid-input',
    text: 'The input of a Gather is not known, or asks for speech, which is not recognised here; keys are taken.',
    remedy: 'Write `dtmf`.',
  },
  13327: {
    name: 'gather-invalid-speech-timeout',
    text: 'The speechTimeout of a Gather is neither seconds from 1 nor auto; the timeout is used.',
    remedy: 'Give seconds as a whole number, or `auto`.',
  },
  13328: {
    name: 'gather-invalid-max-speech-time',
    text: 'The maxSpeechTime of a Gather is not 1 to 60 seconds; 60 is used.',
    remedy: 'Give seconds in that range.',
  },
  13330: {
    name: 'gather-invalid-hints',
    text: 'The hints of a Gather are more than 500, or one has more than 100 characters; they are ignored.',
    remedy: 'Shorten the list.',
  },
  13331: {
    name: 'gather-invalid-language',
    text: 'The language of a Gather is not a language tag; en-US is used.',
    remedy: 'Give a tag such as `en-GB`.',
  },
  13332: {
    name: 'gather-invalid-barge-in',
    text: 'The bargeIn of a Gather is neither true nor false; true is used.',
    remedy: 'Write `true` or `false`.',
  },
  13333: {
    name: 'gather-invalid-profanity-filter',
    text: 'The profanityFilter of a Gather is neither true nor false; true is used.',
    remedy: 'Write `true` or `false`.',
  },
  13334: {
    name: 'gather-invalid-speech-model',
    text: 'The speechModel of a Gather is not known; the default is used.',
    remedy: 'Leave it out, or give the name of a documented model.',
  },
  13335: {
    name: 'gather-speech-timeout-conflict',
    text: 'The speechTimeout auto of a Gather does not go with its default speech model.',
    remedy: 'Name another speechModel, or give seconds.',
  },
  13338: {
    name: 'gather-invalid-action-on-empty-result',
    text: 'The actionOnEmptyResult of a Gather is neither true nor false; false is used.',
    remedy: 'Write `true` or `false`.',
  },
  13410: {
    name: 'play-invalid-loop',
    text: 'The loop of a Play is not a whole number; it is played once.',
    remedy: 'Give a whole number from 0.',
  },
  13420: {
    name: 'play-invalid-content',
    text: 'What a Play names is not audio of a supported type.',
    remedy: 'Give WAV, AIFF, MP3, GSM or µ-law audio with its content type.',
  },
  13430: {
    name: 'play-invalid-digits',
    text: 'The digits of a Play have other characters than keys and pauses; none are played.',
    remedy: 'Give 0-9 A-D # *, w for half a second, W for a second.',
  },
  13510: {
    name: 'say-invalid-loop',
    text: 'The loop of a Say is not a whole number; it is spoken once.',
    remedy: 'Give a whole number from 0.',
  },
  13511: {
    name: 'say-invalid-voice',
    text: "A Say names a voice that is not known; the account's usual one speaks.",
    remedy: 'Use man, woman, alice, or a documented Polly or Google voice.',
  },
  13512: {
    name: 'say-invalid-language',
    text: 'The language of a Say is not a language tag, or no voice here speaks it.',
    remedy: 'Give a tag such as `en-GB`, or set an engine of your own that speaks the language.',
  },
  13520: {
    name: 'say-nothing-to-speak',
    text: 'A Say has no text, or some of it that cannot be spoken.',
    remedy: 'Put text with letters or digits into it.',
  },
  13521: {
    name: 'say-text-too-long',
    text: 'A Say has more text than its voice speaks at once; it is not spoken.',
    remedy:
      'Split it; the usual voices take 4096 characters, Polly voices 3000, Google voices 5000.',
  },
  13610: {
    name: 'record-invalid-method',
    text: 'The method of a Record is neither GET nor POST; POST is used.',
    remedy: 'Write `GET` or `POST`.',
  },
  13611: {
    name: 'record-invalid-timeout',
    text: 'The timeout of a Record is not a whole number from 0; 5 is used.',
    remedy: 'Give seconds of silence; 0 means that silence does not end it.',
  },
  13612: {
    name: 'record-invalid-max-length',
    text: 'The maxLength of a Record is not 2 to 14400 seconds; 3600 is used.',
    remedy: 'Give a whole number of seconds in that range.',
  },
  13613: {
    name: 'record-invalid-finish-on-key',
    text: 'The finishOnKey of a Record has other characters than keys; any key ends it.',
    remedy: 'Give any of 0-9 # *, or nothing for none.',
  },
  13614: {
    name: 'record-not-transcribed',
    text: 'The transcribe of a Record is neither true nor false, or is true: recordings are not transcribed here.',
    remedy: 'Leave transcribe out.',
  },
  13615: {
    name: 'record-too-long-to-transcribe',
    text: 'The maxLength of a Record is more than 120 seconds, of which no transcription is made.',
    remedy: 'Give at most 120 seconds, or leave transcribe out.',
  },
  13616: {
    name: 'record-invalid-play-beep',
    text: 'The playBeep of a Record is neither true nor false; true is used.',
    remedy: 'Write `true` or `false`.',
  },
  13621: {
    name: 'record-invalid-callback',
    text: 'The recording status callback of a Record has a URL, method or event that is not known; its default is used.',
    remedy: 'Give an http or https URL; the events are in-progress, completed and absent.',
  },
  13622: {
    name: 'record-invalid-track',
    text: 'The recordingTrack of a Record is not known; both is used.',
    remedy: 'Write `both`, `inbound` or `outbound`.',
  },
  13699: {
    name: 'record-invalid-trim',
    text: 'The trim of a Record is not known; trim-silence is used.',
    remedy: 'Write `trim-silence` or `do-not-trim`.',
  },
  13710: {
    name: 'redirect-invalid-method',
    text: 'The method of a Redirect is neither GET nor POST; POST is used.',
    remedy: 'Write `GET` or `POST`.',
  },
  13750: {
    name: 'verb-not-supported',
    text: 'A verb or noun is known to the convention but not supported here; the document goes on without it.',
    remedy: 'The list of verbs says what is supported.',
  },
  13801: {
    name: 'refer-not-possible',
    text: 'The far end of the call cannot be referred.',
    remedy: 'Refer works on SIP calls whose far end takes REFER (RFC 3515).',
  },
  13802: {
    name: 'refer-without-url',
    text: 'The far end asked to be referred, and the Dial has no referUrl.',
    remedy: 'Give the Dial a referUrl, or ignore this.',
  },
  13810: {
    name: 'reject-invalid-reason',
    text: 'The reason of a Reject is not known; rejected is used.',
    remedy: 'Write `rejected` or `busy`.',
  },
  13910: {
    name: 'pause-invalid-length',
    text: 'The length of a Pause is not a whole number from 1; one second is used.',
    remedy: 'Give seconds as a whole number.',
  },
  15002: {
    name: 'queue-timeout',
    text: 'Nobody came into the queue that a Dial waited at, within its timeout.',
    remedy: 'Wait longer, or dial the queue when somebody is in it.',
  },
  15004: {
    name: 'relative-url-inline',
    text: 'A URL is relative in markup that was given inline: there is nothing that it could be relative to.',
    remedy: 'Write an absolute URL.',
  },
} as const
