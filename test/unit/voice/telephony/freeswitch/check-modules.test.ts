import { expect, it } from 'vitest'
import { checkModules } from '../../../../../src/voice/telephony/freeswitch/media-connection.js'

it('accepts a server that has the modules', async () => {
  await expect(checkModules(() => Promise.resolve('true'))).resolves.toBeUndefined()
})

it('names every module that is missing', async () => {
  const missing = ['mod_conference', 'mod_audio_fork']
  const answer = ({ text }: { text: string }) =>
    Promise.resolve(String(!missing.some((module) => text.endsWith(module))))
  await expect(checkModules(answer)).rejects.toMatchObject({
    fault: 'not-ready',
    message:
      'FreeSWITCH has not loaded mod_conference, mod_audio_fork: see freeswitch-conf/freeswitch.xml',
  })
})
