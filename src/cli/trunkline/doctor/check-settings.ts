/** Checks settings that are valid one by one and wrong together. */
import { isLoopback } from '../../../platform/cidr.js'
import type { Facts } from './facts.js'
import { type Finding, ok, warn } from './finding.js'

export function checkSettings({ config }: Facts): readonly Finding[] {
  const { admin, http, publicUrl, servers } = config
  const found: Finding[] = []
  if (!isLoopback(admin.host))
    found.push(
      warn(
        'settings',
        `ADMIN_HOST is ${admin.host}: others can reach the private listener`,
        'leave it on 127.0.0.1 and come through SSH, or let a firewall allow the operator only',
      ),
    )
  if (!isLoopback(http.host) && publicUrl === undefined)
    found.push(
      warn(
        'settings',
        `PUBLIC_URL is not set, and HTTP_HOST is ${http.host}`,
        'set PUBLIC_URL to the https URL that customers use: URLs in webhooks begin with it',
      ),
    )
  if (publicUrl?.startsWith('http:') === true && !isLoopback(new URL(publicUrl).hostname))
    found.push(
      warn(
        'settings',
        `PUBLIC_URL is ${publicUrl}: credentials go unencrypted`,
        'put a proxy with a certificate in front, and an https URL here',
      ),
    )
  const telephony = servers.type === 'lab' ? 'the lab' : 'drachtio and FreeSWITCH'
  return [ok('settings', `valid; telephony by ${telephony}`), ...found]
}
