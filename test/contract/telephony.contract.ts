import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { TelephonyRig, type TelephonyServers } from '../support/media/telephony-rig.js'
import { describeAudio } from './telephony-audio.contract.js'
import { describeCodecs } from './telephony-codecs.contract.js'
import { describeCredentials } from './telephony-credentials.contract.js'
import { describeFaults } from './telephony-faults.contract.js'
import { describeFigures } from './telephony-figures.contract.js'
import { describeForks } from './telephony-forks.contract.js'
import { describeInbound } from './telephony-inbound.contract.js'
import { describeKeysInAudio } from './telephony-keys.contract.js'
import { describeLoopback } from './telephony-loopback.contract.js'
import { describeOutbound } from './telephony-outbound.contract.js'
import { describeRecordings } from './telephony-recordings.contract.js'
import { describeReferrals } from './telephony-refer.contract.js'
import { describeRegister } from './telephony-register.contract.js'
import { describeRooms } from './telephony-rooms.contract.js'
import { describeSecure } from './telephony-secure.contract.js'

/**
 * Short, so that a test need not wait as long as a caller would, and longer than a busy machine
 * pauses a process: a peer of these tests answers at once.
 */
const LIMITS = {
  cancelMs: 1_500,
  byeMs: 1_000,
  ackMs: 3_000,
  refer: { answerMs: 2_500, firstNoticeMs: 2_500, lastNoticeMs: 2_500 },
}

/** Every pair of servers, the lab and real ones, must pass this same list. */
export function describeTelephony(name: string, setUp: () => Promise<TelephonyServers>): void {
  describe(`telephony on ${name}`, () => {
    let servers: TelephonyServers | undefined
    let rig: TelephonyRig | undefined
    const theRig = () => {
      if (!rig) throw new Error('the servers did not start')
      return rig
    }

    beforeAll(async () => {
      servers = await setUp()
      rig = await TelephonyRig.open(servers, { limits: LIMITS })
    })
    afterEach(async () => {
      await theRig().clear()
    })
    afterAll(async () => {
      await rig?.close()
      await servers?.[Symbol.asyncDispose]()
    })

    describeOutbound(theRig)
    describeCredentials(theRig)
    describeInbound(theRig)
    describeCodecs(theRig)
    describeLoopback(theRig)
    describeAudio(theRig)
    describeKeysInAudio(theRig)
    describeSecure(theRig)
    describeFigures(theRig)
    describeRegister(theRig)
    describeForks(theRig)
    describeRecordings(theRig)
    describeRooms(theRig)
    describeReferrals(theRig)
    describeFaults(theRig)
  })
}
