import { describe, expect, it } from 'vitest'
import { openOwnServers } from '../support/media/own-servers.js'
import { kill, restart } from '../support/process/kill-and-restart.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { reportRow } from '../support/rows/rows.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const NUMBER = '+15551112222'
const POLL = { timeout: 30_000, interval: 50 }
const LIMIT_MS = 120_000
const WAIT_MS = 30_000

/** The parties that a server calls when it is killed: three by REST, the last by a Dial. */
const PARTIES = ['rings', 'says nothing', 'answers meanwhile', 'is dialled'] as const

describe('[F42] a server that is killed while calls ring on a drachtio that lives on', () => {
  it(
    'takes back what rings, ends what was answered meanwhile, and refuses who calls',
    async ({ task }) => {
      await using app = await startVoiceApp()
      await using servers = await openOwnServers()
      const peers = await Promise.all([...PARTIES, 'parent', 'caller'].map(() => SipPeer.open()))
      const [ringing, silent, late, dialled, parent, caller] = peers
      if (!ringing || !silent || !late || !dialled || !parent || !caller) throw new Error('no peer')
      try {
        await using trunkline = await servers.start()
        const { sipPort } = servers
        await trunkline.assignNumber(NUMBER, { voiceUrl: `${app.url}/voice` })
        app.page('/voice', '', { hang: 'headers' })
        app.page('/late', '')
        const sids: string[] = []
        const call = async (peer: SipPeer, markup: string): Promise<PeerCall> => {
          const invited = peer.nextCall(WAIT_MS)
          const { sid } = await trunkline.createCall({
            To: peer.uri('party'),
            From: NUMBER,
            Markup: `<Response>${markup}</Response>`,
            StatusCallback: `${app.url}/status`,
          })
          sids.push(sid)
          return await invited
        }
        const statuses = async () =>
          await Promise.all(sids.map(async (sid) => (await trunkline.fetchCall(sid)).status))

        const rings = await call(ringing, '')
        rings.ring()
        const saysNothing = await call(silent, '')
        saysNothing.respond(100, 'Trying')
        const answersMeanwhile = await call(late, '')
        answersMeanwhile.ring()
        const isDialled = dialled.nextCall(WAIT_MS)
        const talks = await call(
          parent,
          `<Dial action="${app.url}/late"><Sip>${dialled.uri('party')}</Sip></Dial>`,
        )
        await talks.answer()
        const child = await isDialled
        child.ring()
        const calls = caller.call(sipPort, { user: NUMBER })
        await calls.response(180, 'INVITE', WAIT_MS)
        await expect.poll(statuses, POLL).toEqual(['ringing', 'queued', 'ringing', 'in-progress'])
        await expect
          .poll(
            async () => (await trunkline.api('GET', '/Calls.json?Status=ringing')).body['calls'],
          )
          .toHaveLength(4)

        const killedAt = performance.now()
        const restarted = kill(trunkline).then(() => restart(trunkline, servers.env))
        const acknowledged = answersMeanwhile.answer()
        await using again = await restarted
        await rings.request('CANCEL', WAIT_MS)
        await saysNothing.request('CANCEL', WAIT_MS)
        await child.request('CANCEL', WAIT_MS)
        await calls.response(503, 'INVITE', WAIT_MS)
        await talks.request('BYE', WAIT_MS)
        await acknowledged
        await answersMeanwhile.request('BYE', WAIT_MS)
        const ms = Math.round(performance.now() - killedAt)
        for (const each of [rings, saysNothing, child]) each.respond(487, 'Request Terminated')

        const { body } = await again.api('GET', '/Calls.json')
        const ends = body['calls'] as readonly { status: string; direction: string }[]
        expect(ends.map(({ direction, status }) => `${direction} ${status}`).sort()).toEqual([
          'inbound failed',
          'outbound-api completed',
          'outbound-api failed',
          'outbound-api failed',
          'outbound-api failed',
          'outbound-dial failed',
        ])
        for (const sid of sids) expect(await app.completed(sid)).toHaveLength(1)
        await expectNothingLeft(again)
        await servers.expectNothingLeft()
        reportRow(task, 'F42', { 'calls ringing on a living drachtio over after restart ms': ms })
      } finally {
        for (const peer of peers) peer.close()
      }
    },
    LIMIT_MS,
  )
})
