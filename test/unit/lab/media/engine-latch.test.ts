import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import { connectPeer, MEDIA_WORKER, type PeerCall } from '../../../support/media/rtp-engine.js'
import { RtpPeer } from '../../../support/media/rtp-peer.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { toneShare, usualShare } from '../../../support/sound/tone.js'
import { readWav } from '../../../support/sound/tone-wav.js'
import { waitUntil } from '../../../support/time/wait-until.js'

/** Who called, as the signalling saw it: its SDP names an address of its own network. */
const CALLER = '127.0.0.5'
const ATTACKER = '127.0.0.66'
const RELAY = '127.0.7.7'
const PRIVATE = '192.168.1.5'

const start = (mediaRelays: readonly string[] = []) =>
  createMediaEngine({
    host: '127.0.0.1',
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
    mediaRelays,
  })

type Engine = Awaited<ReturnType<typeof start>>

/** A call whose SDP cannot be reached; the peer's packets come from where it is bound. */
async function callBehindNat(engine: Engine, host = CALLER): Promise<PeerCall> {
  const call = await connectPeer(engine, {
    host,
    remote: { address: PRIVATE, signallingAddress: CALLER },
  })
  call.peer.connect(call.endpoint.port, '127.0.0.1')
  return call
}

async function speakTo(call: PeerCall, host: string, hz: number): Promise<RtpPeer> {
  const peer = await RtpPeer.open({ host })
  peer.connect(call.endpoint.port, '127.0.0.1')
  peer.speak(hz)
  return peer
}

const ignored = async (call: PeerCall) => (await call.endpoint.stats()).packetsIgnored

it('an attacker who sends first hears nothing, is not heard and not recorded; the caller behind its NAT is [E34]', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'call.wav')
  await using engine = await start()
  await using call = await callBehindNat(engine)
  call.endpoint.setEcho(true)
  const recording = call.endpoint.record(path, { channels: 'stereo' })
  await using attacker = await speakTo(call, ATTACKER, 990)
  await waitUntil('the attacker to be ignored', async () => (await ignored(call)) > 20)
  call.peer.speak(440)
  await call.peer.waitForTone(440)
  await waitUntil('more of the attacker', async () => (await ignored(call)) > 40)
  expect(attacker.packets).toEqual([])
  expect(toneShare(call.peer.heard().slice(-3200), 990)).toBeLessThan(0.02)
  call.endpoint.stopRecording(path)
  await recording.ended
  const [said = new Int16Array()] = readWav(path).samples
  expect(toneShare(said, 990)).toBeLessThan(0.02)
  // A busy machine leaves gaps in what the caller says.
  expect(usualShare(said.slice(-3200), 440)).toBeGreaterThan(0.5)
})

it('an attacker does not take over when the caller falls silent [E34]', async () => {
  await using engine = await start()
  await using call = await callBehindNat(engine)
  call.endpoint.setEcho(true)
  call.peer.speak(440)
  await call.peer.waitForTone(440)
  call.peer.mute()
  await using attacker = await speakTo(call, ATTACKER, 990)
  // Longer than a caller must be silent before its own port may change.
  await waitUntil('three seconds of the attacker', async () => (await ignored(call)) > 150)
  expect(attacker.packets).toEqual([])
  call.peer.speak(440)
  call.peer.forget()
  await call.peer.waitForTone(440)
})

it('a caller whose NAT chooses another port is heard there', async () => {
  await using engine = await start()
  await using call = await callBehindNat(engine)
  call.endpoint.setEcho(true)
  call.peer.speak(440)
  await call.peer.waitForTone(440)
  call.peer.mute()
  await using moved = await speakTo(call, CALLER, 660)
  await moved.waitForTone(660)
})

it('a caller behind a media relay of the settings is heard, another relay is not', async () => {
  await using engine = await start(['127.0.7.0/24'])
  await using call = await callBehindNat(engine, RELAY)
  call.endpoint.setEcho(true)
  await using other = await speakTo(call, '127.0.8.8', 990)
  await waitUntil('the other relay to be ignored', async () => (await ignored(call)) > 10)
  call.peer.speak(440)
  await call.peer.waitForTone(440)
  expect(other.packets).toEqual([])
})

it('without a known source of the signalling only the SDP counts', async () => {
  await using engine = await start()
  await using call = await connectPeer(engine, { host: CALLER, remote: { address: PRIVATE } })
  call.peer.connect(call.endpoint.port, '127.0.0.1')
  call.peer.speak(440)
  await waitUntil('the caller to be ignored', async () => (await ignored(call)) > 10)
  expect((await call.endpoint.stats()).packetsReceived).toBe(0)
})
