/** Errors of refused requests to the voice API. */
export const REST_ERRORS = {
  20002: {
    name: 'invalid-friendly-name',
    text: 'FriendlyName has more than 64 characters or more than one line.',
    remedy: 'Shorten it.',
  },
  20003: {
    name: 'authenticate',
    text: 'The account or its token is wrong, or none was given.',
    remedy: 'Send the AccountSid as username and its secret as password of HTTP Basic.',
  },
  20004: {
    name: 'method-not-allowed',
    text: 'The resource exists; it has no such method.',
    remedy: 'Use one of the methods that the Allow header names.',
  },
  20005: {
    name: 'account-not-active',
    text: 'The account is not active: the operator has disabled it, and its calls were ended.',
    remedy: 'Ask the operator to enable it.',
  },
  20006: {
    name: 'access-denied',
    text: "The account allows no requests from this address, or a key asked for what only the account's own secret may do.",
    remedy:
      "Add the address to the account's AllowCidr setting; change keys and the account with its own secret.",
  },
  20007: {
    name: 'page-size-too-large',
    text: 'PageSize is more than 1000.',
    remedy: 'Ask for at most 1000 and follow next_page_uri.',
  },
  20009: {
    name: 'resource-still-in-use',
    text: 'The call is still in progress, or callers wait in the queue: it cannot be deleted.',
    remedy: 'End the call or empty the queue first.',
  },
  20402: {
    name: 'insufficient-balance',
    text: 'The balance of the account does not pay for the call, or the call has spent it and was ended.',
    remedy: 'Pay, or ask the operator for a credit.',
  },
  20404: {
    name: 'not-found',
    text: 'The resource does not exist, or belongs to another account.',
    remedy: 'Check the sid and the account in the path.',
  },
  20413: {
    name: 'request-too-large',
    text: 'The body of the request is too large.',
    remedy: 'Shorten it.',
  },
  20422: {
    name: 'invalid-parameter',
    text: 'A parameter is not valid; the message names it.',
    remedy: 'Correct the parameter.',
  },
  20429: {
    name: 'too-many-requests',
    text: 'Too many requests or calls at once; nothing was done.',
    remedy: 'Try again after the seconds that Retry-After names.',
  },
  20500: {
    name: 'internal-error',
    text: 'The server failed; the failure is logged.',
    remedy: 'Try again, and tell the operator when it stays.',
  },
  20503: {
    name: 'service-unavailable',
    text: 'A server that is needed is away, or this one is shutting down; nothing was done.',
    remedy: 'Try again after the seconds that Retry-After names.',
  },
  21201: {
    name: 'to-missing',
    text: 'To is missing.',
    remedy: 'Give a number in E.164 form or a SIP URI.',
  },
  21205: {
    name: 'invalid-call-url',
    text: 'Url is missing or not an absolute http or https URL, and there is neither Markup nor an ApplicationSid; or the application has no VoiceUrl.',
    remedy:
      'Give an absolute URL, the document itself as Markup, or an application with a VoiceUrl.',
  },
  21206: {
    name: 'invalid-send-digits',
    text: 'SendDigits or Extension has other characters than keys and pauses, or too many.',
    remedy: 'Give at most 32 of 0-9 A-D * # w W.',
  },
  21208: {
    name: 'invalid-timeout',
    text: 'Timeout is not a whole number of seconds from 1.',
    remedy: 'Give whole seconds.',
  },
  21209: {
    name: 'invalid-method',
    text: 'A method is neither GET nor POST.',
    remedy: 'Write `GET` or `POST`.',
  },
  21210: {
    name: 'from-not-verified',
    text: 'The account may show only its own numbers and those that it has verified, and From is neither.',
    remedy: 'Verify the number with OutgoingCallerIds, or call from a number of the account.',
  },
  21211: {
    name: 'invalid-to',
    text: 'To is neither a phone number nor a SIP URI.',
    remedy: 'Write it in E.164 form, such as `+15551234567`, or as `sip:user@host`.',
  },
  21212: {
    name: 'invalid-from',
    text: 'From is neither a phone number nor a SIP URI.',
    remedy: 'Write it in E.164 form, such as `+15551234567`, or as `sip:user@host`.',
  },
  21213: {
    name: 'from-missing',
    text: 'From is missing.',
    remedy: 'Give a number in E.164 form or a SIP URI.',
  },
  21215: {
    name: 'call-country-not-permitted',
    text: 'The number is in another country, and the account may not call abroad.',
    remedy:
      'Ask the operator: the service `intl` of the account, its `phoneRegions`, or an allowed prefix in `destinations`.',
  },
  21216: {
    name: 'call-blocked',
    text: 'The operator of this service does not allow calls to this number, or it is 911 and From has no emergency address.',
    remedy:
      'Ask the operator: `BLOCKED_PREFIXES`, or `destinations` of the account. For 911, give From an address: docs/emergency.md.',
  },
  21218: {
    name: 'invalid-application-sid',
    text: 'ApplicationSid is not the sid of an application of this account.',
    remedy: 'Check the sid.',
  },
  21220: {
    name: 'invalid-call-state',
    text: 'The call, or the conference, is not in progress.',
    remedy: 'Do this only between the answer and the end of a call.',
  },
  21221: {
    name: 'sip-username-too-long',
    text: 'SipAuthUsername has more than 128 characters.',
    remedy: 'Shorten it.',
  },
  21222: {
    name: 'sip-password-too-long',
    text: 'SipAuthPassword has more than 128 characters.',
    remedy: 'Shorten it.',
  },
  21223: {
    name: 'invalid-sip-username',
    text: 'SipAuthUsername has characters that are not allowed.',
    remedy: 'Leave out quotes, backslashes, colons, @ and control characters.',
  },
  21224: {
    name: 'invalid-sip-password',
    text: 'SipAuthPassword has characters that are not allowed.',
    remedy: 'Leave out control characters.',
  },
  21225: {
    name: 'sip-password-without-username',
    text: 'SipAuthPassword is given without SipAuthUsername.',
    remedy: 'Give both, or neither.',
  },
  21227: {
    name: 'sip-headers-too-long',
    text: 'The headers behind the SIP URI of To have 1024 characters or more.',
    remedy: 'Shorten them.',
  },
  21228: {
    name: 'invalid-sip-header-name',
    text: 'A header behind the SIP URI of To may not be sent.',
    remedy: 'Use X-…, User-to-User or Remote-Party-ID.',
  },
  21229: {
    name: 'invalid-sip-header-value',
    text: 'The value of a header behind the SIP URI of To is not percent-encoded text of one line.',
    remedy: 'Percent-encode it, without line breaks.',
  },
  21234: {
    name: 'invalid-machine-detection',
    text: 'MachineDetection or one of its parameters is not known or out of range.',
    remedy:
      'MachineDetection is Enable or DetectMessageEnd; its timeout is 3 to 60 s, its speech threshold 1000 to 6000 ms, its speech end threshold 500 to 5000 ms, its silence timeout 2000 to 10000 ms, its correction window 1000 to 30000 ms.',
  },
  21262: {
    name: 'no-detection-callback',
    text: 'Machine detection was asked for, and there is no URL to tell who answered.',
    remedy: 'Give AsyncAmdStatusCallback, or read AnsweredBy in later webhooks.',
  },
  21401: {
    name: 'invalid-phone-number',
    text: 'PhoneNumber is missing or is not a phone number.',
    remedy: 'Write it in E.164 form, such as `+15551234567`.',
  },
  21402: {
    name: 'invalid-url',
    text: 'A URL is not an absolute http or https URL.',
    remedy: 'Write the scheme and the host.',
  },
  21403: {
    name: 'invalid-http-method',
    text: 'A method is neither GET nor POST.',
    remedy: 'Write `GET` or `POST`.',
  },
  21405: {
    name: 'fallback-without-url',
    text: 'VoiceFallbackUrl needs a VoiceUrl.',
    remedy: 'Set both.',
  },
  21406: {
    name: 'sms-fallback-without-url',
    text: 'SmsFallbackUrl needs an SmsUrl.',
    remedy: 'Set both.',
  },
  21420: {
    name: 'application-not-accessible',
    text: 'VoiceApplicationSid, SmsApplicationSid or the ApplicationSid of a Dial is not the sid of an application of this account.',
    remedy: 'Check the sid; an empty one takes the application from the number.',
  },
  21421: {
    name: 'invalid-incoming-number',
    text: 'PhoneNumber is missing, or is not an E.164 number with its plus sign.',
    remedy: 'Write it in E.164 form, such as `+15551234567`.',
  },
  21422: {
    name: 'number-not-available',
    text: 'The number belongs to another account, or is not in the inventory.',
    remedy: 'Choose one of AvailablePhoneNumbers.',
  },
  21450: {
    name: 'number-already-verified',
    text: 'The account has verified this number already.',
    remedy: 'Use it as From, or delete its caller ID first.',
  },
  21454: {
    name: 'invalid-call-delay',
    text: 'CallDelay is not a whole number of seconds from 0 to 60.',
    remedy: 'Give whole seconds.',
  },
  21456: {
    name: 'invalid-callback-url',
    text: 'StatusCallback is not an absolute http or https URL, or its host name has an underscore.',
    remedy: 'Correct the URL.',
  },
  21451: {
    name: 'invalid-area-code',
    text: 'AreaCode is not a North American area code.',
    remedy: 'Give its three digits.',
  },
  21452: {
    name: 'no-number-of-area-code',
    text: 'No number of this area code is available.',
    remedy: 'Search AvailablePhoneNumbers for others.',
  },
  21481: {
    name: 'invalid-page-token',
    text: 'PageToken did not come from this list.',
    remedy: 'Follow next_page_uri as it is.',
  },
  21609: {
    name: 'invalid-status-callback',
    text: 'StatusCallback is not an absolute http or https URL, or its host name has an underscore.',
    remedy: 'Correct the URL.',
  },
  22003: {
    name: 'queue-name-taken',
    text: 'The account has a queue of that name already.',
    remedy: 'Use that one, or another name.',
  },
  32018: {
    name: 'markup-too-long',
    text: 'Inline markup has more than 4000 characters.',
    remedy: 'Serve the document at a URL.',
  },
  32019: {
    name: 'markup-beside-url',
    text: 'Url and Markup are both given: Markup is used, and Url is not.',
    remedy: 'Give one of them.',
  },
} as const
