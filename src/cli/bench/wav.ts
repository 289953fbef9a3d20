const RATE = 8_000
const FREQUENCY = 440
const AMPLITUDE = 8_000

/** A WAV file of a steady tone: 8 kHz, 16 bit, mono. */
export function toneWav(seconds: number): Buffer {
  const samples = Math.round(RATE * seconds)
  const file = Buffer.alloc(44 + 2 * samples)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + 2 * samples, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(RATE, 24)
  file.writeUInt32LE(2 * RATE, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(2 * samples, 40)
  for (let index = 0; index < samples; index += 1) {
    const value = AMPLITUDE * Math.sin((2 * Math.PI * FREQUENCY * index) / RATE)
    file.writeInt16LE(Math.round(value), 44 + 2 * index)
  }
  return file
}
