/** Wires the sources of documents and their media. */
import { createDocumentFetcher } from '../voice/host/document-fetcher.js'
import type { DocumentRunDeps } from '../voice/host/run-document.js'
import { runMarkup } from '../voice/markup/run-markup.js'
import { createMediaFetcher } from '../voice/media-files/fetch-media.js'
import { createMediaCache } from '../voice/media-files/media-cache.js'
import { fetchOwnRecordings } from '../voice/media-files/own-recordings.js'
import type { Recordings } from '../voice/recordings/recordings.js'
import { type AccountSpeechDeps, createAccountSpeech } from '../voice/synthesis/account-speech.js'
import { createCommandEngine } from '../voice/synthesis/command-engine.js'
import { createHttpEngine } from '../voice/synthesis/http-engine.js'
import { createSpeech } from '../voice/synthesis/speech.js'
import type { Base } from './base.js'
import { cachePlaces } from './caches.js'

export type DocumentSources = Pick<
  DocumentRunDeps,
  'runMarkup' | 'fetchDocument' | 'fetchMedia' | 'synthesise'
>

export interface DocumentParts {
  readonly recordings: Recordings
  /** Public base URL of this server. */
  readonly baseUrl: string
}

export function wireDocuments(base: Base, { recordings, baseUrl }: DocumentParts): DocumentSources {
  const { accounts, clock, config, disposer, events, outbound, webhooks } = base
  const places = cachePlaces(base)
  const builtIn = disposer.use(
    createSpeech({ ...places.speech, clock, workers: config.speech.workers }),
  )
  const http = disposer.use(createHttpEngine({ ...places.httpSpeech, clock, outbound }))
  const settingsOf = async (sid: string) => (await accounts.find(sid))?.settings.tts ?? {}
  const { command } = config.speech
  const local =
    command === undefined
      ? undefined
      : disposer.use(createCommandEngine({ ...places.commandSpeech, clock, command }))
  const onRequest: AccountSpeechDeps['onRequest'] = ({ accountSid, callSid }, detail) => {
    events.append({ callSid, accountSid, kind: 'synthesis', detail })
  }
  const speak = createAccountSpeech({ builtIn, http, local, settingsOf, clock, onRequest })
  const media = disposer.use(
    createMediaCache({
      ...places.media,
      clock,
      fetch: fetchOwnRecordings({
        recordings,
        baseUrl,
        fetchOther: createMediaFetcher(outbound),
      }),
    }),
  )
  const playable = ({ path }: { path: string }) => ({ type: 'file', path }) as const
  return {
    runMarkup,
    fetchDocument: createDocumentFetcher({ webhooks, accounts, events }),
    fetchMedia: async (url, tenant, signal) => {
      const file = await media.fetchMedia(url, tenant, signal)
      return { source: playable(file), warning: file.warning }
    },
    synthesise: async (...asked) => playable(await speak(...asked)),
  }
}
