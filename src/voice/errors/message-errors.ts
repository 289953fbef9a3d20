/** Errors of messages: of the requests that send them, and of their delivery. */
export const MESSAGE_ERRORS = {
  21408: {
    name: 'message-destination-closed',
    text: 'The account may not send messages to the country, number or short code of To.',
    remedy:
      'Ask the operator: `intl`, `phoneRegions` or `destinations` of the account, or what is blocked.',
  },
  21602: {
    name: 'message-body-missing',
    text: 'A message has no Body.',
    remedy: 'Give a Body of 1 to 1600 characters.',
  },
  21603: {
    name: 'message-from-missing',
    text: 'A message has no From.',
    remedy: 'Give a number of yours that can send messages.',
  },
  21604: {
    name: 'message-to-missing',
    text: 'A message has no To.',
    remedy: 'Give the number of the recipient.',
  },
  21606: {
    name: 'message-from-not-capable',
    text: 'From is not a number of the account, or it cannot send messages.',
    remedy:
      'Use a number of IncomingPhoneNumbers that is under a campaign, or whose capabilities have sms.',
  },
  21610: {
    name: 'recipient-unsubscribed',
    text: 'The recipient has sent STOP to this campaign or number.',
    remedy: 'Send nothing until the recipient sends START.',
  },
  21611: {
    name: 'message-queue-full',
    text: 'So many messages wait for the rate of this campaign or number that another would expire first.',
    remedy: 'Send more slowly, or from a number of another campaign.',
  },
  21617: {
    name: 'message-too-long',
    text: 'The Body of a message has more than 1600 characters.',
    remedy: 'Send several messages.',
  },
  21620: {
    name: 'invalid-media-url',
    text: 'A MediaUrl of a message is no http or https URL of at most 4000 characters.',
    remedy: 'Give the URL of a file that this server can fetch.',
  },
  21623: {
    name: 'too-many-media',
    text: 'A message has more than ten media.',
    remedy: 'Send several messages.',
  },
  21705: {
    name: 'messaging-service-unknown',
    text: 'MessagingServiceSid names no messaging service.',
    remedy: 'Send from a number: give From.',
  },
  30002: {
    name: 'message-account-suspended',
    text: 'The account of a message was disabled before the message was sent.',
    remedy: 'Ask the operator why; nothing is sent while the account is disabled.',
  },
  30003: {
    name: 'handset-unreachable',
    text: 'The carrier could not deliver a message to the handset.',
    remedy: 'Try again later; the handset may be off or out of reach.',
  },
  30005: {
    name: 'handset-unknown',
    text: 'The carrier does not know the destination of a message.',
    remedy: 'Check the number: it may be wrong, or out of service.',
  },
  30007: {
    name: 'message-filtered',
    text: 'The carrier rejected a message.',
    remedy: 'Compare the text with the samples of the campaign.',
  },
  30008: {
    name: 'delivery-failed',
    text: 'A message was not delivered, and the carrier does not say why.',
    remedy: 'Try again; tell the operator when it happens again.',
  },
  30011: {
    name: 'media-not-carried',
    text: 'A message has media, and the carrier of this server takes texts alone.',
    remedy: 'Send the address of the media in the Body.',
  },
  30019: {
    name: 'media-too-large',
    text: 'The media of a message have more than 5 MB together.',
    remedy: 'Send smaller files, or several messages.',
  },
  30034: {
    name: 'number-without-campaign',
    text: 'From is not under a campaign that may send at this moment.',
    remedy:
      'Register a campaign, wait for its approval and put the number under it: docs/registry.md.',
  },
  30036: {
    name: 'message-expired',
    text: 'A message was not delivered within its ValidityPeriod.',
    remedy: 'Give a longer ValidityPeriod, or send more slowly.',
  },
  30409: {
    name: 'message-not-scheduled',
    text: 'A message that is not scheduled cannot be canceled.',
    remedy: 'Cancel before the time of SendAt.',
  },
  35114: {
    name: 'invalid-send-at',
    text: 'SendAt is not an ISO 8601 time from 5 minutes to 35 days ahead.',
    remedy: 'Correct the time; it ends in Z or an offset.',
  },
  35117: {
    name: 'send-at-missing',
    text: 'ScheduleType and SendAt are not both given.',
    remedy: 'Give ScheduleType=fixed with SendAt, or neither.',
  },
} as const
