import { z } from '@hono/zod-openapi'
import { isSupportedCountry } from 'libphonenumber-js/max'
import type { AccountChange } from '../accounts/accounts.js'
import { USERNAME } from '../accounts/usernames.js'
import { unitsOfDollars } from '../ledger/money.js'
import { cidr, oneLine, url } from './admin-operation.js'

const friendlyName = oneLine(64).openapi({ description: 'A name for people.' })
const accountSid = z.string().openapi({ description: 'AC and 32 hex digits.' })

const usernameField = z
  .string()
  .regex(USERNAME, 'ten digits')
  .openapi({ description: 'The name of the account in the account API: ten digits.' })

const PROFILE_DESCRIPTIONS = {
  email: 'The address of mail, to which recovery links are sent.',
  isAdministrator:
    'True: in the account API it may make accounts, and set what customers may not set.',
  intl: 'True: it may call, and send messages to, other countries. A region or an allowed prefix opens its own.',
} as const

const shownProfile = {
  username: usernameField,
  email: z.string().nullable().openapi({ description: PROFILE_DESCRIPTIONS.email }),
  promo: z.string().nullable().openapi({ description: 'The code that its sign-up gave.' }),
  isAdministrator: z.boolean().openapi({ description: PROFILE_DESCRIPTIONS.isAdministrator }),
  intl: z.boolean().openapi({ description: PROFILE_DESCRIPTIONS.intl }),
  masterAccount: z
    .string()
    .nullable()
    .openapi({ description: 'The sid of the account that is billed; null: itself.' }),
}

export const newAccountResource = z
  .object({
    accountSid,
    authToken: z.string().openapi({
      description: 'The secret: password, key and signing key in one. Keep it; it is shown once.',
    }),
    friendlyName,
    username: usernameField,
  })
  .openapi('CreatedAccount')

/** A field that keeps its value when absent and is cleared by null. */
const clearable = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .openapi({ description })

const text = z.string().min(1).max(1_024)
const method = z.enum(['GET', 'POST'])

