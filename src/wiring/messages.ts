/** Wires messaging: the service behind all APIs that send messages, and its carriers. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDestinationsOf } from '../destinations/destinations-of.js'
import { countryOf } from '../destinations/phone-number.js'
import { isShortCode } from '../destinations/short-code.js'
import { createLookupProvider } from '../lookups/create-provider.js'
import { LookupError } from '../lookups/lookup-provider.js'
import type { Mailer } from '../mail/mail.js'
import type { CarrierListener, MessageCarrier, StartedCarrier } from '../messages/carrier.js'
import { createHttpCarrier } from '../messages/http-carrier/http-carrier.js'
import { createMediaLinks } from '../messages/media/media-links.js'
import { createMediaStore, type MediaStore } from '../messages/media/media-store.js'
import { messageMediaApi } from '../messages/media-operations.js'
import { createMessages, type MessageApplications, type Messages } from '../messages/messages.js'
import {
  createLocalOperators,
  firstKnown,
  type OperatorLookup,
  operatorOfName,
} from '../messages/operator-lookup.js'
import { messageProviderApi } from '../messages/provider-operations.js'
import { sendersOwnCampaigns } from '../messages/sending/sender.js'
import { createSimulatedCarrier } from '../messages/simulator/simulated-carrier.js'
import { createSmppCarrier, type SmppBindView } from '../messages/smpp/smpp-carrier.js'
import { findNumberWithSettings } from '../numbers/number-settings.js'
import { SYSTEM_ROUTES } from '../numbers/system-routes.js'
import type { Api } from '../platform/api/api.js'
import type { Reader } from '../platform/database/database.js'
import { InvariantError } from '../platform/errors.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { decodeText } from '../platform/webhooks/decode-text.js'
import type { Registry } from '../registry/registry.js'
import { readMessageDocument } from '../voice/markup/message-document.js'
import { textSoftphone } from '../voice/registrar/text-softphone.js'
import type { Base } from './base.js'
import type { Files } from './files.js'
import type { Billing } from './ledger.js'
import { wireMail } from './mail.js'
import { sendSoftphoneText } from './softphone-texts.js'
import type { Voice } from './voice.js'

export interface MessageParts {
  readonly outbox: Outbox
  readonly callbacks: CallbackOutbox
  readonly files: Pick<Files, 'store'>
  readonly publicUrl: string
  readonly voice: Pick<Voice, 'registration' | 'telephony'>
}

/** File in DATA_DIR: maps E.164 prefixes to the registry's operator numbers. */
const OPERATORS_TABLE = 'message-operators.json'

export interface WiredMessages extends Messages {
  /** Returns the connections to short message centres. */
  binds(): readonly SmppBindView[]
}

/** Creates messaging without starting it; its channel must open before the outbox starts. */
export function wireMessages(
  base: Base,
  parts: MessageParts,
  { ledger }: Pick<Billing, 'ledger'>,
  { maySend }: Pick<Registry, 'maySend'>,
): WiredMessages {
  const { clock, dataDir, db, disposer, log, outbound, vault } = base
  const { callbacks, files, outbox, publicUrl } = parts
  const mediaStore = createMediaStore({
    outbound,
    files: files.store,
    folder: join(dataDir, 'message-media-building'),
  })
  const { carriers, binds, start } = wireCarriers(base, mediaStore)
  const [carrier, ...otherCarriers] = carriers
  const messages = disposer.use(
    createMessages({
      db,
      clock,
      log,
      carrier,
      otherCarriers,
      operators: operatorsOf(base),
      ledger,
      maySend: sendersOwnCampaigns(db, maySend),
      destinationsOf: createDestinationsOf(base.accounts, [
        ...base.config.calls.blockedPrefixes,
        ...base.config.blockedShortCodes,
      ]),
      applications: applicationsOf(base, { mailer: wireMail(base), voice: parts.voice }),
      outbox,
      callbacks,
      mediaStore,
      mediaLinks: createMediaLinks({
        key: vault.keyFor('links to the media of messages'),
        clock,
        baseUrl: publicUrl,
      }),
    }),
  )
  const { texts } = parts.voice.registration
  texts.onText((text) => sendSoftphoneText(text, { ...base, messages }))
  return {
    ...messages,
    binds,
    start: () => {
      messages.start()
      start(messages)
    },
  }
}

/** Throws an Error that names the table when it cannot be read. */
function operatorsOf(base: Base): OperatorLookup {
  const { config, dataDir, log } = base
  const local = createLocalOperators(readTable(join(dataDir, OPERATORS_TABLE)))
  if (config.lookupProvider === undefined) return local
  const provider = createLookupProvider(base, config.lookupProvider)
  return firstKnown(local, {
    operatorOf: async (e164) => {
      // A short code belongs to no single operator.
      if (isShortCode(e164)) return undefined
      try {
        return operatorOfName((await provider.route(e164, e164)).lec)
      } catch (err) {
        if (!(err instanceof LookupError)) throw err
        log.warn({ err }, 'could not look up the operator of a destination')
        return undefined
      }
    },
  })
}

