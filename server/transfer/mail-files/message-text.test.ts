import { describe, expect, test } from 'bun:test'
import { limitHere } from '#testing/cpu-time'
import { contentsOf, MAX_TEXT_BYTES, type MessagePart, readText, type TextPart, writtenText } from './message-text'

const plain = (part: string, more: Partial<MessagePart> = {}): MessagePart => ({
  part,
  type: 'text/plain',
  size: 100,
  ...more,
})
const html = (part: string, more: Partial<MessagePart> = {}): MessagePart => ({
  ...plain(part),
  type: 'text/html',
  ...more,
})
const multipart = (subtype: string, ...childNodes: readonly MessagePart[]): MessagePart => ({ type: `multipart/${subtype}`, childNodes }) // prettier-ignore
const file = (filename: string, more: Partial<MessagePart> = {}): MessagePart => ({
  type: 'application/pdf',
  encoding: 'base64',
  size: 7_800,
  disposition: 'attachment',
  dispositionParameters: { filename },
  ...more,
})

describe('contentsOf', () => {
  /** The sections that are text, and the names of attachments. */
  const found = (message: MessagePart) => {
    const { texts, attachments } = contentsOf(message)
    return [texts.map(({ section }) => section).join(), attachments.map(({ name }) => name).join()]
  }

  const CASES: readonly (readonly [string, MessagePart, string, string])[] = [
    ['a message of one part', { type: 'text/plain', size: 3 }, '1', ''],
    ['the plain text of two forms', multipart('alternative', plain('1'), html('2')), '1', ''],
    ['HTML beside a blank text', multipart('alternative', plain('1', { size: 12 }), html('2')), '2', ''],
    ['HTML alone', multipart('alternative', html('1')), '1', ''],
    [
      'forms within parts',
      multipart('mixed', multipart('alternative', plain('1.1'), multipart('related', html('1.2.1'))), file('a.pdf')),
      '1.1',
      'a.pdf',
    ],
    [
      'several texts, such as the end that a list adds',
      multipart('mixed', plain('1'), file('a.pdf'), plain('3')),
      '1,3',
      'a.pdf',
    ],
    [
      'HTML with its pictures',
      multipart(
        'related',
        html('1'),
        file('logo.png', { id: '<a>', disposition: 'inline' }),
        file('b.pdf', { id: '<b>' }),
      ),
      '1',
      'b.pdf',
    ],
    ['a signed message', multipart('signed', plain('1'), file('smime.p7s')), '1', ''],
    [
      'an encrypted message',
      multipart('encrypted', { type: 'application/pgp-encrypted' }, file('encrypted.asc')),
      '',
      ',encrypted.asc',
    ],
    [
      'an invitation',
      multipart('mixed', multipart('alternative', plain('1.1'), { type: 'text/calendar' }), file('invite.ics')),
      '1.1',
      'invite.ics',
    ],
    [
      'a text that is attached',
      multipart('mixed', plain('1'), plain('2', file('notes.txt', { type: 'text/plain' }))),
      '1',
      'notes.txt',
    ],
    [
      'a forwarded message',
      multipart('mixed', plain('1'), { ...multipart('mixed', plain('2.1')), type: 'message/rfc822' }),
      '1',
      '',
    ],
    ['nothing', multipart('mixed'), '', ''],
  ]
  test.each(CASES)('finds the texts and attachments of %s', (_, message, texts, names) => {
    expect(found(message)).toEqual([texts, names])
  })

  test('has names, types and sizes of attachments, cleaned', () => {
    const { attachments } = contentsOf(
      multipart(
        'mixed',
        file('report\r\n\0.pdf'),
        { type: 'image/<b>', encoding: '7bit', size: 12, parameters: { name: 'x'.repeat(300) } },
        { type: 'message/rfc822' },
      ),
    )
    expect(attachments).toEqual([
      { name: 'report .pdf', content_type: 'application/pdf', size: 5_700 },
      { name: 'x'.repeat(255), content_type: 'application/octet-stream', size: 12 },
      { name: null, content_type: 'message/rfc822', size: null },
    ])
  })

  test('has limits of depth and number', () => {
    let deep = plain('1')
    for (let depth = 0; depth < 10_000; depth++) deep = multipart('mixed', deep)
    expect(found(deep)).toEqual(['', ''])
    const { texts, attachments } = contentsOf(
      multipart('mixed', ...Array.from({ length: 5_000 }, (_, n) => [plain(`${n}`), file(`${n}`)]).flat()),
    )
    expect([texts.length, attachments.length]).toEqual([10, 100])
  })
})

