import type { Application } from '../channel/application.js'
import type { Conferences } from '../conferences/conferences.js'

/**
 * `conference name[@profile][+[pin]][+flags{mute|deaf}]`: the channel is in the room until it is
 * kicked or gone; there are no pins.
 */
export function conferenceApp(conferences: Conferences): Application {
  return {
    isPollable: true,
    // What already plays stands still below the room; what plays on top is heard instead of it.
    holdsAudio: true,
    async run({ channel, frame, arg, log }) {
      const [, name, flags = ''] = /^([^@+]+)[^{]*(?:\{([^}]*)\})?$/.exec(arg) ?? []
      if (name === undefined) {
        log.error({ arg, channel: channel.uuid }, 'a conference without a name')
        return
      }
      const asked = flags.split('|')
      const voice = { speaks: !asked.includes('mute'), hears: !asked.includes('deaf') }
      // Keys are no command in a room here: they are told as events only.
      frame.takeDigits({ take: () => undefined })
      await new Promise<void>((resolve) => {
        const member = conferences.join(name, channel, voice, leave)
        frame.onInterrupt((why) => {
          // What a break ends plays on top, or has just ended.
          if (why !== 'break') leave()
        })
        let isIn = true
        function leave(): void {
          if (!isIn) return
          isIn = false
          conferences.leave(name ?? '', member)
          resolve()
        }
      })
    },
  }
}