function readTable(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map()
  let rows: readonly (readonly [string, unknown])[]
  try {
    rows = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object)
  } catch (cause) {
    throw new Error(`${file} is not JSON`, { cause })
  }
  return new Map(
    rows.map(([prefix, operator]) => {
      if (/^\+[1-9]\d{0,14}$/.test(prefix) && typeof operator === 'number')
        return [prefix, operator]
      throw new Error(`${file}: "${prefix}" must be a prefix such as "+1202555" with a number`)
    }),
  )
}

interface Carriers {
  /** The first one is the default for numbers without a route. */
  readonly carriers: readonly [MessageCarrier, ...MessageCarrier[]]
  readonly start: (listener: CarrierListener) => void
  readonly binds: WiredMessages['binds']
}

/** Carriers of messages: the configured SMSCs and HTTP provider; the simulation without either. */
function wireCarriers(base: Base, mediaStore: MediaStore): Carriers {
  const { clock, config, db, disposer, log, outbound } = base
  const { messageProvider: provider, smscs } = config
  const started: StartedCarrier[] = []
  const http = provider && createHttpCarrier({ outbound, provider, mediaStore })
  const smpp = smscs.length > 0 ? createSmppCarrier({ db, clock, log, smscs }) : undefined
  if (smpp !== undefined) started.push(smpp)
  else if (http === undefined) started.push(createSimulatedCarrier({ db, clock, log }))
  for (const carrier of started) disposer.use(carrier)
  const [first, ...others] = [...started, ...(http === undefined ? [] : [http])]
  if (first === undefined) throw new InvariantError('no carrier of messages was wired')
  return {
    carriers: [first, ...others],
    binds: () => smpp?.binds() ?? [],
    start: (listener) => {
      for (const carrier of started) carrier.start(listener)
    },
  }
}

/** APIs for messages other than the account's: media links, and the HTTP provider's webhook. */
export function messageApis(
  { clock, config, log }: Base,
  messages: Messages,
): readonly Api<unknown>[] {
  const secret = config.messageProvider?.secret
  const media = messageMediaApi(messages, log)
  if (secret === undefined) return [media]
  return [media, messageProviderApi({ listener: messages, secret, clock, log })]
}

/** Finds the application that receives a number's inbound messages. */
function applicationsOf(
  { accounts, applications, db, numbers, outbound, webhooks }: Base,
  { mailer, voice }: { readonly mailer: Mailer; readonly voice: MessageParts['voice'] },
): MessageApplications {
  return {
    giveToSoftphone: async ({ accountSid, from, to }, body, address) => {
      const phones = address ?? (await softphonesOf(db.read, voice, accountSid, to))
      if (phones === undefined || phones === 'none') return phones ?? 'away'
      const { registration, telephony } = voice
      const text = { accountSid, address: phones, from, body }
      return await textSoftphone({ contacts: registration.contacts, telephony }, text)
    },
    webhookOf: async (e164) => {
      const found = await numbers.called(e164)
      if (found === undefined) return undefined
      const { number, binding } = found
      const sid = binding.smsApplicationSid
      const application =
        sid === undefined ? undefined : await applications.find(number.accountSid, sid)
      const { smsUrl: url, smsMethod, smsFallbackUrl, smsFallbackMethod } = application ?? binding
      if (url === undefined) return undefined
      return {
        url,
        method: smsMethod,
        fallbackUrl: smsFallbackUrl,
        fallbackMethod: smsFallbackMethod,
        applicationSid: application?.sid,
      }
    },
    repliesOf: ({ body, contentType }) => {
      const text = decodeText(body, contentType)
      if (!/^text\/plain/i.test(contentType)) return readMessageDocument(text)
      const nothing = { mediaUrls: [], to: undefined, from: undefined, statusCallback: undefined }
      return text.trim() === '' ? [] : [{ ...nothing, body: text.trim() }]
    },
    countryOf,
    signingOf: async (accountSid) => {
      const account = await accounts.find(accountSid)
      return (
        account && {
          authToken: account.secret,
          secondHeader: account.settings.secondSignatureHeader,
        }
      )
    },
    webhooks,
    outbound,
    mailer,
  }
}

/** Routes with which a number's calls go to a softphone when no application answers them. */
const SOFTPHONE_ROUTES: readonly number[] = [
  SYSTEM_ROUTES.USER,
  SYSTEM_ROUTES.T30,
  SYSTEM_ROUTES.DID,
]

/**
 * The softphone address to which a call to the number would be routed. `none`: not routed to a softphone;
 * undefined: the softphone is not registered.
 */
async function softphonesOf(
  read: Reader,
  { registration }: Pick<MessageParts['voice'], 'registration'>,
  accountSid: string,
  e164: string,
): Promise<string | undefined> {
  const found = await findNumberWithSettings(read, e164)
  if (found === undefined || !SOFTPHONE_ROUTES.includes(found.settings.route)) return 'none'
  const { user, route } = found.settings
  const username = user ?? (await registration.bindings.newestOf(accountSid))?.username
  if (username !== undefined) return `client:${username}`
  return route === SYSTEM_ROUTES.USER ? undefined : 'none'
}
