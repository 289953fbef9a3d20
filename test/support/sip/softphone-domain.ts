import type { RunningTrunkline } from '../process/trunkline.js'

export const PASSWORD = 'IWasAtSignal2018'

/** A SIP domain whose users may register and call. */
export interface SoftphoneDomain {
  readonly name: string
  readonly sid: string
  readonly listSid: string
  /** A user's account as a line of baresip's `accounts` file; by default it registers for 60 s over UDP. */
  baresipAccount(
    user: string,
    options?: { readonly seconds?: number; readonly transport?: 'udp' | 'tcp' | 'tls' },
  ): string
  /** Registrations in the API's form. */
  registrations(): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** Creates a domain of the first account, with a credential list for calls and registrations. */
export async function createSoftphoneDomain(
  trunkline: RunningTrunkline,
  users: readonly string[],
  domain: Readonly<Record<string, string>> & { readonly DomainName: string },
): Promise<SoftphoneDomain> {
  const make = async (path: string, form: Readonly<Record<string, string>>) => {
    const { status, body } = await trunkline.api('POST', `/SIP${path}.json`, form)
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body['sid'] as string
  }
  const sid = await make('/Domains', { SipRegistration: 'true', ...domain })
  const listSid = await make('/CredentialLists', { FriendlyName: domain.DomainName })
  for (const Username of users)
    await make(`/CredentialLists/${listSid}/Credentials`, { Username, Password: PASSWORD })
  for (const purpose of ['Calls', 'Registrations'])
    await make(`/Domains/${sid}/Auth/${purpose}/CredentialListMappings`, {
      CredentialListSid: listSid,
    })
  const name = domain.DomainName
  const baresipAccount: SoftphoneDomain['baresipAccount'] = (user, options = {}) => {
    const { seconds = 60, transport = 'udp' } = options
    const port = transport === 'tls' ? trunkline.sipTlsPort : trunkline.sipPort
    const by = transport === 'udp' ? '' : `;transport=${transport}`
    return `<sip:${user}@${name}${by}>;auth_pass=${PASSWORD};outbound="sip:127.0.0.1:${port}${by}";regint=${seconds}`
  }
  return {
    name,
    sid,
    listSid,
    baresipAccount,
    registrations: async () => {
      const { body } = await trunkline.api('GET', `/SIP/Domains/${sid}/Registrations.json`)
      return body['registrations'] as Readonly<Record<string, unknown>>[]
    },
  }
}
