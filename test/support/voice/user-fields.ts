/** Escapes a text for an XML element, or an attribute in double quotes. */
export const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** A destination that hangs up 3 s after its answer, so that long texts are cut. */
const BRIEF = { To: '+15005550009' } as const

type Form = Readonly<Record<string, string>>

const dial = (attributes: string, nouns: string) =>
  `<Response><Dial timeout="5" ${attributes}>${nouns}</Dial></Response>`
const inRoom = (attributes: string, name = 'room'): Form => ({
  ...BRIEF,
  Markup: dial('', `<Conference ${attributes}>${xml(name)}</Conference>`),
})
const enqueued = (attributes: string, name = 'q'): Form => ({
  ...BRIEF,
  Markup: `<Response><Enqueue ${attributes}>${xml(name)}</Enqueue></Response>`,
})
const recorded = (attributes: string): Form => ({
  ...BRIEF,
  Markup: `<Response><Record timeout="1" maxLength="2" ${attributes}/></Response>`,
})
const streamed = (attributes: string, children = ''): Form => ({
  Markup: `<Response><Start><Stream ${attributes}>${children}</Stream></Start><Pause length="1"/></Response>`,
})

/** Fields with a customer's text, each as the form of a call; `app` is the base URL of an application. */
export const USER_FIELDS: Readonly<Record<string, (text: string, app: string) => Form>> = {
  'what is said': (text) => ({ ...BRIEF, Markup: `<Response><Say>${xml(text)}</Say></Response>` }),
  'a Play URL': (text, app) => ({
    Markup: `<Response><Play>${xml(`${app}/tone.wav?x=${text}`)}</Play></Response>`,
  }),
  'Play digits': (text) => ({ Markup: `<Response><Play digits="${xml(text)}"/></Response>` }),
  SendDigits: (text) => ({ SendDigits: text }),
  CallReason: (text) => ({ CallReason: text }),
  'the user of To': (text) => ({ To: `sip:${text}@127.0.0.1:9` }),
  'a parameter of To': (text) => ({ To: `sip:x@127.0.0.1:9;y=${text}` }),
  From: (text) => ({ From: text }),
  'the user of From': (text) => ({ From: `sip:${text}@127.0.0.1` }),
  CallerId: (text) => ({ CallerId: text }),
  CallToken: (text) => ({ CallToken: text }),
  'a voice': (text) => ({ Markup: `<Response><Say voice="${xml(text)}">hello</Say></Response>` }),
  'what ends a Gather': (text) => ({
    Markup: `<Response><Gather timeout="1" finishOnKey="${xml(text)}"><Say>hello</Say></Gather></Response>`,
  }),
  'hints of a Gather': (text) => ({
    Markup: `<Response><Gather timeout="1" hints="${xml(text)}"><Say>hello</Say></Gather></Response>`,
  }),
  'where to go on': (text, app) => ({
    Markup: `<Response><Say>hello</Say><Redirect>${xml(`${app}/next?x=${text}`)}</Redirect></Response>`,
  }),
  "Dial's callerId": (text) => ({
    Markup: dial(`callerId="${xml(text)}"`, '<Number>+15005550005</Number>'),
  }),
  "Dial's ringTone": (text) => ({
    Markup: dial(`ringTone="${xml(text)}"`, '<Number>+15005550005</Number>'),
  }),
  "Dial's callReason": (text) => ({
    Markup: dial(`callReason="${xml(text)}"`, '<Number>+15005550005</Number>'),
  }),
  "Dial's action": (text, app) => ({
    Markup: dial(`action="${xml(`${app}/next?x=${text}`)}"`, '<Number>+15005550005</Number>'),
  }),
  'what Dial dials': (text) => ({ Markup: dial('', xml(text)) }),
  'a Number': (text) => ({ Markup: dial('', `<Number>${xml(text)}</Number>`) }),
  "a Number's sendDigits": (text) => ({
    Markup: dial('', `<Number sendDigits="${xml(text)}">+15005550005</Number>`),
  }),
  'the user of a Sip': (text) => ({
    Markup: dial('', `<Sip>sip:${xml(text)}@127.0.0.1:9</Sip>`),
  }),
  'a parameter of a Sip': (text) => ({
    Markup: dial('', `<Sip>sip:x@127.0.0.1:9;y=${xml(text)}</Sip>`),
  }),
  'a header of a Sip': (text) => ({
    Markup: dial('', `<Sip>sip:x@127.0.0.1:9?X-Account=${xml(text)}</Sip>`),
  }),
  "a header's name of a Sip": (text) => ({
    Markup: dial('', `<Sip>sip:x@127.0.0.1:9?X-${xml(text)}=y</Sip>`),
  }),
  "a Sip's username": (text) => ({
    Markup: dial('', `<Sip username="${xml(text)}" password="x">sip:x@127.0.0.1:9</Sip>`),
  }),
  "a Sip's password": (text) => ({
    Markup: dial('', `<Sip username="x" password="${xml(text)}">sip:x@127.0.0.1:9</Sip>`),
  }),
  SipAuthUsername: (text) => ({ SipAuthUsername: text, SipAuthPassword: 'x' }),
  SipAuthPassword: (text) => ({ SipAuthUsername: 'x', SipAuthPassword: text }),
  "Dial's recordingStatusCallback": (text, app) => ({
    Markup: dial(
      `record="true" recordingStatusCallback="${xml(`${app}/next?x=${text}`)}"`,
      '<Number>+15005550005</Number>',
    ),
  }),
  'the name of a Conference': (text) => inRoom('', text),
  "a Conference's participantLabel": (text) => inRoom(`participantLabel="${xml(text)}"`),
  "a Conference's waitUrl": (text, app) => inRoom(`waitUrl="${xml(`${app}/next?x=${text}`)}"`),
  "a Conference's beep": (text) => inRoom(`beep="${xml(text)}"`),
  "a Conference's coach": (text) => inRoom(`coach="${xml(text)}"`),
  "a Conference's statusCallback": (text, app) =>
    inRoom(
      `statusCallback="${xml(`${app}/next?x=${text}`)}" statusCallbackEvent="join ${xml(text)}"`,
    ),
  "a Conference's recordingStatusCallback": (text, app) =>
    inRoom(`record="record-from-start" recordingStatusCallback="${xml(`${app}/next?x=${text}`)}"`),
  'the name of a Queue to serve': (text) => ({
    Markup: dial('', `<Queue>${xml(text)}</Queue>`),
    ...BRIEF,
  }),
  "a Queue's url": (text, app) => ({
    Markup: dial('', `<Queue url="${xml(`${app}/next?x=${text}`)}">q</Queue>`),
    ...BRIEF,
  }),
  'the name of a queue to wait in': (text) => enqueued('', text),
  "Enqueue's action": (text, app) => enqueued(`action="${xml(`${app}/next?x=${text}`)}"`),
  "Enqueue's waitUrl": (text, app) => enqueued(`waitUrl="${xml(`${app}/next?x=${text}`)}"`),
  "Enqueue's workflowSid": (text) => enqueued(`workflowSid="${xml(text)}"`),
  'a Task of Enqueue': (text) => ({
    ...BRIEF,
    Markup: `<Response><Enqueue><Task>${xml(text)}</Task></Enqueue></Response>`,
  }),
  "Record's action": (text, app) => recorded(`action="${xml(`${app}/next?x=${text}`)}"`),
  'what ends a Record': (text) => recorded(`finishOnKey="${xml(text)}"`),
  "Record's recordingTrack": (text) => recorded(`recordingTrack="${xml(text)}"`),
  "Record's recordingStatusCallback": (text, app) =>
    recorded(
      `recordingStatusCallback="${xml(`${app}/next?x=${text}`)}" recordingStatusCallbackEvent="${xml(text)}"`,
    ),
  "Record's transcribeCallback": (text, app) =>
    recorded(`transcribeCallback="${xml(`${app}/next?x=${text}`)}"`),
  "a Stream's url": (text) => streamed(`url="ws://127.0.0.1:9/${xml(text)}"`),
  "a Stream's name": (text) => streamed(`url="ws://127.0.0.1:9/" name="${xml(text)}"`),
  "a Stream's track": (text) => streamed(`url="ws://127.0.0.1:9/" track="${xml(text)}"`),
  "a Stream's Parameter": (text) =>
    streamed('url="ws://127.0.0.1:9/"', `<Parameter name="${xml(text)}" value="${xml(text)}"/>`),
  'the name of a Stream to stop': (text) => ({
    Markup: `<Response><Stop><Stream name="${xml(text)}"/></Stop><Pause length="1"/></Response>`,
  }),
  'whom to Refer to': (text) => ({
    ...BRIEF,
    Markup: `<Response><Refer><Sip>sip:${xml(text)}@127.0.0.1:9</Sip></Refer></Response>`,
  }),
  RecordingTrack: (text) => ({ Record: 'true', RecordingTrack: text }),
  RecordingStatusCallback: (text, app) => ({
    Record: 'true',
    RecordingStatusCallback: `${app}/next?x=${text}`,
    RecordingStatusCallbackEvent: text,
  }),
  'the trimming of a recording': (text) => ({ Record: 'true', Trim: text }),
  MachineDetection: (text) => ({ MachineDetection: text }),
  AsyncAmdStatusCallback: (text, app) => ({
    ...BRIEF,
    MachineDetection: 'Enable',
    AsyncAmdStatusCallback: `${app}/next?x=${text}`,
  }),
  Url: (text, app) => ({ Url: `${app}/next?x=${text}`, Markup: '' }),
}
