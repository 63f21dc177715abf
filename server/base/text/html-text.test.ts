import { describe, expect, test } from 'bun:test'
import { atOnce } from '#base/timing/in-slices'
import { leastCpuTime, limitHere } from '#testing/cpu-time'
import { textOfHtml } from './html-text'

const textOf = (html: string, maxLength = 1_000) => atOnce(textOfHtml(html, maxLength))

test.each([
  ['paragraphs', '<p>One</p><p>Two\n  lines</p>Three', 'One\n\nTwo lines\n\nThree'],
  ['lines', '<div>One</div><div>Two<br>Three<br><br><br><br>Four</div>', 'One\nTwo\nThree\n\nFour'],
  ['the words of a line', 'a<b>b</b> <i>c</i>\n<u> d</u>', 'ab c d'],
  ['a list', '<ul><li>One<li><p>Two</p></li><li></li></ul>Three', '- One\n\n- Two\n\nThree'],
  ['a table', '<table><tr><td>Name</td><td>Ada</td></tr><tr><th>Age<th>36</table>', 'Name Ada\nAge 36'],
  ['preformatted text', '<pre>One\n  Two</pre>', 'One\nTwo'],
  ['entities', '&lt;b&gt; &amp;amp; &#233; &eacute; &#x1f600; &unknown; &nbsp;x', '<b> &amp; é é 😀 &unknown; x'],
  ['a link without its address', '<a href="https://track.example/?id=1">Offer</a>', 'Offer'],
  ['no picture', 'a<img src="https://track.example/p.gif" alt="x">b', 'ab'],
  ['no characters without a width', 'pre\u200bview\u034f &zwnj;&shy;', 'preview \u200c'],
  ['no script and no style', 'a<script>x<p>y</script>b<style>p { }</style>c<STYLE type=x>d</style >e', 'abce'],
  ['no title and no template', '<head><title>x</title></head>a<template><p>y</p></template>b', 'ab'],
  ['no picture in SVG', 'a<svg><text>x</text><svg/></svg>b<svg/>c', 'abc'],
  [
    'no comments, also those of Outlook',
    'a<!-- <p>x</p> -->b<!--[if mso]><p>y</p><![endif]-->c<![if !mso]>d<![endif]>',
    'abcd',
  ],
  ['no handlers', '<p onclick="alert(1)" style="x">a</p>', 'a'],
  ['nothing of a script that does not end', 'a<script>x', 'a'],
  ['a tag that does not end', 'a<b href="', 'a'],
  ['signs that are no tags', '1 < 2 > 0 & so', '1 < 2 > 0 & so'],
  ['nothing', ' <p> </p> ', ''],
])('has %s', (_, html, text) => {
  expect(textOf(html)).toBe(text)
})

test('has at most so many characters', () => {
  expect(textOf('<p>abc</p>'.repeat(1_000), 10)).toBe('abc\n\nabc\n\n'.slice(0, 10))
})

describe('hostile documents of 256 KiB', () => {
  const limit = limitHere(60)
  const filled = (unit: string) => unit.repeat(Math.floor((256 * 1024) / unit.length))

  test.each([
    ['deep nesting', filled('<div>')],
    ['end tags of other elements', '<b>'.repeat(40_000) + '</i>'.repeat(35_000)],
    ['tables in tables', filled('<table><tr><td>')],
    ['many styles', filled('<style>a{}</style>')],
    ['styles that do not end', filled('<style>')],
    ['comments that do not end', filled('<!--')],
    ['attributes', `<a ${filled('a=b ')}`],
    ['an attribute', `<a title="${filled('x')}`],
    ['line breaks', filled('<br>')],
    ['signs', filled('<')],
    ['signs of entities', filled('&')],
    ['entities', filled('&amp;')],
    ['numbers of entities', `&#${filled('1')};`],
    ['spaces', filled(' ')],
    ['spaces and a letter', filled('  a\u200b')],
    ['lines of a preformatted text', `<pre>${filled('\n')}`],
    ['hidden elements', filled('<svg>')],
  ])('linear time for %s', (_, html) => {
    expect(leastCpuTime(() => textOf(html, 100_000), limit)).toBeLessThanOrEqual(limit)
  })

  test('are read in parts, between which the computation may pause', () => {
    const html = filled('<div>')
    expect([...textOfHtml(html, 10)].length).toBe(Math.ceil(html.length / 8_192))
  })
})
