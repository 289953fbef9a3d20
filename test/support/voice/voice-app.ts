import { HttpSink, type SinkAnswer } from '../http/http-sink.js'
import { toneWav } from '../sound/wav-bytes.js'
import { waitUntil } from '../time/wait-until.js'

const XML = { 'content-type': 'text/xml' }
const WAIT_MS = 45_000

/** A customer's voice application: markup pages by path, `/tone.wav`, and a record of requests. */
export interface VoiceApp extends AsyncDisposable {
  readonly url: string
  readonly sink: HttpSink
  /** Status callbacks of the call so far, oldest first. */
  callbacks(callSid: string): readonly Readonly<Record<string, string>>[]
  /** Resolves with all callbacks once the terminal one has arrived; default time limit 45 s. */
  completed(callSid: string, limitMs?: number): Promise<readonly Readonly<Record<string, string>>[]>
  /** Resolves with the parameters of the first request to the page, or of that call's first one. */
  asked(path: string, callSid?: string): Promise<Readonly<Record<string, string>>>
  page(path: string, verbs: string, extra?: SinkAnswer): void
}

const ENDED = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])

/** Starts the application on a loopback address. */
export async function startVoiceApp(host = '127.0.0.1'): Promise<VoiceApp> {
  const sink = await HttpSink.start(undefined, 0, host)
  const pages = new Map<string, SinkAnswer>()
  sink.script(({ target }) => {
    if (target.startsWith('/tone.wav')) {
      return { headers: { 'content-type': 'audio/wav' }, body: toneWav(440, 3) }
    }
    return pages.get(target.split('?')[0] ?? '') ?? { headers: XML, body: '<Response/>' }
  })
  const seen = requestIndex(sink)
  const callbacks = (callSid: string) => seen('/status', callSid)
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
      await waitForRequest(sink, `the end of ${callSid}`, isEnded, limitMs)
      return callbacks(callSid)
    },
    asked: async (path, callSid) => {
      const find = () => seen(path, callSid)[0]
      await waitForRequest(sink, `a request to ${path}`, () => find() !== undefined)
      return find() ?? {}
    },
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  }
}

type Params = Readonly<Record<string, string>>

/**
 * Indexes the parameters of requests by path, and by path and call. Each request is read once, however many
 * callers wait: hundreds of scans would delay the application's answers.
 */
function requestIndex(sink: HttpSink): (path: string, callSid?: string) => readonly Params[] {
  const byPath = new Map<string, Params[]>()
  let read = 0
  const put = (key: string, params: Params) => {
    const known = byPath.get(key)
    if (known === undefined) byPath.set(key, [params])
    else known.push(params)
  }
  return (path, callSid) => {
    for (const { target, params } of sink.requests.slice(read)) {
      const form = Object.fromEntries(params)
      const [to = ''] = target.split('?')
      put(to, form)
      put(`${to} ${form['CallSid'] ?? ''}`, form)
    }
    read = sink.requests.length
    return [...(byPath.get(callSid === undefined ? path : `${path} ${callSid}`) ?? [])]
  }
}

async function waitForRequest(
  sink: HttpSink,
  what: string,
  isReached: () => boolean,
  limitMs = WAIT_MS,
): Promise<void> {
  const asked = () =>
    sink.requests
      .slice(-20)
      .map(({ target, params }) => `${target} ${JSON.stringify(Object.fromEntries(params))}`)
  // Hundreds of callers may wait at once.
  await waitUntil(what, isReached, limitMs, asked, 20)
}
