/** The methods registered with IANA, whether or not we support them. */
const METHODS = new Set(
  'INVITE ACK BYE CANCEL OPTIONS REGISTER PRACK SUBSCRIBE NOTIFY PUBLISH INFO REFER MESSAGE UPDATE'.split(
    ' ',
  ),
)

const OPTION_TAGS = new Set(
  `100rel 199 answermode early-session eventlist explicitsub from-change geolocation-http
  geolocation-sip gin gruu histinfo ice join multiple-refer norefersub nosub outbound path policy
  precondition pref privacy recipient-list-invite recipient-list-message recipient-list-subscribe
  record-aware replaces resource-priority sdp-anat sec-agree siprec tdialog timer trickle-ice uui`.split(
    /\s+/,
  ),
)

export function isKnownMethod(method: string): boolean {
  return METHODS.has(method)
}

/** True for a registered option tag; the user of the stack decides whether it is supported. */
export function isKnownOptionTag(tag: string): boolean {
  return OPTION_TAGS.has(tag.toLowerCase())
}
