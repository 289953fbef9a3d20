/** Wires messaging: the service behind every API that sends messages, and its carrier. */

import { join } from 'node:path'
import type { StartedCarrier } from '../messages/carrier.js'
import { createMediaLinks } from '../messages/media/media-links.js'
import { createMediaStore } from '../messages/media/media-store.js'
import { createMessages, type MessageApplications, type Messages } from '../messages/messages.js'
import { createSimulatedCarrier } from '../messages/simulator/simulated-carrier.js'
import { createSmppCarrier } from '../messages/smpp/smpp-carrier.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import type { Registry } from '../registry/registry.js'
import { readMessageDocument } from '../voice/markup/message-document.js'
import { countryOf } from '../voice/model/address.js'
import type { Base } from './base.js'
import type { Files } from './files.js'
import type { Billing } from './ledger.js'

export interface MessageParts {
  readonly outbox: Outbox
  readonly callbacks: CallbackOutbox
  readonly files: Pick<Files, 'store'>
  readonly publicUrl: string
}

/** Makes the messages without starting them; their channel opens before the outbox starts. */
export function wireMessages(
  base: Base,
  parts: MessageParts,
  { ledger }: Pick<Billing, 'ledger'>,
  { maySend }: Pick<Registry, 'maySend'>,
): Messages {
  const { clock, dataDir, db, disposer, log, outbound, vault } = base
  const { callbacks, files, outbox, publicUrl } = parts
  const carrier = disposer.use(wireCarrier(base))
  const messages = disposer.use(
    createMessages({
      db,
      clock,
      log,
      carrier,
      ledger,
      maySend,
      applications: applicationsOf(base),
      outbox,
      callbacks,
      mediaStore: createMediaStore({
        outbound,
        files: files.store,
        folder: join(dataDir, 'message-media-building'),
      }),
      mediaLinks: createMediaLinks({
        key: vault.keyFor('links to the media of messages'),
        clock,
        baseUrl: publicUrl,
      }),
    }),
  )
  return {
    ...messages,
    start: () => {
      messages.start()
      carrier.start(messages)
    },
  }
}

/** The configured short message centres, or the simulation. */
function wireCarrier({ clock, config, db, log }: Base): StartedCarrier {
  const { smscs } = config
  return smscs.length === 0
    ? createSimulatedCarrier({ db, clock, log })
    : createSmppCarrier({ db, clock, log, smscs })
}

/** What tells the applications of numbers of messages that came in. */
function applicationsOf({ accounts, applications, numbers, webhooks }: Base): MessageApplications {
  return {
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
      const text = body.toString('utf8')
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
  }
}
