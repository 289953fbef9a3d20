import { openLab } from '../support/media/lab.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { makeAuthority } from '../support/sip/certificates.js'
import { describeTls } from './telephony-tls.contract.js'

describeTls('the lab', async () => {
  const folder = tempFolder()
  const authority = await makeAuthority(folder.path)
  const { certFile, keyFile } = await authority.issue('server', ['IP:127.0.0.1'])
  const files = { cert: certFile, key: keyFile, ca: authority.certFile }
  const lab = await openLab({ tls: { files, port: 0, checkMs: 60_000 } })
  return {
    drachtioUrl: lab.drachtioUrl,
    freeswitchUrl: lab.freeswitchUrl,
    tlsPort: lab.sipTlsPort ?? 0,
    authority,
    [Symbol.asyncDispose]: async () => {
      await lab[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
})
