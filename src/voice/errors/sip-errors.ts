/** Errors of SIP domain resources, and of requests from softphones. */
export const SIP_ERRORS = {
  21230: {
    name: 'too-many-sip-domains',
    text: 'The account has 100 SIP domains.',
    remedy: 'Delete one that is not used.',
  },
  21231: {
    name: 'invalid-sip-domain-setting',
    text: 'A parameter of a SIP domain is not valid, or the list is mapped to it already.',
    remedy: 'Correct the parameter that the message names.',
  },
  21232: {
    name: 'sip-domain-not-available',
    text: 'DomainName is no host name, is in use, or is below a domain of another account.',
    remedy: 'Choose a host name with a dot that nobody uses.',
  },
  21233: {
    name: 'sip-domain-has-subdomains',
    text: 'The account has SIP domains below this one: it cannot be deleted.',
    remedy: 'Delete those first.',
  },
  21235: {
    name: 'invalid-access-list',
    text: 'FriendlyName is missing, too long, or the name of another IP access control list.',
    remedy: 'Give a name of at most 255 characters that no other such list has.',
  },
  21236: {
    name: 'access-list-in-use',
    text: 'The IP access control list is mapped to a SIP domain: it cannot be deleted.',
    remedy: 'Remove the mapping first.',
  },
  21237: {
    name: 'too-many-access-addresses',
    text: 'The list has 100 addresses, or the account has 1000 such lists.',
    remedy: 'Give a network with a prefix length in place of its addresses.',
  },
  21238: {
    name: 'invalid-access-address',
    text: 'A parameter of an address is missing or not valid.',
    remedy: 'Give a name, an IPv4 or IPv6 address and, for a network, its prefix length.',
  },
  21239: {
    name: 'too-many-credential-lists',
    text: 'The account has 100 credential lists.',
    remedy: 'Delete one that is not used.',
  },
  21240: {
    name: 'invalid-credential-list',
    text: 'FriendlyName is missing, too long, or the name of another credential list.',
    remedy: 'Give a name of at most 64 characters that no other such list has.',
  },
  21241: {
    name: 'credential-list-in-use',
    text: 'The credential list is mapped to a SIP domain: it cannot be deleted.',
    remedy: 'Remove the mapping first.',
  },
  21242: {
    name: 'too-many-credentials',
    text: 'The list has 1000 credentials.',
    remedy: 'Make another list, and map both.',
  },
  21243: {
    name: 'invalid-credential',
    text: 'Username or Password is not valid, or the list has that user name already.',
    remedy:
      "Username: up to 32 of letters, digits and -_.!~*'()+. Password: 12 characters or more with a digit, lower and upper case.",
  },
  21252: {
    name: 'invalid-region',
    text: 'VoiceRegion is not the name of a region.',
    remedy: 'Write it as `us1`.',
  },
  21300: {
    name: 'invalid-byoc-trunk',
    text: 'ByocTrunkSid is no sid of a trunk.',
    remedy: 'Write it as BY and 32 hex digits, or leave it out: it has no effect.',
  },
  32001: {
    name: 'carrier-full',
    text: 'A carrier has as many calls at once, or a second, as its settings allow.',
    remedy: 'Raise maxCalls or callsPerSecond of the carrier, or add another carrier.',
  },
  32002: {
    name: 'sip-domain-not-found',
    text: 'A SIP request names a domain that does not exist here: it is answered 404.',
    remedy: 'Create the domain, or correct the server that the softphone is set to.',
  },
  32009: {
    name: 'sip-user-not-registered',
    text: 'The user of a SIP domain that a call goes to is not registered.',
    remedy: 'Wait until its softphone registers; the domain lists who is registered.',
  },
  32011: {
    name: 'no-secure-connection',
    text: 'No TLS connection to the other side of a call was made; the next route is tried.',
    remedy:
      'Compare its certificate with the host that is called, and its authority with SIP_TLS_CA.',
  },
  32012: {
    name: 'no-carrier',
    text: 'No carrier has a prefix of the number that is called, or the host of one that has it is not found.',
    remedy:
      'Ask the operator to add a carrier, or a prefix to one, or to correct its host: docs/sip-trunks.md.',
  },
  32013: {
    name: 'telephony-server-fault',
    text: 'A drachtio or FreeSWITCH server is of no use, so a call fails or its audio is lost; the message says why.',
    remedy:
      'Tell the operator: `/readyz` and `trunkline doctor` say the same, docs/real-servers.md what to do.',
  },
  32014: {
    name: 'leg-audio-fault',
    text: 'A leg had no audio, audio in one direction alone, or audio that its SDP does not name; the message says which.',
    remedy:
      'Compare the addresses of the `media` event: a peer behind a NAT names a private one, and firewalls have to let the RTP ports through.',
  },
  32105: {
    name: 'invalid-contact',
    text: 'The Contact of a REGISTER cannot be read: it is answered 400.',
    remedy: 'Send one to ten SIP addresses, or * with Expires: 0.',
  },
  32201: {
    name: 'sip-source-not-allowed',
    text: 'No list of the SIP domain for calls holds the address or credentials of the caller: 403.',
    remedy: 'Map an IP access control list with the address, or a credential list.',
  },
  32202: {
    name: 'wrong-sip-credentials',
    text: 'The user name or the password of a SIP request is wrong: it is answered 403.',
    remedy: 'Correct them; after ten mistakes an address waits for half a minute a try.',
  },
  32208: {
    name: 'secure-media-required',
    text: 'A call at a Secure SIP domain offers no SRTP: 488. Or SRTP would need keys in SIP without TLS.',
    remedy: 'Set the softphone to SRTP alone; set the carrier to TLS, or its secureMedia to false.',
  },
  32209: {
    name: 'secure-transport-required',
    text: 'The SIP domain takes requests over TLS only, and this one came without: 403.',
    remedy: 'Set the softphone to TLS, or switch Secure off.',
  },
  32212: {
    name: 'registration-not-allowed',
    text: 'The SIP domain takes no registrations, or the credentials are of another user: 403.',
    remedy: 'Set SipRegistration; let the user name be the one of the credentials.',
  },
} as const
