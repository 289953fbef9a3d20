import { IS_LAB, secureServers } from '../process/real-servers.js'
import { tempFolder } from '../process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../process/trunkline.js'
import { makeAuthority } from './certificates.js'

/** True on the lab, and when a drachtio with TLS is configured. */
export const HAS_TLS = IS_LAB || process.env['DRACHTIO_TLS_URL'] !== undefined
/** Reason why tests of TLS are skipped otherwise. */
export const NEEDS_TLS = 'needs DRACHTIO_TLS_URL, a drachtio with TLS, and DRACHTIO_TLS_CA'

/** A server with SIP over TLS, and the authority of its certificate. */
export interface SecureTrunkline extends AsyncDisposable {
  readonly trunkline: RunningTrunkline
  readonly authority: { readonly certFile: string }
}

/** Starts a server whose lab has its own certificate, or that uses a drachtio with TLS. */
export async function startSecureTrunkline(): Promise<SecureTrunkline> {
  if (!IS_LAB) {
    const { certFile, ...servers } = await secureServers()
    const trunkline = await startTrunkline({}, servers)
    return {
      trunkline,
      authority: { certFile },
      [Symbol.asyncDispose]: () => trunkline[Symbol.asyncDispose](),
    }
  }
  const folder = tempFolder()
  const authority = await makeAuthority(folder.path)
  const { certFile, keyFile } = await authority.issue('server', ['DNS:localhost', 'IP:127.0.0.1'])
  const trunkline = await startTrunkline({
    SIP_TLS_CERT: certFile,
    SIP_TLS_KEY: keyFile,
    SIP_TLS_PORT: '0',
  })
  return {
    trunkline,
    authority,
    [Symbol.asyncDispose]: async () => {
      await trunkline[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
