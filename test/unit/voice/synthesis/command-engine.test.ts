import { accessSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { createCommandEngine } from '../../../../src/voice/synthesis/command-engine.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { AUDIO_WORKER, rms, samplesOfFile } from '../../../support/sound/sound.js'

const ESPEAK = '/usr/bin/espeak-ng'
const never = new AbortController().signal
const CALL = { accountSid: 'AC1', callSid: 'CA1' }
const BONJOUR = { text: 'Bonjour, comment allez-vous ?', voice: undefined, language: 'fr-FR' }
const VOICES = 'Pty Language\n 5  fr  --/M  French\n'

function isInstalled(): boolean {
  try {
    accessSync(ESPEAK)
    return true
  } catch {
    process.stdout.write('espeak-ng is not installed: its tests are left out\n')
    return false
  }
}

const open = (
  directory: string,
  command: string,
  limits: { timeoutMs?: number; maxOutputBytes?: number } = {},
) =>
  createCommandEngine({
    ...{ ...limits, directory, command, clock: systemClock, workerUrl: AUDIO_WORKER },
  })

/** A program that lists one voice, and then behaves as told. */
function program(folder: string, speaking: string): string {
  const path = join(folder, 'speaker')
  writeFileSync(
    path,
    `#!/bin/sh\nif [ "$1" = --voices ]; then printf '${VOICES}'; exit; fi\n${speaking}\n`,
  )
  chmodSync(path, 0o755)
  return path
}

describe.runIf(isInstalled())('espeak-ng', () => {
  it('speaks French, and slower when the markup says so', async () => {
    using folder = tempFolder()
    await using engine = open(folder.path, ESPEAK)
    const voice = (await engine.voiceFor('fr-FR')) ?? ''
    const plain = await engine.speak(BONJOUR, voice, CALL, never)
    expect(rms(samplesOfFile(plain.path))).toBeGreaterThan(0.02)
    const ssml = `<speak><prosody rate="50%">${BONJOUR.text}</prosody></speak>`
    const markup = { ssml, rate: 0.5, gainDb: 0, unheard: [] }
    const slow = await engine.speak({ ...BONJOUR, markup }, voice, CALL, never)
    expect(slow.durationMs).toBeGreaterThan(plain.durationMs * 1.3)
  })

  it.each([
    ['de-DE', 'de'],
    ['pt-BR', 'pt-br'],
    ['zh-CN', 'cmn'],
    ['no-NO', 'nb'],
    ['xx-XX', undefined],
  ])('a text in %s is spoken by %s', async (language, voice) => {
    using folder = tempFolder()
    await using engine = open(folder.path, ESPEAK)
    expect(await engine.voiceFor(language)).toBe(voice)
  })
})

describe('a speech command that fails', () => {
  it.each([
    ['ends with an error', 'exit 3', 'it ended with status 3', {}],
    ['writes nothing', 'exit 0', 'it ended with status 0', {}],
    ['writes without end', 'exec cat /dev/zero', 'it wrote too much', { maxOutputBytes: 100_000 }],
    ['hangs', 'exec sleep 1000', 'it took more than 200 ms', { timeoutMs: 200 }],
  ])('when it %s: rejects and says so', async (_title, speaking, message, limits) => {
    using folder = tempFolder()
    await using engine = open(folder.path, program(folder.path, speaking), limits)
    await expect(engine.speak(BONJOUR, 'fr', CALL, never)).rejects.toMatchObject({
      name: 'SpeechCommandError',
      message,
    })
  })

  it('gets no element that names a file', async () => {
    using folder = tempFolder()
    const read = join(folder.path, 'read')
    await using engine = open(folder.path, program(folder.path, `cat > ${read}; exit 3`))
    const ssml = '<speak>Bonjour <audio src="$(id)"/><AUDIO src="/etc/hosts">hier</AUDIO>.</speak>'
    const markup = { ssml, rate: 1, gainDb: 0, unheard: [] }
    await expect(engine.speak({ ...BONJOUR, markup }, 'fr', CALL, never)).rejects.toThrow(
      'status 3',
    )
    expect(readFileSync(read, 'utf8')).toBe('<speak>Bonjour hier.</speak>')
  })

  it('is killed when nobody waits for it', async () => {
    using folder = tempFolder()
    await using engine = open(folder.path, program(folder.path, 'exec sleep 1000'))
    const stop = new AbortController()
    const speaking = engine.speak(BONJOUR, 'fr', CALL, stop.signal)
    const reason = new Error('enough')
    stop.abort(reason)
    await expect(speaking).rejects.toBe(reason)
  })

  it('speaks no language when it cannot be run', async () => {
    using folder = tempFolder()
    await using engine = open(folder.path, join(folder.path, 'absent'))
    expect(await engine.voiceFor('fr')).toBeUndefined()
  })
})
