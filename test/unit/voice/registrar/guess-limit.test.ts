import { describe, expect, it } from 'vitest'
import { GuessLimit } from '../../../../src/voice/registrar/guess-limit.js'

const never = () => Promise.resolve(false)
const always = () => Promise.resolve(true)

describe('the limit of guesses', () => {
  it('[B16] refuses an address after ten wrong passwords, then no longer answers it', async () => {
    const limit = new GuessLimit()
    const guess = (user: string) => ({ address: '192.0.2.1', user })
    for (let i = 0; i < 10; i++) {
      expect(await limit.judge(guess(`user${i}`), 0, never)).toBe('try')
      limit.failed(guess(`user${i}`), 0)
    }
    const verdicts = []
    for (let i = 0; i < 12; i++) verdicts.push(await limit.judge(guess('alice'), 0, never))
    expect(verdicts).toEqual([...Array<string>(10).fill('refuse'), 'ignore', 'ignore'])
    // One more try comes back in half a minute.
    expect(await limit.judge(guess('alice'), 30_000, never)).toBe('try')
  })

  it('still lets a user try who is registered from the address of a guesser', async () => {
    const limit = new GuessLimit()
    const address = '192.0.2.1'
    for (let i = 0; i < 10; i++) limit.failed({ address, user: 'guessed' }, 0)
    expect(await limit.judge({ address, user: 'alice' }, 0, always)).toBe('try')
    expect(await limit.judge({ address, user: 'bob' }, 0, never)).toBe('refuse')
    // The guessed user has used up its own tries from there.
    expect(await limit.judge({ address, user: 'guessed' }, 0, always)).toBe('refuse')
  })

  it('gives a guessed user a few tries from each new address, so the owner gets in', async () => {
    const limit = new GuessLimit()
    for (let i = 0; i < 40; i++) limit.failed({ address: `192.0.2.${i}`, user: 'alice' }, 0)
    const owner = { address: '198.51.100.1', user: 'alice' }
    expect(await limit.judge(owner, 0, never)).toBe('try')
    for (let i = 0; i < 3; i++) limit.failed(owner, 0)
    expect(await limit.judge(owner, 0, never)).toBe('refuse')
    expect(await limit.judge({ ...owner, user: 'bob' }, 0, never)).toBe('try')
  })
})
