/** A softphone controlled by a test. It answers every call at once and sends a tone. */
export interface Softphone extends AsyncDisposable {
  readonly sipPort: number
  readonly uri: string
  dial(uri: string): void
  press(digits: string): void
  hold(): void
  resume(): void
  hangUp(): void
  /** Its output so far, including SIP messages. */
  printed(): string
  /** True while audio packets arrive, by its own statistics, which are up to 1 s old. */
  receives(): boolean
  /** Received audio: 16-bit samples at 8 kHz. */
  heard(): Int16Array
}
