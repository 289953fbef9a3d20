/** Errors of a Dial and its nouns, in the markup or while it calls. */
export const DIAL_ERRORS = {
  13000: {
    name: 'conference-mixed-with-numbers',
    text: 'A Dial holds a Conference, Queue or similar beside other nouns; the others are ignored.',
    remedy: 'Put it into a Dial of its own.',
  },
  13201: {
    name: 'dial-not-allowed-here',
    text: 'Dial or Enqueue cannot be used while a called party is screened.',
    remedy: "Leave it out of the document that the noun's `url` names.",
  },
  13210: {
    name: 'dial-invalid-method',
    text: 'The method of a Dial is neither GET nor POST; POST is used.',
    remedy: 'Write `GET` or `POST`.',
  },
  13212: {
    name: 'dial-invalid-timeout',
    text: 'The timeout of a Dial is not 5 to 600 seconds; 30 is used.',
    remedy: 'Give a whole number of seconds in that range.',
  },
  13213: {
    name: 'dial-invalid-hangup-on-star',
    text: 'The hangupOnStar of a Dial is neither true nor false; false is used.',
    remedy: 'Write `true` or `false`.',
  },
  13214: {
    name: 'dial-invalid-caller-id',
    text: 'The callerId of a Dial is neither a number nor a name; it is ignored.',
    remedy: 'Give a number in E.164 form, such as `+15551234567`.',
  },
  13215: {
    name: 'dial-invalid-child',
    text: 'A Dial holds an element that it cannot hold; it is ignored.',
    remedy: 'Put Number, Sip, Conference or Queue into it.',
  },
  13216: {
    name: 'dial-invalid-time-limit',
    text: 'The timeLimit of a Dial is not 1 to 86400 seconds; 14400 is used.',
    remedy: 'Give a whole number of seconds in that range.',
  },
  13217: {
    name: 'dial-invalid-record',
    text: 'The record, recordingTrack or trim of a Dial is not known; its default is used.',
    remedy: 'Write one of the documented values, such as `record-from-answer`.',
  },
  13218: {
    name: 'dial-invalid-sequential',
    text: 'The sequential of a Dial is neither true nor false; false is used.',
    remedy: 'Write `true` or `false`.',
  },
  13219: {
    name: 'dial-invalid-answer-on-bridge',
    text: 'The answerOnBridge of a Dial is neither true nor false; false is used.',
    remedy: 'Write `true` or `false`.',
  },
  13220: {
    name: 'dial-invalid-ring-tone',
    text: "The ringTone of a Dial is no country's code, or the ringing could not be played.",
    remedy: 'Give a two-letter country code, such as `gb`.',
  },
  13221: {
    name: 'number-invalid-method',
    text: 'The method of a Number is neither GET nor POST; POST is used.',
    remedy: 'Write `GET` or `POST`.',
  },
  13222: {
    name: 'number-invalid-send-digits',
    text: 'The sendDigits of a Number has other characters than keys and pauses; it is ignored.',
    remedy: 'Give at most 32 of 0-9 A-D # * w W.',
  },
  13223: {
    name: 'dial-invalid-number',
    text: 'What a Dial is to call is not a telephone number; it is not dialled.',
    remedy: 'Write it in E.164 form, such as `+15551234567`.',
  },
  13224: {
    name: 'dial-unsupported-number',
    text: 'What a Dial is to call is not a number that can be called.',
    remedy: 'Check the number; it has the wrong length for its country, or no such range exists.',
  },
  13225: {
    name: 'dial-blocked-number',
    text: 'The operator of this service lets nobody call this number, or it is 911 and the caller has no emergency address.',
    remedy:
      'Ask the operator: `BLOCKED_PREFIXES`, or `destinations` of the account. For 911, give the number an address: docs/emergency.md.',
  },
  13226: {
    name: 'dial-unknown-country',
    text: 'The number begins with a country code that does not exist.',
    remedy: 'Check the digits behind the plus sign.',
  },
  13227: {
    name: 'dial-country-not-permitted',
    text: 'The number is of a country that this account does not call.',
    remedy:
      'Ask the operator: `phoneRegions`, the service `intl`, or an allowed prefix in `destinations`.',
  },
  13230: {
    name: 'conference-invalid-muted',
    text: 'The muted of a Conference is neither true nor false; false is used.',
    remedy: 'Write `true` or `false`.',
  },
  13231: {
    name: 'conference-invalid-end-on-exit',
    text: 'The endConferenceOnExit of a Conference is neither true nor false; false is used.',
    remedy: 'Write `true` or `false`.',
  },
  13232: {
    name: 'conference-invalid-start-on-enter',
    text: 'The startConferenceOnEnter of a Conference is neither true nor false; true is used.',
    remedy: 'Write `true` or `false`.',
  },
  13233: {
    name: 'conference-invalid-wait-url',
    text: 'The waitUrl of a Conference is not a web address, or is relative in inline markup; the usual music plays.',
    remedy: 'Give an absolute http or https URL; an empty one means silence.',
  },
  13234: {
    name: 'conference-invalid-wait-method',
    text: 'The waitMethod of a Conference is neither GET nor POST; POST is used.',
    remedy: 'Write `GET` or `POST`.',
  },
  13235: {
    name: 'conference-invalid-beep',
    text: 'The beep of a Conference is not known; true is used.',
    remedy: 'Write `true`, `false`, `onEnter` or `onExit`.',
  },
  13237: {
    name: 'conference-invalid-name',
    text: 'The name of a Conference is empty, longer than 128 characters, or has control characters.',
    remedy: 'Give it a name of 1 to 128 characters that can be printed.',
  },
  13238: {
    name: 'verb-not-allowed-while-waiting',
    text: 'A verb is not allowed in what somebody hears while it waits.',
    remedy: 'Use Play, Say, Pause and Redirect there, in a queue also Gather, Hangup and Leave.',
  },
  13239: {
    name: 'conference-invalid-trim',
    text: 'The trim of a Conference is not known; trim-silence is used.',
    remedy: 'Write `trim-silence` or `do-not-trim`.',
  },
  13240: {
    name: 'conference-invalid-coach',
    text: 'The call to coach is not in the conference, or none was named.',
    remedy: 'Give the sid of a call that is in the conference.',
  },
  13241: {
    name: 'sip-invalid-method',
    text: 'The method of a Sip is neither GET nor POST; POST is used.',
    remedy: 'Write `GET` or `POST`.',
  },
  13242: {
    name: 'sip-invalid-send-digits',
    text: 'The sendDigits of a Sip has other characters than keys and pauses; it is ignored.',
    remedy: 'Give at most 32 of 0-9 A-D # * w W.',
  },
  13243: {
    name: 'sip-invalid-uri',
    text: 'What a Sip or Refer names is not a SIP URI; nothing is done with it.',
    remedy: 'Write `sip:user@host` or `sips:user@host` with at most 255 characters.',
  },
  13244: {
    name: 'dial-sip-password-without-username',
    text: 'A Sip has a password without a username; it is ignored.',
    remedy: 'Give both, or neither.',
  },
  13247: {
    name: 'dial-invalid-caller-id-for-number',
    text: 'A telephone number cannot be called from the caller ID that would be shown.',
    remedy: 'Give a callerId in E.164 form.',
  },
  13248: {
    name: 'dial-caller-id-too-long',
    text: 'The callerId of a Dial has more than 64 characters; it is ignored.',
    remedy: 'Shorten it.',
  },
  13249: {
    name: 'sip-invalid-credentials',
    text: 'The username or password of a Sip cannot be used for digest authentication; both are ignored.',
    remedy: 'Use at most 256 printable characters in each.',
  },
  13250: {
    name: 'dial-too-many-nouns',
    text: 'A Dial or Sip holds more than ten destinations; the first ten are dialled.',
    remedy: 'Leave out what is beyond ten.',
  },
  13251: {
    name: 'dial-sip-headers-too-long',
    text: 'The headers behind a SIP URI are too many or too long; the rest is ignored.',
    remedy: 'Keep them below 1024 characters in all.',
  },
  13252: {
    name: 'sip-header-not-allowed',
    text: 'A header behind a SIP URI may not be sent; it is ignored.',
    remedy: 'Use X-…, User-to-User, Remote-Party-ID, P-Preferred-Identity or P-Called-Party-ID.',
  },
  13253: {
    name: 'sip-header-invalid-value',
    text: 'The value of a header behind a SIP URI is not text of one line; it is ignored.',
    remedy: 'Percent-encode it, without line breaks.',
  },
  13254: {
    name: 'sip-host-unreachable',
    text: 'The host of a SIP URI does not resolve, or leads to an address that may not be called: a private one, or that of a carrier of this server.',
    remedy:
      'Correct the host. For a private network the operator lists its range in `WEBHOOK_ALLOW_CIDRS`. Call a number that a carrier carries by the number itself.',
  },
  13256: {
    name: 'dial-invalid-recording-callback',
    text: 'The recording status callback of a Dial has a URL, method or event that is not known; its default is used.',
    remedy: 'Give an http or https URL; the events are in-progress, completed and absent.',
  },
} as const
