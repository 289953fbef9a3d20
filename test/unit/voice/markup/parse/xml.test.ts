import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../../../src/voice/markup/parse/parse-document.js'
import { readXml, type XmlElement } from '../../../../../src/voice/markup/parse/xml.js'
import { leastCpuMs } from '../../../../support/time/cpu-time.js'

const FIXTURES = join(import.meta.dirname, '../../../../fixtures/markup')
const K64 = 65_000

function rootOf(text: string): XmlElement {
  const root = readXml(text)
  if (root.type === 'failure') throw new Error(root.message)
  return root
}

describe('text', () => {
  it.each([
    ['predefined entities', 'a &amp; &lt;b&gt; &quot;c&quot; &apos;', 'a & <b> "c" \''],
    ['numeric references', '&#65;&#x42;&#233;&#x1F600;', 'ABé😀'],
    ['CDATA is literal', 'x<![CDATA[ <b> &amp; ]]>y', 'x <b> &amp; y'],
    ['comments vanish without a trace', 'one<!-- & < -- two -->three', 'onethree'],
    ['line ends are one line feed', 'a\r\nb\rc', 'a\nb\nc'],
  ])('%s', (_title, written, read) => {
    expect(rootOf(`<R>${written}</R>`).children).toEqual([{ type: 'text', text: read }])
  })

  it('decodes attribute values and makes their white space spaces', () => {
    const root = rootOf('<R a="1 &amp; 2" b=\'"\' c="x\n\ty" d=""/>')
    expect([...root.attributes]).toEqual([
      ['a', '1 & 2'],
      ['b', '"'],
      ['c', 'x  y'],
      ['d', ''],
    ])
  })

  it('keeps text and elements in order', () => {
    const root = rootOf('<R>a<b/>c<b>d</b>e</R>')
    expect(root.children.map((c) => (c.type === 'text' ? c.text : c.name))).toEqual([
      'a',
      'b',
      'c',
      'b',
      'e',
    ])
  })

  it.each([
    ['a byte order mark', '\ufeff<R/>'],
    ['an XML declaration with another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><R/>'],
    ['XML 1.1', "<?xml version='1.1'?>\n<R/>"],
    [
      'a style sheet instruction and comments around',
      '<?xml-stylesheet href="a"?><!-- a --><R/><!-- b -->\n',
    ],
    ['names that every object has', '<R toString="1" hasOwnProperty="2"/>'],
  ])('accepts %s', (_title, text) => {
    expect(rootOf(text).name).toBe('R')
  })
})

