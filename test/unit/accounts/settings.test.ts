import { describe, expect, it } from 'vitest'
import {
  changedSettings,
  NO_SETTINGS,
  readSettings,
  withoutSecrets,
  writeSettings,
} from '../../../src/accounts/settings.js'

const seal = (secret: string) => `sealed:${Buffer.from(secret).toString('base64')}`
const open = (sealed: string) => Buffer.from(sealed.slice(7), 'base64').toString()

describe('account settings', () => {
  it('come back as they were, and none of their secrets is stored readable', () => {
    const settings = {
      ...NO_SETTINGS,
      callsPerSecond: 3,
      tts: { url: 'https://tts.test/', token: 'tts-secret' },
      stt: { token: 'stt-secret' },
      storage: { bucket: 'calls', secretAccessKey: 'storage-secret' },
      allowCidr: ['192.0.2.0/24'],
    }
    const stored = writeSettings(settings, seal).text
    expect(stored).not.toMatch(/(tts|stt|storage)-secret/)
    expect(readSettings(stored, open)).toEqual(settings)
  })

  it('are all unset in an account that never set any', () => {
    expect(readSettings('{}', open)).toEqual(NO_SETTINGS)
  })

  it('change only in the fields that a change names', () => {
    const before = changedSettings(NO_SETTINGS, {
      secondSignatureHeader: 'X-Second',
      tts: { url: 'https://tts.test/', token: 'one', defaultVoice: 'kal' },
    })
    const after = changedSettings(before, { tts: { token: 'two', defaultVoice: undefined } })
    expect(after.secondSignatureHeader).toBe('X-Second')
    expect(after.tts).toEqual({ url: 'https://tts.test/', token: 'two', defaultVoice: undefined })
  })

  it('show of a secret only whether it is set', () => {
    const shown = withoutSecrets(changedSettings(NO_SETTINGS, { tts: { token: 'tts-secret' } }))
    expect(JSON.stringify(shown)).not.toContain('tts-secret')
    expect(shown.tts.hasToken).toBe(true)
    expect(shown.stt.hasToken).toBe(false)
  })
})
