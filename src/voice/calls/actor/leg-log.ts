import type { EventLog } from '../../events/event-log.js'
import type { LegEvents } from '../../telephony/port.js'

/** The error number of a drachtio or FreeSWITCH that is of no use. */
const SERVER_FAULT = 32013

/** Writes what happens on a leg into the event log of its call. */
export function legLog(
  events: Pick<EventLog, 'append'>,
  ids: () => { readonly callSid: string; readonly accountSid: string },
): Pick<LegEvents, 'onSip' | 'onMedia' | 'onFault'> {
  return {
    onSip: (sip) => {
      events.append({ ...ids(), kind: 'sip', detail: { ...sip } })
    },
    onMedia: (media) => {
      events.append({ ...ids(), kind: 'media', detail: { ...media } })
    },
    onFault: (message) => {
      events.append({ ...ids(), kind: 'warning', detail: { code: SERVER_FAULT, message } })
    },
  }
}
