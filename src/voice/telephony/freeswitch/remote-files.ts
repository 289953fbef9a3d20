import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import {
  type ApiCommand,
  fileExistsCommand,
  removeFileCommand,
  sendFileCommand,
} from './command-builder.js'

/** The time in which the media server must have sent a file; an hour of two channels has 115 MB. */
const SEND_LIMIT_MS = 300_000

interface RemoteFilesDeps {
  readonly api: (command: ApiCommand) => Promise<string>
  /** Runs a command beside all others; resolves with its answer. */
  readonly background: (command: ApiCommand) => Promise<string>
}

/** The files on the machine of a media server. */
export class RemoteFiles {
  readonly #deps: RemoteFilesDeps

  constructor(deps: RemoteFilesDeps) {
    this.#deps = deps
  }

  async has(path: string): Promise<boolean> {
    return (await this.#deps.api(fileExistsCommand(path))) === 'true'
  }

  /** Has the file sent by PUT. Rejects with AdapterError when the media server could not send it. */
  async send(path: string, url: string): Promise<void> {
    const sent = this.#deps.background(sendFileCommand(url, path))
    const answer = await withLimit(sent, SEND_LIMIT_MS, () => {
      throw new AdapterError('the media server did not send a file in time')
    })
    if (!answer.startsWith('+OK'))
      throw new AdapterError(`the media server could not send a file: ${answer}`)
  }

  async remove(path: string): Promise<void> {
    await this.#deps.api(removeFileCommand(path))
  }
}
