import type { MessageApplications } from '../../../src/messages/messages.js'

/** No number has an application. */
export function createSilentApplications(): MessageApplications {
  return {
    webhookOf: () => Promise.resolve(undefined),
    giveToSoftphone: () => Promise.resolve('none'),
    repliesOf: () => [],
    countryOf: () => 'US',
    signingOf: () => Promise.resolve({ authToken: 'secret' }),
    webhooks: { fetch: () => Promise.reject(new Error('nothing is fetched here')) },
    outbound: { request: () => Promise.reject(new Error('nothing is posted here')) },
    mailer: { send: () => Promise.reject(new Error('nothing is mailed here')) },
  }
}
