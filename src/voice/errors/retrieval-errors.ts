/** Errors between this server and the web servers of customers. */
export const RETRIEVAL_ERRORS = {
  11100: {
    name: 'retrieval-invalid-url',
    text: 'A URL is not valid, or is relative where an absolute one is needed.',
    remedy:
      'Write an absolute http:// or https:// URL; relative ones work only in a document that came from a URL.',
  },
  11200: {
    name: 'http-retrieval-failure',
    text: 'A web server of yours answered with an error status, without a Content-Type, or too late.',
    remedy:
      'Open the URL yourself with the method that the event log shows; the event holds the status and the time it took. A 401 or 403 is most often a signature check: it needs the URL as this server wrote it, the secret of the account, and a header that `WEBHOOK_SIGNATURE_HEADERS` names.',
  },
  11201: {
    name: 'connection-timeout',
    text: 'A web server of yours did not accept the connection in time.',
    remedy:
      'Check that it runs and that a firewall lets this server in; the time limit is 5 s, or `#ct=` behind the URL.',
  },
  11202: {
    name: 'connection-refused',
    text: 'A web server of yours refused the connection.',
    remedy: 'Start the server, or correct the port in the URL.',
  },
  11203: {
    name: 'request-timeout',
    text: 'A web server of yours did not answer in time as a whole.',
    remedy:
      'Answer faster; the time limit is 15 s, or `#tt=` behind the URL. Do long work after you have answered.',
  },
  11205: {
    name: 'connection-failed',
    text: 'The connection to a web server of yours failed or was lost before the answer was complete.',
    remedy:
      'Look for crashes and proxies that cut connections on your side; a request that was not sent is tried again.',
  },
  11206: {
    name: 'http-protocol-violation',
    text: 'A web server of yours did not speak HTTP as the standard says.',
    remedy:
      'Check that the port serves HTTP, and TLS where the URL says https. Compress with gzip, deflate or br, or not at all.',
  },
  11210: {
    name: 'bad-host-name',
    text: 'The host name of a URL does not resolve, or leads to an address that may not be reached.',
    remedy:
      'Correct the name. For a server in a private network the operator lists its range in `WEBHOOK_ALLOW_CIDRS`.',
  },
  11215: {
    name: 'too-many-redirects',
    text: 'A web server of yours redirected more than ten times, or 25 documents in a row led to the next one at once.',
    remedy:
      'Point the URL at its final address. Let a document be heard, or pause, before it leads back to itself.',
  },
  11216: {
    name: 'invalid-redirect',
    text: 'A web server of yours redirected to something that is no http or https URL.',
    remedy: 'Correct the Location header that the server sends.',
  },
  11220: {
    name: 'tls-handshake-failed',
    text: 'The TLS connection to a web server of yours failed.',
    remedy: 'Offer TLS 1.2 or newer with a certificate for the host.',
  },
  11235: {
    name: 'certificate-domain-mismatch',
    text: 'The certificate of a web server of yours is for another host name.',
    remedy: 'Get a certificate that names the host of the URL.',
  },
  11236: {
    name: 'certificate-expired',
    text: 'The certificate of a web server of yours is expired or not valid yet.',
    remedy: 'Renew it, and check the clock of the server.',
  },
  11237: {
    name: 'certificate-untrusted',
    text: 'The certificate of a web server of yours leads to no known authority.',
    remedy: 'Send the whole chain, or use a certificate of a public authority.',
  },
  11240: {
    name: 'invalid-connect-timeout',
    text: 'The connect timeout behind a URL (`#ct=`) is out of range; its default is used.',
    remedy: 'Give 100 to 10000 milliseconds.',
  },
  11241: {
    name: 'invalid-request-timeout',
    text: 'A timeout behind a URL (`#rt=` or `#tt=`) is out of range; its default is used.',
    remedy: 'Give 100 to 15000 milliseconds.',
  },
  11242: {
    name: 'invalid-retry-count',
    text: 'The retry count behind a URL (`#rc=`) is out of range; its default is used.',
    remedy: 'Give 0 to 5.',
  },
  11243: {
    name: 'invalid-retry-policy',
    text: 'The retry policy behind a URL (`#rp=`) is not known; its default is used.',
    remedy: 'Give `ct`, `rt`, `4xx`, `5xx` or `all`, with commas between several.',
  },
  11750: {
    name: 'response-too-large',
    text: 'A web server of yours answered with more than 64 KB.',
    remedy: 'Answer with a shorter document; sounds are named by Play, not sent in it.',
  },
  11770: {
    name: 'empty-chunked-body',
    text: 'A web server of yours answered with a chunked body that is empty.',
    remedy: 'Most often the application failed on the way: read its log.',
  },
  15003: {
    name: 'callback-refused',
    text: 'The server of a status callback answered with an error status, or the callback was given up.',
    remedy: 'Answer callbacks with any 2xx status; the event log shows each attempt.',
  },
} as const
