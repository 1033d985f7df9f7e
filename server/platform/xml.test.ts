import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diag } from 'libxml2-wasm'
import { AppError } from './errors.ts'
import { attribute, childElements, readXml, type XmlLimits } from './xml.ts'

const A = 'urn:example:a'
const B = 'urn:example:b'
const limits: XmlLimits = {
  bytes: 4096,
  depth: 32,
  elements: 250,
  attributes: 500,
  elementAttributes: 50,
  namespaces: 50,
  sections: 50,
  references: 1000,
}

const reasonOf = (source: string | Uint8Array, options: XmlLimits = limits): string => {
  try {
    readXml(source, options, () => {})
    return 'accepted'
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.kind, 'invalid')
    return error.reason
  }
}

test('values are read by namespace and name', () => {
  const source = `<?xml version="1.0" encoding="UTF-8"?>\n<r xmlns="${A}" xmlns:b="${B}" id="1 &amp; 2">
    <b:item>other</b:item><item>one</item><item><![CDATA[<two>]]></item><deep><item>no</item></deep></r>`
  const seen = readXml(source, limits, (root) => ({
    id: attribute(root, 'id'),
    absent: attribute(root, 'nothing'),
    items: childElements(root, A, 'item').map((item) => item.content),
  }))
  assert.deepEqual(seen, { id: '1 & 2', absent: undefined, items: ['one', '<two>'] })
})

const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`
const refused: [name: string, source: string | Uint8Array, reason: string][] = [
  ['nothing', '', 'xml_malformed'],
  ['text', 'hello', 'xml_malformed'],
  ['two roots', '<a/><b/>', 'xml_malformed'],
  ['an open element', '<a>', 'xml_malformed'],
  ['an unknown entity', '<a>&b;</a>', 'xml_malformed'],
  ['an undeclared prefix', '<a:b/>', 'xml_malformed'],
  ['the same attribute twice', '<a b="1" b="2"/>', 'xml_malformed'],
  ['a character that XML forbids', '<a>&#1;</a>', 'xml_malformed'],
  ['a document type', '<!DOCTYPE a><a/>', 'xml_doctype'],
  ['an internal entity', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'xml_doctype'],
  [
    'an external entity',
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    'xml_doctype',
  ],
  ['an instruction before the root', '<?p q?><a/>', 'xml_instruction'],
  ['an instruction within a text', '<a>not-an-<?p q?>admin</a>', 'xml_instruction'],
  ['a comment within a text', '<a>admin<!-- -->@example.com</a>', 'xml_comment'],
  ['a comment after the root', '<a/><!-- -->', 'xml_comment'],
  ['too many bytes', `<a>${'é'.repeat(2048)}</a>`, 'xml_too_large'],
  ['elements nested too deep', nested(33), 'xml_too_deep'],
  ['elements nested deeper than the parser goes', nested(500), 'xml_too_deep'],
  ['another encoding declared', '<?xml version="1.0" encoding="utf-16"?><a/>', 'xml_not_utf8'],
  ['another encoding without a mark', Buffer.from('<a/>', 'utf16le'), 'xml_malformed'],
  ['another encoding used', Buffer.from('\uFEFF<!DOCTYPE a><a/>', 'utf16le'), 'xml_not_utf8'],
  ['bytes that are not UTF-8', Buffer.from([0x3c, 0x61, 0x3e, 0xff]), 'xml_not_utf8'],
]
for (const [name, source, reason] of refused)
  test(`refuses ${name}`, () => assert.equal(reasonOf(source), reason))

test('limits are those of the caller', () => {
  assert.equal(reasonOf(nested(32)), 'accepted')
  assert.equal(reasonOf(nested(5), { ...limits, depth: 4 }), 'xml_too_deep')
  assert.equal(reasonOf('<a><b/><b/></a>', { ...limits, elements: 2 }), 'xml_too_many_elements')
  assert.equal(reasonOf('<a><!-- why --></a>', { ...limits, comments: 1 }), 'accepted')
  assert.equal(reasonOf('\uFEFF<a/>'), 'accepted')
  assert.equal(reasonOf(Buffer.from('\uFEFF<a>ü</a>')), 'accepted')
})

const many = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join('')

// Trees of these took seconds to traverse; the scan rejects them before one is built.
const expensive: [name: string, source: string, reason: string][] = [
  ['instructions', `<a>${'<?p?>'.repeat(52_000)}</a>`, 'xml_instruction'],
  ['comments', `<a>${'<!---->'.repeat(37_000)}</a>`, 'xml_comment'],
  ['elements', `<a>${'<b/>'.repeat(50_000)}</a>`, 'xml_too_many_elements'],
  ['attributes', `<a${many(50_000, (at) => ` b${at}="1"`)}/>`, 'xml_too_many_attributes'],
  [
    'attributes of several elements',
    `<a>${`<b${many(30, (at) => ` b${at}='1'`)}/>`.repeat(200)}</a>`,
    'xml_too_many_attributes',
  ],
  ['namespaces', `<a${many(50_000, (at) => ` xmlns:b${at}="c"`)}/>`, 'xml_too_many_namespaces'],
  ['default namespaces', `<a>${'<b xmlns="c"/>'.repeat(200)}</a>`, 'xml_too_many_namespaces'],
  ['levels', nested(50_000), 'xml_too_deep'],
  ['sections', `<a>${'<![CDATA[]]>'.repeat(20_000)}</a>`, 'xml_too_many_sections'],
  ['references', `<a>${'&lt;'.repeat(60_000)}</a>`, 'xml_too_many_references'],
  ['entities', `<!DOCTYPE a [${many(10_000, (at) => `<!ENTITY b${at} "">`)}]><a/>`, 'xml_doctype'],
  ['an attribute without end', `<a b="${'<'.repeat(200_000)}`, 'xml_malformed'],
  ['a tag without end', `<a${' '.repeat(200_000)}`, 'xml_malformed'],
  ['a comment without end', `<a><!--${'-'.repeat(200_000)}`, 'xml_comment'],
]
for (const [name, source, reason] of expensive)
  test(`refuses a flood of ${name} before a tree is built`, () => {
    assert.equal(reasonOf(source, { ...limits, bytes: 1_048_576 }), reason)
  })

