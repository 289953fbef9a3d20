import type { AppContext, Application } from '../channel/application.js'
import { readHangupCause } from '../model/hangup-cause.js'
import { readDtmf, sendDigits } from './send-digits.js'

function brief(run: (context: AppContext) => void | Promise<void>): Application {
  return { isPollable: false, holdsAudio: false, run }
}

/** `answer`: does nothing, because calls are answered on arrival. */
export const answer = brief(() => undefined)

/** `start_dtmf`: detects DTMF in the audio of a peer that sends digits as tones. */
export const startDtmf = brief(({ channel }) => {
  channel.leg.media.setDigitDetection(true)
})

export const stopDtmf = brief(({ channel }) => {
  channel.leg.media.setDigitDetection(false)
})

/**
 * `start_dtmf_generate write`: sends digits as tones to a peer that does not support telephone events.
 * Without it, FreeSWITCH sends such digits to the application by INFO.
 */
export const startDtmfGenerate = brief(({ channel, arg, log }) => {
  if (arg === 'write') channel.leg.media.setDigitTones(true)
  else log.warn({ arg, channel: channel.uuid }, 'start_dtmf_generate: only the direction write')
})

export const stopDtmfGenerate = brief(({ channel }) => {
  channel.leg.media.setDigitTones(false)
})

export const hangup = brief(({ channel, arg }) => {
  channel.hangup(readHangupCause(arg), 'us')
})

/**
 * `break [all]`: interrupts the current step of the running application; nothing is queued behind a short
 * application.
 */
export const breakApp = brief(({ channel }) => {
  channel.work.apps.break()
})

/** `park`: does nothing, because a channel is parked while no application runs. */
export const park = brief(() => undefined)

/** `send_dtmf digits[@ms]`: returns before the digits are sent. */
export const sendDtmf = brief(({ channel, arg, log }) => {
  sendDigits(channel, readDtmf(arg), log)
})

/** `queue_dtmf`: handles the digits as if the peer had pressed them. */
export const queueDtmf = brief(({ channel, arg }) => {
  const { digits, durationMs = 250 } = readDtmf(arg)
  for (const digit of digits) channel.receive({ digit, durationMs, source: 'in-band' })
})

export const flushDtmf = brief(({ channel }) => {
  channel.work.digits.flush()
})

export const setMute = brief(({ channel, arg, log }) => {
  const [direction = '', value = ''] = arg.split(' ')
  if (direction !== 'read' && direction !== 'write') {
    log.warn({ arg, channel: channel.uuid }, 'set_mute names no direction')
    return
  }
  channel.leg.media.setMute(direction, value === 'true' || Number(value) > 0)
})

/** `speak`: always fails, because the lab has no speech engine; speech is played from files. */
export const speak = brief(({ channel, log }) => {
  log.error({ channel: channel.uuid }, 'speak: invalid TTS module; speech is played from files')
})

export const logApp = brief(({ channel, arg, log }) => {
  log.info({ text: arg, channel: channel.uuid }, 'log')
})

export const setMediaStats = brief(async ({ channel }) => {
  await channel.setMediaStats()
})

/** `sleep ms`; a digit ends it and stays queued for the next application that reads digits. */
export const sleep: Application = {
  isPollable: true,
  holdsAudio: false,
  async run({ channel, frame, arg, log }) {
    const ms = Number.parseInt(arg, 10)
    if (Number.isNaN(ms)) {
      log.error({ arg, channel: channel.uuid }, 'sleep needs a time')
      return
    }
    if (!channel.work.digits.isEmpty) return
    const forget = channel.work.digits.onArrival(() => {
      frame.interrupt('break')
    })
    await frame.delay(ms)
    forget()
  },
}

/** `echo`: sends the peer's audio back until interrupted. */
export const echo: Application = {
  isPollable: true,
  holdsAudio: true,
  async run({ channel, frame }) {
    const { media } = channel.leg
    frame.takeDigits({ take: () => undefined })
    frame.onSuspend({
      suspend: () => {
        media.setEcho(false)
      },
      resume: () => {
        media.setEcho(true)
      },
    })
    media.setEcho(true)
    await new Promise<void>((resolve) => {
      frame.onInterrupt(() => {
        resolve()
      })
    })
    media.setEcho(false)
  },
}
