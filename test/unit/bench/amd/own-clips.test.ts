import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Decoded, hearFolder } from '../../../bench/amd/own-clips.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { join as joined, silence, speech, tone } from '../../voice/amd/sounds.js'

const SOUNDS: Readonly<Record<string, Decoded>> = {
  'hello.wav': { samples: joined(silence(300), speech(700)), warning: undefined },
  'long.FLAC': { samples: joined(silence(300), speech(4000)), warning: undefined },
  'fax.gsm': { samples: tone([2100], 2000), warning: undefined },
  'cut.wav': { samples: joined(silence(300), speech(700)), warning: 'Premature EOF' },
  'broken.wav': { failure: 'RIFF header not found' },
}

function heard(files: readonly string[]) {
  using folder = tempFolder()
  for (const file of files) {
    mkdirSync(join(folder.path, dirname(file)), { recursive: true })
    writeFileSync(join(folder.path, file), '')
  }
  return hearFolder(folder.path, (file) => SOUNDS[basename(file)] ?? expect.fail(file))
}

describe("an operator's own recordings", () => {
  it('are heard below the folder, and counted where the subfolder says what they are', () => {
    const files = ['hello.wav', 'a/machine/long.FLAC', 'fax/fax.gsm', 'fax/hello.wav', 'notes.txt']
    const { text, unreadable } = heard(files)
    expect(unreadable).toBe(0)
    expect(text.replaceAll(/\| \d+ \|/g, '| … |').split('\n')).toEqual([
      '| file | Enable | after ms | DetectMessageEnd | after ms |',
      '|---|---|---:|---|---:|',
      '| a/machine/long.FLAC | machine_start | … | machine_end_silence | … |',
      '| fax/fax.gsm | fax | … | fax | … |',
      '| fax/hello.wav | human | … | human | … |',
      '| hello.wav | human | … | human | … |',
      '',
      'machine: 1 of 1 right',
      'fax: 1 of 2 right',
    ])
  })

  it('that are broken or cut off are named, and the others are heard', () => {
    const { text, unreadable } = heard(['person/broken.wav', 'person/cut.wav', 'person/hello.wav'])
    expect(unreadable).toBe(1)
    expect(text.split('\n').slice(-4)).toEqual([
      'person: 2 of 2 right',
      '',
      'person/broken.wav was not heard: RIFF header not found',
      'person/cut.wav: Premature EOF',
    ])
  })

  it('must be there', () => {
    expect(() => heard(['notes.txt'])).toThrow('holds no audio file that sox can read')
    expect(() => hearFolder('/nowhere')).toThrow('/nowhere is not a folder')
  })
})
