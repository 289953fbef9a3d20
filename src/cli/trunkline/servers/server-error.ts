import { FailedError } from '../surroundings.js'

/** The server refused a request or did not answer; the message is for a person. */
export class ServerRefusedError extends FailedError {
  override readonly name = 'ServerRefusedError'
  /** The status of the answer; undefined when there was none. */
  readonly status: number | undefined

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}
