import type { ClipSet } from './clip-set.js'

/**
 * The FROZEN set. Figures of accuracy are taken on it, so nothing may be tuned on it: no constant
 * of the detector is changed because of a result here, and no voice, text or seed is changed
 * because of a result at all. It shares no voice and no text with the tuning set.
 */
export const FROZEN_SET: ClipSet = {
  name: 'frozen',
  seed: 7741,
  voices: [
    'espeak:en-gb-scotland+m2',
    'espeak:en-gb-scotland+f4',
    'espeak:en-gb-x-rp+m4',
    'espeak:en-gb-x-rp+f5',
    'espeak:en-us-nyc+m6',
    'espeak:en-us-nyc+f2',
    'espeak:en-gb-x-gbcwmd+m8',
    'espeak:en-gb-x-gbcwmd+linda',
    'flite:awb',
    'flite:rms',
  ],
  foreign: [
    {
      voices: ['espeak:de+m2', 'espeak:de+f4'],
      people: ['Ja, bitte?', 'Guten Tag, Schneider am Apparat.'],
      machines: [
        'Der gewünschte Gesprächspartner ist zurzeit nicht erreichbar. Bitte hinterlassen Sie eine Nachricht nach dem Signalton.',
      ],
    },
    {
      voices: ['espeak:it+m4', 'espeak:it+f2'],
      people: ['Pronto?', 'Sì, chi parla?'],
      machines: [
        'Il cliente da lei chiamato non è al momento raggiungibile. La preghiamo di lasciare un messaggio dopo il segnale acustico.',
      ],
    },
  ],
  people: [
    'Hello there.',
    'Hullo?',
    'Yep.',
    'Yes, hello.',
    'Hi, who is calling?',
    'Who is there?',
    'Speaking.',
    'Good evening.',
    'The Walkers.',
    'Daniel here.',
    'This is Rebecca Stone.',
    'Hi, Laura Finch speaking.',
    'Can you hear me?',
    'Just a second.',
    'Hello, yes, who am I talking to?',
    'Oakwood Clinic, good afternoon.',
    'Reception, Emma speaking.',
    'Welcome to Harbour Books.',
    'Carter and Sons, how can I help?',
    'Good day, Summit Insurance, you are speaking with Brian.',
    'Greenfield Veterinary Practice, Julia here, what can I do for you?',
    'Service department, one moment please.',
  ],
  machines: [
    'This is Rebecca Stone. Sorry I missed you. Leave me a note with your number and I will ring you back.',
    'We are unable to take your call at present. If you would like to be contacted, please state your name, your telephone number and the time of your call.',
    'The customer you have dialled is switched off or outside of the coverage area. Your message will be delivered as text.',
    'Hi there, you are through to the Walker family. We are probably out in the garden. Say something nice after the beep.',
    'Good day. All of our agents are busy serving others. Your call is important to us. Kindly hold the line and the next free agent will be with you shortly.',
    'Welcome to the mailbox of two zero seven, nine four six, zero one two three. To leave a voice message, wait for the signal.',
    'Daniel Finch, engineering. I am travelling until the fourteenth with limited access to my messages. In urgent cases contact my colleague Brian on extension twenty two.',
    'Summit Insurance. Our lines are open from eight until six. Calls may be recorded for training and monitoring purposes.',
    'Before I try to connect you, please say who you are and why you are calling. Stay on the line.',
    'You have dialled an incorrect number. Please check it in the directory, then dial once more.',
  ],
  shortMachines: [
    'Please leave your message.',
    'Record your message now.',
    'Mailbox of Laura.',
    'Brian is out. Wait for the beep.',
    'Message, please.',
  ],
  talk: [
    'The train from Aberdeen was late again, so we missed our connection and spent the night in a small hotel beside the river. In the morning the owner served us porridge and told long stories of storms, smugglers and a whale that lost its way in the canal.',
    'Who knew that you could do it too? I used to go to school with Lou, and every noon we would row the canoe through the blue lagoon, humming the same old tune until the moon rose over the dunes.',
    'First remove the cover, then loosen the three screws at the rear. Lift the motor out slowly, clean the contacts with a dry cloth, and check whether the belt shows any cracks before you put everything together again.',
  ],
}
