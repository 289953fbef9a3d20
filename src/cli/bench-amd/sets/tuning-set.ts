import type { ClipSet } from './clip-set.js'

/** The set on which the detector's constants may be tuned. */
export const TUNING_SET: ClipSet = {
  name: 'tuning',
  seed: 1101,
  voices: [
    'espeak:en-us+m1',
    'espeak:en-us+m3',
    'espeak:en-us+f1',
    'espeak:en-us+f3',
    'espeak:en-gb+m5',
    'espeak:en-gb+f1',
    'espeak:en-029+m7',
    'espeak:en-gb-x-gbclan+f3',
    'flite:kal16',
    'flite:slt',
  ],
  foreign: [
    {
      voices: ['espeak:es+m3', 'espeak:es+f1'],
      people: ['¿Diga?', '¿Sí, quién es?', 'Hola, buenas tardes.'],
      machines: [
        'Hola, en este momento no puedo atender su llamada. Por favor deje su mensaje después de la señal.',
      ],
    },
  ],
  people: [
    'Hello?',
    'Hello.',
    'Hi.',
    'Yes?',
    'Hey, who is this?',
    'Hello, hello?',
    'This is Martin.',
    'Good morning.',
    'Baker residence.',
    'Yeah, hello?',
    'Anna speaking.',
    'Hello, this is Peter Grant.',
    'Northside Dental, good morning.',
    'Thank you for calling Ellis Motors.',
    'Front desk, how may I help you?',
    'Good afternoon, Lakeview Hotel, Sarah speaking.',
    'Riverside Pharmacy, this is Tom, how can I help you today?',
  ],
  machines: [
    'Hi, you have reached Martin Baker. I cannot come to the phone right now. Please leave your name and number after the tone.',
    'Hello. Nobody is home at the moment. Leave a message and we will call you back as soon as we can.',
    'Your call has been forwarded to an automatic voice message system. Five five five, one two one, four seven, is not available. At the tone, please record your message.',
    'You have reached the voicemail of Anna Grant, sales manager. I am either on another call or away from my desk. Please leave a detailed message.',
    'Thank you for calling Northside Dental. Our office is now closed. Our opening hours are Monday to Friday, nine to five. For emergencies, press one.',
    'The person you are trying to reach is not available. Please try again later.',
    'Hey, it is Tom. You know what to do. Talk to you soon, and have a great day.',
    'Please listen carefully, as our menu options have changed. For sales, press one. For support, press two. For billing, press three.',
  ],
  shortMachines: [
    'Leave a message.',
    'Please speak after the tone.',
    'Not here. Leave a message.',
    'This is Tom. Leave a message.',
  ],
  talk: [
    'So I went down to the market this morning and you would not believe who I met there. Old Mister Cooper, the one with the blue boat, who used to live above the bakery. We talked for almost an hour about the moon, the new school roof and who moved into the room on the second floor.',
    'Ooh, that is good news. I knew you would choose the blue one. Soon we will all move to the new house, and you too should come through in June to see the pool.',
  ],
}
