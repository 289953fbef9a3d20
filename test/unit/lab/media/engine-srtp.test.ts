import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import { newMasterKey } from '../../../../src/platform/sdes/crypto-attribute.js'
import { connectPeer, MEDIA_WORKER, remoteOf } from '../../../support/media/rtp-engine.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { usualShare } from '../../../support/sound/tone.js'
import { readWav } from '../../../support/sound/tone-wav.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const start = () =>
  createMediaEngine({
    host: '127.0.0.1',
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
  })

const newKeys = () =>
  ({
    suite: 'AES_CM_128_HMAC_SHA1_80',
    sendKey: newMasterKey('AES_CM_128_HMAC_SHA1_80'),
    receiveKey: newMasterKey('AES_CM_128_HMAC_SHA1_80'),
  }) as const

/** The keys as the other side has them. */
const turned = ({ suite, sendKey, receiveKey }: ReturnType<typeof newKeys>) => ({
  suite,
  sendKey: receiveKey,
  receiveKey: sendKey,
})

it('a secure call is heard, recorded and pressed in both directions, past a roll-over [E41]', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'call.wav')
  await using engine = await start()
  const keys = newKeys()
  const digits: string[] = []
  await using call = await connectPeer(engine, {
    remote: { srtp: keys },
    events: { onDigit: (digit) => digits.push(digit) },
  })
  call.peer.secure(turned(keys))
  const recording = call.endpoint.record(path, { channels: 'mono', isReadOnly: true })
  call.peer.speak(440)
  call.endpoint.setEcho(true)
  await call.peer.waitForTone(440)
  // The peer's sequence numbers begin at 65,500.
  await waitUntil('a roll-over', async () => (await call.endpoint.stats()).packetsReceived > 80)
  await call.peer.waitForTone(440)
  await call.peer.sendDigits('42')
  await waitUntil('both keys', () => digits.join('') === '42')
  await call.endpoint.sendDigits('19')
  await call.peer.waitForDigits('19')
  call.endpoint.stopRecording(path)
  await recording.ended
  const [said = new Int16Array()] = readWav(path).samples
  expect(usualShare(said, 440)).toBeGreaterThan(0.5)
  expect(call.peer.unreadable).toBe(0)
  expect(await call.endpoint.stats()).toMatchObject({ packetsForged: 0, packetsReplayed: 0 })
})

it('a peer with a wrong key is not heard, counted, and told of once [E41]', async () => {
  await using engine = await start()
  let warnings = 0
  await using call = await connectPeer(engine, {
    remote: { srtp: newKeys() },
    events: { onForgedPacket: () => warnings++ },
  })
  call.peer.secure(newKeys())
  call.endpoint.setEcho(true)
  call.peer.speak(440)
  await waitUntil(
    'them to be counted',
    async () => (await call.endpoint.stats()).packetsForged > 20,
  )
  expect(await call.endpoint.stats()).toMatchObject({ packetsReceived: 0 })
  await waitUntil('our packets', () => call.peer.unreadable > 20)
  expect(call.peer.packets).toEqual([])
  expect(warnings).toBe(1)
})

it('a plain packet and a replayed one are dropped [E41]', async () => {
  await using engine = await start()
  const keys = newKeys()
  await using call = await connectPeer(engine, { remote: { srtp: keys } })
  call.peer.speak(440)
  await waitUntil('plain RTP', async () => (await call.endpoint.stats()).packetsForged > 5)
  call.peer.secure(turned(keys))
  await waitUntil('SRTP', async () => (await call.endpoint.stats()).packetsReceived > 5)
  const copy = Buffer.from(call.peer.lastSent ?? [])
  for (let times = 0; times < 3; times++) call.peer.send(copy)
  await waitUntil('replays', async () => (await call.endpoint.stats()).packetsReplayed >= 2)
})

it('new keys in a new exchange take over; the same keys change nothing', async () => {
  await using engine = await start()
  const keys = newKeys()
  await using call = await connectPeer(engine, { remote: { srtp: keys } })
  call.endpoint.setEcho(true)
  call.peer.secure(turned(keys))
  call.peer.speak(440)
  await call.peer.waitForTone(440)
  call.endpoint.setRemote(remoteOf(call.peer, { remote: { srtp: keys } }))
  await waitUntil('more', async () => (await call.endpoint.stats()).packetsReceived > 60)
  await call.peer.waitForTone(440)
  expect(call.peer.unreadable).toBe(0)
  const others = newKeys()
  call.endpoint.setRemote(remoteOf(call.peer, { remote: { srtp: others } }))
  call.peer.secure(turned(others))
  call.peer.forget()
  call.peer.speak(990)
  await call.peer.waitForTone(990)
})
