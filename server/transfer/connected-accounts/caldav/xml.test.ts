import { expect, test } from 'bun:test'
import { inSlices } from '#base/timing/in-slices'
import { parseXml, XmlError } from './xml'

const parse = (text: string) => inSlices(parseXml(text))

test('namespaces, attributes, references, CDATA and comments', async () => {
  const root = await parse(`<?xml version="1.0"?>
    <a xmlns="DAV:" xmlns:c="urn:c"><!-- <b> --><c:b name='x &amp; "y"'/><b xmlns="urn:d">1 &lt; &#50;&#x33;<![CDATA[<&amp;]]></b></a>`)
  expect(root.name).toBe('DAV:|a')
  expect(root.children).toEqual([
    { name: 'urn:c|b', attributes: { name: 'x & "y"' }, children: [], text: '' },
    { name: 'urn:d|b', attributes: {}, children: [], text: '1 < 23<&amp;' },
  ])
})

test.each([
  ['nothing', ''],
  ['a text', 'Hello'],
  ['no end', '<a><b></b>'],
  ['no end of a tag', '<a'],
  ['another end', '<a></b>'],
  ['one end too many', '<a/></a>'],
  ['a broken attribute', '<a b=c/>'],
  ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['too many levels', '<a>'.repeat(100) + '</a>'.repeat(100)],
  ['an open comment', '<a><!-- </a>'],
  ['too many namespaces', `<a ${Array.from({ length: 200 }, (_, n) => `xmlns:n${n}="${n}"`).join(' ')}/>`],
])('an error for %s', async (_, text) => {
  await expect(parse(text)).rejects.toBeInstanceOf(XmlError)
})

test('references that mean nothing stay or are left out', async () => {
  expect((await parse('<a>&nothing; &ab; &#0; &#x110000; & &amp;lt;</a>')).text).toBe('&nothing; &ab;   & &lt;')
})
