/** Every sentence that the phones say. */
export const SENTENCES = {
  hello: 'Hello, this is Anna.',
  voicemail:
    'You have reached the voicemail of the laboratory. Nobody can take your call at the moment. ' +
    'Please leave a message after the tone.',
  yes: 'Yes.',
} as const

export type Sentence = keyof typeof SENTENCES
