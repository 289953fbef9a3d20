/** The thread for audio work that would delay calls. It does one job at a time, in order. */
import { parentPort } from 'node:worker_threads'
import { createFlite } from '../../../platform/flite/flite.js'
import { UnreadableAudioError } from '../audio-block.js'
import { toTelephoneWav } from '../to-telephone.js'
import { amplifyTelephoneWav } from '../wav.js'
import type { AudioAnswer, AudioJob, AudioTask } from './protocol.js'

const flite = createFlite()
const MAX_SPEECH_MS = 600_000

async function perform(task: AudioTask): Promise<Uint8Array> {
  if (task.type === 'convert') return toTelephoneWav(task.file, task.format, task.maxDurationMs)
  const { text, voice, rate, gainDb } = task
  const wav = await toTelephoneWav(await flite(text, voice, rate), 'wav', MAX_SPEECH_MS)
  return amplifyTelephoneWav(wav, gainDb)
}

async function answerTo({ id, task }: AudioJob): Promise<AudioAnswer> {
  try {
    return { id, type: 'done', wav: await perform(task) }
  } catch (error) {
    const message = error instanceof Error ? error.message : 'unknown failure'
    return { id, type: error instanceof UnreadableAudioError ? 'unreadable' : 'failed', message }
  }
}

parentPort?.on('message', (job: AudioJob) => {
  void answerTo(job).then((answer) => {
    const moved = answer.type === 'done' ? [answer.wav.buffer as ArrayBuffer] : [] // created here, never shared
    parentPort?.postMessage(answer, moved)
  })
})
