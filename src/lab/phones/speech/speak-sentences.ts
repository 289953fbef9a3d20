import { Worker } from 'node:worker_threads'
import { SpeechError } from './flite.js'

export interface SentencesOptions {
  /** The file of the speech thread; tests that run from source give the built one. */
  readonly workerFile?: URL
}

const WORKER_FILE = new URL('./speech-worker.js', import.meta.url)
const LIMIT_MS = 30_000

/** Synthesises every sentence of the phones in one temporary thread; rejects with SpeechError. */
export function speakSentences(
  sentences: readonly string[],
  options: SentencesOptions = {},
): Promise<Int16Array[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(options.workerFile ?? WORKER_FILE, { workerData: sentences })
    const limit = setTimeout(() => {
      fail(new SpeechError('no speech in time'))
    }, LIMIT_MS)
    const fail = (error: Error): void => {
      clearTimeout(limit)
      reject(error)
      void worker.terminate()
    }
    worker.once('message', (spoken: Int16Array[]) => {
      clearTimeout(limit)
      resolve(spoken)
    })
    worker.once('error', (cause) => {
      fail(new SpeechError('the speech thread failed', { cause }))
    })
    worker.once('exit', (code) => {
      // No effect after a message.
      fail(new SpeechError(`the speech thread ended with ${code}`))
    })
  })
}
