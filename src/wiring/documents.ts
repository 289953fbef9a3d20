/** Wires the source of documents, and of the media that they play. */
import { join } from 'node:path'
import { createDocumentFetcher } from '../voice/host/document-fetcher.js'
import type { DocumentRunDeps } from '../voice/host/run-document.js'
import { runMarkup } from '../voice/markup/run-markup.js'
import { createMediaFetcher } from '../voice/media-files/fetch-media.js'
import { createMediaCache } from '../voice/media-files/media-cache.js'
import { createAccountSpeech } from '../voice/synthesis/account-speech.js'
import { createHttpEngine } from '../voice/synthesis/http-engine.js'
import { createSpeech } from '../voice/synthesis/speech.js'
import type { Base } from './base.js'

export type DocumentSources = Pick<
  DocumentRunDeps,
  'runMarkup' | 'fetchDocument' | 'fetchMedia' | 'synthesise'
>

export function wireDocuments(base: Base): DocumentSources {
  const { accounts, clock, dataDir, disposer, events, outbound, webhooks } = base
  const builtIn = disposer.use(createSpeech({ directory: join(dataDir, 'speech'), clock }))
  const directory = join(dataDir, 'speech-http')
  const http = disposer.use(createHttpEngine({ directory, clock, outbound }))
  const settingsOf = async (sid: string) => (await accounts.find(sid))?.settings.tts ?? {}
  const speak = createAccountSpeech({ builtIn, http, settingsOf, clock })
  const media = disposer.use(
    createMediaCache({
      directory: join(dataDir, 'media'),
      clock,
      fetch: createMediaFetcher(outbound),
    }),
  )
  const playable = ({ path }: { path: string }) => ({ type: 'file', path }) as const
  return {
    runMarkup,
    fetchDocument: createDocumentFetcher({ webhooks, accounts, events }),
    fetchMedia: async (url, tenant, signal) =>
      playable(await media.fetchMedia(url, tenant, signal)),
    synthesise: async (...asked) => playable(await speak(...asked)),
  }
}
