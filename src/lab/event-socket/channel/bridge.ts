import { newBase } from './application-events.js'
import type { Channel } from './channel.js'

/**
 * Bridges two channels: their applications end, then each hears the other. A former partner parks or is hung
 * up. Later commands run on top of the bridge.
 */
export async function bridgeChannels(a: Channel, b: Channel): Promise<void> {
  for (const channel of [a, b]) {
    const former = channel.situation.partner?.channel
    if (former === undefined) continue
    unbridge(channel)
    if (former !== a && former !== b) goOn(former)
  }
  for (const [channel, other] of [[a, b] as const, [b, a] as const]) {
    channel.work.apps.end('redirect')
    channel.variables.setAll({
      bridge_channel: other.profile.channelName,
      bridge_uuid: other.uuid,
      signal_bond: other.uuid,
    })
  }
  a.situation.partner = { channel: b, role: 'originatee' }
  b.situation.partner = { channel: a, role: 'originator' }
  await Promise.all([a.work.apps.idle(), b.work.apps.idle()])
  if (a.isDown || b.isDown || a.situation.partner.channel !== b) return
  connect(a, b)
}

function connect(a: Channel, b: Channel): void {
  for (const channel of [a, b]) {
    channel.unpark()
    channel.progress.bridgedAt = Date.now()
  }
  a.progress.state = 'CS_SOFT_EXECUTE'
  b.progress.state = 'CS_EXCHANGE_MEDIA'
  a.leg.media.bridge(b.leg.media)
  a.fire('CHANNEL_BRIDGE', bridgeHeaders(a, b))
  a.variables.setAll({ bridge_to: b.uuid, last_bridge_to: b.uuid })
  b.variables.setAll({ bridge_to: a.uuid, last_bridge_to: a.uuid })
}

/** Parks a channel and ends its bridge, if any; the former partner keeps running. */
export async function parkChannel(channel: Channel): Promise<void> {
  const former = channel.situation.partner?.channel
  if (former !== undefined) unbridge(channel)
  channel.work.apps.end('redirect')
  await channel.work.apps.idle()
  if (channel.isDown) return
  channel.unpark()
  channel.enterCallState('RINGING')
  channel.progress.state = 'CS_EXECUTE'
  channel.enterCallState('ACTIVE')
  channel.park(newBase('park'))
}

/** Parks both ends of a bridge. */
export async function parkBoth(channel: Channel): Promise<void> {
  const other = channel.situation.partner?.channel
  await Promise.all([parkChannel(channel), other === undefined ? undefined : parkChannel(other)])
}

/** Parks a channel. Its former partner parks too if `park_after_bridge` is set; otherwise it is hung up. */
export async function transferToPark(channel: Channel): Promise<void> {
  const other = channel.situation.partner?.channel
  await parkChannel(channel)
  if (other !== undefined) goOn(other)
}

/** Handles, for the other end of a bridge, the hangup of this end. */
export function partnerHungUp(channel: Channel): void {
  const other = channel.situation.partner?.channel
  if (other === undefined) return
  const { cause } = channel.progress
  other.variables.setAll({ last_bridge_hangup_cause: cause, bridge_hangup_cause: cause })
  unbridge(channel)
  goOn(other)
}

/** Disconnects the audio of a bridge; both channels stay up. */
function unbridge(channel: Channel): void {
  const { partner } = channel.situation
  if (partner === undefined) return
  const other = partner.channel
  const [a, b] = partner.role === 'originatee' ? [channel, other] : [other, channel]
  // The audio is not connected yet if the bridge still waits for applications to end.
  if (a.progress.state === 'CS_SOFT_EXECUTE') {
    a.leg.media.unbridge()
    a.fire('CHANNEL_UNBRIDGE', bridgeHeaders(a, b))
  }
  for (const end of [a, b]) {
    end.situation.partner = undefined
    end.variables.setAll({ bridge_to: undefined, signal_bond: undefined })
  }
}

function goOn(channel: Channel): void {
  if (channel.isDown) return
  if (!channel.variables.isTrue('park_after_bridge')) {
    channel.hangup('NORMAL_CLEARING', 'us')
    return
  }
  channel.progress.state = 'CS_PARK'
  channel.fire('CHANNEL_PARK')
}

function bridgeHeaders(a: Channel, b: Channel): [string, string][] {
  return [
    ['Bridge-A-Unique-ID', a.uuid],
    ['Bridge-B-Unique-ID', b.uuid],
  ]
}