test('the scan sees tags as the parser does', () => {
  const quoted = `<a b="> <c" d='"/>'/>`.replace('<c', '&lt;c')
  assert.equal(reasonOf(quoted, { ...limits, elements: 1 }), 'accepted')
  const section = '<a><![CDATA[<b><!-- <?p ?>]]></a>'
  assert.equal(reasonOf(section, { ...limits, elements: 1 }), 'accepted')
  const comment = '<a><!-- <b> <![CDATA[ <!DOCTYPE --></a>'
  assert.equal(reasonOf(comment, { ...limits, elements: 1, comments: 1 }), 'accepted')
  // White space elsewhere, but name characters in XML.
  assert.equal(reasonOf('<a\u1680b/>'), 'accepted')
  assert.equal(reasonOf('<a b\u1680c="1"/>', { ...limits, attributes: 1 }), 'accepted')
  assert.equal(reasonOf('<a\tb\n=\r"1"\n></a >', { ...limits, attributes: 1 }), 'accepted')
  assert.equal(reasonOf('<?xml-stylesheet?><a/>'), 'xml_instruction')
  assert.equal(reasonOf(' <?xml version="1.0"?><a/>'), 'xml_instruction')
})

test('elements of unexpected namespaces are allowed only inside extensions', () => {
  const known = { ...limits, known: [A] }
  assert.equal(reasonOf(`<r xmlns="${A}"><s/></r>`, known), 'accepted')
  assert.equal(reasonOf(`<r xmlns="${A}"><s xmlns="${B}"/></r>`, known), 'xml_namespace')
  assert.equal(reasonOf('<r/>', known), 'xml_namespace')
  assert.equal(
    reasonOf(`<r xmlns="${A}"><Extensions><s xmlns="${B}"/></Extensions></r>`, known),
    'accepted',
  )
  assert.equal(
    reasonOf(`<r xmlns="${A}"><Extensions xmlns="${B}"><s/></Extensions></r>`, known),
    'xml_namespace',
  )
})

test('a document is freed, even when it is rejected or its reader throws', () => {
  diag.configure({ enabled: true })
  try {
    readXml('<a/>', limits, (root) => root.name)
    assert.equal(reasonOf('<a><!-- --></a>'), 'xml_comment')
    const fail = () => readXml('<a/>', limits, () => assert.fail('no'))
    assert.throws(fail, /no/)
    assert.doesNotMatch(JSON.stringify(diag.report()), /XmlDocument/)
  } finally {
    diag.configure({ enabled: false })
  }
})
