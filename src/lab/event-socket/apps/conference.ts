import type { Application } from '../channel/application.js'
import type { Conferences } from '../conferences/conferences.js'

/**
 * `conference name[@profile][+[pin]][+flags{mute|deaf}]`: keeps the channel in the conference until it is
 * kicked or hangs up; pins are ignored.
 */
export function conferenceApp(conferences: Conferences): Application {
  return {
    isPollable: true,
    // Playback that already runs is suspended during the conference; playback started later replaces the
    // conference's audio.
    holdsAudio: true,
    async run({ channel, frame, arg, log }) {
      const [, name, flags = ''] = /^([^@+]+)[^{]*(?:\{([^}]*)\})?$/.exec(arg) ?? []
      if (name === undefined) {
        log.error({ arg, channel: channel.uuid }, 'a conference without a name')
        return
      }
      const asked = flags.split('|')
      const voice = { speaks: !asked.includes('mute'), hears: !asked.includes('deaf') }
      // Digits control nothing in a conference; they only cause events.
      frame.takeDigits({ take: () => undefined })
      await new Promise<void>((resolve) => {
        const member = conferences.join(name, channel, voice, leave)
        frame.onInterrupt((why) => {
          // A break ends a playback on top of the conference, not the conference.
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
