const audio = (port: number, payloads = '0', lines: readonly string[] = []) => [
  `m=audio ${String(port)} RTP/AVP ${payloads}`,
  ...lines,
]
const described = (media: readonly string[], address = '127.0.0.1') =>
  `${['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', `c=IN IP4 ${address}`, 't=0 0', ...media].join('\r\n')}\r\n`

const mappings = Array.from({ length: 1_000 }, (_, n) => `a=rtpmap:${n % 128} X${n}/8000`)
const manyLines = (count: number) => Array.from({ length: count }, () => audio(40_000)).flat()
const twice = audio(40_000, '96 96 0', ['a=rtpmap:96 opus/48000', 'a=rtpmap:96 PCMA/8000'])

/** Session descriptions that no phone sends, each with the correct answer to its INVITE (RFC 3264 §6). */
export const ABUSIVE_SDP: readonly (readonly [title: string, sdp: string, owed: 200 | 488])[] = [
  ['30 media lines', described(manyLines(30)), 200],
  ['200 media lines', described(manyLines(200)), 488],
  ['1,000 mappings', described(audio(40_000, '0', mappings)), 488],
  ['a payload type twice', described(twice), 200],
  ['address 0.0.0.0', described(audio(40_000), '0.0.0.0'), 200],
  ['port 0', described(audio(0)), 488],
  ['no common codec', described(audio(40_000, '18')), 488],
  ['G.711 under a dynamic number', described(audio(40_000, '96', ['a=rtpmap:96 PCMU/8000'])), 488],
  ['a codec whose name is a number', described(audio(40_000, '96', ['a=rtpmap:96 8/8000'])), 488],
  ['video only', described(['m=video 40000 RTP/AVP 99']), 488],
  ['no description at all', 'hello', 488],
]
