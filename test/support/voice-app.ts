import { HttpSink, type SinkAnswer, type SinkRequest } from './http-sink.js'
import { toneWav } from './wav-bytes.js'

const XML = { 'content-type': 'text/xml' }
const WAIT_MS = 45_000

/** A customer's voice application: pages of markup by path, `/tone.wav`, and what it was told. */
export interface VoiceApp extends AsyncDisposable {
  readonly url: string
  readonly sink: HttpSink
  /** Status callbacks of the call so far, oldest first. */
  callbacks(callSid: string): readonly Readonly<Record<string, string>>[]
  /** Resolves with all callbacks once the terminal one has come; waits 45 s unless told otherwise. */
  completed(callSid: string, limitMs?: number): Promise<readonly Readonly<Record<string, string>>[]>
  /** Resolves with the parameters of the first request to the page (of that call). */
  asked(path: string, callSid?: string): Promise<Readonly<Record<string, string>>>
  page(path: string, verbs: string, extra?: SinkAnswer): void
}

const ENDED = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])

export async function startVoiceApp(): Promise<VoiceApp> {
  const sink = await HttpSink.start()
  const pages = new Map<string, SinkAnswer>()
  sink.script(({ target }) => {
    if (target.startsWith('/tone.wav')) {
      return { headers: { 'content-type': 'audio/wav' }, body: toneWav(440, 3) }
    }
    return pages.get(target.split('?')[0] ?? '') ?? { headers: XML, body: '<Response/>' }
  })
  const callbacks = (callSid: string) =>
    requestsTo(sink, '/status').filter((params) => params['CallSid'] === callSid)
  return {
    url: sink.url,
    sink,
    callbacks,
    page: (path, verbs, extra) => {
      pages.set(path, { headers: XML, body: `<Response>${verbs}</Response>`, ...extra })
    },
    completed: async (callSid, limitMs) => {
      const isEnded = () =>
        callbacks(callSid).some((params) => ENDED.has(params['CallStatus'] ?? ''))
      await waitFor(sink, `the end of ${callSid}`, isEnded, limitMs)
      return callbacks(callSid)
    },
    asked: async (path, callSid) => {
      const find = () =>
        requestsTo(sink, path).find(
          (params) => callSid === undefined || params['CallSid'] === callSid,
        )
      await waitFor(sink, `a request to ${path}`, () => find() !== undefined)
      return find() ?? {}
    },
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  }
}

function requestsTo(sink: HttpSink, path: string): readonly Readonly<Record<string, string>>[] {
  const isTo = ({ target }: SinkRequest) => target.split('?')[0] === path
  return sink.requests.filter(isTo).map(({ params }) => Object.fromEntries(params))
}

async function waitFor(
  sink: HttpSink,
  what: string,
  isReached: () => boolean,
  limitMs = WAIT_MS,
): Promise<void> {
  const end = performance.now() + limitMs
  while (!isReached()) {
    if (performance.now() > end) {
      const seen = sink.requests.map(
        ({ target, params }) => `${target} ${JSON.stringify(Object.fromEntries(params))}`,
      )
      throw new Error(
        `waited ${limitMs} ms for ${what}; the application was asked:\n${seen.slice(-20).join('\n')}`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
