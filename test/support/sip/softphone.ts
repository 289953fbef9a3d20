/** A softphone that a test drives. It answers every call at once and speaks a tone. */
export interface Softphone extends AsyncDisposable {
  readonly sipPort: number
  readonly uri: string
  dial(uri: string): void
  press(digits: string): void
  hold(): void
  resume(): void
  hangUp(): void
  /** The text that it has printed, its SIP messages among it. */
  printed(): string
  /** True while audio packets arrive, by its own figures, which are up to a second old. */
  receives(): boolean
  /** The audio that it has heard: 16-bit samples at 8 kHz. */
  heard(): Int16Array
}
