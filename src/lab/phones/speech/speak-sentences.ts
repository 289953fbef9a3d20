import { Worker } from 'node:worker_threads'
import { SpeechError } from './flite.js'

export interface SentencesOptions {
  /** The file of the thread that speaks; tests that run from source name the built one. */
  readonly workerFile?: URL
}

const WORKER_FILE = new URL('./speech-worker.js', import.meta.url)
const LIMIT_MS = 30_000

/** Speaks every sentence the phones know, in one thread that ends with it; rejects with SpeechError. */
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
      // After a message this changes nothing any more.
      fail(new SpeechError(`the speech thread ended with ${code}`))
    })
  })
}