describe('failures', () => {
  it.each<[string, string, number]>([
    ['nothing', '', 12100],
    ['white space', ' \n ', 12100],
    ['plain text', 'hello', 12100],
    ['JSON', '{"a":"<b>"}', 12100],
    ['an element that never closes', '<Response><Say>', 12100],
    ['a crossed pair', '<Response><Say></Response></Say>', 12100],
    ['closing in another case', '<Response></response>', 12100],
    ['a bare ampersand in text', '<Response><Say>a & b</Say></Response>', 12100],
    [
      'a bare ampersand in a URL attribute',
      '<Response><Gather action="/a?b=1&c=2"/></Response>',
      12100,
    ],
    ['an entity that XML does not define', '<Response><Say>&nbsp;</Say></Response>', 12100],
    ['a reference to no character', '<Response><Say>&#0;</Say></Response>', 12100],
    ['a lone surrogate reference', '<Response><Say>&#xD800;</Say></Response>', 12100],
    ['a control character', '<Response><Say>\u0001</Say></Response>', 12100],
    ['an attribute twice', '<Response><Pause length="1" length="2"/></Response>', 12100],
    ['an attribute without quotes', '<Response><Pause length=1/></Response>', 12100],
    ['two roots', '<Response/><Response/>', 12100],
    ['text after the root', '<Response/>Warning: mysql gone', 12100],
    ['white space before the declaration', ' <?xml version="1.0"?><Response/>', 12100],
    ['XML 2.0', '<?xml version="2.0"?><Response/>', 12101],
    ['another root', '<html><body/></html>', 12102],
    ['the root in lower case', '<response/>', 12102],
    ['a name of the language', '<Response><__proto__/></Response>', 12100],
    [
      'an internal entity',
      '<!DOCTYPE a [<!ENTITY b "c">]><Response><Say>&b;</Say></Response>',
      12100,
    ],
    [
      'an external entity',
      '<?xml version="1.0"?><!-- a --> <!DOCTYPE a SYSTEM "file:///etc/passwd"><Response/>',
      12100,
    ],
    ['more than 64 kB', `<Response><Say>${'a'.repeat(70_000)}</Say></Response>`, 11750],
  ])('%s', (_title, text, code) => {
    expect(parseDocument(text)).toMatchObject({ type: 'failure', code })
  })

  it.each([
    ['in text', '<Say>Tom & Jerry</Say>', '<Say>Tom & Jerry</Say>'],
    ['in an attribute', '<Gather action="/a?b=1&c=2"/>', '<Gather action="/a?b=1&c=2"/>'],
    ['as an entity of HTML', '<Say>a&nbsp;b</Say>', '<Say>a&nbsp;b</Say>'],
    ['after CDATA and a comment with others', '<!-- & --><Say><![CDATA[&]]>x & y</Say>', 'x & y'],
  ])('name an ampersand that is not escaped: %s', (_title, verbs, shown) => {
    const result = parseDocument(`<Response>\n  <Pause/>\n${verbs}</Response>`)
    const message = result.type === 'failure' ? result.message : ''
    expect(message).toContain(shown)
    expect(message).toMatch(/& is not written as &amp; in ".*" \(line 3\)/)
  })

  it('of other documents do not speak of an ampersand', () => {
    const result = parseDocument('<Response><Say>a &amp; b &#233;</Response>')
    expect(result.type === 'failure' && result.message).not.toContain('&amp;')
  })

  it('speaks of a document type only where it is one', () => {
    expect(parseDocument('<Response><Say><![CDATA[<!DOCTYPE a>]]></Say></Response>').type).toBe(
      'document',
    )
  })
})

/** Time is not asserted tightly (a busy machine is slow); the bound is what a quadratic parser breaks. */
describe('abuse is answered at once', () => {
  it.each<[string, () => string]>([
    ['billion laughs', () => readFileSync(join(FIXTURES, 'billion-laughs.xml'), 'utf8')],
    ['external entity', () => readFileSync(join(FIXTURES, 'external-entity.xml'), 'utf8')],
    ['10 MB', () => `<Response>${'<Say>a</Say>'.repeat(900_000)}</Response>`],
    ['depth 10,000', () => `<Response>${'<a>'.repeat(9000)}${'</a>'.repeat(9000)}</Response>`],
    ['depth 10,000 unclosed', () => '<a>'.repeat(20_000)],
    ['many siblings', () => `<Response>${'<a/>'.repeat(16_000)}</Response>`],
    ['nearly too many siblings', () => `<Response>${'<a/>'.repeat(4900)}</Response>`],
    [
      'many attributes',
      () => `<Response ${Array.from({ length: 5000 }, (_, i) => `a${i}="1"`).join(' ')}/>`,
    ],
    ['attributes without values', () => `<Response ${'a='.repeat(30_000)}/>`],
    ['only <', () => '<'.repeat(K64)],
    ['only &', () => `<Response>${'&'.repeat(K64)}</Response>`],
    ['references', () => `<Response><Say>${'&amp;'.repeat(12_000)}</Say></Response>`],
    ['unclosed comments', () => `<Response>${'<!--'.repeat(16_000)}</Response>`],
    ['unclosed CDATA', () => `<Response>${'<![CDATA['.repeat(7000)}</Response>`],
    ['instructions', () => `<Response>${'<?a?>'.repeat(12_000)}</Response>`],
    ['quotes', () => `<Response a=${'"'.repeat(K64)}/>`],
    ['white space', () => `${' '.repeat(K64 / 2)}<Response ${' '.repeat(K64 / 2 - 100)}/>`],
    ['a name of 64 kB', () => `<${'a'.repeat(K64)}/>`],
  ])('%s', (_title, make) => {
    const text = make()
    const result = parseDocument(text)
    expect(leastCpuMs(() => parseDocument(text))).toBeLessThan(1_000)
    if (result.type === 'failure') expect(result.message.length).toBeLessThanOrEqual(200)
    else expect(result.warnings.length).toBeLessThanOrEqual(50)
  })
})