describe('readText', () => {
  const part = (more: Partial<TextPart> = {}): TextPart => ({
    section: '1',
    isHtml: false,
    charset: 'utf-8',
    encoding: '',
    size: 0,
    ...more,
  })
  const read = async (more: Partial<TextPart>, bytes: Buffer | string) =>
    (await readText([{ part: part(more), bytes: Buffer.from(bytes) }])).text

  test.each([
    ['quoted-printable, whose characters are split', { encoding: 'quoted-printable' }, 'caf=C3=\r\n=A9 =3D', 'café ='],
    ['base64 in lines', { encoding: 'base64' }, 'Y2Fmw\r\n6kgb2xl', 'café ole'],
    ['base64 of which each line has an end', { encoding: 'base64' }, 'YQ==\nYg==\nYw==', 'abc'],
    ['an encoding that nobody knows', { encoding: 'x-uuencode' }, 'begin', 'begin'],
  ])('decodes %s', async (_, more, bytes, text) => {
    expect(await read(more, bytes)).toBe(text)
  })

  test.each([
    ['iso-8859-1', [0x63, 0xe9], 'cé'],
    ['windows-1251', [0xcf, 0xf0], 'Пр'],
    ['koi8-r', [0xf0, 0xd2], 'Пр'],
    ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x25, 0x46, 0x1b, 0x28, 0x42], 'テ'],
    ['shift_jis', [0x83, 0x65], 'テ'],
    ['gb18030', [0xc4, 0xe3], '你'],
    ['big5', [0xa7, 0x41], '你'],
    ['euc-kr', [0xb0, 0xa1], '가'],
    ['utf-16le', [0x61, 0x00], 'a'],
    ['', [0xe9], 'é'],
    ['us-ascii', [0xc3, 0xa9], 'é'],
    ['utf-8', [0x63, 0xe9], 'cé'],
    ['x-unknown', [0xe9], 'é'],
    ['utf-7', [0x2b], '+'],
    ['"; x', [0xe9], 'é'],
  ])('reads the charset %s', async (charset, bytes, text) => {
    expect(await read({ charset }, Buffer.from(bytes))).toBe(text)
  })

  test.each([
    ['several lines of a paragraph', { flow: { deletesSpace: false } }, 'One \ntwo\nThree', 'One two\nThree'],
    ['words that were split', { flow: { deletesSpace: true } }, 'Donau \ndampf', 'Donaudampf'],
    ['line ends of all kinds', {}, 'a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
    ['empty lines', {}, '\n\n a \t\n \n\n\n\nb\n\n', 'a\n\nb'],
    ['control characters', {}, 'a\0b\u0007\tc\u001b[31m', 'ab\tc[31m'],
    ['half of a character', { charset: 'utf-16le' }, Buffer.from([0x3d, 0xd8, 0x61, 0x00]), '\ufffda'],
    ['HTML', { isHtml: true }, '<p>One</p><script>x</script>', 'One'],
    ['tags in plain text', {}, '<p>One</p>', '<p>One</p>'],
    ['nothing', {}, ' \r\n ', null],
  ])('reads %s', async (_, more, bytes, text) => {
    expect(await read(more, bytes as string)).toBe(text)
  })

  test('joins several parts, and says that a text was cut', async () => {
    const texts = [{ part: part(), bytes: Buffer.from('One\n') }, { part: part({ isHtml: true }), bytes: Buffer.from('<b>Two</b>') }] // prettier-ignore
    expect(await readText(texts)).toEqual({ text: 'One\n\nTwo', isCut: false })
    const long = await readText([{ part: part(), bytes: Buffer.from('a'.repeat(100_001)) }])
    expect([long.text?.length, long.isCut]).toEqual([100_000, true])
    const styles = Buffer.from(`<b>Hi</b><style>${' '.repeat(MAX_TEXT_BYTES)}`).subarray(0, MAX_TEXT_BYTES)
    expect(await readText([{ part: part({ isHtml: true }), bytes: styles }])).toEqual({ text: 'Hi', isCut: true })
    expect(writtenText('Dear Ada,\r\n\r\n\r\n\r\nbye\0')).toEqual({ text: 'Dear Ada,\n\nbye', isCut: false })
  })

  test('leaves a character out that was cut, and the rest is UTF-8', async () => {
    const text = await read(
      { isHtml: true },
      Buffer.from(`é<i ${'x'.repeat(MAX_TEXT_BYTES - 6)}>é`).subarray(0, MAX_TEXT_BYTES),
    )
    expect(text).toBe('é')
  })

  const limit = limitHere(60)
  const filled = (unit: string) => Buffer.from(unit.repeat(Math.floor(MAX_TEXT_BYTES / unit.length)))
  test.each([
    ['line ends', {}, filled('\n')],
    ['spaces and line ends', {}, filled(' \n')],
    ['spaces', {}, filled(' ')],
    ['control characters', {}, filled('\0')],
    ['soft line ends', { encoding: 'quoted-printable' }, filled('=\n')],
    ['escapes', { encoding: 'quoted-printable' }, filled('=C3=A9')],
    ['signs', { encoding: 'quoted-printable' }, filled('=')],
    ['ends of base64', { encoding: 'base64' }, filled('=')],
    ['paragraphs', { flow: { deletesSpace: true } }, filled('> a \n')],
    ['escapes of Japanese', { charset: 'iso-2022-jp' }, filled('\u001b$B$3')],
  ])('takes linear time for %s', async (_, more, bytes) => {
    const times: number[] = []
    for (let repeat = 0; repeat < 5; repeat++) {
      const before = process.cpuUsage()
      await readText([{ part: part(more), bytes }])
      const { user, system } = process.cpuUsage(before)
      times.push((user + system) / 1000)
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(limit)
  })
})
