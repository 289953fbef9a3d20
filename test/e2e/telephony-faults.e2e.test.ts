import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnServers, openOwnServers } from '../support/media/own-servers.js'
import { startTrunkline } from '../support/process/trunkline.js'

const POLL = { timeout: 30_000, interval: 100 }

let servers: OwnServers
beforeAll(async () => {
  servers = await openOwnServers()
})
afterAll(async () => {
  await servers[Symbol.asyncDispose]()
})

/** A server with these settings says so at /readyz. */
async function expectReadiness(env: Readonly<Record<string, string>>, said: unknown) {
  await using trunkline = await startTrunkline({ ...servers.env, ...env })
  const readiness = async () => {
    const answer = await fetch(`${trunkline.http}/readyz`)
    return { status: answer.status, body: await answer.json() }
  }
  await expect.poll(readiness, POLL).toMatchObject(said as object)
}

const CALLBACK = { MEDIA_CALLBACK_HOST: '127.0.0.1' }
const wrong = (url: string) => url.replace(/:[^:@]*@/, ':wrong@')
const nowhere = (url: string) => url.replace(/:\d+$/, ':9')

describe('/readyz says in one line why no call works', () => {
  it.each<[string, (own: OwnServers['env']) => Readonly<Record<string, string>>, object]>([
    [
      'a wrong secret of drachtio',
      (own) => ({ DRACHTIO_URL: wrong(own.DRACHTIO_URL) }),
      { signaling: 'down', signalingFault: 'drachtio refused the secret' },
    ],
    [
      'a wrong password of FreeSWITCH',
      (own) => ({ FREESWITCH_URL: wrong(own.FREESWITCH_URL) }),
      { media: 'down', mediaFault: 'FreeSWITCH refused the password' },
    ],
    [
      'a drachtio that does not run',
      (own) => ({ DRACHTIO_URL: nowhere(own.DRACHTIO_URL) }),
      { signaling: 'down', signalingFault: 'no connection to drachtio' },
    ],
    [
      'a FreeSWITCH that does not run',
      (own) => ({ FREESWITCH_URL: nowhere(own.FREESWITCH_URL) }),
      { media: 'down', mediaFault: 'no connection to FreeSWITCH' },
    ],
    [
      'a FreeSWITCH that cannot connect back, before a call is lost',
      // Nothing listens there.
      () => ({ ...CALLBACK, MEDIA_CALLBACK_ADDRESS: '127.0.0.9' }),
      {
        media: 'up',
        mediaFault: expect.stringMatching(
          /does not connect back to 127\.0\.0\.9:\d+: check MEDIA/,
        ) as unknown,
      },
    ],
  ])('%s', async (_fault, settings, said) => {
    const body = { status: 'not ready', ...said }
    await expectReadiness(settings(servers.env), { status: 503, body })
  })

  it('and is ready where the address is right', async () => {
    const right = { ...CALLBACK, MEDIA_CALLBACK_ADDRESS: '127.0.0.1' }
    await expectReadiness(right, { status: 200, body: { status: 'ready', media: 'up' } })
  })
})