/** A header name (RFC 9110 §5.6.2) that HTTP itself does not use. */
const headerName = z
  .string()
  .regex(/^x-[!#$%&'*+.^_`|~0-9a-z-]{1,62}$/i, 'a header name that begins with X-')

const DESCRIPTIONS = {
  callsPerSecond: 'How many calls may start in a second; the server has a default.',
  concurrentCalls: 'How many calls may be under way at once; none: as many as the server takes.',
  waitingCalls: 'How many calls may wait for their turn; the server has a default.',
  requestsPerSecond:
    'How many requests it may send to the voice API in a second; the server has a default.',
  callerIds:
    'The numbers that calls may show as From: any, or only those of the account and those that it has verified.',
  destinations:
    'The numbers that it may call, by prefix; none: all but premium numbers, which need a prefix of their own.',
  callsToOneNumber: 'How many outbound calls to one number may be under way at once; none: any.',
  minutesPerDay:
    'How many minutes its outbound calls may last in a day (UTC) before no other begins; none: any.',
  dollarsPerDay:
    'How many dollars its outbound calls may cost in a day (UTC) before no other begins, with up to four decimals; none: any.',
  secondSignatureHeader: 'A further header that carries the signature of webhooks.',
  keepSipMessages:
    'True: the event log keeps the whole SIP messages of its calls, without credentials. Off unless set.',
  keepSipMessagesOf:
    'Numbers in E.164 from or to which its calls are kept with their whole SIP messages, without credentials.',
  tts: "The account's own speech engine; without a URL the built-in one speaks.",
  stt: 'The recogniser of speech.',
  storage: 'Where recordings are archived.',
  voice: 'The application that answers calls which nothing more specific answers.',
  allowCidr: "Addresses and CIDRs that may use the account's credentials; none: all.",
  phoneRegions: 'ISO codes of the countries whose numbers may be called; none: all numbers.',
} as const

const phoneRegions = z
  .array(z.string().refine(isSupportedCountry, 'an ISO country code, such as US'))
  .max(50)
  .openapi({ description: DESCRIPTIONS.phoneRegions })

const ttsChange = z
  .strictObject({
    url: clearable(url, 'The URL that texts are sent to.'),
    token: clearable(text, 'The Bearer token of that URL.'),
    engineName: clearable(text, 'The name of the engine, as the URL knows it.'),
    defaultVoice: clearable(text, 'The voice of a Say without one.'),
    defaultLanguage: clearable(text, 'The language of a Say without one.'),
  })
  .openapi({ description: DESCRIPTIONS.tts })
const sttChange = z
  .strictObject({
    vendor: clearable(text, 'The recogniser of the media server.'),
    url: clearable(url, 'The URL of an HTTP recogniser.'),
    token: clearable(text, 'The Bearer token of that URL.'),
  })
  .openapi({ description: DESCRIPTIONS.stt })
const storageChange = z
  .strictObject({
    bucket: clearable(text, 'The name of the bucket.'),
    region: clearable(text, 'The region of the bucket.'),
    prefix: clearable(text, 'What the names of objects begin with.'),
    accessKeyId: clearable(text, 'The id of the access key.'),
    secretAccessKey: clearable(text, 'The secret of the access key; never shown.'),
    kmsKeyId: clearable(text, 'The key that objects are encrypted with.'),
  })
  .openapi({ description: DESCRIPTIONS.storage })
const voiceChange = z
  .strictObject({
    url: clearable(url, 'The URL that is asked for a document.'),
    method: clearable(method, 'The method; POST unless set.'),
    fallbackUrl: clearable(url, 'The URL that is asked when the first one fails.'),
    fallbackMethod: clearable(method, 'The method of the fallback; POST unless set.'),
  })
  .openapi({ description: DESCRIPTIONS.voice })

const prefixes = z
  .array(z.string().regex(/^\+[0-9]{0,15}$/, 'a prefix such as +1876'))
  .max(500)
  .readonly()
const destinations = z.strictObject({
  allowed: prefixes.default([]).openapi({
    description: 'With one, every number that begins with none of them is closed.',
  }),
  denied: prefixes
    .default([])
    .openapi({ description: 'Closed, unless a longer allowed prefix opens it.' }),
})

/** An amount in dollars that the ledger can represent exactly. */
const dollars = z
  .number()
  .positive()
  .max(1_000_000)
  .refine((each) => unitsOfDollars(each) !== undefined, 'dollars with up to four decimals')
const count = z.number().int().positive().max(1_000_000)
const callerIdPolicy = z.enum(['any', 'owned-or-verified'])

const changedFields = {
  email: clearable(z.email().max(254), PROFILE_DESCRIPTIONS.email),
  isAdministrator: z
    .boolean()
    .optional()
    .openapi({ description: PROFILE_DESCRIPTIONS.isAdministrator }),
  intl: z.boolean().optional().openapi({ description: PROFILE_DESCRIPTIONS.intl }),
  phoneRegions: phoneRegions.optional(),
  settings: z
    .strictObject({
      callsPerSecond: clearable(z.number().positive().max(10_000), DESCRIPTIONS.callsPerSecond),
      concurrentCalls: clearable(count, DESCRIPTIONS.concurrentCalls),
      waitingCalls: clearable(count, DESCRIPTIONS.waitingCalls),
      requestsPerSecond: clearable(
        z.number().positive().max(100_000),
        DESCRIPTIONS.requestsPerSecond,
      ),
      callerIds: clearable(callerIdPolicy, DESCRIPTIONS.callerIds),
      destinations: clearable(destinations, DESCRIPTIONS.destinations),
      callsToOneNumber: clearable(count, DESCRIPTIONS.callsToOneNumber),
      minutesPerDay: clearable(count, DESCRIPTIONS.minutesPerDay),
      dollarsPerDay: clearable(dollars, DESCRIPTIONS.dollarsPerDay),
      secondSignatureHeader: clearable(headerName, DESCRIPTIONS.secondSignatureHeader),
      keepSipMessages: clearable(z.boolean(), DESCRIPTIONS.keepSipMessages),
      keepSipMessagesOf: clearable(
        z.array(z.string().regex(/^\+[1-9]\d{1,14}$/, 'a number in E.164')).max(100),
        DESCRIPTIONS.keepSipMessagesOf,
      ),
      tts: ttsChange.optional(),
      stt: sttChange.optional(),
      storage: storageChange.optional(),
      voice: voiceChange.optional(),
      allowCidr: z.array(cidr).max(200).optional().openapi({ description: DESCRIPTIONS.allowCidr }),
    })
    .optional()
    .openapi({ description: 'The settings that change.' }),
}

/** The body of POST /accounts. */
export const newAccountBody = z
  .strictObject({ friendlyName, username: usernameField.optional(), ...changedFields })
  .openapi('NewAccount')

/** The body of PATCH /accounts/{accountSid}. */
export const accountChangeBody = z
  .strictObject({ friendlyName: friendlyName.optional(), ...changedFields })
  .openapi('AccountChange')

/** The body of POST /accounts/{accountSid}/password. */
export const passwordBody = z
  .strictObject({
    password: z
      .string()
      .min(8)
      .max(128)
      .optional()
      .openapi({ description: 'The new password; without it one is made.' }),
  })
  .openapi('NewPassword')

export const passwordResource = z
  .object({
    accountSid,
    username: usernameField,
    password: z.string().openapi({ description: 'The new password; it is shown once.' }),
    authToken: z.string().openapi({ description: 'The new token, in place of the former one.' }),
  })
  .openapi('ChangedPassword')

const MAX_OVERLAP_SECONDS = 30 * 86_400

/** The body of POST /Accounts/{accountSid}/RotateKey. */
export const rotateKeyBody = z
  .strictObject({
    overlapSeconds: z
      .number()
      .int()
      .min(0)
      .max(MAX_OVERLAP_SECONDS)
      .default(0)
      .openapi({ description: 'How long the former token stays valid beside the new one.' }),
  })
  .openapi('RotateKey')

export const rotatedKeyResource = z
  .object({
    accountSid,
    authToken: z.string().openapi({ description: 'The new token. Keep it; it is shown once.' }),
    formerTokenValidUntil: z
      .string()
      .nullable()
      .openapi({ description: 'When the former token stops (ISO 8601); null: it has stopped.' }),
  })
  .openapi('RotatedKey')

/** Returns the change in the body. A group that the body omits is absent, not undefined. */
export function changeOf(body: z.infer<typeof accountChangeBody>): AccountChange {
  const { settings, friendlyName: name, phoneRegions: regions } = body
  const { tts, stt, storage, voice, allowCidr, ...rest } = settings ?? {}
  return {
    ...(name === undefined ? {} : { friendlyName: name }),
    ...(regions === undefined ? {} : { phoneRegions: regions }),
    profile: {
      ...('email' in body ? { email: body.email } : {}),
      ...(body.isAdministrator === undefined ? {} : { isAdministrator: body.isAdministrator }),
      ...(body.intl === undefined ? {} : { services: { intl: body.intl } }),
    },
    settings: {
      ...rest,
      ...(tts === undefined ? {} : { tts }),
      ...(stt === undefined ? {} : { stt }),
      ...(storage === undefined ? {} : { storage }),
      ...(voice === undefined ? {} : { voice }),
      ...(allowCidr === undefined ? {} : { allowCidr }),
    },
  }
}

const shown = (description: string) => z.string().optional().openapi({ description })
const hasSecret = (description: string) => z.boolean().openapi({ description })

export const accountResource = z
  .object({
    accountSid,
    friendlyName,
    status: z
      .enum(['active', 'suspended', 'closed', 'unverified'])
      .openapi({ description: 'Only an active account may be used. A sign-up is unverified.' }),
    ...shownProfile,
    phoneRegions: z.array(z.string()).openapi({ description: DESCRIPTIONS.phoneRegions }),
    settings: z
      .object({
        callsPerSecond: z.number().optional().openapi({ description: DESCRIPTIONS.callsPerSecond }),
        concurrentCalls: z
          .number()
          .optional()
          .openapi({ description: DESCRIPTIONS.concurrentCalls }),
        waitingCalls: z.number().optional().openapi({ description: DESCRIPTIONS.waitingCalls }),
        requestsPerSecond: z
          .number()
          .optional()
          .openapi({ description: DESCRIPTIONS.requestsPerSecond }),
        callerIds: callerIdPolicy.optional().openapi({ description: DESCRIPTIONS.callerIds }),
        destinations: destinations.optional().openapi({ description: DESCRIPTIONS.destinations }),
        callsToOneNumber: z
          .number()
          .optional()
          .openapi({ description: DESCRIPTIONS.callsToOneNumber }),
        minutesPerDay: z.number().optional().openapi({ description: DESCRIPTIONS.minutesPerDay }),
        dollarsPerDay: z.number().optional().openapi({ description: DESCRIPTIONS.dollarsPerDay }),
        secondSignatureHeader: shown(DESCRIPTIONS.secondSignatureHeader),
        keepSipMessages: z
          .boolean()
          .optional()
          .openapi({ description: DESCRIPTIONS.keepSipMessages }),
        keepSipMessagesOf: z
          .array(z.string())
          .readonly()
          .optional()
          .openapi({ description: DESCRIPTIONS.keepSipMessagesOf }),
        tts: z
          .object({
            url: shown('The URL that texts are sent to.'),
            hasToken: hasSecret('True when there is a token for it.'),
            engineName: shown('The name of the engine, as the URL knows it.'),
            defaultVoice: shown('The voice of a Say without one.'),
            defaultLanguage: shown('The language of a Say without one.'),
          })
          .openapi({ description: DESCRIPTIONS.tts }),
        stt: z
          .object({
            vendor: shown('The recogniser of the media server.'),
            url: shown('The URL of an HTTP recogniser.'),
            hasToken: hasSecret('True when there is a token for it.'),
          })
          .openapi({ description: DESCRIPTIONS.stt }),
        storage: z
          .object({
            bucket: shown('The name of the bucket.'),
            region: shown('The region of the bucket.'),
            prefix: shown('What the names of objects begin with.'),
            accessKeyId: shown('The id of the access key.'),
            hasSecretAccessKey: hasSecret('True when there is a secret of the access key.'),
            kmsKeyId: shown('The key that objects are encrypted with.'),
          })
          .openapi({ description: DESCRIPTIONS.storage }),
        voice: z
          .object({
            url: shown('The URL that is asked for a document.'),
            method: method.optional().openapi({ description: 'The method; POST unless set.' }),
            fallbackUrl: shown('The URL that is asked when the first one fails.'),
            fallbackMethod: method
              .optional()
              .openapi({ description: 'The method of the fallback; POST unless set.' }),
          })
          .openapi({ description: DESCRIPTIONS.voice }),
        allowCidr: z.array(z.string()).openapi({ description: DESCRIPTIONS.allowCidr }),
      })
      .openapi({ description: 'The settings; of a secret only whether it is set.' }),
    createdAt: z.string().openapi({ description: 'When it was made (ISO 8601).' }),
    updatedAt: z.string().openapi({ description: 'When it changed last (ISO 8601).' }),
  })
  .openapi('OperatedAccount')
